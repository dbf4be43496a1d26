/* Sweeps: the points of all learners learn the same rows in one pass, and are measured on others. */
#include "base/error.h"
#include "base/sized_struct.h"
#include "base/thread_team.h"
#include "experiment/dataset.h"
#include "experiment/run_outcome.h"
#include "experiment/sparsity.h"
#include "experiment/task.h"
#include "sweep/sweep.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PART_ROWS = 8192, MEASURED_AT_ONCE = 8 };
#define MOST_OUTCOMES 1000000000u /* points times runs */

/* The first of these that a learner has makes it sparse: the lambda of olsf bounds the size of the weights, that of ofs
 * is another penalty. */
static const sl_sparsity_param sparsity_params[] = {
    {"features", -1, 1e-3, 1},
    {"B", -1, 1e-3, 5},
    {"l1", +1, 1e-3, 1e3},
    {"lambda", +1, 1e-3, 1e3},
};
enum { N_PARAMS = sizeof sparsity_params / sizeof *sparsity_params };

const sl_sparsity_param *sl_sparsity_param_of(const sluice_learner_info *learner) {
    for (size_t i = 0; i < N_PARAMS; i++)
        if (sluice_learner_param(learner, sparsity_params[i].name)) return &sparsity_params[i];
    return NULL;
}

const sluice_param_info *sluice_learner_sparsity_param(const sluice_learner_info *learner) {
    const sl_sparsity_param *p = sl_sparsity_param_of(learner);
    return p ? sluice_learner_param(learner, p->name) : NULL;
}

double sl_swept_number(const sluice_point *p) {
    double value = NAN; /* the grids of swept parameters hold numbers alone */
    sluice_parse_number(strchr(p->params[p->n_params - 1], '=') + 1, &value);
    return value;
}

struct sl_sweep_work {
    sluice_search *s;
    sluice_sweep_options o;
    sluice_sweep **sweeps; /* one for each learner that has points in this round */
    sluice_status *status;
    sl_outcome *outcomes; /* of the points of this round, run by run */
    size_t first, n;      /* the points of this round */
    uint64_t run;         /* from 0 */
    size_t measuring;     /* which learner */
    const sluice_batch *batch;
    const sluice_model *classes; /* of held rows; NULL: those of a stream show as it comes */
};

static void end_sweeps(sl_sweep_work *w) {
    for (size_t i = 0; w->sweeps && i < w->s->n_trials; i++) {
        sluice_sweep_free(w->sweeps[i]);
        w->sweeps[i] = NULL;
    }
}

void sl_sweep_work_free(sl_sweep_work *w) {
    if (!w) return;
    end_sweeps(w);
    if (w->outcomes) sl_outcomes_free(w->outcomes, w->n * (size_t)w->o.repeats);
    free(w->sweeps);
    free(w->status);
    free(w);
}

static sluice_status take_error(sluice_error *err, const sluice_error *why) {
    if (err) *err = *why;
    return why->status;
}

/* Held rows may be learned several times. NULL with *err, which must not be NULL. */
static sl_sweep_work *work_new(sluice_search *s, const sluice_sweep_options *options, bool held, sluice_error *err) {
    sl_sweep_work *w = calloc(1, sizeof *w);
    if (!w) {
        sl_no_memory(err);
        return NULL;
    }
    w->s = s;
    w->o.size = sizeof w->o;
    if (sl_sized_read(&w->o, sizeof w->o, options, "sluice_sweep_options", err) != SLUICE_OK) return free(w), NULL;
    if (!w->o.passes) w->o.passes = 1;
    if (!held || !w->o.repeats) w->o.repeats = 1;
    w->first = s->trials[0].first;
    w->n = s->n_points - w->first;
    if (w->o.repeats > MOST_OUTCOMES / (w->n + 1)) {
        sl_fail(err, SLUICE_E_LIMIT, "%zu points in %" PRIu64 " runs are more than %u results", w->n, w->o.repeats,
                (unsigned)MOST_OUTCOMES);
        return free(w), NULL;
    }
    w->sweeps = calloc(s->n_trials, sizeof(sluice_sweep *));
    w->status = calloc(s->n_trials, sizeof *w->status);
    w->outcomes = calloc(w->n * (size_t)w->o.repeats + 1, sizeof *w->outcomes);
    if (w->sweeps && w->status && w->outcomes) return w;
    sl_no_memory(err);
    sl_sweep_work_free(w);
    return NULL;
}

