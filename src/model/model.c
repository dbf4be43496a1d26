/* Models: making, copying and freeing them, and their predict-only form. */
#include "model/model.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/classes/problems.h"
#include "model/race/race.h"
#include "model/scaling/row_values.h"

void sluice_free(void *memory) { free(memory); }

const sluice_error *sluice_model_error(const sluice_model *model) { return &model->error; }

sluice_status sl_settings_check(const sluice_settings *s, sluice_error *err) {
    if (!isfinite((float)s->bias) || (s->bias != 0 && (float)s->bias == 0))
        return sl_fail(err, SLUICE_E_USAGE, "the bias must be within the range of floats");
    if (s->normalize > SLUICE_NORMALIZE_L2) return sl_fail(err, SLUICE_E_USAGE, "unknown kind of normalization");
    if (s->transform > SLUICE_TRANSFORM_BINARY) return sl_fail(err, SLUICE_E_USAGE, "unknown transform of values");
    if (s->scale > SLUICE_SCALE_IDF) return sl_fail(err, SLUICE_E_USAGE, "unknown kind of scaling");
    if (s->hash_bits > SLUICE_MAX_HASH_BITS)
        return sl_fail(err, SLUICE_E_USAGE, "features are hashed to 1 to %d bits, not %u", SLUICE_MAX_HASH_BITS,
                       s->hash_bits);
    if (s->max_features > SLUICE_MAX_FEATURES)
        return sl_fail(err, SLUICE_E_USAGE, "a model keeps at most %u features", SLUICE_MAX_FEATURES);
    if (s->positive && (!*s->positive || strlen(s->positive) > SLUICE_MAX_NAME))
        return sl_fail(err, SLUICE_E_USAGE, "the positive class is a label of 1 to %d bytes", SLUICE_MAX_NAME);
    if (s->classes > SLUICE_CLASSES_MATRIX) return sl_fail(err, SLUICE_E_USAGE, "unknown way to learn several classes");
    if (s->classes != SLUICE_CLASSES_TWO && s->positive)
        return sl_fail(err, SLUICE_E_USAGE, "of several classes none is the positive one: positive needs two");
    if (s->max_features && s->hash_bits)
        return sl_fail(err, SLUICE_E_USAGE, "hashed features have their limit already: hash or max_features, not both");
    return SLUICE_OK;
}

static size_t count_scalars(const sl_learner *rule) {
    size_t n = 0;
    while (rule->scalars[n]) n++;
    return n;
}

sluice_model *sl_model_empty(const sl_learner *learner, const sl_learner *rule, const double *params,
                             const sluice_settings *settings, sluice_error *err) {
    if (settings->max_features && learner->info.flags & (SLUICE_LEARNER_DENSE | SLUICE_LEARNER_BATCH)) {
        sl_fail(err, SLUICE_E_USAGE, "%s keeps %s; it takes no limit on them", learner->info.name,
                learner->info.flags & SLUICE_LEARNER_DENSE ? "a matrix over all features that ever came"
                                                           : "the features of a whole batch");
        return NULL;
    }
    sluice_model *m = calloc(1, sizeof *m);
    if (!m) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model");
        return NULL;
    }
    m->learner = learner;
    m->rule = rule;
    m->kernels = sl_learner_kernels(rule);
    memcpy(m->params, params, learner->info.n_params * sizeof *params);
    m->settings = *settings;
    m->settings.size = sizeof m->settings;
    m->settings.bias = (float)settings->bias; /* kept as a float, as all values are */
    if (settings->positive && !(m->settings.positive = strdup(settings->positive))) {
        free(m);
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model");
        return NULL;
    }
    if (rule->first_scalars) memcpy(m->scalars, rule->first_scalars, count_scalars(rule) * sizeof *m->scalars);
    sl_space_init(&m->features.space, rule->info.bytes_per_feature, rule->fresh);
    m->features.space.numbered = rule->rank != NULL || rule == &sl_auto;
    m->features.space.from_one = rule == &sl_auto;
    m->features.limit.most = m->settings.max_features;
    m->features.space.forgets = m->settings.max_features != 0;
    m->features.space.scaled = m->settings.scale != SLUICE_SCALE_NONE;
    sl_top_init(&m->state.top, rule->rank, rule->keeps_list);
    m->state.p = m->params;
    m->state.scalar = m->scalars;
    m->state.vectors = sl_vector_kernels_here();
    if (rule != &sl_auto || sl_race_make(m, err) == SLUICE_OK) return m;
    sluice_model_free(m);
    return NULL;
}

