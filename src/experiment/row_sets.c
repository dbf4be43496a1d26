/* Learning from held rows, measuring on held rows, and rows with some of their features alone. */
#include "experiment/row_sets.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "experiment/dataset.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static sluice_status learn_batch(sluice_model *model, const sluice_batch *rows, sl_task *task, sluice_error *err) {
    enum { ROWS_PER_CALL = 65536 };
    size_t n = sluice_batch_rows(rows);
    for (size_t first = 0; first < n; first += ROWS_PER_CALL) {
        size_t some = n - first < ROWS_PER_CALL ? n - first : ROWS_PER_CALL;
        sluice_status status = sluice_model_learn_rows(model, rows, first, some, NULL);
        if (status != SLUICE_OK) {
            *err = *sluice_model_error(model);
            return status;
        }
        if (sl_task_advance(task, 0)) return sl_fail(err, SLUICE_E_CANCELLED, "cancelled");
    }
    return SLUICE_OK;
}

sluice_status sl_finish_run(sluice_model **model, sluice_error *err) {
    if (sluice_model_end_run(*model) != SLUICE_OK) {
        *err = *sluice_model_error(*model);
        return err->status;
    }
    if (!sluice_model_waiting(*model)) return SLUICE_OK;
    sluice_model *finished = sluice_model_finished(*model, err);
    sluice_model_free(*model);
    *model = finished;
    return finished ? SLUICE_OK : err->status;
}

static void count_first_pass(const sluice_model *model, sl_first_pass *counted) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(model, &facts);
    *counted = (sl_first_pass){facts.examples, facts.mistakes};
}

sluice_status sl_learn_batches(sluice_model **model, sluice_batch *const *parts, size_t n, const sluice_batch *but,
                               uint64_t passes, sl_first_pass *counted, sl_task *task, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (uint64_t pass = 0; pass < passes && status == SLUICE_OK; pass++) {
        if (counted && pass == 1) count_first_pass(*model, counted);
        for (size_t i = 0; i < n && status == SLUICE_OK; i++)
            if (parts[i] != but) status = learn_batch(*model, parts[i], task, err);
    }
    return status == SLUICE_OK ? sl_finish_run(model, err) : status;
}

/* ---- some features of rows --------------------------------------------------------------------------------------- */

int sl_has_id(const uint64_t *ids, size_t n, uint64_t id) {
    if (n == 0) return 0;
    for (; n > 1; n -= n / 2) /* the last id that is not larger lies within ids[0 .. n - 1] */
        ids += ids[n / 2] <= id ? n / 2 : 0;
    return *ids == id;
}

static size_t longest_row(const sluice_batch *rows) {
    size_t longest = 0;
    for (size_t i = 0; i < sluice_batch_rows(rows); i++) {
        size_t n = sluice_batch_nonzeros(rows, i);
        if (n > longest) longest = n;
    }
    return longest;
}

/* Leaves the chosen features in ids and values. */
static void restrict_row(sluice_example *x, uint64_t *ids, float *values, const uint64_t *chosen, size_t n) {
    size_t kept = 0;
    for (size_t k = 0; k < x->n; k++) {
        if (!sl_has_id(chosen, n, x->ids[k])) continue;
        values[kept] = x->values[k];
        ids[kept++] = x->ids[k];
    }
    x->values = values;
    x->n = kept;
}