static sluice_status start_sweeps(sl_sweep_work *w, sluice_error *err) {
    const sluice_search *s = w->s;
    unsigned threads = w->o.threads ? w->o.threads : sl_cores(), each = threads / (unsigned)s->n_trials;
    for (size_t i = 0; i < s->n_trials; i++) {
        const sl_trial *t = &s->trials[i];
        if (!t->n) continue;
        sluice_error why = {0};
        w->sweeps[i] = sl_points_sweep(s->points + t->first, t->n, each ? each : 1, &why);
        if (w->sweeps[i] && sl_sweep_take_classes(w->sweeps[i], w->classes, &why) == SLUICE_OK) continue;
        return take_error(err, &why);
    }
    return SLUICE_OK;
}

/* ---- one batch for all learners ---------------------------------------------------------------------------------- */

static void learn_one(void *context, size_t i) {
    sl_sweep_work *w = context;
    w->status[i] = w->sweeps[i] ? sluice_sweep_learn_batch(w->sweeps[i], w->batch) : SLUICE_OK;
}

static sluice_status first_failure(const sl_sweep_work *w, sluice_error *err) {
    for (size_t i = 0; i < w->s->n_trials; i++) {
        if (w->status[i] == SLUICE_OK) continue;
        if (err) *err = *sluice_sweep_error(w->sweeps[i]);
        return w->status[i];
    }
    return SLUICE_OK;
}

static sluice_status learn_batch(sl_sweep_work *w, const sluice_batch *batch, sluice_error *err) {
    w->batch = batch;
    sl_parallel(w->o.threads, w->s->n_trials, learn_one, w);
    return first_failure(w, err);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

/* Those whose lanes lie together predict together; else several at a time, which costs less than one by one, and less
 * memory than all at once. */
static size_t measured_at_once(const sluice_sweep *sweep) {
    size_t lanes = sl_sweep_part_size(sweep);
    return lanes ? lanes : MEASURED_AT_ONCE;
}

static void measure_some(void *context, size_t job) {
    sl_sweep_work *w = context;
    const sl_trial *t = &w->s->trials[w->measuring];
    size_t each = measured_at_once(w->sweeps[w->measuring]), first = job * each,
           n = t->n - first < each ? t->n - first : each, repeats = (size_t)w->o.repeats;
    sluice_meter_options how = {.size = sizeof how};
    sl_outcomes_of_sweep(w->sweeps[w->measuring], first, n, w->o.test, &how, w->o.dimension,
                         &w->outcomes[(t->first - w->first + first) * repeats + w->run], repeats);
}

static sluice_status measure_all(sl_sweep_work *w, sluice_error *err) {
    for (size_t i = 0; i < w->s->n_trials; i++) {
        const sl_trial *t = &w->s->trials[i];
        if (!w->sweeps[i]) continue;
        w->status[i] = sluice_sweep_end_run(w->sweeps[i]);
        if (w->status[i] != SLUICE_OK) return first_failure(w, err);
        w->measuring = i;
        /* a model of a learner in batches may be another copy of the rows */
        unsigned threads = t->learner->flags & SLUICE_LEARNER_BATCH ? 1 : w->o.threads;
        size_t each = measured_at_once(w->sweeps[i]);
        sl_parallel(threads, (t->n + each - 1) / each, measure_some, w);
    }
    return SLUICE_OK;
}

/* ---- the results ------------------------------------------------------------------------------------------------- */

/* By learner, then by the value of the swept parameter. */
static int by_value(const void *a, const void *b) {
    const sl_point *p = *(sl_point *const *)a, *q = *(sl_point *const *)b;
    if (p->trial != q->trial) return p->trial < q->trial ? -1 : 1;
    double x = sl_swept_number(&p->shown), y = sl_swept_number(&q->shown);
    if (x != y) return x < y ? -1 : 1;
    return p->shown.order < q->shown.order ? -1 : p->shown.order > q->shown.order;
}

static sluice_status sum_up(sl_sweep_work *w, sluice_error *err) {
    sluice_search *s = w->s;
    size_t repeats = (size_t)w->o.repeats;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < w->n && status == SLUICE_OK; i++)
        status = sl_sum_up(s->points[w->first + i], w->outcomes + i * repeats, repeats,
                           offsetof(sluice_measures, error_rate), err);
    s->dimension = w->o.dimension;
    if (status == SLUICE_OK) sl_search_sort(s, by_value);
    return status;
}

