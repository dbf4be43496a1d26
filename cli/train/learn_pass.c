/* The learning of sluice train: passes over the inputs, and what is due on the way. */
#include "kafka/kafka.h"
#include "output/class_text.h"
#include "output/message.h"
#include "run/signals.h"
#include "train/training.h"

#include <math.h>

int prepare_save(training *t) {
    int rc = drift_remember(&t->drift, t->model);
    if (!rc) rc = hold_out_remember(t);
    return rc || !t->stream.kafka ? rc : kafka_remember(t->stream.kafka, t->model);
}

int is_ended(const training *t) { return stop_signal() || t->drift.has_stopped; }

uint64_t model_examples(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    return facts.examples;
}

uint64_t learned_now(const training *t) { return t->examples_ended + model_examples(t->model) - t->examples_before; }

/* Saves a checkpoint if one is due after n more examples. It is a full model, whatever --final says. */
static int save_if_due(training *t, progress *p, const sluice_reader *reader, size_t n) {
    int why = checkpoint_due(&t->checkpoint, n);
    if (!why) return DONE;
    progress_clear(p);
    int rc = remember_input(t->a, t->model, sluice_reader_format(reader));
    if (!rc) rc = prepare_save(t);
    if (!rc && checkpoint_try(&t->checkpoint, t->model, why) && t->stream.kafka) kafka_saved(t->stream.kafka);
    return rc;
}

/* Says which classes there are, when the second one has come. */
static void note_classes(training *t, progress *p) {
    if (t->knows_classes || sluice_model_settings(t->model)->classes || sluice_model_classes(t->model) < 2) return;
    t->knows_classes = 1;
    progress_clear(p);
    note_positive(t->model);
}

/* Says what a named learner lacks, when enough rows have been seen. */
static void note_scale(training *t, progress *p, const sluice_batch *batch, size_t first, size_t n) {
    if (!t->values || !scale_note_look(t->values, batch, first, n)) return;
    progress_clear(p);
    scale_note_end(t->values);
    t->values = NULL;
}

static int begin_anew(training *t) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(t->model, &facts);
    t->examples_ended += facts.examples - t->examples_before;
    t->updates_ended += facts.updates - t->updates_before;
    t->examples_before = t->updates_before = 0;
    pseudo_begin_anew(&t->pseudo, t->model);
    return sluice_model_begin_anew(t->model) == SLUICE_OK ? DONE : complain_error(sluice_model_error(t->model));
}

/* What an alarm does. */
static int mind_drift(training *t, progress *p) {
    if (!drift_has_alarm(&t->drift)) return DONE;
    progress_clear(p);
    drift_tell(&t->drift);
    return t->drift.action == DRIFT_RESET ? begin_anew(t) : DONE;
}

/* Keeps how the first negative label was written, when n rows were learned. */
static int keep_negative(training *t, const sluice_batch *batch, size_t first, size_t n) {
    double label = NAN;
    for (size_t i = first; i < first + n && !t->knows_negative; i++)
        if (sluice_batch_label(batch, i) <= 0 && sluice_batch_weight(batch, i) > 0) {
            label = sluice_batch_label(batch, i);
            t->knows_negative = 1;
        }
    return remember_negative(t->model, label);
}

/* A part that is being learned. */
typedef struct part {
    const progress *p;
    size_t learned; /* rows of it */
} part;

/* Ends the part where a signal or the line of progress is to be looked after. */
static int look(void *context, uint64_t done, uint64_t total) {
    (void)total;
    part *now = context;
    now->learned = (size_t)done;
    return signal_waits() || progress_due(now->p);
}

/* Learns rows, n of them or fewer. Returns how many; *status: of the library. From the second pass on they are not
 * measured: they were learned before. */
static size_t learn_part(training *t, const progress *p, const sluice_batch *batch, size_t first, size_t n,
                         sluice_status *status) {
    part now = {.p = p};
    sluice_model_set_progress(t->model, look, &now);
    *status = sluice_model_learn_rows(t->model, batch, first, n, p->pass ? NULL : t->meter);
    sluice_model_set_progress(t->model, NULL, NULL);
    if (*status != SLUICE_E_CANCELLED) return n;
    *status = SLUICE_OK;
    return now.learned;
}

/* Messages behind the last row that was learned are done, too: tombstones, and what was left out. */
static void pass_messages(training *t) {
    if (!t->stream.kafka) return;
    const uint64_t before = kafka_count(t->stream.kafka).messages;
    input_stream_done(&t->stream, 0);
    if (kafka_count(t->stream.kafka).messages > before) t->checkpoint.moved = 1;
}

