/* sluice test: measures a model on labelled data. */
#include "commands.h"
#include "measure/measure.h"
#include "output/message.h"
#include "args/model_args.h"
#include "output/progress.h"
#include "output/report.h"
#include "args/input_options.h"

static const option_info options[] = {
    {"model", 'm', "MODEL", "the model to measure", 0},           MEASURE_OPTIONS,          INPUT_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0}, {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    {.option = "model", .role = READS_MODEL},
    {.option = NULL},
};

static int print_results(const args *a, const sluice_model *model, const measured *result, double seconds) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(model, &facts);
    report r = report_start(args_has(a, "json"));
    report_text(&r, "learner", facts.learner->name);
    report_params(&r, model, &facts);
    report_measures(&r, &result->measures);
    report_count(&r, "nonzeros", facts.nonzeros);
    report_speed(&r, seconds, result->measures.examples);
    report_skipped(&r, &result->skipped);
    return report_end(&r);
}

static int run(const args *a) {
    sluice_reader_options reading;
    reader_settings kept;
    sluice_meter_options how;
    const char *path = args_value(a, "model");
    if (!path) return wrong_usage(a->command->name, "which model? give it with -m MODEL");
    int rc = input_options(a, &reading);
    if (!rc) rc = measure_options(a, &how);
    if (rc) return rc;
    sluice_model *model;
    if ((rc = model_to_use(a, path, &model, NULL))) return rc;
    input_for_model(&reading, model, &kept);

    measured result = {0};
    progress p = progress_start(1, 0);
    note_stdin(a);
    rc = measure_inputs(model, a->inputs, a->n_inputs, &reading, &how, &p, &result);
    double seconds = now_seconds() - p.started;
    if (!rc) warn_measured(&result, "input");
    if (!rc) rc = print_results(a, model, &result, seconds);
    sluice_model_free(model);
    return rc;
}

const command test_command = {
    .name = "test",
    .summary = "measure a model on labelled examples; learns nothing",
    .synopsis = "-m MODEL [INPUT...]",
    .notes = "The AUC is exact: it keeps 8 bytes for every example.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
};