sluice_status sl_check_sweep(const sluice_search *s, sluice_error *err) {
    if (!s->n_trials) return sl_fail(err, SLUICE_E_USAGE, "there is no learner in this search");
    for (size_t i = 0; i < s->n_trials; i++) {
        const sl_trial *t = &s->trials[i];
        const sluice_param_info *p = sluice_learner_sparsity_param(t->learner);
        if (!p) return sl_fail(err, SLUICE_E_USAGE, "no parameter of %s makes a model sparse", t->learner->name);
        if (t->n_grids != 1 || t->grids[0].param != p)
            return sl_fail(err, SLUICE_E_USAGE, "a sweep of %s needs a grid of %s and no other", t->learner->name,
                           p->name);
    }
    return SLUICE_OK;
}

static sluice_status first_round(sluice_search *s, sluice_error *err) {
    sluice_status status = sl_check_sweep(s, err);
    if (status == SLUICE_OK && s->n_findings)
        return sl_fail(err, SLUICE_E_USAGE, "sparsities were searched for already; make a new search");
    return status == SLUICE_OK ? sluice_search_make_points(s, err) : status;
}

static sluice_status count_first_pass(sl_sweep_work *w, sluice_error *err) {
    const size_t repeats = (size_t)w->o.repeats;
    sluice_error why = {0};
    for (size_t i = 0; i < w->s->n_trials; i++) {
        const sl_trial *t = &w->s->trials[i];
        if (!w->sweeps[i]) continue;
        sl_outcome *o = &w->outcomes[(t->first - w->first) * repeats + w->run];
        if (sl_count_first_pass(w->sweeps[i], 0, t->n, o, repeats, &why) != SLUICE_OK) return take_error(err, &why);
    }
    return SLUICE_OK;
}

/* ---- rows that come as a stream ---------------------------------------------------------------------------------- */

sluice_status sluice_search_begin(sluice_search *s, const sluice_sweep_options *options, sluice_error *err) {
    sluice_status status = first_round(s, err);
    if (status != SLUICE_OK) return status;
    sluice_error why = {0};
    sl_sweep_work *w = work_new(s, options, false, &why);
    if (!w) return take_error(err, &why);
    status = start_sweeps(w, err);
    if (status != SLUICE_OK) {
        sl_sweep_work_free(w);
        return status;
    }
    sl_sweep_work_free(s->work);
    s->work = w;
    return SLUICE_OK;
}

sluice_status sluice_search_learn_batch(sluice_search *s, const sluice_batch *batch, sluice_error *err) {
    if (!s->work) return sl_fail(err, SLUICE_E_USAGE, "no sweep has begun");
    return learn_batch(s->work, batch, err);
}

