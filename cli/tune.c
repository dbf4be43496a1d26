#include "tune.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const tune_measure_names[] = {"error", "balanced", "auc", "f1", "cost", NULL};
const tune_measure tune_measures[] = {
    {"error_rate", offsetof(sluice_measures, error_rate), 0},
    {"balanced_accuracy", offsetof(sluice_measures, balanced_accuracy), 1},
    {"auc", offsetof(sluice_measures, auc), 1},
    {"f1", offsetof(sluice_measures, f1), 1},
    {"cost", offsetof(sluice_measures, cost), 0},
};

static double figure(const sluice_measures *m, size_t offset) {
    double x;
    memcpy(&x, (const char *)m + offset, sizeof x);
    return x;
}

/* ---- over the folds ---------------------------------------------------------------------------------------------- */

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
};

static void sum_counts(point *p, const fold_run *run) {
    const sluice_measures *m = &run->test;
    p->test.examples += m->examples;
    p->test.mistakes += m->mistakes;
    p->test.true_pos += m->true_pos;
    p->test.false_pos += m->false_pos;
    p->test.true_neg += m->true_neg;
    p->test.false_neg += m->false_neg;
    p->examples += run->examples;
    p->mistakes += run->mistakes;
}

/* Makes the result of a point from those of its folds. */
static int sum_up(const tuning *t, const fold_run *runs, point *p) {
    size_t n = t->folds.n;
    double *x = p->folds = calloc(n, sizeof *x), unused;
    if (!x) return out_of_memory();
    for (size_t i = 0; i < n; i++) p->seconds += runs[i].seconds;
    for (size_t i = 0; i < n && !p->failure; i++)
        if (runs[i].failed && !(p->failure = strdup(runs[i].failure ? runs[i].failure : "out of memory")))
            return out_of_memory();
    if (p->failure) return DONE;
    for (size_t i = 0; i < n; i++) sum_counts(p, &runs[i]);
    for (size_t k = 0; k < sizeof figures / sizeof *figures; k++) {
        for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, figures[k]);
        double mean = mean_of(x, n, &unused);
        memcpy((char *)&p->test + figures[k], &mean, sizeof mean);
    }
    for (size_t i = 0; i < n; i++) x[i] = (double)runs[i].nonzeros;
    p->nonzeros = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = runs[i].sparsity;
    p->sparsity = mean_of(x, n, &unused);
    for (size_t i = 0; i < n; i++) x[i] = figure(&runs[i].test, t->measure->offset);
    p->mean = mean_of(x, n, &p->deviation);
    return DONE;
}

/* ---- which is best ----------------------------------------------------------------------------------------------- */

/* The smaller the better. Sums of the same numbers in another order are the same: their last digits do not count. */
static double rank_key(const point *p, int more) {
    if (p->failure) return INFINITY;
    if (isnan(p->mean)) return 1e300;
    double key = round(p->mean * 1e12) / 1e12;
    return more ? -key : key;
}

static int compare(const point *a, const point *b, int more) {
    double x = rank_key(a, more), y = rank_key(b, more);
    if (x != y) return x < y ? -1 : 1;
    if (a->nonzeros != b->nonzeros) return a->nonzeros < b->nonzeros ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static int less_first(const void *a, const void *b) { return compare(a, b, 0); }
static int more_first(const void *a, const void *b) { return compare(a, b, 1); }

static void warn_failures(const tuning *t) {
    size_t failed = 0, n = t->list.n_points;
    for (size_t i = 0; i < n; i++) failed += t->list.points[i].failure != NULL;
    if (!failed) return;
    const char *first = t->list.points[n - failed].failure; /* they are sorted last */
    if (failed == n)
        complain("all %zu points failed; the first: %s", n, first);
    else if (!t->quiet)
        warning("%zu of %zu points failed; the first: %s", failed, n, first);
}

int tune(tuning *t) {
    search_list *l = &t->list;
    size_t folds = t->folds.n, total = l->n_points * folds;
    fold_run *runs = calloc(total, sizeof *runs);
    if (!runs) return out_of_memory();
    run_folds(t, runs);
    int rc = DONE;
    for (size_t i = 0; i < l->n_points && !rc; i++) rc = sum_up(t, runs + i * folds, &l->points[i]);
    for (size_t i = 0; i < total; i++) free(runs[i].failure);
    free(runs);
    if (rc) return rc;
    qsort(l->points, l->n_points, sizeof *l->points, t->measure->more ? more_first : less_first);
    warn_failures(t);
    return l->points[0].failure ? FAILED : DONE;
}
