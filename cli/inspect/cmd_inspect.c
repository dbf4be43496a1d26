/* sluice inspect: what a model is. */
#include "commands.h"
#include "measure/summary.h"
#include "measure/thresholds.h"
#include "output/class_features.h"
#include "output/class_text.h"
#include "output/message.h"
#include "args/model_args.h"
#include "kafka/kafka_report.h"
#include "output/race_report.h"
#include "output/report.h"
#include "output/weights.h"
#include "run/drift_watch.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"top", 0, "N", "how many of the heaviest features to show (default 10; of each of several classes 4)", 0},
    {"newest", 0, "N", "show the N newest features (-v and --json: 5; of models with ids at most 16)", 0},
    {"weights", 0, NULL,
     "print every nonzero weight instead: id or name, tab, weight; by ascending id or first sight, the bias first; of "
     "several classes: id or name, class, (one against one: the other class,) weight",
     0},
    {"class", 0, "W", "several classes: show the weights of this one", 0},
    {"dim", 0, "N", "the dimension that sparsity refers to (default: the features seen)", 0},
    {"json", 0, NULL, "print what the model is as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

enum { TOP_OF_A_CLASS = 4 }; /* on a line, where there is no --top */

static const file_option files[] = {{.option = "", .role = READS_MODEL}, {.option = NULL}};

typedef struct inspected {
    sluice_model *model;
    sluice_weight *weights;
    size_t n;
    uint64_t waiting;
    uint32_t only; /* the class to show, or SLUICE_NO_CLASS: all */
} inspected;

/* Where the weights of several classes are printed. */
typedef struct weight_table {
    const sluice_model *model;
    char **label;  /* by class, as results have it */
    uint32_t only; /* the class to print, or SLUICE_NO_CLASS: all */
} weight_table;

static int print_class_weight(void *context, size_t i, const sluice_weight *w) {
    const weight_table *t = context;
    sluice_problem p = {.size = sizeof p};
    char value[32];
    sluice_model_problem(t->model, i, &p);
    if (t->only != SLUICE_NO_CLASS && p.positive != t->only && p.negative != t->only) return 0;
    print_name(stdout, w, 0);
    sluice_format_float(value, w->weight);
    if (p.negative != SLUICE_NO_CLASS)
        printf("\t%s\t%s\t%s\n", t->label[p.positive], t->label[p.negative], value);
    else if (t->only == SLUICE_NO_CLASS)
        printf("\t%s\t%s\n", t->label[p.positive], value);
    else
        printf("\t%s\n", value);
    return 0;
}

static int print_class_weights(const sluice_model *model, uint32_t only) {
    const size_t n = sluice_model_classes(model);
    sluice_error err = {0};
    weight_table t = {.model = model, .label = calloc(n + 1, sizeof *t.label), .only = only};
    int rc = t.label ? DONE : out_of_memory();
    sluice_class c = {.size = sizeof c};
    for (size_t i = 0; i < n && !rc; i++)
        if (sluice_model_class(model, i, &c) != SLUICE_OK || !(t.label[i] = result_label(c.text))) rc = out_of_memory();
    if (!rc && sluice_model_each_weight(model, print_class_weight, &t, &err) != SLUICE_OK) rc = complain_error(&err);
    for (size_t i = 0; t.label && i < n; i++) free(t.label[i]);
    free(t.label);
    return rc ? rc : flush_results(stdout, "standard output");
}

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
    for (size_t i = 0; i < n; i++) printf("  %-20s %s\n", COUNT((uint64_t)1 << i), COUNT(seen[i]));
}

static const char *calibration_word(int calibration) {
    static const char *const words[] = {NULL, "log odds", "online", "platt", "isotonic"};
    return words[calibration];
}

static void report_threshold_of(report *r, const sluice_model *model) {
    double margin;
    if (!sluice_model_threshold(model, &margin)) return;
    report_open(r, "threshold");
    report_margin(r, model, margin);
    report_close(r);
}

static void report_counts(report *r, const inspected *in, const sluice_model_facts *f) {
    report_classes(r, in->model);
    report_count(r, "examples", f->examples);
    if (!sluice_model_settings(in->model)->classes) report_count(r, "positives", f->positives);
    report_count(r, "mistakes", f->mistakes);
    report_figure(r, "error_rate", f->examples ? (double)f->mistakes / (double)f->examples : NAN);
}

static void report_all(report *r, const inspected *in, const sluice_model_facts *f, uint64_t dimension) {
    report_text(r, "learner", f->learner->name);
    report_params(r, in->model, f);
    report_settings(r, in->model);
    report_race(r, in->model, 1);
    report_truth(r, "predict_only", f->is_final);
    report_truth(r, "probability", sluice_model_has_probability(in->model));
    report_text(r, "calibration", calibration_word(f->calibration));
    report_threshold_of(r, in->model);
    report_counts(r, in, f);
    report_count(r, "updates", f->updates);
    if (f->pseudo) report_count(r, "pseudo", f->pseudo);
    if (f->learner->flags & SLUICE_LEARNER_BATCH) report_count(r, "waiting", in->waiting);
    report_size(r, f, dimension);
    report_truth(r, "names", f->has_names);
}

/* What is unusual, and what counts. */
static void summarize(report *r, const inspected *in, const sluice_model_facts *f, uint64_t dimension) {
    summarize_learner(r, in->model, f);
    if (f->is_final) report_truth(r, "predict_only", 1);
    report_threshold_of(r, in->model);
    report_counts(r, in, f);
    if (in->waiting) report_count(r, "waiting", in->waiting);
    summarize_size(r, f, dimension);
}

static int print_facts(const args *a, const char *path, const inspected *in, uint64_t dimension, uint64_t top,
                       uint64_t newest) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(in->model, &f);
    drift_watch watch;
    int rc = drift_of_model(&watch, in->model, path);
    if (rc) return rc;
    warn_dimension(dimension, &f);
    report r = report_start(args_has(a, "json"));
    r.is_brief ? summarize(&r, in, &f, dimension) : report_all(&r, in, &f, dimension);
    report_positions(&r, in->model);
    if (watch.drift && !r.is_brief) report_drift(&r, &watch);
    drift_free(&watch);
    if (sluice_model_settings(in->model)->classes)
        rc = report_class_features(&r, in->model, in->only, (size_t)top);
    else
        report_heaviest(&r, in->weights, in->n, (size_t)top);
    if (!rc && (!r.is_brief || args_has(a, "newest"))) rc = report_newest(&r, in, (size_t)newest);
    if (rc) return rc;
    if (!r.is_brief) report_growth(&r, in->model);
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
    const unsigned kind = sluice_model_settings(in.model)->classes;
    if (kind && !args_has(a, "top") && !args_has(a, "json") && !is_verbose()) top = TOP_OF_A_CLASS;
    rc = class_from_args(a, in.model, &in.only);
    if (!rc && !kind && sluice_model_weights(in.model, &in.weights, &in.n, &err) != SLUICE_OK)
        rc = complain_error(&err);
    if (rc)
        ;
    else if (args_has(a, "weights"))
        rc = kind ? print_class_weights(in.model, in.only) : print_weights(&in);
    else
        rc = print_facts(a, a->inputs[0], &in, dimension, top, newest);
    sluice_free(in.weights);
    sluice_model_free(in.model);
    return rc;
}

const command inspect_command = {
    .name = "inspect",
    .summary = "show what a model is: learner, parameters, counts, heaviest and newest features",
    .synopsis = "MODEL [--top N] [--newest N] [--weights] [--class W] [--dim N] [--json]",
    .options = options,
    .files = files,
    .max_inputs = 1,
    .run = run,
};