/* How many of the next rows to learn before something is due. */
static size_t until_due(const training *t, const progress *p, size_t rows) {
    rows = progress_until_row(p, rows);
    if (p->pass) return rows;
    return history_until_point(&t->history, drift_until(&t->drift, trace_until_row(&t->trace, rows)));
}

/* What is said and recorded after learning n rows. */
static void learned_part(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch, size_t first,
                         size_t n) {
    note_classes(t, p);
    note_scale(t, p, batch, first, n);
    if (t->stream.kafka && n) {
        kafka_row_done(t->stream.kafka, batch, first + n - 1);
        p->lag = kafka_count(t->stream.kafka).lag;
    }
    progress_learned(p, reader, n, t->model, t->meter);
    if (p->pass) return;
    label_order_learned(&t->order, batch, first, n);
    trace_learned(&t->trace, n, t->model, t->meter, &t->drift);
    history_learned(&t->history, batch, first, n, t->model, t->meter);
}

/* Learns a batch, in parts where something is due within it: a row of the progress table or of the trace, a point of
 * the history, a checkpoint, what a signal asks for. */
static int learn_batch(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch) {
    size_t rows = sluice_batch_rows(batch), first = checkpoint_skip(&t->checkpoint, rows);
    if (!rows) pass_messages(t);
    int held, rc = hold_out_keep(t, batch, 0, first);
    if (!rc) rc = save_if_due(t, p, reader, 0); /* one may have been asked for while the input was waited for */
    for (size_t n; first < rows && !rc && !is_ended(t); first += n) {
        n = hold_out_run(&t->holding, t->row + first, checkpoint_until(&t->checkpoint, rows - first), &held);
        if (held) {
            rc = hold_out_keep(t, batch, first, n);
            if (!rc) rc = save_if_due(t, p, reader, n);
            continue;
        }
        n = until_due(t, p, n);
        sluice_status status;
        n = learn_part(t, p, batch, first, n, &status);
        if (status != SLUICE_OK) return input_stream_complain_error(&t->stream, sluice_model_error(t->model));
        if ((rc = keep_negative(t, batch, first, n))) return rc;
        if (p->pass == 0 && (rc = feature_counts_learned(&t->counts, batch, first, n))) return rc;
        learned_part(t, p, reader, batch, first, n);
        rc = mind_drift(t, p);
        if (!rc) rc = save_if_due(t, p, reader, n);
    }
    if (first == rows && !rc) pass_messages(t);
    t->row += rows;
    return rc;
}

sluice_reader_options learn_reading(const training *t) {
    const sluice_reader_options labelled = costs_reading(&t->costs, &t->reading);
    return pseudo_reading(&t->pseudo, &labelled);
}

/* Text and URLs, as the endings of files may say, do not go into one model. */
static int check_format(const training *t, const sluice_reader *reader) {
    const char *format = sluice_reader_format(reader);
    if (!contradicts_format(t->model, format)) return remember_format(t->model, format);
    const reader_settings kept = model_reader_settings(t->model);
    complain("an input is read as %s, and the model learns from %s, which is cut into other features; if the input has "
             "that, say --format %s",
             format, kept.format, kept.format);
    return FAILED;
}

int learn_pass(training *t, progress *p) {
    const sluice_reader_options reading = learn_reading(t);
    const inputs from = inputs_of(t->a, &t->kafka);
    t->row = 0;
    int rc = input_stream_open(&t->stream, &from, t->model, &reading);
    if (rc) return rc;
    sluice_reader *reader = t->stream.reader;
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    signals_interrupt(reader);
    while (!rc && !is_ended(t) && (status = sluice_reader_next(reader, &batch)) == SLUICE_OK) {
        rc = check_format(t, reader);
        if (!rc) rc = learn_batch(t, p, reader, batch);
    }
    signals_interrupt(NULL);
    progress_clear(p);
    if (!rc && status == SLUICE_END) input_stream_done(&t->stream, 1);
    if (!rc && !is_ended(t) && status != SLUICE_END) rc = input_stream_complain(&t->stream);
    t->format = sluice_reader_format(reader);
    if (!rc) rc = remember_input(t->a, t->model, t->format);
    tally_skipped(&t->skipped, reader);
    costs_count(&t->costs, reader);
    if (!rc && status == SLUICE_END && p->pass == 0 && args_has(t->a, "quadratic")) quadratic_warn(reader);
    input_stream_end(&t->stream);
    return rc;
}
