/* Tunes: measures all points of a search, by folds or along a stream, and chooses the best. */
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/thread_team.h"
#include "experiment/dataset.h"
#include "experiment/tuning/tune_choice.h"
#include "experiment/tuning/tune_jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The points to tune, by learner, then by settings, and their runs. */
typedef struct work {
    sl_tuning t;
    const sl_tune_measure *by;
    sl_point **ordered;
    size_t n;
    sl_outcome *runs;
} work;

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

/* Whether one job does all runs of a bunch. */
static bool goes_on(const sl_tuning *t) { return t->o.progressive || (t->folds->in_order && !t->anew); }

static void do_job(void *context, size_t job) {
    sl_tuning *t = context;
    if (atomic_load(&t->task.cancelled)) return;
    if (t->o.progressive)
        sl_tune_progressive(t, &t->bunches[job]);
    else if (goes_on(t))
        sl_tune_forward(t, &t->bunches[job]);
    else
        sl_tune_fold(t, &t->bunches[job / t->n_runs], job % t->n_runs);
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
    for (size_t i = first; i < first + n; i++) {
        sl_point *const *p = w->ordered + i;
        sl_bunch *last = w->t.bunches + count - 1;
        if (count && last->n < side && compare_settings(p[-1], p[0]) == 0)
            last->n++;
        else
            w->t.bunches[count++] = (sl_bunch){p, 1, w->runs + i * w->t.n_runs};
    }
    return count;
}

/* Of a learner in batches an unfinished one shows only at the end of a run, and several passes begin with the first
 * part again: every run learns anew. */
static void tune_learner(work *w, const sluice_learner_info *learner, size_t first, size_t n) {
    sl_tuning *t = &w->t;
    /* a learner in batches uses all threads itself and each of its models holds a copy of the rows: one after the
     * other; of a dense learner one matrix for each thread is enough */
    const int batches = learner->flags & SLUICE_LEARNER_BATCH, dense = learner->flags & SLUICE_LEARNER_DENSE;
    t->anew = batches || t->o.passes > 1;
    const size_t bunches = make_bunches(w, first, n, batches || dense ? 1 : SL_OUTCOMES_AT_ONCE);
    sl_parallel(batches ? 1 : t->o.threads, goes_on(t) ? bunches : bunches * t->n_runs, do_job, t);
}

static void order_points(work *w) {
    const sluice_search *s = w->t.s;
    for (size_t i = 0; i < s->n_points; i++)
        if (!w->t.o.reading || s->points[i]->shown.reading + 1 == w->t.o.reading) w->ordered[w->n++] = s->points[i];
    qsort(w->ordered, w->n, sizeof *w->ordered, by_settings);
}

static sluice_status tune_learners(work *w, sluice_error *err) {
    sl_tuning *t = &w->t;
    sl_task_begin(&t->task, t->o.progress, t->o.context, w->n * t->n_runs);
    for (size_t first = 0, n; first < w->n; first += n) {
        for (n = 1; first + n < w->n && w->ordered[first + n]->trial == w->ordered[first]->trial;) n++;
        tune_learner(w, w->ordered[first]->shown.learner, first, n);
    }
    return sl_task_end(&t->task, err);
}

/* ---- results ----------------------------------------------------------------------------------------------------- */

static bool is_done(const sl_outcome *runs, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!runs[i].failure && !runs[i].test.size) return false;
    return true;
}

static double standard_error(const work *w, const sl_point *p) {
    const sluice_point *of = &p->shown;
    double n = 0;
    if (!w->t.o.progressive) {
        for (size_t i = 0; i < of->n_runs; i++) n += isnan(of->runs[i]) ? 0 : 1;
        return of->deviation / sqrt(n);
    }
    if (w->t.o.measure != SLUICE_MEASURE_ERROR) return NAN;
    return sqrt(of->mean * (1 - of->mean) / (double)p->test.examples);
}

