/* Cross-validation: models of all folds but one, and of the parts before one. */
#include "experiment/tuning/tune_jobs.h"

#include "base/error.h"
#include "experiment/dataset.h"
#include "sweep/sweep.h"

/* ---- what all jobs use ------------------------------------------------------------------------------------------- */

sluice_model *sl_tune_model(const sl_tuning *w, const sl_point *p, sluice_error *err) {
    sluice_model *model = sl_point_model(p, err);
    if (!model) return NULL;
    if (sl_give_classes(model, w->folds->classes, err) == SLUICE_OK) {
        sluice_model_set_threads(model, w->o.threads);
        return model;
    }
    sluice_model_free(model);
    return NULL;
}

sluice_sweep *sl_tune_sweep(const sl_tuning *w, const sl_bunch *b, sluice_error *err) {
    sluice_sweep *sweep = sl_points_sweep(b->points, b->n, 1, err);
    if (!sweep || sl_sweep_take_classes(sweep, w->folds->classes, err) == SLUICE_OK) return sweep;
    sluice_sweep_free(sweep);
    return NULL;
}

void sl_tune_failed(sl_outcome *run, const sluice_error *why) {
    if (why->status != SLUICE_E_CANCELLED) sl_outcome_failed(run, why);
}

void sl_tune_all_failed(const sl_tuning *w, const sl_bunch *b, size_t first, const sluice_error *why) {
    for (size_t i = 0; i < b->n; i++)
        for (size_t run = first; run < w->n_runs; run++) sl_tune_failed(&b->runs[i * w->n_runs + run], why);
}

/* ---- every run by itself ----------------------------------------------------------------------------------------- */

/* The parts that a run learns: the first `n` without `but`; it measures `measured`. */
typedef struct division {
    size_t n;
    const sluice_batch *but, *measured;
} division;

static division divide(const sl_tuning *w, size_t run) {
    const sluice_folds *f = w->folds;
    if (f->in_order) return (division){run + 1, NULL, f->parts[run + 1]};
    return (division){f->n, f->parts[run], f->parts[run]};
}

static void run_one(sl_tuning *w, const sl_point *p, const division *d, sl_outcome *run) {
    sluice_error err = {0};
    double started = sl_seconds();
    sluice_model *model = sl_tune_model(w, p, &err);
    if (model) sl_learn_batches(&model, w->folds->parts, d->n, d->but, w->o.passes, &run->counted, &w->task, &err);
    if (err.status == SLUICE_OK)
        sl_outcome_of(model, d->measured, &w->how, run);
    else
        sl_tune_failed(run, &err);
    sluice_model_free(model);
    run->seconds = sl_seconds() - started;
}

static sluice_status learn_sweep(sl_tuning *w, sluice_sweep *sweep, size_t n, const division *d, sl_outcome *runs,
                                 sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < w->o.passes && status == SLUICE_OK; pass++) {
        if (pass == 1 && sl_count_first_pass(sweep, 0, n, runs, w->n_runs, err) != SLUICE_OK) return err->status;
        for (size_t i = 0; i < d->n && status == SLUICE_OK; i++) {
            if (w->folds->parts[i] == d->but) continue;
            status = sluice_sweep_learn_batch(sweep, w->folds->parts[i]);
            if (sl_task_advance(&w->task, 0)) return sl_fail(err, SLUICE_E_CANCELLED, "cancelled");
        }
    }
    if (status == SLUICE_OK) status = sluice_sweep_end_run(sweep);
    if (status != SLUICE_OK) *err = *sluice_sweep_error(sweep);
    return status;
}

/* A failure of the sweep is one of all its points. */
static void run_side_by_side(sl_tuning *w, const sl_bunch *b, const division *d, sl_outcome *runs) {
    sluice_error why = {0};
    double started = sl_seconds();
    sluice_sweep *sweep = sl_tune_sweep(w, b, &why);
    if (sweep && learn_sweep(w, sweep, b->n, d, runs, &why) == SLUICE_OK)
        sl_outcomes_of_sweep(sweep, 0, b->n, d->measured, &w->how, 0, runs, w->n_runs);
    else
        for (size_t i = 0; i < b->n; i++) sl_tune_failed(&runs[i * w->n_runs], &why);
    sluice_sweep_free(sweep);
    for (size_t i = 0; i < b->n; i++) runs[i * w->n_runs].seconds = (sl_seconds() - started) / (double)b->n;
}

void sl_tune_fold(sl_tuning *w, const sl_bunch *b, size_t run) {
    const division d = divide(w, run);
    if (b->n >= SL_BUNCH_WORTH)
        run_side_by_side(w, b, &d, b->runs + run);
    else
        for (size_t i = 0; i < b->n; i++) run_one(w, b->points[i], &d, &b->runs[i * w->n_runs + run]);
    sl_task_advance(&w->task, b->n);
}
