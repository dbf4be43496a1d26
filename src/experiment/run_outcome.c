/* The outcome of one run, and the result of a point over its runs. */
#include "experiment/run_outcome.h"

#include "experiment/dataset.h"
#include "experiment/row_sets.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t figures[] = {
    offsetof(sluice_measures, error_rate),
    offsetof(sluice_measures, accuracy),
    offsetof(sluice_measures, sensitivity),
    offsetof(sluice_measures, specificity),
    offsetof(sluice_measures, sum),
    offsetof(sluice_measures, balanced_accuracy),
    offsetof(sluice_measures, cost),
    offsetof(sluice_measures, precision),
    offsetof(sluice_measures, recall),
    offsetof(sluice_measures, f1),
    offsetof(sluice_measures, auc),
    offsetof(sluice_measures, hinge_loss),
    offsetof(sluice_measures, log_loss),
    offsetof(sluice_measures, brier),
    offsetof(sluice_measures, calibration_error),
    offsetof(sluice_measures, average_precision),
    offsetof(sluice_measures, macro_precision),
    offsetof(sluice_measures, macro_recall),
    offsetof(sluice_measures, macro_f1),
    offsetof(sluice_measures, weighted_f1),
    offsetof(sluice_measures, top_accuracy[0]),
    offsetof(sluice_measures, top_accuracy[1]),
    offsetof(sluice_measures, top_accuracy[2]),
    offsetof(sluice_measures, top_accuracy[3]),
    offsetof(sluice_measures, top_accuracy[4]),
    offsetof(sluice_measures, recall_at_precision),
};
enum { N_FIGURES = sizeof figures / sizeof *figures };

static double figure(const sluice_measures *m, size_t offset) {
    double x;
    memcpy(&x, (const char *)m + offset, sizeof x);
    return x;
}

static void set_figure(sluice_measures *m, size_t offset, double x) { memcpy((char *)m + offset, &x, sizeof x); }

void sl_outcome_failed(sl_outcome *o, const sluice_error *err) {
    o->status = err->status;
    o->failure = strdup(err->message);
    if (!o->failure) o->status = SLUICE_E_MEMORY;
}

/* What is known of a model without measuring it. */
static void set_facts(const sluice_model_facts *facts, uint64_t dimension, sl_outcome *o) {
    o->examples = o->counted.examples ? o->counted.examples : facts->examples;
    o->mistakes = o->counted.examples ? o->counted.mistakes : facts->mistakes;
    o->nonzeros = facts->nonzeros;
    o->features_seen = facts->features_seen;
    const double weights = (double)(dimension ? dimension : facts->features_seen) * (double)facts->vectors;
    o->sparsity = weights > 0 ? 1 - (double)facts->nonzeros / weights : NAN;
    o->test.size = sizeof o->test;
    for (size_t i = 0; i < N_FIGURES; i++) set_figure(&o->test, figures[i], NAN);
}

static void measure_one(const sluice_model *model, const sluice_batch *rows, const sluice_meter_options *how,
                        uint64_t dimension, sl_outcome *o) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_error err = {0};
    sluice_model_describe(model, &facts);
    set_facts(&facts, dimension, o);
    if (rows && sl_measure(model, &facts, rows, how, &o->test, &err) != SLUICE_OK) sl_outcome_failed(o, &err);
}

void sl_outcome_of(const sluice_model *model, const sluice_batch *rows, const sluice_meter_options *how,
                   sl_outcome *o) {
    measure_one(model, rows, how, 0, o);
}

/* The failure of configurations that have left the range of numbers. */
static const sluice_error lost = {
    .status = SLUICE_E_NUMERIC,
    .message = "the model has left the range of numbers; scale the values (--normalize l2) or learn in smaller steps"};

static sluice_status describe_all(const sluice_sweep *sweep, size_t first, size_t n, uint64_t dimension, sl_outcome *o,
                                  size_t apart, sluice_error *err) {
    sluice_model_facts facts[SL_OUTCOMES_AT_ONCE] = {{.size = sizeof *facts}};
    if (sluice_sweep_describe(sweep, first, n, facts, err) != SLUICE_OK) return err->status;
    for (size_t i = 0; i < n; i++) {
        if (facts[i].learner)
            set_facts(&facts[i], dimension, &o[i * apart]);
        else
            sl_outcome_failed(&o[i * apart], &lost);
    }
    return SLUICE_OK;
}

