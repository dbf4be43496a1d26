/* sluice train: learns from a stream, reports, saves. */
#include "commands.h"
#include "message.h"
#include "model_args.h"
#include "params.h"
#include "progress.h"
#include "report.h"
#include "stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    MODEL_OPTIONS,
    {"output", 'o', "MODEL", "save the model here when all went well", 0},
    {"final", 0, NULL, "save a small predict-only model of the nonzero weights (needs -o)", 0},
    {"test", 0, "FILE", "measure the model on this file afterwards", 0},
    {"passes", 0, "N", "go over the inputs N times (default 1)", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    STREAM_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

typedef struct training {
    const args *a;
    sluice_reader_options reading;
    const char *output, *test;
    uint64_t passes, dimension;
    int quiet;

    sluice_model *model;
    sluice_meter *meter;
    uint64_t updates_before; /* of earlier runs, with -i */
    double seconds;
    skip_tally skipped, test_skipped;
    sluice_measures test_measures;
    uint64_t *ids; /* of one row */
    size_t ids_room;
} training;

/* What can be seen to be wrong before any work. */
static int check_usage(training *t) {
    const args *a = t->a;
    int rc = stream_options(a, &t->reading);
    if (!rc) rc = args_count(a, "passes", 1, 1000000000, &t->passes);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &t->dimension);
    if (rc) return rc;
    if (args_has(a, "final") && !t->output)
        return wrong_usage(a->command->name, "--final needs -o MODEL: there is nothing to write it to");
    if (t->output && strcmp(t->output, "-") == 0)
        return wrong_usage(a->command->name, "-o -: standard output is for the results; name a file");
    if (t->passes > 1 && reads_once(a->inputs, a->n_inputs))
        return wrong_usage(a->command->name, "--passes %" PRIu64 ": standard input and pipes can be read only once",
                           t->passes);
    if (t->test && reads_stdin(&t->test, 1) && reads_stdin(a->inputs, a->n_inputs))
        return wrong_usage(a->command->name, "--test -: standard input is already the input to learn from");
    return DONE;
}

static int check_files(const training *t) {
    int rc = check_inputs(t->a->inputs, t->a->n_inputs);
    if (!rc && t->test) rc = check_inputs(&t->test, 1);
    if (!rc && t->output) rc = check_output(t->output);
    return rc;
}

static int learn_batch(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch) {
    if (sluice_model_learn_batch(t->model, batch, t->meter) != SLUICE_OK)
        return complain_error(sluice_model_error(t->model));
    progress_learned(p, reader, sluice_batch_rows(batch), t->model, t->meter);
    return DONE;
}

static int reserve_ids(training *t, size_t n) {
    if (n <= t->ids_room) return DONE;
    free(t->ids);
    t->ids_room = 2 * n;
    t->ids = malloc(t->ids_room * sizeof *t->ids);
    return t->ids ? DONE : out_of_memory();
}

