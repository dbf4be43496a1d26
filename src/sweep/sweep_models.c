/* The models of a sweep, taken out of where they lie together. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/scaling/row_values.h"
#include "sweep/sweep.h"

enum { TOGETHER = 64 }; /* features whose weights are taken at once: their lines and what is made of them are near */

static void copy_counts(sluice_model *to, const sl_sweep_part *a, size_t l) {
    sl_model_copy_counts(to, a->model);
    to->mistakes = a->mistakes[l];
    to->updates = a->updates[l];
    to->calibration = a->calibration[l];
}

static sluice_model *take_out(const sluice_sweep *w, const sl_sweep_part *a, size_t l, sluice_error *err) {
    const sluice_model *from = a->model;
    const sl_learner *learner = sl_learner_for(w->learner, w->params[a->first + l]);
    sluice_model *to = sl_model_empty(learner, learner, w->params[a->first + l], &w->settings, err);
    if (!to) return NULL;
    copy_counts(to, a, l);
    if (sl_class_labels_copy(to, from) && sl_model_copy_lane(to, from, &a->blocks, l)) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of the sweep");
    return NULL;
}

/* Adds a feature to those of the models in which it has a weight; one whose weight is no number is done with. False
 * when there is no memory. */
static bool add_weights(const sl_sweep_part *a, const sl_walk *at, const float *w, size_t n, sluice_model **models) {
    for (size_t i = 0; i < n; i++) {
        uint32_t there;
        if (!models[i] || (w[i] == 0 && !sl_keeps_all_scales(&models[i]->settings))) continue;
        if (!isfinite(w[i])) {
            sluice_model_free(models[i]);
            models[i] = NULL;
            continue;
        }
        if (!sl_keys_add_like(&models[i]->features, &a->model->features, at, &there)) return false;
        memcpy(sl_space_at(&models[i]->features.space, there), &w[i], sizeof w[i]);
    }
    return true;
}

sl_lanes sl_sweep_lanes(const sl_sweep_part *a) {
    sl_lanes lanes = *a->lanes;
    lanes.features = a->model->features.space.features;
    lanes.t = a->model->state.t;
    return lanes;
}

/* All features, some at a time: the weights of all models together. */
static bool add_all_weights(const sl_sweep_part *a, size_t first, size_t n, sluice_model **models) {
    sl_lanes lanes = sl_sweep_lanes(a);
    sl_keys_walk k;
    bool fine = sl_keys_start(&k, &a->model->features), more = fine;
    while (fine && more) {
        sl_walk at[TOGETHER];
        uint32_t slot[TOGETHER];
        float w[TOGETHER * SL_MAX_LANES];
        size_t features = 0;
        for (; features < TOGETHER && (more = sl_keys_next(&k)); features++) {
            at[features] = k.at;
            slot[features] = k.at.slot;
        }
        a->kernels->weights[sl_sweep_kernel(a)](&lanes, slot, features, w);
        for (size_t i = 0; i < features && fine; i++)
            fine = add_weights(a, &at[i], w + i * a->n_lanes + first, n, models);
    }
    sl_keys_end(&k);
    return fine;
}

/* The predict-only model of a configuration, as yet without weights; NULL: no memory. */
static sluice_model *outline(const sluice_sweep *w, const sl_sweep_part *a, size_t l, sluice_error *err) {
    const sl_learner *learner = sl_learner_for(w->learner, w->params[a->first + l]);
    sluice_model *to = sl_model_empty(learner, &sl_predict_only, w->params[a->first + l], &w->settings, err);
    if (!to) return NULL;
    copy_counts(to, a, l);
    memset(to->scalars, 0, sizeof to->scalars);
    to->features.space.seen = a->model->features.space.seen; /* sparsity refers to all features there were */
    if (sl_class_labels_copy(to, a->model)) return to;
    sluice_model_free(to);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of the sweep");
    return NULL;
}

/* Predict-only models straight from where all configurations lie. */
static sluice_status freeze(const sluice_sweep *w, const sl_sweep_part *a, size_t first, size_t n,
                            sluice_model **models, sluice_error *err) {
    for (size_t i = 0; i < n; i++)
        if (!a->broken[first + i] && !(models[i] = outline(w, a, first + i, err))) return err->status;
    bool fine = add_all_weights(a, first, n, models);
    for (size_t i = 0; i < n; i++) {
        if (!models[i]) continue;
        models[i]->features.space.seen = a->model->features.space.seen; /* not those with a weight alone */
        models[i]->features.space.births = a->model->features.space.births;
        models[i]->features.space.rows = a->model->features.space.rows;
    }
    return fine ? SLUICE_OK : sl_fail(err, SLUICE_E_MEMORY, "no memory for the models of the sweep");
}

/* The part that has configuration i, or NULL and why not. */
static const sl_sweep_part *find_part(const sluice_sweep *w, size_t i, sluice_error *err) {
    if (i >= w->n) return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n), NULL;
    const sl_sweep_part *a = w->parts;
    while (i >= a->first + a->n) a++;
    if (!a->broken[i - a->first]) return a;
    sl_fail(err, SLUICE_E_NUMERIC, "configuration %zu has left the range of numbers", i + 1);
    return NULL;
}

sluice_model *sluice_sweep_model(const sluice_sweep *w, size_t i, sluice_error *err) {
    const sl_sweep_part *a = find_part(w, i, err);
    if (!a) return NULL;
    return a->n_lanes ? take_out(w, a, i - a->first, err) : sluice_model_copy(a->model, err);
}

