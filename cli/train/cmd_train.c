/* sluice train: learns from a stream, reports, saves. */
#include "commands.h"
#include "output/message.h"
#include "args/model_args.h"
#include "args/paths.h"
#include "train/training.h"

#include <inttypes.h>

static const option_info options[] = {
    MODEL_OPTIONS,
    {"output", 'o', "MODEL", "save the model here if the run succeeds", 0},
    {"final", 0, NULL, "save a small predict-only model of the nonzero weights (needs -o)", 0},
    {"allow-empty", 0, NULL, "succeed, and save the model, even if there was no example to learn (-i implies it)", 0},
    {"test", 0, "FILE", "measure the model on this file afterwards", 0},
    CALIBRATE_OPTIONS,
    {"passes", 0, "N", "go over the inputs N times (default 1)", 0},
    {"top", 0, "N", "show the N heaviest features with the results (default 0)", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"report", 0, "FILE", "write a page about the run to this HTML file: figures, curves, heaviest features", 0},
    TRACE_OPTIONS,
    MEASURE_OPTIONS,
    INPUT_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    {.option = "resume", .role = READS_MODEL},
    {.option = "test", .role = READS_DATA},
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
    if (!rc) rc = measure_options(a, &t->how);
    if (!rc) rc = trace_options(a, &t->trace);
    if (!rc) rc = calibrate_options(a, &t->calibrating);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &t->dimension);
    if (!rc) rc = args_count(a, "top", 0, SIZE_MAX, &t->top);
    if (rc) return rc;
    if (args_has(a, "final") && !t->output)
        return wrong_usage(a->command->name, "--final needs -o MODEL: there is nothing to write it to");
    if (t->passes > 1 && reads_once(a->inputs, a->n_inputs))
        return wrong_usage(a->command->name, "--passes %" PRIu64 ": standard input and pipes can be read only once",
                           t->passes);
    return DONE;
}

/* Learns a batch, in parts where something is due within it: a row of the progress table or of the trace, a point of
 * the history. */
static int learn_batch(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch) {
    size_t rows = sluice_batch_rows(batch);
    tally_labels(&t->labels, batch);
    for (size_t first = 0, n; first < rows; first += n) {
        n = trace_until_row(&t->trace, progress_until_row(p, rows - first));
        n = history_until_point(&t->history, n);
        if (sluice_model_learn_rows(t->model, batch, first, n, t->meter) != SLUICE_OK)
            return complain_error(sluice_model_error(t->model));
        progress_learned(p, reader, n, t->model, t->meter);
        trace_learned(&t->trace, n, t->model, t->meter);
        history_learned(&t->history, batch, first, n, t->model, t->meter);
    }
    return DONE;
}

static int learn_pass(training *t, progress *p) {
    sluice_error err = {0};
    sluice_reader *reader = sluice_reader_open(t->a->inputs, t->a->n_inputs, &t->reading, &err);
    if (!reader) return complain_error(&err);
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    int rc = DONE;
    while (!rc && (status = sluice_reader_next(reader, &batch)) == SLUICE_OK) rc = learn_batch(t, p, reader, batch);
    progress_clear(p);
    if (!rc && status != SLUICE_END) rc = complain_reader(reader, &t->reading);
    t->format = sluice_reader_format(reader);
    if (!rc) rc = remember_input(t->a, t->model, t->format);
    tally_skipped(&t->skipped, reader);
    sluice_reader_close(reader);
    return rc;
}

static uint64_t examples_of(const sluice_model *model) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    return facts.examples;
}

/* Learners that take the whole run as one batch learn it now; a batch of fixed size may be left unfinished. */
static int end_run(training *t) {
    uint64_t waiting = sluice_model_waiting(t->model);
    if (waiting) tell_progress("learning a batch of %" PRIu64 " examples", waiting);
    if (sluice_model_end_run(t->model) != SLUICE_OK) return complain_error(sluice_model_error(t->model));
    t->blind = waiting && waiting == examples_of(t->model);
    if (t->blind) note("all examples were predicted before the first batch was learned; --test measures the model");
    t->result = t->model;
    t->waiting = sluice_model_waiting(t->model);
    if (!t->waiting) return DONE;
    sluice_error err = {0};
    t->result = sluice_model_finished(t->model, &err);
    return t->result ? DONE : complain_error(&err);
}

/* An empty input is most often a producer that failed: its result must not replace a good model. */
static int check_learned(const training *t) {
    if (examples_of(t->model) > t->examples_before) return DONE;
    if (args_has(t->a, "resume") || args_has(t->a, "allow-empty")) return DONE;
    complain("no example was learned%s; --allow-empty takes that for success",
             t->output ? ", and no model is saved" : "");
    return FAILED;
}

