/* Many configurations of one learner in one pass: eight or sixteen of them share a feature space, and the state of a
 * feature for all of them lies together (lanes.h). Learners without such a rule have a model for each configuration. */
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/keys.h"
#include "core/parallel.h"

enum { LARGEST = 64 };  /* bytes of a feature of a learner with lanes, alone */
enum { TOGETHER = 64 }; /* features whose weights are taken at once: their lines and what is made of them are near */

/* Up to SL_SIDE configurations. */
typedef struct part {
    size_t first, n;     /* which configurations */
    sluice_model *model; /* its features are those of all of them; or the one configuration's own */
    sl_learner rule;     /* the model's: passes rows on to the lanes */
    size_t side;         /* how many lie side by side: 8 or 16; 0: it is one configuration alone */
    sl_lanes lanes;
    sl_side p[SL_MAX_PARAMS], scalar[SL_MAX_SCALARS];
    uint64_t mistakes[SL_SIDE], updates[SL_SIDE];
    bool broken[SL_SIDE];
    sl_calibration calibration[SL_SIDE];
    unsigned char *fresh;
} part;

struct sluice_sweep {
    const sl_learner *learner;
    sluice_settings settings;
    double (*params)[SL_MAX_PARAMS]; /* of each configuration */
    size_t n;
    part *parts;
    size_t n_parts;
    unsigned threads;
    sluice_error error;
    sluice_status *status; /* of each part, for the batch at hand */
    const sluice_batch *batch;
};

/* ---- the rule of a part: to the core one learner, whose features are larger ---------------------------------------
 */

static double score(sl_state *s, const sl_row *x) {
    part *a = s->part;
    a->lanes.features = s->features;
    a->lanes.t = s->t;
    a->model->learner->lanes->score[a->side / 8 - 1](&a->lanes, x);
    for (size_t l = 0; l < a->side; l++) {
        if (isfinite(a->lanes.m.at[l])) continue;
        a->broken[l] = true; /* alone it would have stopped here */
        a->lanes.m.at[l] = 0;
    }
    return 0;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    (void)m;
    part *a = s->part;
    for (size_t l = 0; l < a->side; l++) a->mistakes[l] += (a->lanes.m.at[l] > 0) != (x->y > 0);
    if (sl_calibration_due(s->t))
        for (size_t l = 0; l < a->side; l++) sl_calibration_learn(&a->calibration[l], a->lanes.m.at[l], x->y, x->h);
    a->model->learner->lanes->update[a->side / 8 - 1](&a->lanes, x);
    for (size_t l = 0; l < a->side; l++) a->updates[l] += a->lanes.on.mask[l / 8][l % 8] != 0 && x->n;
    return false;
}

/* One configuration of a feature, from and to where all of them lie. */
static void gather(const sl_learner *learner, const char *from, size_t side, size_t l, char *to) {
    for (size_t i = 0; i < learner->n_fields; i++) {
        size_t size = sl_type_size(learner->fields[i].type);
        memcpy(to + learner->fields[i].offset, from + l * size, size);
        from += side * size;
    }
}
static void scatter(const sl_learner *learner, const char *from, size_t side, size_t l, char *to) {
    for (size_t i = 0; i < learner->n_fields; i++) {
        size_t size = sl_type_size(learner->fields[i].type);
        memcpy(to + l * size, from + learner->fields[i].offset, size);
        to += side * size;
    }
}

/* Once in 2^31 rounds: each is settled as if it were alone. */
static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    const part *a = s->part;
    const sl_learner *learner = a->model->learner;
    double alone[LARGEST / sizeof(double)], params[SL_MAX_PARAMS];
    sl_state of_one = {.features = alone, .p = params, .t = s->t};
    for (size_t l = 0; l < a->side; l++) {
        for (size_t i = 0; i < learner->info.n_params; i++) params[i] = a->p[i].at[l];
        for (size_t k = 0; k < n; k++) {
            char *feature = sl_space_at(&a->model->space, slot[k]);
            gather(learner, feature, a->side, l, (char *)alone);
            learner->settle(&of_one, &(uint32_t){0}, 1);
            scatter(learner, (const char *)alone, a->side, l, feature);
        }
    }
}

/* ---- making -------------------------------------------------------------------------------------------------------
 */

