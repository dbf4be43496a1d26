/* Cross-validates the points of a search.
 *
 * A job is one fold without which up to SIDE points of a learner and the same settings are learned, side by side in a
 * sweep: that is several times as fast as one after the other. */
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

/* Points of one learner and the same settings, by their positions in `ordered`. */
typedef struct bunch {
    size_t first, n;
} bunch;

typedef struct work {
    sluice_search *s;
    const sluice_folds *folds;
    sluice_tune_options o;
    sluice_meter_options how;
    sl_point **ordered; /* all points, by learner, then by settings */
    sl_outcome *runs;   /* one for each fold of the first of them, then of the second, and so on */
    bunch *bunches;     /* of the present learner */
    sl_task task;
} work;

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static void run_one(work *w, const sl_point *p, size_t fold, sl_outcome *run) {
    sluice_error err = {0};
    const sluice_folds *f = w->folds;
    double started = sl_seconds();
    sluice_model *model = sl_point_model(p, &err);
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
    sluice_sweep *sweep = sl_points_sweep(points, n, 1, &why);
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
    const size_t folds = w->folds->n, fold = job % folds;
    const bunch *b = &w->bunches[job / folds];
    sl_point *const *points = w->ordered + b->first;
    sl_outcome *runs = w->runs + b->first * folds + fold;
    if (atomic_load(&w->task.cancelled)) return;
    if (b->n >= WORTH)
        run_side_by_side(w, points, b->n, fold, runs);
    else
        for (size_t i = 0; i < b->n; i++) run_one(w, points[i], fold, &runs[i * folds]);
    sl_task_advance(&w->task, b->n);
}

static int compare_settings(const sl_point *a, const sl_point *b) {
    for (size_t i = 0; i < a->shown.n_varied; i++) {
        const int order = strcmp(a->varied[i], b->varied[i]);
        if (order) return order;
    }
    return 0;
}

/* Points of one learner have the same settings to compare. */
static int by_settings(const void *left, const void *right) {
    const sl_point *a = *(sl_point *const *)left, *b = *(sl_point *const *)right;
    if (a->trial != b->trial) return a->trial < b->trial ? -1 : 1;
    const int order = compare_settings(a, b);
    if (order) return order;
    return a->shown.order < b->shown.order ? -1 : a->shown.order > b->shown.order;
}

/* Divides n points from `first` on into bunches of at most `side`; returns how many these are. */
static size_t make_bunches(work *w, size_t first, size_t n, size_t side) {
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        sl_point *const *p = w->ordered + first + i;
        bunch *last = w->bunches + count - 1;
        if (count && last->n < side && compare_settings(p[-1], p[0]) == 0)
            last->n++;
        else
            w->bunches[count++] = (bunch){first + i, 1};
    }
    return count;
}

