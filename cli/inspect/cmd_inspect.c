/* sluice inspect: what a model is. */
#include "commands.h"
#include "measure/thresholds.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "output/report.h"
#include "output/weights.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"top", 0, "N", "how many of the heaviest features to show (default 10)", 0},
    {"newest", 0, "N", "how many of the newest features to show (default 5; of models with ids at most 16)", 0},
    {"weights", 0, NULL,
     "print every nonzero weight instead: id or name, tab, weight; by ascending id or first sight, the bias first", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"json", 0, NULL, "print what the model is as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {{.option = "", .role = READS_MODEL}, {.option = NULL}};

typedef struct inspected {
    sluice_model *model;
    sluice_weight *weights;
    size_t n;
    uint64_t waiting;
} inspected;

static int print_weights(const inspected *in) {
    char value[32];
    for (size_t i = 0; i < in->n; i++) {
        print_name(stdout, &in->weights[i], 0);
        sluice_format_float(value, in->weights[i].weight);
        printf("\t%s\n", value);
    }
    return flush_results(stdout, "standard output");
}

/* The features that came last. */
static int report_newest(report *r, const inspected *in, size_t wanted) {
    sluice_error err = {0};
    sluice_weight *newest = calloc(wanted + 1, sizeof *newest);
    size_t n = wanted;
    if (!newest) return out_of_memory();
    int rc = sluice_model_newest(in->model, newest, &n, &err) == SLUICE_OK ? DONE : complain_error(&err);
    if (!rc && (n || r->as_json)) report_features(r, "newest", "newest features", newest, n);
    free(newest);
    return rc;
}

/* How the feature space grew, example by example, in doublings. */
static void report_growth(report *r, const sluice_model *model) {
    uint64_t seen[64];
    size_t n = sluice_model_growth(model, seen, 64);
    if (r->as_json) {
        json_open(&r->j, "growth", '[');
        for (size_t i = 0; i < n; i++) {
            json_open(&r->j, NULL, '{');
            json_count(&r->j, "examples", (uint64_t)1 << i);
            json_count(&r->j, "features_seen", seen[i]);
            json_close(&r->j, '}');
        }
        json_close(&r->j, ']');
        return;
    }
    if (!n) return;
    printf("features seen after so many examples\n");
    for (size_t i = 0; i < n; i++) printf("  %-20" PRIu64 " %" PRIu64 "\n", (uint64_t)1 << i, seen[i]);
}

static const char *calibration_word(int calibration) {
    static const char *const words[] = {NULL, "log odds", "online", "platt", "isotonic"};
    return words[calibration];
}

static int print_facts(const args *a, const inspected *in, uint64_t dimension, uint64_t top, uint64_t newest) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(in->model, &f);
    warn_dimension(dimension, &f);
    report r = report_start(args_has(a, "json"));
    report_text(&r, "learner", f.learner->name);
    report_params(&r, in->model, &f);
    report_settings(&r, in->model);
    report_truth(&r, "predict_only", f.is_final);
    report_truth(&r, "probability", sluice_model_has_probability(in->model));
    report_text(&r, "calibration", calibration_word(f.calibration));
    double margin;
    if (sluice_model_threshold(in->model, &margin)) {
        report_open(&r, "threshold");
        report_margin(&r, in->model, margin);
        report_close(&r);
    }
    report_classes(&r, in->model);
    report_count(&r, "examples", f.examples);
    report_count(&r, "positives", f.positives);
    report_count(&r, "mistakes", f.mistakes);
    report_figure(&r, "error_rate", f.examples ? (double)f.mistakes / (double)f.examples : NAN);
    report_count(&r, "updates", f.updates);
    if (f.learner->flags & SLUICE_LEARNER_BATCH) report_count(&r, "waiting", in->waiting);
    report_size(&r, &f, dimension);
    report_truth(&r, "names", f.has_names);
    report_heaviest(&r, in->weights, in->n, (size_t)top);
    int rc = report_newest(&r, in, (size_t)newest);
    if (rc) return rc;
    report_growth(&r, in->model);
    return report_end(&r);
}

static int run(const args *a) {
    uint64_t top = 10, newest = 5, dimension = 0;
    int rc = args_count(a, "top", 0, SIZE_MAX, &top);
    if (!rc) rc = args_count(a, "newest", 0, 1000000000, &newest);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &dimension);
    if (rc) return rc;
    if (a->n_inputs == 0) return wrong_usage(a->command->name, "which model? sluice inspect MODEL");
    if (args_has(a, "weights") && args_has(a, "json"))
        return wrong_usage(a->command->name, "--weights prints text; it does not go with --json");

    inspected in = {0};
    sluice_error err = {0};
    if ((rc = model_to_use(a, a->inputs[0], &in.model, &in.waiting))) return rc;
    if (sluice_model_weights(in.model, &in.weights, &in.n, &err) != SLUICE_OK)
        rc = complain_error(&err);
    else if (args_has(a, "weights"))
        rc = print_weights(&in);
    else
        rc = print_facts(a, &in, dimension, top, newest);
    sluice_free(in.weights);
    sluice_model_free(in.model);
    return rc;
}

const command inspect_command = {
    .name = "inspect",
    .summary = "show what a model is: learner, parameters, counts, heaviest and newest features",
    .synopsis = "MODEL [--top N] [--newest N] [--weights] [--dim N] [--json]",
    .options = options,
    .files = files,
    .max_inputs = 1,
    .run = run,
};