sluice_model *sluice_model_new(const char *name, const char *const *params, size_t n_params,
                               const sluice_settings *settings, sluice_error *err) {
    const sl_learner *learner = sl_learner_called(name);
    if (!learner) {
        char shown[128];
        sl_fail(err, SLUICE_E_USAGE, "there is no learner %s", sl_quote(shown, name, strlen(name)));
        return NULL;
    }
    sluice_settings given = {.size = sizeof given};
    if (sl_sized_read(&given, sizeof given, settings, "sluice_settings", err) != SLUICE_OK) return NULL;
    double values[SL_MAX_PARAMS];
    if (sluice_params_read(learner->info.name, learner->info.params, learner->info.n_params, params, n_params, values,
                           err) != SLUICE_OK)
        return NULL;
    if (sl_settings_check(&given, err) != SLUICE_OK) return NULL;
    learner = sl_learner_for(learner, values);
    return given.classes == SLUICE_CLASSES_TWO || learner == &sl_auto
               ? sl_model_empty(learner, learner, values, &given, err)
               : sl_many_new(learner, values, &given, err);
}

void sluice_model_free(sluice_model *m) {
    if (!m) return;
    sl_features_free(&m->features);
    sl_class_labels_free(m);
    free((char *)(uintptr_t)m->settings.positive);
    sl_many_free(m);
    sl_race_free(m->race);
    sl_metadata_free(&m->metadata);
    sl_positions_free(&m->positions);
    for (int i = 0; i < 2; i++) sl_numbers_free(&m->numbers[i]);
    sl_top_free(&m->state.top);
    sl_pending_free(&m->state.batch.pending);
    free(m->state.dense.matrix);
    free(m->state.dense.vector);
    free(m->state.dense.work);
    free(m->row_slot);
    free(m->row_value);
    free(m->row_input);
    free(m->row_unscaled);
    free(m->grown.list);
    free(m->row_key);
    sl_duplicates_free(&m->repeat);
    free(m);
}

#define EXCHANGE(type, a, b)                                                                                           \
    do {                                                                                                               \
        type exchanged = (a);                                                                                          \
        (a) = (b);                                                                                                     \
        (b) = exchanged;                                                                                               \
    } while (0)

static void own_pointers(sluice_model *m) {
    m->state.p = m->params;
    m->state.scalar = m->scalars;
    if (m->matrix) m->matrix->space = &m->features.space;
}