/* The same, row by row: slower, for the few batches in which a row of the progress table falls due. */
static int learn_rows(training *t, progress *p, const sluice_reader *reader, const sluice_batch *batch) {
    for (size_t i = 0; i < sluice_batch_rows(batch); i++) {
        sluice_example x;
        double margin;
        int rc = reserve_ids(t, sluice_batch_nonzeros(batch, i) + 1);
        if (rc) return rc;
        sluice_batch_row(batch, i, t->ids, &x);
        if (sluice_model_learn(t->model, &x, &margin) != SLUICE_OK) return complain_error(sluice_model_error(t->model));
        if (x.weight > 0 && sluice_meter_add(t->meter, margin, x.label) != SLUICE_OK) return out_of_memory();
        progress_learned(p, reader, 1, t->model, t->meter);
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
    while (!rc && (status = sluice_reader_next(reader, &batch)) == SLUICE_OK) {
        int by_row = progress_row_within(p, sluice_batch_rows(batch));
        rc = by_row ? learn_rows(t, p, reader, batch) : learn_batch(t, p, reader, batch);
    }
    progress_clear(p);
    if (!rc && status != SLUICE_END) rc = complain_error(sluice_reader_error(reader));
    tally_skipped(&t->skipped, reader);
    sluice_reader_close(reader);
    return rc;
}

static int learn(training *t) {
    progress p = progress_start(t->quiet, t->passes, t->dimension);
    int rc = DONE;
    for (p.pass = 0; p.pass < t->passes && !rc; p.pass++) rc = learn_pass(t, &p);
    t->seconds = now_seconds() - p.started;
    if (!rc) progress_finish(&p, t->model, t->meter);
    if (!t->quiet) warn_skipped(&t->skipped, "input");
    return rc;
}

static int measure(training *t) {
    if (!t->test) return DONE;
    progress p = progress_start(t->quiet, 1, 0);
    int rc = measure_inputs(t->model, &t->test, 1, &t->reading, &p, &t->test_measures, &t->test_skipped);
    if (!t->quiet) warn_skipped(&t->test_skipped, t->test);
    return rc;
}

static int save(training *t) {
    if (!t->output) return DONE;
    sluice_error err = {0};
    sluice_model *final = NULL;
    if (args_has(t->a, "final") && !(final = sluice_model_final(t->model, &err))) return complain_error(&err);
    sluice_model *m = final ? final : t->model;
    int rc = sluice_model_save(m, t->output) == SLUICE_OK ? DONE : complain_error(sluice_model_error(m));
    sluice_model_free(final);
    return rc;
}

static int print_results(const training *t) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_measures m = {.size = sizeof m};
    sluice_model_describe(t->model, &facts);
    sluice_meter_read(t->meter, &m);
    if (!t->quiet && t->dimension && t->dimension < facts.features_seen)
        complain("--dim %" PRIu64 " is less than the %" PRIu64 " features seen", t->dimension, facts.features_seen);

    report r = report_start(args_has(t->a, "json"));
    report_text(&r, "learner", facts.learner->name);
    report_params(&r, t->model, &facts);
    report_settings(&r, &facts.settings);
    report_measures(&r, &m);
    report_count(&r, "updates", facts.updates - t->updates_before);
    report_count(&r, "passes", t->passes);
    report_size(&r, &facts, t->dimension);
    report_speed(&r, t->seconds, m.examples);
    report_skipped(&r, &t->skipped);
    if (t->test) {
        report_open(&r, "test");
        report_measures(&r, &t->test_measures);
        report_skipped(&r, &t->test_skipped);
        report_close(&r);
    }
    return report_end(&r);
}

static int make_meter(training *t) {
    sluice_error err = {0};
    sluice_meter_options how = meter_options_bounded(t->model);
    t->meter = sluice_meter_new(&how, &err);
    return t->meter ? DONE : complain_error(&err);
}

static int run(const args *a) {
    training t = {.a = a,
                  .output = args_value(a, "output"),
                  .test = args_value(a, "test"),
                  .passes = 1,
                  .quiet = args_has(a, "quiet")};
    int rc = check_usage(&t);
    if (!rc) rc = model_from_args(a, &t.model);
    if (!rc) rc = check_files(&t);
    if (!rc) rc = make_meter(&t);
    if (!rc) {
        sluice_model_facts facts = {.size = sizeof facts};
        sluice_model_describe(t.model, &facts);
        t.updates_before = facts.updates;
        rc = learn(&t);
    }
    /* the model is saved only when nothing can fail any more but the saving itself */
    if (!rc) rc = measure(&t);
    if (!rc) rc = save(&t);
    if (!rc) rc = print_results(&t);
    free(t.ids);
    sluice_meter_free(t.meter);
    sluice_model_free(t.model);
    return rc;
}

static void more_help(const args *a) {
    const char *name = args_value(a, "learner");
    const sluice_learner_info *l = sluice_learner_find(name ? name : sluice_learner_default());
    if (!l) {
        printf("\nThere is no learner '%s'; `sluice learners` lists them.\n", name);
        return;
    }
    printf("\nparameters of %s%s:\n", l->name, name ? "" : ", the default learner (-a LEARNER --help for another)");
    print_params(l->params, l->n_params);
}

const command train_command = {
    .name = "train",
    .summary = "learn from a stream of labelled examples",
    .synopsis = "[-a LEARNER] [-P NAME=VALUE]... [-o MODEL] [-i MODEL] [--test FILE] [--passes N] [INPUT...]",
    .notes = "Every example is predicted first and then learned, so the error reported is that of unseen examples.\n"
             "A model saved with -o can go on learning later (-i), exactly as if it had never stopped.\n"
             "A run that fails writes no model and leaves an existing one untouched.\n",
    .options = options,
    .max_inputs = SIZE_MAX,
    .run = run,
    .more_help = more_help,
};