sluice_batch *sl_restrict_batch(const sluice_batch *from, const uint64_t *chosen, size_t n, sluice_error *err) {
    size_t longest = longest_row(from) + 1;
    uint64_t *ids = malloc(longest * sizeof *ids);
    float *values = malloc(longest * sizeof *values);
    sluice_batch *rows = ids && values ? sluice_batch_new(err) : NULL;
    if (!ids || !values) sl_no_memory(err);
    for (size_t i = 0; rows && i < sluice_batch_rows(from); i++) {
        sluice_example x;
        sluice_batch_row(from, i, ids, NULL, &x);
        restrict_row(&x, ids, values, chosen, n);
        if (sluice_batch_add(rows, &x, err) == SLUICE_OK) continue;
        sluice_batch_free(rows);
        rows = NULL;
    }
    free(ids);
    free(values);
    return rows;
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double learner_param(const sluice_model *model, const sluice_learner_info *learner, const char *name) {
    for (size_t i = 0; i < learner->n_params; i++)
        if (strcmp(learner->params[i].name, name) == 0) return sluice_model_param(model, i);
    return 1;
}

static void set_defaults(const sluice_model *model, const sluice_model_facts *facts, sluice_meter_options *how) {
    if (how->cost_missed == 0) how->cost_missed = learner_param(model, facts->learner, "cost_pos");
    if (how->cost_alarm == 0) how->cost_alarm = learner_param(model, facts->learner, "cost_neg");
    how->probability = facts->log_odds;
}

sluice_status sluice_meter_defaults(const sluice_model *model, sluice_meter_options *options) {
    sluice_meter_options how = {.size = sizeof how};
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_status status = sl_sized_check(options, "sluice_meter_options", NULL);
    if (status == SLUICE_OK) status = sl_sized_read(&how, sizeof how, options, "sluice_meter_options", NULL);
    if (status == SLUICE_OK) status = sluice_model_quick_facts(model, &facts);
    if (status != SLUICE_OK) return status;
    set_defaults(model, &facts, &how);
    sl_sized_write(options, &how, sizeof how);
    return SLUICE_OK;
}

sluice_status sl_measure_margins(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                                 const double *margins, const sluice_meter_options *how, sluice_measures *measures,
                                 sluice_error *err) {
    for (size_t i = 0; i < sluice_batch_rows(rows); i++)
        if (!isfinite(margins[i]))
            return sl_fail(err, SLUICE_E_NUMERIC, "a margin is not a number: the model has left the range of numbers");
    sluice_meter_options exact = *how;
    exact.exact_auc = 1;
    exact.model = model;
    set_defaults(model, facts, &exact);
    sluice_meter *meter = sluice_meter_new(&exact, err);
    if (!meter) return err->status;
    sluice_status status = sluice_meter_add_batch(meter, rows, margins);
    if (status == SLUICE_OK) status = sluice_meter_read(meter, measures);
    if (status != SLUICE_OK) *err = *sluice_meter_error(meter);
    sluice_meter_free(meter);
    return status;
}

static sluice_status measure_classes(const sluice_model *model, const sluice_batch *rows, sluice_measures *measures,
                                     sluice_error *err) {
    const sluice_meter_options how = {.size = sizeof how, .model = model};
    sluice_meter *meter = sluice_meter_new(&how, err);
    if (!meter) return err->status;
    sluice_status status = sluice_meter_test_batch(meter, rows);
    if (status == SLUICE_OK) status = sluice_meter_read(meter, measures);
    if (status != SLUICE_OK) *err = *sluice_meter_error(meter);
    sluice_meter_free(meter);
    return status;
}

/* The predict-only form is the fastest to predict with, and gives the same margins. */
sluice_status sl_measure(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                         const sluice_meter_options *how, sluice_measures *measures, sluice_error *err) {
    if (sluice_model_settings(model)->classes) return measure_classes(model, rows, measures, err);
    double *margins = malloc((sluice_batch_rows(rows) + 1) * sizeof *margins);
    if (!margins) return sl_no_memory(err);
    sluice_model *made = facts->is_final ? NULL : sluice_model_final(model, err);
    const sluice_model *final = facts->is_final ? model : made;
    sluice_status status = final ? sluice_model_margins(final, rows, margins, err) : err->status;
    if (status == SLUICE_OK) status = sl_measure_margins(final, facts, rows, margins, how, measures, err);
    sluice_model_free(made);
    free(margins);
    return status;
}
