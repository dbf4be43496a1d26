/* Cross-validates the points of a search.
 *
 * A job is one fold without which up to SIDE points of a learner are learned, side by side in a sweep: that is several
 * times as fast as one after the other. */
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/thread_team.h"
#include "experiment/dataset.h"
#include "experiment/folds.h"
#include "experiment/run_outcome.h"
#include "experiment/row_sets.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = SL_OUTCOMES_AT_ONCE,
    WORTH = 4, /* fewer points are faster one by one */
};

/* All models of one learner. */
typedef struct work {
    const sluice_search *s;
    const sluice_folds *folds;
    sluice_tune_options o;
    sluice_meter_options how;
    sl_point *const *points;
    size_t n, side;
    sl_outcome *runs;
    sl_task task;
} work;

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static void run_one(work *w, const sl_point *p, size_t fold, sl_outcome *run) {
    sluice_error err = {0};
    const sluice_folds *f = w->folds;
    double started = sl_seconds();
    sluice_model *model = sl_point_model(w->s, p, &err);
    if (model && sl_give_classes(model, f->classes, &err) == SLUICE_OK) {
        sluice_model_set_threads(model, w->o.threads);
        sl_learn_batches(&model, f->parts, f->n, f->parts[fold], w->o.passes, &w->task, &err);
    }
    if (err.status == SLUICE_OK)
        sl_outcome_of(model, f->parts[fold], &w->how, run);
    else
        sl_outcome_failed(run, &err);
    sluice_model_free(model);
    run->seconds = sl_seconds() - started;
}

static sluice_status learn_sweep(work *w, sluice_sweep *sweep, size_t fold, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < w->o.passes && status == SLUICE_OK; pass++)
        for (size_t i = 0; i < w->folds->n && status == SLUICE_OK; i++) {
            if (i == fold) continue;
            status = sluice_sweep_learn_batch(sweep, w->folds->parts[i]);
            if (sl_task_advance(&w->task, 0)) return sl_fail(err, SLUICE_E_CANCELLED, "cancelled");
        }
    if (status == SLUICE_OK) status = sluice_sweep_end_run(sweep);
    if (status != SLUICE_OK) *err = *sluice_sweep_error(sweep);
    return status;
}

/* The runs of the points are `folds` elements from each other. A failure of the sweep is one of all its points. */
static void run_side_by_side(work *w, sl_point *const *points, size_t n, size_t fold, sl_outcome *runs) {
    sluice_error why = {0};
    size_t folds = w->folds->n;
    double started = sl_seconds();
    sluice_sweep *sweep = sl_points_sweep(w->s, points, n, 1, &why);
    if (sweep && sl_sweep_take_classes(sweep, w->folds->classes, &why) == SLUICE_OK &&
        learn_sweep(w, sweep, fold, &why) == SLUICE_OK)
        sl_outcomes_of_sweep(sweep, 0, n, w->folds->parts[fold], &w->how, 0, runs, folds);
    else
        for (size_t i = 0; i < n; i++) sl_outcome_failed(&runs[i * folds], &why);
    sluice_sweep_free(sweep);
    for (size_t i = 0; i < n; i++) runs[i * folds].seconds = (sl_seconds() - started) / (double)n;
}

static void do_job(void *context, size_t job) {
    work *w = context;
    size_t folds = w->folds->n, fold = job % folds, first = job / folds * w->side, n = w->n - first;
    sl_point *const *points = w->points + first;
    sl_outcome *runs = w->runs + first * folds + fold;
    if (atomic_load(&w->task.cancelled)) return;
    if (n > w->side) n = w->side;
    if (n >= WORTH)
        run_side_by_side(w, points, n, fold, runs);
    else
        for (size_t i = 0; i < n; i++) run_one(w, points[i], fold, &runs[i * folds]);
    sl_task_advance(&w->task, n);
}

