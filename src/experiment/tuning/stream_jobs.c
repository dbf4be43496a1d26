/* Points measured along a stream: on the part that comes next, or on every row before it is learned. */
#include "experiment/tuning/tune_jobs.h"

#include "base/error.h"
#include "experiment/dataset.h"
#include "sweep/sweep.h"

#include <math.h>
#include <stdlib.h>

static sluice_status learn_part(sl_tuning *w, sluice_model *model, size_t part, sluice_meter *meter,
                                sluice_error *err) {
    if (sluice_model_learn_batch(model, w->folds->parts[part], meter) != SLUICE_OK) {
        *err = *sluice_model_error(model);
        return err->status;
    }
    return sl_task_advance(&w->task, 0) ? sl_fail(err, SLUICE_E_CANCELLED, "cancelled") : SLUICE_OK;
}

static sluice_status sweep_part(sl_tuning *w, sluice_sweep *sweep, size_t part, sluice_error *err) {
    if (sluice_sweep_learn_batch(sweep, w->folds->parts[part]) != SLUICE_OK) {
        *err = *sluice_sweep_error(sweep);
        return err->status;
    }
    return sl_task_advance(&w->task, 0) ? sl_fail(err, SLUICE_E_CANCELLED, "cancelled") : SLUICE_OK;
}

/* ---- forward ----------------------------------------------------------------------------------------------------- */

static void forward_one(sl_tuning *w, const sl_point *p, sl_outcome *runs) {
    sluice_error err = {0};
    double started = sl_seconds();
    sluice_model *model = sl_tune_model(w, p, &err);
    for (size_t run = 0; run < w->n_runs; run++) {
        if (err.status == SLUICE_OK) learn_part(w, model, run, NULL, &err);
        if (err.status == SLUICE_OK)
            sl_outcome_of(model, w->folds->parts[run + 1], &w->how, &runs[run]);
        else
            sl_tune_failed(&runs[run], &err);
        const double now = sl_seconds();
        runs[run].seconds = now - started;
        started = now;
        sl_task_advance(&w->task, 1);
    }
    sluice_model_free(model);
}

static void forward_side_by_side(sl_tuning *w, const sl_bunch *b) {
    sluice_error err = {0};
    double started = sl_seconds();
    sluice_sweep *sweep = sl_tune_sweep(w, b, &err);
    for (size_t run = 0; run < w->n_runs; run++) {
        if (err.status == SLUICE_OK) sweep_part(w, sweep, run, &err);
        if (err.status != SLUICE_OK) {
            sl_tune_all_failed(w, b, run, &err);
            break;
        }
        sl_outcomes_of_sweep(sweep, 0, b->n, w->folds->parts[run + 1], &w->how, 0, b->runs + run, w->n_runs);
        const double now = sl_seconds();
        for (size_t i = 0; i < b->n; i++) b->runs[i * w->n_runs + run].seconds = (now - started) / (double)b->n;
        started = now;
        sl_task_advance(&w->task, b->n);
    }
    sluice_sweep_free(sweep);
}

void sl_tune_forward(sl_tuning *w, const sl_bunch *b) {
    if (b->n >= SL_BUNCH_WORTH)
        forward_side_by_side(w, b);
    else
        for (size_t i = 0; i < b->n; i++) forward_one(w, b->points[i], b->runs + i * w->n_runs);
}

/* ---- progressive ------------------------------------------------------------------------------------------------- */

/* What a meter had counted at the end of the part before. */
typedef struct counted {
    uint64_t examples, mistakes;
} counted;

static bool has_room(const sl_tuning *w, sl_outcome *run) {
    run->by_part = malloc((w->folds->n + 1) * sizeof *run->by_part);
    return run->by_part != NULL;
}

static void count_part(const sluice_meter *meter, size_t part, counted *before, sl_outcome *run) {
    counted now;
    now.mistakes = sluice_meter_mistakes(meter, &now.examples);
    const double examples = (double)(now.examples - before->examples);
    run->by_part[part] = examples > 0 ? (double)(now.mistakes - before->mistakes) / examples : NAN;
    run->n_parts = part + 1;
    *before = now;
}

