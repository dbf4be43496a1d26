/* sluice train: learns from a stream, reports, saves. */
#include "commands.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "args/paths.h"
#include "run/signals.h"
#include "train/training.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const option_info options[] = {
    MODEL_OPTIONS,
    {"output", 'o', "MODEL", "save the model here when the run has succeeded, or is ended by a signal", 0},
    CHECKPOINT_OPTIONS,
    {"final", 0, NULL, "save a small predict-only model of the nonzero weights (needs -o)", 0},
    {"allow-empty", 0, NULL, "succeed, and save the model, even if there was no example to learn (-i implies it)", 0},
    {"test", 0, "FILE", "measure the model on this file afterwards", 0},
    {"holdout", 0, "FILE",
     "measure it on this file, too, and choose --threshold there; for what is decided before testing", 0},
    CALIBRATE_OPTIONS,
    {"threshold", 0, "GOAL",
     "afterwards choose a threshold on the file of --holdout, --calibrate or --test, and save it in the "
     "model: " GOALS_TEXT "; or give it: a probability, or margin=M",
     0},
    PSEUDO_OPTIONS,
    {"passes", 0, "N", "go over the inputs N times (default 1)", 0},
    {"top", 0, "N", "show the N heaviest features with the results (default 0)", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"report", 0, "FILE", "write a page about the run to this HTML file: figures, curves, heaviest features", 0},
    TRACE_OPTIONS,
    DRIFT_OPTIONS,
    MEASURE_OPTIONS,
    COST_OPTIONS,
    INPUT_OPTIONS,
    KAFKA_OPTIONS,
    KAFKA_LEARN_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = "resume", .role = READS_MODEL},
    {.option = "test", .role = READS_DATA},
    {.option = "holdout", .role = READS_DATA},
    {.option = "calibrate", .role = READS_DATA},
    {.option = "output", .role = WRITES, .what = "model", .may_replace = "resume"},
    {.option = "trace", .role = WRITES, .what = "trace", .opened_at_once = 1},
    {.option = "report", .role = WRITES, .what = "report"},
    {.option = NULL},
};

/* What can be seen to be wrong before any work. */
static int check_usage(training *t) {
    const args *a = t->a;
    int rc = input_options(a, &t->reading);
    if (!rc) rc = kafka_options(a, &t->reading, &t->kafka);
    if (!rc) rc = measure_options(a, &t->how);
    if (!rc) rc = checkpoint_options(a, &t->checkpoint);
    if (!rc) rc = trace_options(a, &t->trace);
    if (!rc) rc = drift_options(a, &t->drift);
    if (!rc) rc = calibrate_options(a, &t->calibrating);
    if (!rc) rc = threshold_options(a, &t->calibrating, t->holdout, t->test, &t->thresholding);
    if (!rc) rc = pseudo_options(a, &t->pseudo);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &t->dimension);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &t->top);
    if (rc) return rc;
    if (args_has(a, "final") && !t->checkpoint.path)
        return wrong_usage(a->command->name, "--final needs -o MODEL: there is nothing to write it to");
    if (t->passes > 1 && (t->kafka.brokers || reads_once(a->inputs, a->n_inputs)))
        return wrong_usage(a->command->name,
                           "--passes %" PRIu64 ": standard input, pipes and topics are read only once", t->passes);
    t->checkpoint.has_positions = t->kafka.brokers != NULL;
    if (t->kafka.brokers && args_has(a, "skip"))
        return wrong_usage(a->command->name, "--skip is for files: the model keeps its positions in Kafka's topics");
    return DONE;
}

/* Before the model is saved: what has to be in it besides what was learned. */
static int prepare_save(training *t) {
    int rc = drift_remember(&t->drift, t->model);
    return rc || !t->stream.kafka ? rc : kafka_remember(t->stream.kafka, t->model);
}

/* Whether a signal or an alarm of --on-drift stop ends the run. */
static int is_ended(const training *t) { return stop_signal() || t->drift.has_stopped; }

static uint64_t examples_of(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    return facts.examples;
}

/* The examples learned in this run. */
static uint64_t learned_now(const training *t) {
    return t->examples_ended + examples_of(t->model) - t->examples_before;
}

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