static sluice_status run_folds(work *w, sluice_error *err) {
    const sluice_search *s = w->s;
    for (size_t i = 0; i < s->n_points; i++) w->ordered[i] = s->points[i];
    qsort(w->ordered, s->n_points, sizeof *w->ordered, by_settings);
    sl_task_begin(&w->task, w->o.progress, w->o.context, s->n_points * w->folds->n);
    for (size_t i = 0; i < s->n_trials; i++) {
        const sl_trial *t = &s->trials[i];
        /* a learner in batches uses all threads itself and each of its models holds a copy of the rows: one after the
         * other; of a dense learner one matrix for each thread is enough */
        int batches = t->learner->flags & SLUICE_LEARNER_BATCH, dense = t->learner->flags & SLUICE_LEARNER_DENSE;
        const size_t n = make_bunches(w, t->first, t->n, batches || dense ? 1 : SIDE);
        sl_parallel(batches ? 1 : w->o.threads, n * w->folds->n, do_job, w);
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

/* How far from the best mean a point may be: the standard error of the best one's, over its folds. */
static double standard_error(const sluice_point *best) {
    size_t n = 0;
    for (size_t i = 0; i < best->n_runs; i++) n += isnan(best->runs[i]) ? 0u : 1u;
    return n > 1 ? best->deviation / sqrt((double)n) : 0;
}

/* Of the points, sorted, the sparsest that is as good as the first, within a standard error. A model without any weight
 * says nothing: it is taken only where no other is as good. */
static size_t sparser_point(const sluice_search *s, int more) {
    const sluice_point *best = &s->sorted[0]->shown;
    const double limit = rank_key(best, more) + standard_error(best);
    size_t chosen = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->n_points; i++) {
        const sluice_point *p = &s->sorted[i]->shown;
        if (p->failure || isnan(p->mean) || rank_key(p, more) > limit) break;
        if (p->nonzeros <= 0 || p->nonzeros >= least) continue;
        least = p->nonzeros;
        chosen = i;
    }
    return chosen;
}

/* Puts the i-th point first and moves those before it back. */
static void put_first(sluice_search *s, size_t i) {
    sl_point *p = s->sorted[i];
    memmove(s->sorted + 1, s->sorted, i * sizeof *s->sorted);
    s->sorted[0] = p;
    s->passed_over = i > 0;
}

size_t sluice_search_best_mean(const sluice_search *s) { return s->passed_over ? 1 : 0; }

static sluice_status tune_points(work *w, const struct measure *by, sluice_error *err) {
    sluice_search *s = w->s;
    const size_t n = w->folds->n, total = s->n_points * n;
    w->runs = calloc(total + 1, sizeof *w->runs);
    w->ordered = calloc(s->n_points + 1, sizeof *w->ordered);
    w->bunches = calloc(s->n_points + 1, sizeof *w->bunches);
    sluice_status status = w->runs && w->ordered && w->bunches ? run_folds(w, err) : sl_no_memory(err);
    for (size_t i = 0; i < s->n_points && status == SLUICE_OK; i++)
        status = sl_sum_up(w->ordered[i], w->runs + i * n, n, by->offset, err);
    if (w->runs) sl_outcomes_free(w->runs, total);
    free(w->ordered);
    free(w->bunches);
    if (status != SLUICE_OK) return status;
    sl_search_sort(s, by->more ? more_first : less_first);
    put_first(s, w->o.choose == SLUICE_CHOOSE_BEST || !s->n_points ? 0 : sparser_point(s, by->more));
    return SLUICE_OK;
}

sluice_status sluice_search_tune(sluice_search *s, const sluice_folds *folds, const sluice_tune_options *options,
                                 sluice_error *err) {
    sluice_error unread;
    work w = {.s = s, .folds = folds, .o = {.size = sizeof w.o}, .how = {.size = sizeof w.how}};
    if (!err) err = &unread;
    sluice_status status = sl_sized_read(&w.o, sizeof w.o, options, "sluice_tune_options", err);
    if (status != SLUICE_OK) return status;
    if (w.o.measure < 0 || (size_t)w.o.measure >= sizeof measures / sizeof *measures)
        return sl_fail(err, SLUICE_E_USAGE, "there is no measure %d to choose by", w.o.measure);
    if (w.o.choose != SLUICE_CHOOSE_SPARSE && w.o.choose != SLUICE_CHOOSE_BEST)
        return sl_fail(err, SLUICE_E_USAGE, "there is no way %d to choose", w.o.choose);
    if (s->n_findings) return sl_fail(err, SLUICE_E_USAGE, "sparsities were searched for already; make a new search");
    status = sluice_search_make_points(s, err);
    if (status != SLUICE_OK) return status;
    if (!w.o.passes) w.o.passes = 1;
    /* not the costs that a learner learns by: all points are measured alike */
    w.how.cost_missed = w.o.cost_missed > 0 ? w.o.cost_missed : 1;
    w.how.cost_alarm = w.o.cost_alarm > 0 ? w.o.cost_alarm : 1;
    const bool many = s->settings.classes != SLUICE_CLASSES_TWO;
    static const struct measure macro_f1 = {offsetof(sluice_measures, macro_f1), 1};
    return tune_points(&w, many && w.o.measure == SLUICE_MEASURE_F1 ? &macro_f1 : &measures[w.o.measure], err);
}
