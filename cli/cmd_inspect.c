/* sluice inspect: what a model is. */
#include "commands.h"
#include "message.h"
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const option_info options[] = {
    {"top", 0, "N", "how many of the heaviest features to show (default 10)", 0},
    {"weights", 0, NULL, "print every nonzero weight instead: id, tab, weight, by ascending id, the bias first", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"json", 0, NULL, "print what the model is as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

typedef struct inspected {
    sluice_model *model;
    sluice_weight *weights;
    size_t n;
} inspected;

static void name_of(const sluice_weight *w, char text[32]) {
    if (w->is_bias)
        snprintf(text, 32, "bias");
    else
        snprintf(text, 32, "%" PRIu64, w->id);
}

static int print_weights(const inspected *in) {
    char name[32], value[32];
    for (size_t i = 0; i < in->n; i++) {
        name_of(&in->weights[i], name);
        sluice_format_float(value, in->weights[i].weight);
        printf("%s\t%s\n", name, value);
    }
    return flush_results(stdout, "standard output");
}

/* Heaviest first; among equals the bias, then the lowest id. */
static int by_weight(const void *left, const void *right) {
    const sluice_weight *a = left, *b = right;
    float x = fabsf(a->weight), y = fabsf(b->weight);
    if (x != y) return x > y ? -1 : 1;
    if (a->is_bias != b->is_bias) return a->is_bias ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

static void report_heaviest(report *r, const inspected *in, size_t top) {
    char name[32], value[32];
    if (in->n) qsort(in->weights, in->n, sizeof *in->weights, by_weight);
    if (top > in->n) top = in->n;
    if (!r->as_json) {
        printf("heaviest features\n");
        for (size_t i = 0; i < top; i++) {
            name_of(&in->weights[i], name);
            sluice_format_float(value, in->weights[i].weight);
            printf("  %-20s%s\n", name, value);
        }
        return;
    }
    json_open(&r->j, "top", '[');
    for (size_t i = 0; i < top; i++) {
        json_open(&r->j, NULL, '{');
        if (in->weights[i].is_bias)
            json_text(&r->j, "id", "bias");
        else
            json_count(&r->j, "id", in->weights[i].id);
        json_float(&r->j, "weight", in->weights[i].weight);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

static int print_facts(const args *a, const inspected *in, uint64_t dimension, uint64_t top) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(in->model, &f);
    if (!a->quiet) warn_dimension(dimension, &f);
    report r = report_start(args_has(a, "json"));
    report_text(&r, "learner", f.learner->name);
    report_params(&r, in->model, &f);
    report_settings(&r, &f.settings);
    report_truth(&r, "predict_only", f.is_final);
    report_truth(&r, "probability", sluice_model_has_probability(in->model));
    report_count(&r, "examples", f.examples);
    report_count(&r, "positives", f.positives);
    report_count(&r, "mistakes", f.mistakes);
    report_figure(&r, "error_rate", f.examples ? (double)f.mistakes / (double)f.examples : NAN);
    report_count(&r, "updates", f.updates);
    report_size(&r, &f, dimension);
    report_heaviest(&r, in, (size_t)top);
    return report_end(&r);
}

static int run(const args *a) {
    uint64_t top = 10, dimension = 0;
    int rc = args_count(a, "top", 0, SIZE_MAX, &top);
    if (!rc) rc = args_count(a, "dim", 1, UINT64_MAX, &dimension);
    if (rc) return rc;
    if (a->n_inputs == 0) return wrong_usage(a->command->name, "which model? sluice inspect MODEL");
    if (args_has(a, "weights") && args_has(a, "json"))
        return wrong_usage(a->command->name, "--weights prints text; it does not go with --json");

    inspected in = {0};
    sluice_error err = {0};
    in.model = sluice_model_load(a->inputs[0], &err);
    if (!in.model) return complain_error(&err);
    if (sluice_model_weights(in.model, &in.weights, &in.n, &err) != SLUICE_OK)
        rc = complain_error(&err);
    else if (args_has(a, "weights"))
        rc = print_weights(&in);
    else
        rc = print_facts(a, &in, dimension, top);
    sluice_free(in.weights);
    sluice_model_free(in.model);
    return rc;
}

const command inspect_command = {
    .name = "inspect",
    .summary = "show what a model is: learner, parameters, counts, heaviest features",
    .synopsis = "MODEL [--top N] [--weights] [--dim N] [--json]",
    .options = options,
    .max_inputs = 1,
    .run = run,
};
