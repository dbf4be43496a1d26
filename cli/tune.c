#include "tune.h"

#include "message.h"
#include "outcome.h"
#include "pieces.h"
#include "runs.h"

#include <math.h>
#include <pthread.h>
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

/* All models of one learner. */
typedef struct work {
    const tuning *t;
    point *points;
    outcome *runs; /* of all points, fold by fold */
    pthread_mutex_t lock;
    progress live;
    uint64_t done, total;
} work;

static sluice_status learn_and_measure(const tuning *t, const point *p, size_t fold, outcome *run, sluice_error *err) {
    const sluice_batch *held_out = t->folds.parts[fold];
    sluice_model *model = recipe_model(&p->recipe, NULL, err);
    if (!model) return err->status;
    sluice_model_set_threads(model, t->threads);
    sluice_status status = learn_held(&model, t->folds.parts, t->folds.n, held_out, t->passes, err);
    if (status == SLUICE_OK) status = outcome_of(model, held_out, &t->how, 0, run, err);
    sluice_model_free(model);
    return status;
}

static void do_run(void *context, size_t i) {
    work *w = context;
    size_t folds = w->t->folds.n;
    outcome *run = &w->runs[i];
    sluice_error err = {0};
    double started = now_seconds();
    run->failed = learn_and_measure(w->t, &w->points[i / folds], i % folds, run, &err) != SLUICE_OK;
    if (run->failed) run->failure = strdup(err.message);
    run->seconds = now_seconds() - started;
    pthread_mutex_lock(&w->lock);
    progress_pieces(&w->live, ++w->done, w->total, "models");
    pthread_mutex_unlock(&w->lock);
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
    work w = {.t = t, .total = total, .live = progress_start(t->quiet, 1, 0)};
    outcome *runs = calloc(total, sizeof *runs);
    if (!runs) return out_of_memory();
    pthread_mutex_init(&w.lock, NULL);
    for (size_t i = 0; i < l->n; i++) {
        const search *s = &l->searches[i];
        /* batches are learned with all threads, and each is another copy of the examples: one after the other */
        int batches = s->learner->flags & SLUICE_LEARNER_BATCH;
        w.points = l->points + s->first;
        w.runs = runs + s->first * folds;
        in_parallel(s->n * folds, batches ? 1 : t->threads, do_run, &w);
    }
    progress_clear(&w.live);
    pthread_mutex_destroy(&w.lock);
    int rc = DONE;
    for (size_t i = 0; i < l->n_points && !rc; i++)
        rc = sum_up(&l->points[i], runs + i * folds, folds, t->measure->offset);
    outcomes_free(runs, total);
    if (rc) return rc;
    qsort(l->points, l->n_points, sizeof *l->points, t->measure->more ? more_first : less_first);
    warn_failures(t);
    return l->points[0].failure ? FAILED : DONE;
}