/* With lanes: all configurations predict a row at once. */
static sluice_status measure_lanes(const sluice_sweep *sweep, size_t first, size_t n, const sluice_batch *rows,
                                   const sluice_meter_options *how, uint64_t dimension, sl_outcome *o, size_t apart,
                                   sluice_error *err) {
    sluice_model_facts facts[SL_OUTCOMES_AT_ONCE] = {{.size = sizeof *facts}};
    if (sluice_sweep_describe(sweep, first, n, facts, err) != SLUICE_OK) return err->status;
    size_t n_rows = sluice_batch_rows(rows);
    double *margins = malloc((n * n_rows + 1) * sizeof *margins);
    if (!margins) return sl_no_memory(err);
    sl_sweep_margins(sweep, first, n, rows, margins);
    for (size_t i = 0; i < n; i++) {
        sl_outcome *to = &o[i * apart];
        sluice_error why = lost;
        sluice_model *outline = facts[i].learner ? sl_sweep_outline(sweep, first + i, &why) : NULL;
        if (outline) set_facts(&facts[i], dimension, to);
        if (!outline ||
            sl_measure_margins(outline, &facts[i], rows, margins + i * n_rows, how, &to->test, &why) != SLUICE_OK)
            sl_outcome_failed(to, &why);
        sluice_model_free(outline);
    }
    free(margins);
    return SLUICE_OK;
}

static sluice_status measure_all(const sluice_sweep *sweep, size_t first, size_t n, const sluice_batch *rows,
                                 const sluice_meter_options *how, uint64_t dimension, sl_outcome *o, size_t apart,
                                 sluice_error *err) {
    if (sl_sweep_part_size(sweep)) return measure_lanes(sweep, first, n, rows, how, dimension, o, apart, err);
    sluice_model *models[SL_OUTCOMES_AT_ONCE] = {NULL};
    if (sluice_sweep_finals(sweep, first, n, models, err) != SLUICE_OK) return err->status;
    for (size_t i = 0; i < n; i++) {
        if (models[i])
            measure_one(models[i], rows, how, dimension, &o[i * apart]);
        else
            sl_outcome_failed(&o[i * apart], &lost);
        sluice_model_free(models[i]);
    }
    return SLUICE_OK;
}

void sl_outcomes_of_sweep(const sluice_sweep *sweep, size_t first, size_t n, const sluice_batch *rows,
                          const sluice_meter_options *how, uint64_t dimension, sl_outcome *o, size_t apart) {
    sluice_error err = {0};
    sluice_status status = rows ? measure_all(sweep, first, n, rows, how, dimension, o, apart, &err)
                                : describe_all(sweep, first, n, dimension, o, apart, &err);
    for (size_t i = 0; i < n && status != SLUICE_OK; i++) sl_outcome_failed(&o[i * apart], &err);
}

sluice_status sl_count_first_pass(const sluice_sweep *sweep, size_t first, size_t n, sl_outcome *o, size_t apart,
                                  sluice_error *err) {
    for (size_t i = 0, some; i < n; i += some) {
        sluice_model_facts facts[SL_OUTCOMES_AT_ONCE] = {{.size = sizeof *facts}};
        some = n - i < SL_OUTCOMES_AT_ONCE ? n - i : SL_OUTCOMES_AT_ONCE;
        if (sluice_sweep_describe(sweep, first + i, some, facts, err) != SLUICE_OK) return err->status;
        for (size_t k = 0; k < some; k++)
            if (facts[k].learner) o[(i + k) * apart].counted = (sl_first_pass){facts[k].examples, facts[k].mistakes};
    }
    return SLUICE_OK;
}

void sl_outcomes_free(sl_outcome *outcomes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(outcomes[i].failure);
        free(outcomes[i].by_part);
    }
    free(outcomes);
}