static int learn(training *t) {
    const args *a = t->a;
    if (!t->output) note("the model will not be saved; -o MODEL saves it");
    note_stdin(a);
    progress p = progress_start(t->passes, t->dimension);
    int rc = DONE, fitted = is_fitted(t->model);
    for (p.pass = 0; p.pass < t->passes && !rc; p.pass++) rc = learn_pass(t, &p);
    if (!rc) rc = check_learned(t);
    if (!rc) rc = end_run(t);
    t->seconds = now_seconds() - p.started;
    t->measures = (sluice_measures){.size = sizeof t->measures};
    sluice_meter_read(t->meter, &t->measures);
    if (!rc) progress_finish(&p, t->result, t->meter);
    if (!rc) {
        t->facts = (sluice_model_facts){.size = sizeof t->facts};
        sluice_model_describe(t->result, &t->facts);
        history_end(&t->history, &t->facts, t->meter);
    }
    int traced = trace_end(&t->trace, t->result ? t->result : t->model, t->meter);
    if (!rc) rc = traced;
    warn_skipped(&t->skipped, "input");
    warn_labels(&t->labels, "input");
    if (!rc) warn_one_class(&t->measures, "input");
    if (!rc && fitted && !is_fitted(t->model) && !t->calibrating.path)
        note("the model has learned more, and what --calibrate had fitted is gone; give it again");
    return rc;
}

static int measure(training *t) {
    if (!t->test) return DONE;
    progress p = progress_start(1, 0);
    int rc = measure_inputs(t->result, &t->test, 1, &t->reading, &t->how, &p, &t->tested);
    if (!rc) warn_measured(&t->tested, t->test);
    return rc;
}

static int save(training *t) {
    if (!t->output) return DONE;
    sluice_error err = {0};
    sluice_model *final = NULL;
    if (args_has(t->a, "final") && !(final = sluice_model_final(t->result, &err))) return complain_error(&err);
    sluice_model *m = final ? final : t->model;
    int rc = sluice_model_save(m, t->output, &err) == SLUICE_OK ? DONE : complain_error(&err);
    sluice_model_free(final);
    return rc;
}

static int make_meter(training *t) {
    sluice_error err = {0};
    sluice_meter_options how = t->how;
    sluice_meter_defaults(t->model, &how); /* it fails for a wrong size alone */
    t->meter = sluice_meter_new(&how, &err);
    return t->meter ? DONE : complain_error(&err);
}

/* Updates as the run before reported them: with those of a batch that it left unfinished. */
static int count_before(training *t) {
    sluice_error err = {0};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(t->model, &facts);
    if (facts.waiting) {
        sluice_model *finished = sluice_model_finished(t->model, &err);
        if (!finished) return complain_error(&err);
        sluice_model_describe(finished, &facts);
        sluice_model_free(finished);
    }
    t->updates_before = facts.updates;
    t->examples_before = facts.examples;
    return DONE;
}

static int run(const args *a) {
    training t = {.a = a, .output = args_value(a, "output"), .test = args_value(a, "test"), .passes = 1};
    t.page = args_value(a, "report");
    t.history = history_start(t.page != NULL);
    t.tested.needs_shape = t.page != NULL;
    int rc = check_usage(&t);
    if (!rc) rc = model_from_args(a, &t.model);
    if (!rc) {
        note_learned_too(a, "--test", t.test);
        calibrate_note(a, &t.calibrating, t.test);
        rc = check_files_usable(a); /* what would otherwise fail only after learning */
    }
    if (!rc) rc = make_meter(&t);
    if (!rc) {
        input_for_model(&t.reading, t.model, &t.kept);
        rc = trace_start(&t.trace);
    }
    if (!rc) rc = count_before(&t);
    if (!rc) rc = learn(&t);
    if (!rc) rc = calibrate(&t.calibrating, t.model, t.result, &t.reading);
    if (!rc) rc = measure(&t);
    if (!rc) rc = print_results(&t);
    /* a run that fails writes no model and no page, so these come after the results are printed */
    if (!rc) rc = save(&t);
    if (!rc) rc = write_train_page(&t);
    sluice_meter_free(t.meter);
    if (t.result != t.model) sluice_model_free(t.result);
    sluice_model_free(t.model);
    return rc;
}

static void more_help(const args *a) { print_learner_help(args_value(a, "learner"), sluice_learner_default()); }

const command train_command = {
    .name = "train",
    .summary = "learn from a stream of labelled examples",
    .synopsis = "[-a LEARNER] [-P NAME=VALUE]... [-o MODEL] [-i MODEL] [--test FILE] [--calibrate FILE] "
                "[--passes N] [INPUT...]",
    .notes = "Every example is predicted first and then learned, so the error reported is that of unseen examples.\n"
             "A model saved with -o can go on learning later (-i), exactly as if it had never stopped;\n"
             "with a learner that takes a whole run as one batch (batch=0), each run is a batch.\n"
             "The trace grows as the run goes on; every other file appears when it is complete.\n"
             "A run that fails writes no model and leaves an existing one untouched.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
    .param_at = learner_param_at,
};