/* Those of all points whose runs are done; the others have none. */
static sluice_status sum_up(work *w, sluice_error *err) {
    const size_t n = w->t.n_runs;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < w->n && status == SLUICE_OK; i++) {
        sl_outcome *runs = w->runs + i * n;
        if (!is_done(runs, n)) continue;
        status = sl_sum_up(w->ordered[i], runs, n, w->by->offset, err);
        w->ordered[i]->standard_error = standard_error(w, w->ordered[i]);
    }
    return status;
}

static sluice_status tune_points(work *w, sluice_error *err) {
    const size_t all = w->t.s->n_points;
    sluice_status status = SLUICE_OK, result;
    w->ordered = calloc(all + 1, sizeof *w->ordered);
    w->t.bunches = calloc(all + 1, sizeof *w->t.bunches);
    if (w->ordered) order_points(w);
    const size_t total = w->n * w->t.n_runs;
    w->runs = calloc(total + 1, sizeof *w->runs);
    if (!w->ordered || !w->t.bunches || !w->runs) status = sl_no_memory(err);
    if (status == SLUICE_OK) {
        for (size_t i = 0; i < w->n; i++) sl_forget_result(w->ordered[i]);
        status = tune_learners(w, err);
        if ((result = sum_up(w, err)) != SLUICE_OK) status = result;
        sl_choose(w->t.s, w->by, w->t.o.choose);
    }
    if (w->runs) sl_outcomes_free(w->runs, total);
    free(w->ordered);
    free(w->t.bunches);
    return status;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static sluice_status check(const work *w, sluice_error *err) {
    const sluice_tune_options *o = &w->t.o;
    const sluice_folds *f = w->t.folds;
    if (!w->by) return sl_fail(err, SLUICE_E_USAGE, "there is no measure %d to choose by", o->measure);
    if (o->choose != SLUICE_CHOOSE_SPARSE && o->choose != SLUICE_CHOOSE_BEST)
        return sl_fail(err, SLUICE_E_USAGE, "there is no way %d to choose", o->choose);
    if (o->measure == SLUICE_MEASURE_RECALL_AT_PRECISION && !(o->precision > 0 && o->precision <= 1))
        return sl_fail(err, SLUICE_E_USAGE, "the precision to measure recall at is above 0 and up to 1");
    if (o->progressive && !f->in_order)
        return sl_fail(err, SLUICE_E_USAGE, "what was predicted before learning is measured on folds in order");
    if (o->progressive && o->passes > 1)
        return sl_fail(err, SLUICE_E_USAGE, "what was predicted before learning is measured in one pass");
    if (!o->progressive && f->n < 2) return sl_fail(err, SLUICE_E_USAGE, "one part alone leaves nothing to measure on");
    if (w->t.s->n_findings)
        return sl_fail(err, SLUICE_E_USAGE, "sparsities were searched for already; make a new search");
    return SLUICE_OK;
}

sluice_status sluice_search_tune(sluice_search *s, const sluice_folds *folds, const sluice_tune_options *options,
                                 sluice_error *err) {
    sluice_error unread;
    work w = {.t = {.s = s, .folds = folds, .o = {.size = sizeof w.t.o}, .how = {.size = sizeof w.t.how}}};
    sluice_tune_options *o = &w.t.o;
    if (!err) err = &unread;
    sluice_status status = sl_sized_read(o, sizeof *o, options, "sluice_tune_options", err);
    w.by = sl_tune_measure_for(o->measure, s->settings.classes != SLUICE_CLASSES_TWO);
    if (status == SLUICE_OK) status = check(&w, err);
    if (status == SLUICE_OK) status = sluice_search_make_points(s, err);
    if (status != SLUICE_OK) return status;
    if (!o->passes) o->passes = 1;
    w.t.n_runs = o->progressive ? 1 : folds->in_order ? folds->n - 1 : folds->n;
    /* not the costs that a learner learns by: all points are measured alike */
    w.t.how.cost_missed = o->cost_missed > 0 ? o->cost_missed : 1;
    w.t.how.cost_alarm = o->cost_alarm > 0 ? o->cost_alarm : 1;
    if (o->measure == SLUICE_MEASURE_RECALL_AT_PRECISION) w.t.how.precision = o->precision;
    return tune_points(&w, err);
}