/* The mean of the values that exist, and their sample deviation; NaN where there are too few. */
static double mean_of(const double *x, size_t n, double *deviation) {
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) sum += x[i], count++;
    double mean = count ? sum / (double)count : NAN;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i])) squares += (x[i] - mean) * (x[i] - mean);
    *deviation = count > 1 ? sqrt(squares / (double)(count - 1)) : NAN;
    return mean;
}

static void sum_counts(sl_point *p, const sl_outcome *run) {
    const sluice_measures *m = &run->test;
    p->test.examples += m->examples;
    p->test.mistakes += m->mistakes;
    p->test.true_pos += m->true_pos;
    p->test.false_pos += m->false_pos;
    p->test.true_neg += m->true_neg;
    p->test.false_neg += m->false_neg;
    p->test.unknown_labels += m->unknown_labels;
    if (m->classes > p->test.classes) p->test.classes = m->classes;
    p->shown.examples += run->examples;
    p->shown.mistakes += run->mistakes;
}

static sluice_status take_failure(sl_point *p, const sl_outcome *runs, size_t n, sluice_error *err) {
    for (size_t i = 0; i < n; i++) {
        if (runs[i].status == SLUICE_OK || (p->failure && runs[i].status != SLUICE_E_MEMORY)) continue;
        if (runs[i].status == SLUICE_E_MEMORY || !(p->failure = strdup(runs[i].failure))) return sl_no_memory(err);
    }
    p->shown.failure = p->failure;
    return SLUICE_OK;
}

static void take_sizes(sluice_point *p, const sl_outcome *runs, size_t n, double *x) {
    double unused;
    for (size_t i = 0; i < n; i++) x[i] = (double)runs[i].nonzeros;
    p->nonzeros = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = (double)runs[i].features_seen;
    p->features_seen = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = runs[i].sparsity;
    p->sparsity = mean_of(x, n, &p->sparsity_deviation);
    for (size_t i = 0; i < n; i++) x[i] = (double)runs[i].mistakes / (double)runs[i].examples;
    mean_of(x, n, &p->error_deviation);
}

void sl_forget_result(sl_point *p) {
    const sluice_point *old = &p->shown;
    free(p->runs);
    free(p->by_part);
    free(p->failure);
    p->runs = p->by_part = NULL;
    p->failure = NULL;
    p->test = (sluice_measures){.size = sizeof p->test};
    p->shown = (sluice_point){.learner = old->learner,
                              .params = old->params,
                              .n_params = old->n_params,
                              .n_fixed = old->n_fixed,
                              .order = old->order,
                              .searched = old->searched,
                              .settings = old->settings,
                              .varied = old->varied,
                              .n_varied = old->n_varied,
                              .reading = old->reading,
                              .test = &p->test};
}

/* Of one run that has them. */
static void take_parts(sl_point *p, sl_outcome *run) {
    p->shown.by_part = p->by_part = run->by_part;
    p->shown.n_parts = run->n_parts;
    run->by_part = NULL;
}

sluice_status sl_sum_up(sl_point *p, sl_outcome *runs, size_t n, size_t offset, sluice_error *err) {
    sl_forget_result(p);
    double *x = calloc(n, sizeof *x), unused;
    if (!x) return sl_no_memory(err);
    p->shown.runs = p->runs = x;
    p->shown.n_runs = n;
    for (size_t i = 0; i < n; i++) p->shown.seconds += runs[i].seconds;
    sluice_status status = take_failure(p, runs, n, err);
    if (status != SLUICE_OK || p->failure) return status;
    for (size_t i = 0; i < n; i++) sum_counts(p, &runs[i]);
    for (size_t k = 0; k < N_FIGURES; k++) {
        for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, figures[k]);
        set_figure(&p->test, figures[k], mean_of(x, n, &unused));
    }
    take_sizes(&p->shown, runs, n, x);
    if (n == 1) take_parts(p, runs);
    for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, offset);
    p->shown.mean = mean_of(x, n, &p->shown.deviation);
    return SLUICE_OK;
}