/* Learns rows, n of them or fewer. Returns how many; *status: of the library. */
static size_t learn_part(training *t, const progress *p, const sluice_batch *batch, size_t first, size_t n,
                         sluice_status *status) {
    part now = {.p = p};
    sluice_model_set_progress(t->model, look, &now);
    *status = sluice_model_learn_rows(t->model, batch, first, n, t->meter);
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

/* Learns a batch, in parts where something is due within it: a row of the progress table or of the trace, a point of
 * the history, a checkpoint, what a signal asks for. */
static int learn_batch(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch) {
    size_t rows = sluice_batch_rows(batch), first = checkpoint_skip(&t->checkpoint, rows);
    if (!rows) pass_messages(t);
    int rc = save_if_due(t, p, reader, 0); /* one may have been asked for while the input was waited for */
    for (size_t n; first < rows && !rc && !is_ended(t); first += n) {
        n = drift_until(&t->drift, trace_until_row(&t->trace, progress_until_row(p, rows - first)));
        n = history_until_point(&t->history, checkpoint_until(&t->checkpoint, n));
        sluice_status status;
        n = learn_part(t, p, batch, first, n, &status);
        if (status != SLUICE_OK) return input_stream_complain_error(&t->stream, sluice_model_error(t->model));
        if ((rc = keep_negative(t, batch, first, n))) return rc;
        note_classes(t, p);
        note_scale(t, p, batch, first, n);
        if (p->pass == 0) label_order_learned(&t->order, batch, first, n);
        if (t->stream.kafka && n) {
            kafka_row_done(t->stream.kafka, batch, first + n - 1);
            p->lag = kafka_count(t->stream.kafka).lag;
        }
        progress_learned(p, reader, n, t->model, t->meter);
        trace_learned(&t->trace, n, t->model, t->meter, &t->drift);
        history_learned(&t->history, batch, first, n, t->model, t->meter);
        rc = mind_drift(t, p);
        if (!rc) rc = save_if_due(t, p, reader, n);
    }
    if (first == rows && !rc) pass_messages(t);
    return rc;
}

static int learn_pass(training *t, progress *p) {
    const sluice_reader_options labelled = costs_reading(&t->costs, &t->reading),
                                reading = pseudo_reading(&t->pseudo, &labelled);
    const inputs from = inputs_of(t->a, &t->kafka);
    int rc = input_stream_open(&t->stream, &from, t->model, &reading);
    if (rc) return rc;
    sluice_reader *reader = t->stream.reader;
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    signals_interrupt(reader);
    while (!rc && !is_ended(t) && (status = sluice_reader_next(reader, &batch)) == SLUICE_OK)
        rc = learn_batch(t, p, reader, batch);
    signals_interrupt(NULL);
    progress_clear(p);
    if (!rc && status == SLUICE_END) input_stream_done(&t->stream, 1);
    if (!rc && !is_ended(t) && status != SLUICE_END) rc = input_stream_complain(&t->stream);
    t->format = sluice_reader_format(reader);
    if (!rc) rc = remember_input(t->a, t->model, t->format);
    tally_skipped(&t->skipped, reader);
    costs_count(&t->costs, reader);
    input_stream_end(&t->stream);
    return rc;
}

/* Whether the model has a batch that the end of the run would have finished: a signal ended the run before. */
static int has_open_batch(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    for (size_t i = 0; facts.waiting && i < facts.learner->n_params; i++)
        if (strcmp(facts.learner->params[i].name, "batch") == 0) return sluice_model_param(model, i) == 0;
    return 0;
}

/* Learners that take the whole run as one batch learn it now; a batch of fixed size may be left unfinished. */
static int learn_last_batch(training *t) {
    uint64_t waiting = sluice_model_waiting(t->model);
    if (waiting) tell_progress("learning a batch of %" PRIu64 " examples", waiting);
    if (sluice_model_end_run(t->model) != SLUICE_OK) return complain_error(sluice_model_error(t->model));
    t->blind = waiting && waiting == examples_of(t->model);
    if (t->blind) note("all examples were predicted before the first batch was learned; --test measures the model");
    return DONE;
}

/* A run that was ended on its way leaves its batch open: it may go on. */
static int end_run(training *t) {
    int rc = is_ended(t) ? DONE : learn_last_batch(t);
    if (rc) return rc;
    t->result = t->model;
    t->waiting = sluice_model_waiting(t->model);
    if (!t->waiting || has_open_batch(t->model)) return DONE;
    sluice_error err = {0};
    t->result = sluice_model_finished(t->model, &err);
    if (t->result) return DONE;
    if (!is_ended(t)) return complain_error(&err);
    t->result = t->model; /* the figures are those of the last finished batch */
    return DONE;
}

/* After a signal what was learned is saved first: standard output and error may be gone, and time may be short. */
static int save_interrupted(training *t) {
    if (t->interrupted) return DONE;
    t->interrupted = stop_signal();
    int worth_it = learned_now(t) || args_has(t->a, "resume");
    int rc = prepare_save(t);
    if (rc || !worth_it || !t->checkpoint.file) return rc;
    rc = checkpoint_save(&t->checkpoint, t->model);
    if (!rc && t->stream.kafka) kafka_saved(t->stream.kafka);
    return rc;
}

/* An empty input is most often a producer that failed: its result must not replace a good model. */
static int check_learned(const training *t) {
    if (stop_signal() || learned_now(t)) return DONE;
    if (args_has(t->a, "resume") || args_has(t->a, "allow-empty")) return DONE;
    complain("no example was learned%s; --allow-empty takes that for success",
             t->checkpoint.path ? ", and no model is saved" : "");
    return FAILED;
}

static int learn(training *t) {
    const args *a = t->a;
    if (!t->checkpoint.path) note("the model will not be saved; -o MODEL saves it");
    if (!t->kafka.brokers) note_stdin(a);
    progress p = progress_start(t->passes, t->dimension);
    p.drift = t->drift.drift;
    t->values = scale_note_start(a, t->model);
    idf_note(a);
    int rc = DONE, fitted = is_fitted(t->model), had_threshold = sluice_model_threshold(t->model, NULL);
    for (p.pass = 0; p.pass < t->passes && !rc && !is_ended(t); p.pass++) rc = learn_pass(t, &p);
    if (rc) checkpoint_tell(&t->checkpoint, reads_once(a->inputs, a->n_inputs));
    if (!rc && is_ended(t)) rc = save_interrupted(t);
    if (!rc && !is_ended(t) && t->checkpoint.rows < t->checkpoint.skip)
        warning("--skip %" PRIu64 ": the inputs have only %" PRIu64 " examples", t->checkpoint.skip,
                t->checkpoint.rows);
    if (!rc) rc = check_learned(t);
    if (!rc) rc = end_run(t);
    t->seconds = now_seconds() - p.started;
    t->measures = (sluice_measures){.size = sizeof t->measures};
    sluice_meter_read(t->meter, &t->measures);
    if (!rc) rc = class_figures_of(t->model, t->meter, &t->classes);
    if (!rc) progress_finish(&p, t->result, t->meter);
    if (!rc) {
        t->facts = (sluice_model_facts){.size = sizeof t->facts};
        sluice_model_describe(t->result, &t->facts);
        history_end(&t->history, t->model, &t->facts, t->meter);
    }
    int traced = trace_end(&t->trace, t->result ? t->result : t->model, t->meter, &t->drift);
    if (!rc && !t->interrupted) rc = traced;
    warn_skipped(&t->skipped, "input");
    if (!rc && !is_ended(t)) costs_warn(&t->costs);
    if (!rc)
        scale_note_end(t->values);
    else
        scale_note_free(t->values);
    t->values = NULL;
    if (!rc) warn_one_class_of(t->model, &t->measures, "input");
    if (!rc) label_order_note(&t->order, &t->measures, &t->classes);
    if (!rc && !is_ended(t)) pseudo_note(&t->pseudo, t->model, t->skipped.unlabelled);
    if (!rc && fitted && !is_fitted(t->model) && !t->calibrating.path)
        note("the model has learned more, and what --calibrate had fitted is gone; give it again");
    if (!rc && had_threshold && !sluice_model_threshold(t->model, NULL) && t->thresholding.wish.kind == THRESHOLD_NONE)
        note("the model has learned more, and its threshold is gone; give --threshold again");
    return rc;
}

static int measure_file(training *t, const char *path, measured *result) {
    if (!path) return DONE;
    progress p = progress_start(1, 0);
    const inputs from = {&path, 1, NULL};
    int rc = measure_inputs(t->result, &from, &t->reading, &t->how, &p, result);
    if (!rc) warn_measured(t->result, result, path);
    return rc;
}

static int measure(training *t) {
    int rc = measure_file(t, t->holdout, &t->held);
    if (!rc && !stop_signal()) rc = measure_file(t, t->test, &t->tested);
    return rc;
}

static int save(training *t) {
    sluice_error err = {0};
    sluice_model *final = NULL;
    int rc = prepare_save(t);
    if (rc || !t->checkpoint.path) return rc;
    if (args_has(t->a, "final") && !(final = sluice_model_final(t->result, &err))) return complain_error(&err);
    if (final) drift_forget(final);
    rc = checkpoint_save(&t->checkpoint, final ? final : t->model);
    sluice_model_free(final);
    if (!rc && t->stream.kafka) kafka_saved(t->stream.kafka);
    return rc;
}

static void say_interrupted(const training *t, uint64_t learned) {
    const char *name = signal_name(t->interrupted), *path = t->checkpoint.path;
    char advice[ADVICE_ROOM], drift[DRIFT_TEXT];
    if (!t->interrupted) name = drift_text(drift_alarm(&t->drift, drift_figures(&t->drift).alarms - 1), drift);
    if (!path)
        complain("%s: %" PRIu64 " examples were learned, and nothing is saved: there is no -o MODEL", name, learned);
    else if (!t->checkpoint.has_saved)
        complain("%s: no example was learned, and nothing is saved", name);
    else
        complain("%s: %" PRIu64 " examples were learned, and the model is saved as %s; to go on: %s", name, learned,
                 path,
                 checkpoint_advice(&t->checkpoint, reads_once(t->a->inputs, t->a->n_inputs), advice, sizeof advice));
}

/* After an alarm that ends the run, or a signal, which may have come while the model was tested: says what there is.
 * Testing and calibrating are left
 * out, and --final too: the model is to go on. */
static int stop(training *t) {
    int rc = t->drift.has_stopped ? DONE : save_interrupted(t);
    if (rc) return rc;
    t->test = t->holdout = t->calibrating.path = NULL;
    say_interrupted(t, learned_now(t));
    print_results(t);
    write_train_page(t);
    return t->interrupted ? stop_status() : FAILED;
}

/* What several classes do not have. */
static int check_classes(const training *t) {
    const char *option = t->calibrating.path ? "calibrate" : args_has(t->a, "threshold") ? "threshold" : NULL;
    if (!option || !sluice_model_settings(t->model)->classes) return DONE;
    return wrong_usage(t->a->command->name, "--%s is for two classes, and the model has several", option);
}

static int make_meter(training *t) {
    sluice_error err = {0};
    sluice_meter_options how = t->how;
    sluice_meter_defaults(t->model, &how); /* it fails for a wrong size alone */
    how.drift = t->drift.drift;
    t->meter = sluice_meter_new(&how, &err);
    return t->meter ? DONE : complain_error(&err);
}

/* Updates as the run before reported them: with those of a batch that it left unfinished. */
static int count_before(training *t) {
    sluice_error err = {0};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(t->model, &facts);
    if (facts.waiting && !has_open_batch(t->model)) {
        sluice_model *finished = sluice_model_finished(t->model, &err);
        if (!finished) return complain_error(&err);
        sluice_model_describe(finished, &facts);
        sluice_model_free(finished);
    }
    t->updates_before = facts.updates;
    t->examples_before = facts.examples;
    t->knows_negative = facts.examples > facts.positives;
    return DONE;
}

static int run(const args *a) {
    training t = {.a = a, .test = args_value(a, "test"), .holdout = args_value(a, "holdout"), .passes = 1};
    t.page = args_value(a, "report");
    t.history = history_start(t.page != NULL);
    t.tested.needs_shape = t.page != NULL;
    if (t.page) t.tested.worst = &t.worst;
    int rc = check_usage(&t);
    signals_stop_orderly();
    signals_ask_for_saves(t.checkpoint.seconds);
    if (!rc) rc = check_files_usable(a); /* what would otherwise fail only after learning */
    if (!rc) rc = checkpoint_open(&t.checkpoint);
    if (!rc) rc = model_from_args(a, &t.model);
    if (!rc) rc = check_classes(&t);
    if (!rc) rc = pseudo_start(a, &t.pseudo, t.model);
    if (!rc) rc = drift_start(a, &t.drift, t.model);
    if (!rc) {
        note_learned_too(a, "--test", t.test);
        note_learned_too(a, "--holdout", t.holdout);
        calibrate_note(a, &t.calibrating, t.test);
        threshold_note(a, &t.thresholding, t.test);
    }
    if (!rc) rc = costs_from_args(a, t.model, &t.costs);
    if (!rc) rc = costs_remember(&t.costs, t.model);
    if (!rc) rc = make_meter(&t);
    if (!rc) rc = input_for_model(&t.reading, t.model, &t.kept);
    if (!rc) {
        t.reading.words = 1;
        t.knows_classes = sluice_model_classes(t.model) == 2;
        rc = trace_start(&t.trace);
    }
    if (!rc) rc = count_before(&t);
    if (!rc) rc = learn(&t);
    int learned = !rc;
    if (!rc && !is_ended(&t)) rc = calibrate(&t.calibrating, t.model, t.result, &t.reading);
    if (!rc && !is_ended(&t)) rc = set_threshold(&t.thresholding, t.model, t.result, &t.reading, &t.how);
    if (!rc && !is_ended(&t)) rc = measure(&t);
    if (learned && is_ended(&t)) {
        rc = stop(&t);
    } else {
        if (!rc) rc = print_results(&t);
        /* a run that fails writes no model and no page, so these come after the results are printed */
        if (!rc) rc = save(&t);
        if (!rc) rc = write_train_page(&t);
    }
    input_stream_close(&t.stream);
    kafka_settings_free(&t.kafka);
    costs_free(&t.costs);
    checkpoint_close(&t.checkpoint);
    sluice_meter_free(t.meter);
    drift_free(&t.drift);
    class_figures_free(&t.classes);
    class_figures_free(&t.tested.classes);
    class_figures_free(&t.held.classes);
    if (t.result != t.model) sluice_model_free(t.result);
    sluice_model_free(t.model);
    return rc;
}

static void more_help(const args *a) { print_learner_help(args_value(a, "learner"), sluice_learner_default()); }

const command train_command = {
    .name = "train",
    .summary = "learn from a stream of labelled examples",
    .synopsis = "[-a LEARNER] [-P NAME=VALUE]... [-o MODEL] [-i MODEL] [--classes KIND] [--test FILE] [--holdout FILE] "
                "[--calibrate FILE] "
                "[--threshold GOAL] [--pseudo P] [--passes N] [--save-every N|Ns] [--skip N] [--on-drift WHAT] "
                "[INPUT... | --kafka BROKERS --topic T]",
    .notes =
        "The default learner is auto, which tunes and scales itself (docs/auto.md); before it was ssol. -a NAME is the "
        "plain rule on the values as they are. auto takes --bias, --transform, --scale and --normalize for all that it "
        "tries where they are given, and chooses otherwise.\n"
        "Every example is predicted first and then learned, so the error reported is that of unseen examples.\n"
        "A model saved with -o can go on learning later (-i), exactly as if it had never stopped;\n"
        "with a learner that takes a whole run as one batch (batch=0), each run is a batch.\n"
        "The trace grows as the run goes on; every other file appears when it is complete.\n"
        "A run that fails writes no model and leaves an existing one untouched, but for what --save-every saved "
        "before.\n"
        "SIGINT, SIGTERM and SIGHUP end a run after the example at hand: it saves the full model to -o and says how "
        "to go on (-i MODEL --skip N). A second signal stops it at once. SIGUSR1 saves now.\n"
        "While a run is under way no other may write its model.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
    .param_at = learner_param_at,
};