/* ---- many of them at once ------------------------------------------------------------------------------------------
 */

/* Some configurations of one part: from `l` on, n of them; `i` is where the first one stands in what was asked for. */
typedef struct stretch {
    const sluice_sweep *w;
    const sl_sweep_part *a;
    size_t l, n, i;
} stretch;

static sluice_status each_part(const sluice_sweep *w, size_t first, size_t n, void *to,
                               sluice_status (*use)(const stretch *s, void *to, sluice_error *err), sluice_error *err) {
    if (first > w->n || n > w->n - first)
        return sl_fail(err, SLUICE_E_USAGE, "the sweep has only %zu configurations", w->n);
    sluice_status status = SLUICE_OK;
    for (size_t k = 0; k < w->n_parts && status == SLUICE_OK; k++) {
        const sl_sweep_part *a = &w->parts[k];
        size_t end = a->first + a->n, from = first > a->first ? first : a->first,
               to_end = first + n < end ? first + n : end;
        if (from < to_end) status = use(&(stretch){w, a, from - a->first, to_end - from, from - first}, to, err);
    }
    return status;
}

static sluice_status take_finals(const stretch *s, void *to, sluice_error *err) {
    sluice_model **models = (sluice_model **)to + s->i;
    if (s->a->n_lanes) return freeze(s->w, s->a, s->l, s->n, models, err);
    if (s->a->broken[0]) return SLUICE_OK;
    models[0] = sluice_model_final(s->a->model, err);
    return models[0] || err->status == SLUICE_E_NUMERIC ? SLUICE_OK : err->status;
}

sluice_status sluice_sweep_finals(const sluice_sweep *w, size_t first, size_t n, sluice_model **models,
                                  sluice_error *err) {
    sluice_error unasked;
    if (!err) err = &unasked;
    for (size_t i = 0; i < n; i++) models[i] = NULL;
    sluice_status status = each_part(w, first, n, models, take_finals, err);
    for (size_t i = 0; i < n && status != SLUICE_OK; i++) {
        sluice_model_free(models[i]);
        models[i] = NULL;
    }
    return status;
}

/* How many features have a weight in each configuration; `lost` where one is no number. */
static void count_weights(const sl_sweep_part *a, uint64_t nonzeros[SL_MAX_LANES], bool lost[SL_MAX_LANES]) {
    sl_lanes lanes = sl_sweep_lanes(a);
    uint32_t slot[SL_CHUNK];
    float w[SL_CHUNK * SL_MAX_LANES];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&a->model->features.space, &cursor, slot));) {
        a->kernels->weights[sl_sweep_kernel(a)](&lanes, slot, n, w);
        for (size_t i = 0; i < n; i++)
            for (size_t l = 0; l < a->n_lanes; l++) {
                nonzeros[l] += w[i * a->n_lanes + l] != 0;
                lost[l] |= !isfinite(w[i * a->n_lanes + l]);
            }
    }
}

/* Facts as large as the caller's struct, one after the other. */
typedef struct facts_list {
    char *first;
    size_t size;
} facts_list;

static void put_facts(const facts_list *list, size_t i, const sluice_model_facts *facts) {
    char *to = list->first + i * list->size;
    memcpy(to, &list->size, sizeof list->size);
    sl_sized_write(to, facts, sizeof *facts);
}

static sluice_status describe_alone(const stretch *s, const facts_list *list, sluice_error *err) {
    sluice_model *final = sluice_model_final(s->a->model, err);
    if (!final) return err->status == SLUICE_E_NUMERIC ? SLUICE_OK : err->status;
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(final, &facts);
    put_facts(list, s->i, &facts);
    sluice_model_free(final);
    return SLUICE_OK;
}

static sluice_status describe_some(const stretch *s, void *to, sluice_error *err) {
    const facts_list *list = to;
    if (!s->a->n_lanes) return s->a->broken[0] ? SLUICE_OK : describe_alone(s, list, err);
    uint64_t nonzeros[SL_MAX_LANES] = {0};
    bool lost[SL_MAX_LANES] = {false};
    count_weights(s->a, nonzeros, lost);
    for (size_t i = 0; i < s->n; i++) {
        size_t l = s->l + i;
        if (s->a->broken[l] || lost[l]) continue;
        sluice_model *model = outline(s->w, s->a, l, err);
        if (!model) return err->status;
        sluice_model_facts facts = {.size = sizeof facts};
        sluice_model_quick_facts(model, &facts);
        facts.nonzeros = nonzeros[l];
        put_facts(list, s->i + i, &facts);
        sluice_model_free(model);
    }
    return SLUICE_OK;
}

sluice_status sluice_sweep_describe(const sluice_sweep *w, size_t first, size_t n, sluice_model_facts *facts,
                                    sluice_error *err) {
    sluice_error unasked;
    sluice_status status = n ? sl_sized_check(facts, "sluice_model_facts", err) : SLUICE_OK;
    if (status != SLUICE_OK) return status;
    facts_list list = {(char *)facts, n ? facts->size : 0};
    for (size_t i = 0; i < n; i++) put_facts(&list, i, &(sluice_model_facts){.learner = NULL});
    return each_part(w, first, n, &list, describe_some, err ? err : &unasked);
}

sluice_model *sl_sweep_outline(const sluice_sweep *w, size_t i, sluice_error *err) {
    const sl_sweep_part *a = find_part(w, i, err);
    return a ? outline(w, a, i - a->first, err) : NULL;
}