static sluice_status run_folds(work *w, sl_outcome *runs, sluice_error *err) {
    const sluice_search *s = w->s;
    sl_task_begin(&w->task, w->o.progress, w->o.context, s->n_points * w->folds->n);
    for (size_t i = 0; i < s->n_trials; i++) {
        const sl_trial *t = &s->trials[i];
        /* a learner in batches uses all threads itself and each of its models holds a copy of the rows: one after the
         * other; of a dense learner one matrix for each thread is enough */
        int batches = t->learner->flags & SLUICE_LEARNER_BATCH, dense = t->learner->flags & SLUICE_LEARNER_DENSE;
        w->points = s->points + t->first;
        w->n = t->n;
        w->side = batches || dense ? 1 : SIDE;
        w->runs = runs + t->first * w->folds->n;
        sl_parallel(batches ? 1 : w->o.threads, (t->n + w->side - 1) / w->side * w->folds->n, do_job, w);
    }
    return sl_task_end(&w->task, err);
}

/* ---- which is best ----------------------------------------------------------------------------------------------- */

static const struct measure {
    size_t offset; /* in sluice_measures */
    int more;      /* is better */
} measures[] = {
    [SLUICE_MEASURE_ERROR] = {offsetof(sluice_measures, error_rate), 0},
    [SLUICE_MEASURE_BALANCED_ACCURACY] = {offsetof(sluice_measures, balanced_accuracy), 1},
    [SLUICE_MEASURE_AUC] = {offsetof(sluice_measures, auc), 1},
    [SLUICE_MEASURE_F1] = {offsetof(sluice_measures, f1), 1},
    [SLUICE_MEASURE_COST] = {offsetof(sluice_measures, cost), 0},
};

/* The smaller the better. The last digits do not count: they depend on the order in which numbers were added. */
static double rank_key(const sluice_point *p, int more) {
    if (isnan(p->mean)) return INFINITY;
    double key = round(p->mean * 1e12) / 1e12;
    return more ? -key : key;
}

static int compare(const sluice_point *a, const sluice_point *b, int more) {
    if (!a->failure != !b->failure) return a->failure ? 1 : -1;
    double x = rank_key(a, more), y = rank_key(b, more);
    if (x != y) return x < y ? -1 : 1;
    if (a->nonzeros != b->nonzeros) return a->nonzeros < b->nonzeros ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static const sluice_point *shown(const void *element) { return &(*(sl_point *const *)element)->shown; }
static int less_first(const void *a, const void *b) { return compare(shown(a), shown(b), 0); }
static int more_first(const void *a, const void *b) { return compare(shown(a), shown(b), 1); }

sluice_status sluice_search_tune(sluice_search *s, const sluice_folds *folds, const sluice_tune_options *options,
                                 sluice_error *err) {
    sluice_error unread;
    work w = {.s = s, .folds = folds, .o = {.size = sizeof w.o}, .how = {.size = sizeof w.how}};
    if (!err) err = &unread;
    sluice_status status = sl_sized_read(&w.o, sizeof w.o, options, "sluice_tune_options", err);
    if (status != SLUICE_OK) return status;
    if (w.o.measure < 0 || (size_t)w.o.measure >= sizeof measures / sizeof *measures)
        return sl_fail(err, SLUICE_E_USAGE, "there is no measure %d to choose by", w.o.measure);
    if (s->n_findings) return sl_fail(err, SLUICE_E_USAGE, "sparsities were searched for already; make a new search");
    status = sluice_search_make_points(s, err);
    if (status != SLUICE_OK) return status;
    if (!w.o.passes) w.o.passes = 1;
    /* not the costs that a learner learns by: all points are measured alike */
    w.how.cost_missed = w.o.cost_missed > 0 ? w.o.cost_missed : 1;
    w.how.cost_alarm = w.o.cost_alarm > 0 ? w.o.cost_alarm : 1;
    size_t n = folds->n, total = s->n_points * n;
    sl_outcome *runs = calloc(total + 1, sizeof *runs);
    if (!runs) return sl_no_memory(err);
    const bool many = s->settings.classes != SLUICE_CLASSES_TWO;
    static const struct measure macro_f1 = {offsetof(sluice_measures, macro_f1), 1};
    const struct measure *by = many && w.o.measure == SLUICE_MEASURE_F1 ? &macro_f1 : &measures[w.o.measure];
    status = run_folds(&w, runs, err);
    for (size_t i = 0; i < s->n_points && status == SLUICE_OK; i++)
        status = sl_sum_up(s->points[i], runs + i * n, n, by->offset, err);
    sl_outcomes_free(runs, total);
    if (status == SLUICE_OK) sl_search_sort(s, by->more ? more_first : less_first);
    return status;
}
