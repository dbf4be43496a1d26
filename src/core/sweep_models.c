/* The models of a sweep, taken out of where they lie together. */
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/keys.h"
#include "core/sweep.h"

enum { TOGETHER = 64 }; /* features whose weights are taken at once: their lines and what is made of them are near */

static void copy_counts(sluice_model *to, const sl_part *a, size_t l) {
    sl_model_copy_counts(to, a->model);
    to->mistakes = a->mistakes[l];
    to->updates = a->updates[l];
    to->calibration = a->calibration[l];
}

static sluice_model *take_out(const sluice_sweep *w, const sl_part *a, size_t l, sluice_error *err) {
    const sluice_model *from = a->model;
    sluice_model *to = sl_model_empty(w->learner, w->learner, w->params[a->first + l], &w->settings, err);
    if (!to) return NULL;
    copy_counts(to, a, l);
    for (size_t i = 0; w->learner->scalars && w->learner->scalars[i]; i++) to->scalars[i] = a->scalar[i].at[l];
    sl_keys_walk k;
    bool fine = sl_keys_start(&k, from);
    while (fine && sl_keys_next(&k)) {
        uint32_t slot;
        fine = sl_keys_add_like(to, from, &k.at, &slot);
        if (fine) sl_part_gather(a, sl_space_at(&from->space, k.at.slot), l, sl_space_at(&to->space, slot));
    }
    sl_keys_end(&k);
    sl_model_copy_history(to, from);
    if (fine) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of the sweep");
    return NULL;
}

/* Adds a feature to those of the models in which it has a weight; one whose weight is no number is done with. False
 * when there is no memory. */
static bool add_weights(const sl_part *a, const sl_walk *at, const float *w, size_t n, sluice_model **models) {
    for (size_t i = 0; i < n; i++) {
        uint32_t there;
        if (w[i] == 0 || !models[i]) continue;
        if (!isfinite(w[i])) {
            sluice_model_free(models[i]);
            models[i] = NULL;
            continue;
        }
        if (!sl_keys_add_like(models[i], a->model, at, &there)) return false;
        memcpy(sl_space_at(&models[i]->space, there), &w[i], sizeof w[i]);
    }
    return true;
}

/* All features, some at a time: the weights of all models together. */
static bool add_all_weights(const sl_part *a, size_t first, size_t n, sluice_model **models) {
    sl_lanes lanes = a->lanes;
    lanes.features = a->model->space.features;
    lanes.t = a->model->state.t;
    sl_keys_walk k;
    bool fine = sl_keys_start(&k, a->model), more = fine;
    while (fine && more) {
        sl_walk at[TOGETHER];
        uint32_t slot[TOGETHER];
        float w[TOGETHER * SL_SIDE];
        size_t features = 0;
        for (; features < TOGETHER && (more = sl_keys_next(&k)); features++) {
            at[features] = k.at;
            slot[features] = k.at.slot;
        }
        a->model->learner->lanes->weights[a->side / 8 - 1](&lanes, slot, features, w);
        for (size_t i = 0; i < features && fine; i++) fine = add_weights(a, &at[i], w + i * a->side + first, n, models);
    }
    sl_keys_end(&k);
    return fine;
}

/* Predict-only models straight from where all configurations lie. */
static sluice_status freeze(const sluice_sweep *w, const sl_part *a, size_t first, size_t n, sluice_model **models,
                            sluice_error *err) {
    for (size_t i = 0; i < n; i++) {
        size_t l = first + i;
        if (a->broken[l]) continue;
        sluice_model *to = sl_model_empty(w->learner, &sl_frozen, w->params[a->first + l], &w->settings, err);
        if (!to) return err->status;
        models[i] = to;
        copy_counts(to, a, l);
        memset(to->scalars, 0, sizeof to->scalars);
    }
    bool fine = add_all_weights(a, first, n, models);
    for (size_t i = 0; i < n; i++) {
        if (!models[i]) continue;
        models[i]->space.seen = a->model->space.seen; /* sparsity refers to all features there were */
        models[i]->space.births = a->model->space.births;
    }
    return fine ? SLUICE_OK : sl_fail(err, SLUICE_E_MEMORY, "no memory for the models of the sweep");
}

/* The part that has configuration i, or NULL and why not. */
static const sl_part *find_part(const sluice_sweep *w, size_t i, sluice_error *err) {
    if (i >= w->n) return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n), NULL;
    const sl_part *a = w->parts;
    while (i >= a->first + a->n) a++;
    if (!a->broken[i - a->first]) return a;
    sl_fail(err, SLUICE_E_NUMERIC, "configuration %zu has left the range of numbers", i + 1);
    return NULL;
}

sluice_model *sluice_sweep_model(const sluice_sweep *w, size_t i, sluice_error *err) {
    const sl_part *a = find_part(w, i, err);
    if (!a) return NULL;
    return a->side ? take_out(w, a, i - a->first, err) : sluice_model_copy(a->model, err);
}

/* Those of one part. */
static sluice_status finals(const sluice_sweep *w, const sl_part *a, size_t first, size_t n, sluice_model **models,
                            sluice_error *err) {
    if (a->side) return freeze(w, a, first, n, models, err);
    if (a->broken[0]) return SLUICE_OK;
    models[0] = sluice_model_final(a->model, err);
    return models[0] || err->status == SLUICE_E_NUMERIC ? SLUICE_OK : err->status;
}

sluice_status sluice_sweep_finals(const sluice_sweep *w, size_t first, size_t n, sluice_model **models,
                                  sluice_error *err) {
    sluice_error unasked;
    if (!err) err = &unasked;
    if (first > w->n || n > w->n - first)
        return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n);
    for (size_t i = 0; i < n; i++) models[i] = NULL;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < w->n_parts && status == SLUICE_OK; i++) {
        const sl_part *a = &w->parts[i];
        size_t from = first > a->first ? first : a->first,
               end = first + n < a->first + a->n ? first + n : a->first + a->n;
        if (from < end) status = finals(w, a, from - a->first, end - from, models + (from - first), err);
    }
    for (size_t i = 0; i < n && status != SLUICE_OK; i++) {
        sluice_model_free(models[i]);
        models[i] = NULL;
    }
    return status;
}
