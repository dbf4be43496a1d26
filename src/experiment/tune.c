/* A piece of work is one fold without which up to SIDE points of a learner are learned, side by side in a sweep: that
 * is several times as fast as one after the other. */
#include "rows/pieces.h"
#include "experiment/row_sets.h"
#include "tune/tuning.h"

#include <pthread.h>
#include <string.h>

enum {
    SIDE = OUTCOMES_AT_ONCE,
    WORTH = 4, /* fewer points are sooner done one by one */
};

/* All models of one learner. */
typedef struct work {
    const tuning *t;
    const point *points;
    size_t n, side;
    outcome *runs;
    pthread_mutex_t lock;
    progress live;
    uint64_t done, total;
} work;

static void run_one(const tuning *t, const point *p, size_t fold, outcome *run) {
    sluice_error err = {0};
    double started = now_seconds();
    sluice_model *model = recipe_model(&p->recipe, NULL, &err);
    if (model) {
        sluice_model_set_threads(model, t->threads);
        learn_held(&model, t->folds.parts, t->folds.n, t->folds.parts[fold], t->passes, &err);
    }
    if (err.status == SLUICE_OK)
        outcome_of(model, t->folds.parts[fold], &t->how, run);
    else
        outcome_failed(run, &err);
    sluice_model_free(model);
    run->seconds = now_seconds() - started;
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

static sluice_status learn_sweep(const tuning *t, sluice_sweep *sweep, size_t fold, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < t->passes && status == SLUICE_OK; pass++)
        for (size_t i = 0; i < t->folds.n && status == SLUICE_OK; i++)
            if (i != fold) status = sluice_sweep_learn_batch(sweep, t->folds.parts[i]);
    if (status == SLUICE_OK) status = sluice_sweep_end_run(sweep);
    if (status != SLUICE_OK) *err = *sluice_sweep_error(sweep);
    return status;
}

/* The runs of the points lie `folds` apart. What fails for all of them has failed for each. */
static void run_side_by_side(const tuning *t, const point *points, size_t n, size_t fold, outcome *runs) {
    sluice_error why = {0};
    double started = now_seconds();
    sluice_sweep *sweep = sweep_of_points(points, n, 1, &why);
    if (sweep && learn_sweep(t, sweep, fold, &why) == SLUICE_OK)
        outcomes_of_sweep(sweep, 0, n, t->folds.parts[fold], &t->how, 0, runs, t->folds.n);
    else
        for (size_t i = 0; i < n; i++) outcome_failed(&runs[i * t->folds.n], &why);
    sluice_sweep_free(sweep);
    for (size_t i = 0; i < n; i++) runs[i * t->folds.n].seconds = (now_seconds() - started) / (double)n;
}

static void do_piece(void *context, size_t piece) {
    work *w = context;
    size_t folds = w->t->folds.n, fold = piece % folds, first = piece / folds * w->side, n = w->n - first;
    const point *points = w->points + first;
    outcome *runs = w->runs + first * folds + fold;
    if (n > w->side) n = w->side;
    if (n >= WORTH)
        run_side_by_side(w->t, points, n, fold, runs);
    else
        for (size_t i = 0; i < n; i++) run_one(w->t, &points[i], fold, &runs[i * folds]);
    pthread_mutex_lock(&w->lock);
    progress_pieces(&w->live, w->done += n, w->total, "models");
    pthread_mutex_unlock(&w->lock);
}

void run_folds(const tuning *t, outcome *runs) {
    const search_list *l = &t->list;
    work w = {.t = t, .total = l->n_points * t->folds.n, .live = progress_start(t->quiet, 1, 0)};
    pthread_mutex_init(&w.lock, NULL);
    for (size_t i = 0; i < l->n; i++) {
        const search *s = &l->searches[i];
        /* batches are learned with all threads, and each is another copy of the examples: one after the other; and one
         * matrix for each thread is enough */
        int batches = s->learner->flags & SLUICE_LEARNER_BATCH, dense = s->learner->flags & SLUICE_LEARNER_DENSE;
        w.points = l->points + s->first;
        w.n = s->n;
        w.side = batches || dense ? 1 : SIDE;
        w.runs = runs + s->first * t->folds.n;
        in_parallel((s->n + w.side - 1) / w.side * t->folds.n, batches ? 1 : t->threads, do_piece, &w);
    }
    progress_clear(&w.live);
    pthread_mutex_destroy(&w.lock);
}
