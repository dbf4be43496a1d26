#include "tune/tuning.h"

#include "output/message.h"

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

/* ---- which is best ----------------------------------------------------------------------------------------------- */

/* The smaller the better. Sums of the same numbers in another order are the same: their last digits do not count. */
static double rank_key(const point *p, int more) {
    if (isnan(p->mean)) return INFINITY;
    double key = round(p->mean * 1e12) / 1e12;
    return more ? -key : key;
}

static int compare(const point *a, const point *b, int more) {
    if (!a->failure != !b->failure) return a->failure ? 1 : -1;
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
    outcome *runs = calloc(total, sizeof *runs);
    if (!runs) return out_of_memory();
    run_folds(t, runs);
    int rc = DONE;
    for (size_t i = 0; i < l->n_points && !rc; i++)
        rc = sum_up(&l->points[i], runs + i * folds, folds, t->measure->offset);
    outcomes_free(runs, total);
    if (rc) return rc;
    qsort(l->points, l->n_points, sizeof *l->points, t->measure->more ? more_first : less_first);
    warn_failures(t);
    if (l->points[0].failure) return FAILED;
    if (!isnan(l->points[0].mean)) return DONE;
    complain("there is no %s in any fold: each has one class only, or nothing is predicted +1", t->measure->name);
    return FAILED;
}