static bool make_fresh(part *a, const sl_learner *learner) {
    size_t size = 0;
    for (size_t i = 0; i < learner->n_fields; i++) size += a->side * sl_type_size(learner->fields[i].type);
    a->lanes.size = size;
    a->fresh = calloc(1, size);
    for (size_t l = 0; a->fresh && learner->fresh && l < a->side; l++)
        scatter(learner, learner->fresh, a->side, l, (char *)a->fresh);
    return a->fresh != NULL;
}

/* Configurations beyond the last are the last one again: they compute in vain, and nobody looks. */
static bool make_lanes(sluice_sweep *w, part *a, sluice_error *err) {
    const sl_learner *learner = w->learner;
    a->side = a->n > 8 ? 16 : 8;
    if (!make_fresh(a, learner)) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
        return false;
    }
    a->rule = *learner;
    a->rule.info.bytes_per_feature = a->lanes.size;
    a->rule.fresh = a->fresh;
    a->rule.score = score;
    a->rule.update = update;
    a->rule.settle = learner->settle ? settle : NULL;
    a->lanes.p = a->p;
    a->lanes.scalar = a->scalar;
    for (size_t l = 0; l < a->side; l++) {
        size_t from = a->first + (l < a->n ? l : a->n - 1);
        for (size_t i = 0; i < learner->info.n_params; i++) a->p[i].at[l] = w->params[from][i];
        for (size_t i = 0; learner->scalars && learner->scalars[i]; i++)
            a->scalar[i].at[l] = learner->first_scalars ? learner->first_scalars[i] : 0;
    }
    a->model = sl_model_empty(learner, &a->rule, w->params[a->first], &w->settings, err);
    if (a->model) a->model->state.part = a;
    return a->model != NULL;
}

static bool side_by_side(const sluice_sweep *w) {
    bool small = w->learner->info.bytes_per_feature <= LARGEST;
    return w->learner->lanes && small && !w->settings.max_features && w->n > 1;
}

/* Sixteen at a time cost least work; eight, where otherwise a thread would have nothing to do. */
static bool make_parts(sluice_sweep *w, sluice_error *err) {
    size_t each = !side_by_side(w) ? 1 : (w->n + SL_SIDE - 1) / SL_SIDE < w->threads ? SL_SIDE / 2 : SL_SIDE;
    w->n_parts = (w->n + each - 1) / each;
    w->parts = calloc(w->n_parts, sizeof *w->parts);
    w->status = calloc(w->n_parts, sizeof *w->status);
    if (!w->parts || !w->status) return sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep"), false;
    for (size_t i = 0; i < w->n_parts; i++) {
        part *a = &w->parts[i];
        a->first = i * each;
        a->n = w->n - a->first < each ? w->n - a->first : each;
        if (each > 1 ? !make_lanes(w, a, err)
                     : !(a->model = sl_model_empty(w->learner, w->learner, w->params[i], &w->settings, err)))
            return false;
    }
    return true;
}

sluice_sweep *sluice_sweep_new(const char *learner, const char *const *const *params, const size_t *n_params, size_t n,
                               const sluice_settings *settings, unsigned threads, sluice_error *err) {
    /* the gate for all of it is the one for models */
    sluice_model *first = n ? sluice_model_new(learner, params[0], n_params[0], settings, err) : NULL;
    if (!first) {
        if (!n) sl_fail(err, SLUICE_E_USAGE, "a sweep without configurations");
        return NULL;
    }
    sluice_sweep *w = calloc(1, sizeof *w);
    bool fine = w && (w->params = calloc(n, sizeof *w->params)) != NULL;
    if (!fine) sl_fail(err, SLUICE_E_MEMORY, "no memory for a sweep");
    if (fine) {
        w->learner = first->learner;
        w->settings = first->settings;
        w->n = n;
        w->threads = threads ? threads : sl_cores();
    }
    const sluice_learner_info *info = &first->learner->info;
    for (size_t i = 0; fine && i < n; i++)
        fine = sluice_params_read(info->name, info->params, info->n_params, params[i], n_params[i], w->params[i],
                                  err) == SLUICE_OK;
    fine = fine && make_parts(w, err);
    sluice_model_free(first);
    if (fine) return w;
    sluice_sweep_free(w);
    return NULL;
}

void sluice_sweep_free(sluice_sweep *w) {
    if (!w) return;
    for (size_t i = 0; w->parts && i < w->n_parts; i++) {
        sluice_model_free(w->parts[i].model);
        free(w->parts[i].fresh);
    }
    free(w->parts);
    free(w->status);
    free(w->params);
    free(w);
}