/* Fills in what the meter says, where the run has not failed. */
static void take_measures(sluice_meter *meter, sl_outcome *run) {
    if (run->status == SLUICE_OK && sluice_meter_read(meter, &run->test) != SLUICE_OK)
        sl_outcome_failed(run, sluice_meter_error(meter));
}

/* A probability of the model is measured where it is chosen by: otherwise it costs more than it tells. */
static bool needs_probabilities(const sl_tuning *w) { return w->o.measure == SLUICE_MEASURE_LOG_LOSS; }

static sluice_meter *new_meter(const sl_tuning *w, const sluice_model *model, sluice_error *err) {
    sluice_meter_options how = w->how;
    if (needs_probabilities(w)) how.model = model;
    sluice_meter_defaults(model, &how);
    return sluice_meter_new(&how, err);
}

static void progressive_one(sl_tuning *w, const sl_point *p, sl_outcome *run) {
    sluice_error err = {0};
    counted before = {0};
    double started = sl_seconds();
    sluice_model *model = sl_tune_model(w, p, &err);
    sluice_meter *meter = model ? new_meter(w, model, &err) : NULL;
    if (meter && !has_room(w, run)) sl_no_memory(&err);
    for (size_t part = 0; part < w->folds->n && err.status == SLUICE_OK; part++)
        if (learn_part(w, model, part, meter, &err) == SLUICE_OK) count_part(meter, part, &before, run);
    sluice_model *finished = model;
    if (err.status == SLUICE_OK) sl_finish_run(&finished, &err);
    if (err.status == SLUICE_OK) {
        sl_outcome_of(finished, NULL, &w->how, run);
        take_measures(meter, run);
    } else {
        sl_tune_failed(run, &err);
    }
    sluice_meter_free(meter);
    sluice_model_free(finished);
    run->seconds = sl_seconds() - started;
}

static sluice_status learn_measured(sl_tuning *w, sluice_sweep *sweep, const sl_bunch *b, sluice_error *err) {
    counted before[SL_OUTCOMES_AT_ONCE] = {{0}};
    for (size_t i = 0; i < b->n; i++)
        if (!has_room(w, &b->runs[i])) return sl_no_memory(err);
    sluice_status status = sl_sweep_measure(sweep, &w->how, needs_probabilities(w), err);
    for (size_t part = 0; part < w->folds->n && status == SLUICE_OK; part++) {
        status = sweep_part(w, sweep, part, err);
        for (size_t i = 0; i < b->n && status == SLUICE_OK; i++)
            count_part(sl_sweep_meter(sweep, i), part, &before[i], &b->runs[i]);
    }
    return status;
}

static void progressive_side_by_side(sl_tuning *w, const sl_bunch *b) {
    sluice_error err = {0};
    double started = sl_seconds();
    sluice_sweep *sweep = sl_tune_sweep(w, b, &err);
    if (sweep && learn_measured(w, sweep, b, &err) == SLUICE_OK) {
        sl_outcomes_of_sweep(sweep, 0, b->n, NULL, &w->how, 0, b->runs, 1);
        for (size_t i = 0; i < b->n; i++) take_measures(sl_sweep_meter(sweep, i), &b->runs[i]);
    } else {
        sl_tune_all_failed(w, b, 0, &err);
    }
    sluice_sweep_free(sweep);
    for (size_t i = 0; i < b->n; i++) b->runs[i].seconds = (sl_seconds() - started) / (double)b->n;
}

void sl_tune_progressive(sl_tuning *w, const sl_bunch *b) {
    if (b->n >= SL_BUNCH_WORTH)
        progressive_side_by_side(w, b);
    else
        for (size_t i = 0; i < b->n; i++) progressive_one(w, b->points[i], &b->runs[i]);
    sl_task_advance(&w->task, b->n);
}