sluice_status sluice_search_end_first_pass(sluice_search *s, sluice_error *err) {
    if (!s->work) return sl_fail(err, SLUICE_E_USAGE, "no sweep has begun");
    return count_first_pass(s->work, err);
}

sluice_status sluice_search_end(sluice_search *s, sluice_error *err) {
    sl_sweep_work *w = s->work;
    if (!w) return sl_fail(err, SLUICE_E_USAGE, "no sweep has begun");
    sluice_status status = measure_all(w, err);
    if (status == SLUICE_OK) status = sum_up(w, err);
    sl_sweep_work_free(w);
    s->work = NULL;
    return status;
}

/* ---- held rows --------------------------------------------------------------------------------------------------- */

/* All passes over the rows in their order, PART_ROWS at a time: a batch of all would double the memory. */
static sluice_status learn_rows(sl_sweep_work *w, const sluice_dataset *d, const size_t *order, size_t n, sl_task *task,
                                sluice_error *err) {
    for (uint64_t pass = 0; pass < w->o.passes; pass++) {
        const sluice_status counted = pass == 1 ? count_first_pass(w, err) : SLUICE_OK;
        if (counted != SLUICE_OK) return counted;
        for (size_t first = 0; first < n; first += PART_ROWS) {
            size_t some = n - first < PART_ROWS ? n - first : PART_ROWS;
            sluice_batch *part = sl_dataset_batch(d, order + first, some, err);
            sluice_status status = part ? learn_batch(w, part, err) : SLUICE_E_MEMORY;
            sluice_batch_free(part);
            if (status != SLUICE_OK) return status;
            if (sl_task_advance(task, 1)) return SLUICE_E_CANCELLED;
        }
    }
    return SLUICE_OK;
}

static sluice_status one_run(sl_sweep_work *w, const sluice_dataset *d, size_t *order, size_t n, sl_task *task,
                             sluice_error *err) {
    int first = !w->o.shuffle_first; /* the first run has the order of the rows */
    if (n) memcpy(order, d->order, n * sizeof *order);
    if (w->run || !first) sl_shuffle(order, n, w->o.seed + w->run - (first ? 1 : 0));
    sluice_status status = start_sweeps(w, err);
    if (status == SLUICE_OK) status = learn_rows(w, d, order, n, task, err);
    if (status == SLUICE_OK) status = measure_all(w, err);
    end_sweeps(w);
    return status;
}

static sluice_status all_runs(sl_sweep_work *w, const sluice_dataset *d, sluice_error *err) {
    size_t n = d->n_order;
    size_t *order = malloc((n + 1) * sizeof *order), parts = (n + PART_ROWS - 1) / PART_ROWS;
    if (!order) return sl_no_memory(err);
    sl_task task;
    sl_task_begin(&task, w->o.progress, w->o.context, w->o.repeats * w->o.passes * parts);
    sluice_status status = SLUICE_OK;
    for (; w->run < w->o.repeats && status == SLUICE_OK; w->run++) status = one_run(w, d, order, n, &task, err);
    free(order);
    sluice_status cancelled = sl_task_end(&task, err);
    return cancelled == SLUICE_OK ? status : cancelled;
}

sluice_status sl_sweep_round(sluice_search *s, const sluice_dataset *d, const sluice_sweep_options *o,
                             sluice_error *err) {
    sluice_error why = {0};
    sl_sweep_work *w = work_new(s, o, true, &why);
    if (!w) return take_error(err, &why);
    w->classes = sluice_dataset_classes(d);
    sluice_status status = all_runs(w, d, err);
    if (status == SLUICE_OK) status = sum_up(w, err);
    sl_sweep_work_free(w);
    return status;
}

sluice_status sluice_search_sweep(sluice_search *s, const sluice_dataset *data, const sluice_sweep_options *options,
                                  sluice_error *err) {
    sluice_status status = first_round(s, err);
    return status == SLUICE_OK ? sl_sweep_round(s, data, options, err) : status;
}