const sluice_error *sluice_sweep_error(const sluice_sweep *w) { return &w->error; }

/* ---- learning -----------------------------------------------------------------------------------------------------
 */

static void learn_part(void *context, size_t i) {
    sluice_sweep *w = context;
    w->status[i] = sluice_model_learn_batch(w->parts[i].model, w->batch, NULL);
}

static sluice_status first_failure(sluice_sweep *w) {
    for (size_t i = 0; i < w->n_parts; i++) {
        if (w->status[i] == SLUICE_OK) continue;
        if (w->status[i] == SLUICE_E_NUMERIC) { /* one configuration's own trouble */
            w->parts[i].broken[0] = true;
            continue;
        }
        w->error = w->parts[i].model->error;
        return w->error.status;
    }
    return SLUICE_OK;
}

sluice_status sluice_sweep_learn_batch(sluice_sweep *w, const sluice_batch *batch) {
    w->batch = batch;
    sl_parallel(w->threads, w->n_parts, learn_part, w);
    return first_failure(w);
}

sluice_status sluice_sweep_end_run(sluice_sweep *w) {
    for (size_t i = 0; i < w->n_parts; i++) w->status[i] = sluice_model_end_run(w->parts[i].model);
    return first_failure(w);
}

/* ---- one of them ---------------------------------------------------------------------------------------------------
 */

static void copy_counts(sluice_model *to, const part *a, size_t l) {
    sl_model_copy_counts(to, a->model);
    to->mistakes = a->mistakes[l];
    to->updates = a->updates[l];
    to->calibration = a->calibration[l];
}

static sluice_model *take_out(const sluice_sweep *w, const part *a, size_t l, sluice_error *err) {
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
        if (fine) gather(w->learner, sl_space_at(&from->space, k.at.slot), a->side, l, sl_space_at(&to->space, slot));
    }
    sl_keys_end(&k);
    sl_model_copy_history(to, from);
    if (fine) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of the sweep");
    return NULL;
}

/* Adds a feature to those of the models in which it has a weight; false when there is no memory. */
static bool add_weights(const part *a, const sl_walk *at, const float *w, size_t n, sluice_model **models) {
    for (size_t i = 0; i < n; i++) {
        uint32_t there;
        if (w[i] == 0 || !models[i]) continue;
        if (!sl_keys_add_like(models[i], a->model, at, &there)) return false;
        memcpy(sl_space_at(&models[i]->space, there), &w[i], sizeof w[i]);
    }
    return true;
}

/* All features, some at a time: the weights of all models together. */
static bool add_all_weights(const part *a, size_t first, size_t n, sluice_model **models) {
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
static sluice_status freeze(const sluice_sweep *w, const part *a, size_t first, size_t n, sluice_model **models,
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
static const part *find_part(const sluice_sweep *w, size_t i, sluice_error *err) {
    if (i >= w->n) return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n), NULL;
    const part *a = w->parts;
    while (i >= a->first + a->n) a++;
    if (!a->broken[i - a->first]) return a;
    sl_fail(err, SLUICE_E_NUMERIC, "configuration %zu has left the range of numbers", i + 1);
    return NULL;
}

sluice_model *sluice_sweep_model(const sluice_sweep *w, size_t i, sluice_error *err) {
    const part *a = find_part(w, i, err);
    if (!a) return NULL;
    return a->side ? take_out(w, a, i - a->first, err) : sluice_model_copy(a->model, err);
}

/* Those of one part. */
static sluice_status finals(const sluice_sweep *w, const part *a, size_t first, size_t n, sluice_model **models,
                            sluice_error *err) {
    if (a->side) return freeze(w, a, first, n, models, err);
    if (a->broken[0]) return SLUICE_OK;
    models[0] = sluice_model_final(a->model, err);
    return models[0] ? SLUICE_OK : err->status;
}

sluice_status sluice_sweep_finals(const sluice_sweep *w, size_t first, size_t n, sluice_model **models,
                                  sluice_error *err) {
    if (first > w->n || n > w->n - first)
        return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n);
    for (size_t i = 0; i < n; i++) models[i] = NULL;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < w->n_parts && status == SLUICE_OK; i++) {
        const part *a = &w->parts[i];
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