void sl_model_exchange(sluice_model *a, sluice_model *b) {
    const sluice_error of_a = a->error, of_b = b->error;
    EXCHANGE(sluice_model, *a, *b);
    EXCHANGE(sl_metadata, a->metadata, b->metadata);
    EXCHANGE(sl_positions, a->positions, b->positions);
    a->error = of_a;
    b->error = of_b;
    a->progress = b->progress;
    own_pointers(a);
    own_pointers(b);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

void sl_model_copy_counts(sluice_model *to, const sluice_model *from) {
    memcpy(to->scalars, from->scalars, sizeof to->scalars);
    to->state.t = from->state.t;
    to->mistakes = from->mistakes;
    to->updates = from->updates;
    to->positives = from->positives;
    to->pseudo.rows = from->pseudo.rows;
    to->calibration = from->calibration;
    to->holdout = from->holdout;
    to->has_threshold = from->has_threshold;
    to->threshold = from->threshold;
    memcpy(to->growth, from->growth, sizeof to->growth);
    to->broken = from->broken;
    to->features.limit.evicted = from->features.limit.evicted;
    to->features.limit.refused = from->features.limit.refused;
    to->features.limit.next_scan = from->features.limit.next_scan;
}

void sl_model_copy_history(sluice_model *to, const sluice_model *from) {
    memcpy(to->features.space.newest, from->features.space.newest, sizeof to->features.space.newest);
    to->features.space.arrivals = from->features.space.arrivals;
    to->features.space.seen =
        from->features.space.seen; /* a predict-only model counts features that it does not hold */
    to->features.space.births = from->features.space.births;
    to->features.space.rows = from->features.space.rows;
}

bool sl_model_copy_lane(sluice_model *to, const sluice_model *from, const sl_lane_blocks *lanes, size_t lane) {
    const char *const *scalars = to->learner->scalars;
    char one[SL_MAX_FIELDS * 8 + 64] = {0}; /* lanes may have one more member than the model (learner.h: forgetting) */
    for (size_t i = 0; scalars && scalars[i]; i++) to->scalars[i] = *sl_lane_blocks_scalar(lanes, i, lane);
    sl_keys_walk k;
    bool fine = sl_keys_start(&k, &from->features);
    while (fine && sl_keys_next(&k)) {
        uint32_t slot;
        fine = sl_keys_add_like(&to->features, &from->features, &k.at, &slot);
        if (!fine) break;
        sl_lane_blocks_gather(lanes, sl_space_at(&from->features.space, k.at.slot), lane, one);
        memcpy(sl_space_at(&to->features.space, slot), one, to->learner->info.bytes_per_feature);
    }
    sl_keys_end(&k);
    sl_model_copy_history(to, from);
    return fine;
}

static void *no_memory(sluice_model *m, sluice_error *err) {
    sluice_model_free(m);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
    return NULL;
}

sluice_model *sl_model_copy_without_pending(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_model_is_of_many(from)
                           ? sl_many_like(from, err)
                           : sl_model_empty(from->learner, from->rule, from->params, &from->settings, err);
    if (!to) return NULL;
    if (!sl_metadata_copy(&to->metadata, &from->metadata) || !sl_positions_copy(&to->positions, &from->positions) ||
        !sl_class_labels_copy(to, from) || !sl_many_copy(to, from) || (from->race && !sl_race_copy(to, from)))
        return no_memory(to, err);
    sl_model_copy_counts(to, from);
    sl_keys_walk w;
    bool fine = sl_keys_start(&w, &from->features);
    while (fine && sl_keys_next(&w)) {
        uint32_t slot;
        fine = sl_keys_add_like(&to->features, &from->features, &w.at, &slot);
        if (fine)
            memcpy(to->features.space.features + (size_t)slot * to->features.space.size,
                   from->features.space.features + (size_t)w.at.slot * from->features.space.size,
                   from->features.space.size);
    }
    sl_keys_end(&w);
    sl_model_copy_history(to, from);
    to->state.batch.columns = from->state.batch.columns;
    to->state.batch.threads = from->state.batch.threads;
    if (fine && from->state.dense.order) {
        size_t numbers = sl_matrix_numbers(from->rule, from->params, from->state.dense.order);
        fine = sl_dense_resize(&to->state, from->state.dense.order, numbers);
        if (fine && numbers)
            memcpy(to->state.dense.matrix, from->state.dense.matrix, numbers * sizeof *to->state.dense.matrix);
        if (fine)
            memcpy(to->state.dense.vector, from->state.dense.vector,
                   from->state.dense.order * sizeof *to->state.dense.vector);
    }
    return fine ? to : no_memory(to, err);
}

sluice_model *sluice_model_copy(const sluice_model *from, sluice_error *err) {
    sluice_model *to = sl_model_copy_without_pending(from, err);
    if (!to) return NULL;
    bool fine = sl_pending_copy(&to->state.batch.pending, &from->state.batch.pending);
    if (fine && from->classes.mirror)
        fine = (to->classes.mirror = sluice_model_copy(from->classes.mirror, NULL)) != NULL;
    return fine ? to : no_memory(to, err);
}

enum { COPIED_AT_ONCE = 256 };

/* Nonzero weights; where features have scales and all of them count, the others too. */
static sluice_status copy_weights(sluice_model *to, const sluice_model *from, sluice_error *err) {
    const bool all = from->features.space.scaled && sl_keeps_all_scales(&from->settings);
    sl_state s = from->state;
    s.features = from->features.space.features;
    sl_keys_walk k;
    bool fine = sl_keys_start(&k, &from->features), more = true, finite = true;
    while (fine && more) {
        sl_walk at[COPIED_AT_ONCE]; /* id, slot and is_bias of them */
        uint32_t slot[COPIED_AT_ONCE];
        float w[COPIED_AT_ONCE];
        size_t n = 0;
        for (; n < COPIED_AT_ONCE && (more = sl_keys_next(&k)); n++) {
            at[n].id = k.at.id;
            at[n].is_bias = k.at.is_bias;
            at[n].slot = slot[n] = k.at.slot;
        }
        from->kernels.weights(&s, slot, n, w);
        for (size_t i = 0; fine && i < n; i++) {
            uint32_t copy;
            finite &= isfinite(w[i]) != 0;
            if ((w[i] == 0 && !all) || !sl_is_chosen(from, &at[i])) continue;
            fine = sl_keys_add_like(&to->features, &from->features, &at[i], &copy);
            if (fine) memcpy(sl_space_at(&to->features.space, copy), &w[i], sizeof w[i]);
        }
    }
    sl_keys_end(&k);
    if (fine && !finite)
        return sl_fail(err, SLUICE_E_NUMERIC,
                       "the model has left the range of numbers: values are too large; learn it anew with scaled ones");
    return fine ? SLUICE_OK : sl_fail(err, SLUICE_E_MEMORY, "no memory for a copy of the model");
}

/* A predict-only copy: the nonzero weights, pending rows not learned. */
static sluice_model *predict_only_copy(const sluice_model *from, sluice_error *err) {
    if (sl_model_is_of_many(from)) return sl_matrix_predict_only(from, err);
    sluice_model *to = sl_model_empty(from->learner, &sl_predict_only, from->params, &from->settings, err);
    if (!to) return NULL;
    if (!sl_metadata_copy(&to->metadata, &from->metadata) || !sl_class_labels_copy(to, from)) return no_memory(to, err);
    sl_model_copy_counts(to, from);
    memset(to->scalars, 0, sizeof to->scalars);
    if (copy_weights(to, from, err) != SLUICE_OK) {
        sluice_model_free(to);
        return NULL;
    }
    const sl_limit *limit = &to->features.limit;
    if (limit->room)
        memset(limit->last_seen, 0, limit->room * sizeof *limit->last_seen); /* nothing is evicted from it */
    to->features.space.seen = from->features.space.seen;                     /* sparsity refers to all features seen */
    to->features.space.births = from->features.space.births;
    to->features.space.rows = from->features.space.rows;
    return to;
}

sluice_model *sluice_model_snapshot(const sluice_model *from, sluice_error *err) {
    if (from->race) return sl_race_predict_only(from, sluice_model_snapshot, err);
    if (from->problems) return sl_problems_predict_only(from, sluice_model_snapshot, err);
    return predict_only_copy(from, err);
}

sluice_model *sluice_model_final(const sluice_model *from, sluice_error *err) {
    if (from->race) return sl_race_predict_only(from, sluice_model_final, err);
    if (from->problems) return sl_problems_predict_only(from, sluice_model_final, err);
    if (from->state.batch.pending.rows == 0) return predict_only_copy(from, err);
    sluice_model *finished = sluice_model_finished(from, err), *to = finished ? predict_only_copy(finished, err) : NULL;
    sluice_model_free(finished);
    return to;
}
