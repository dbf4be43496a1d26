/* Merging: adds what one model has learned to another. */
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"

static bool same_kind(const sluice_model *a, const sluice_model *b) {
    const sluice_settings *s = &a->settings, *o = &b->settings;
    if (a->learner != b->learner || sl_model_is_predict_only(a) != sl_model_is_predict_only(b)) return false;
    for (size_t i = 0; i < a->learner->info.n_params; i++)
        if (a->params[i] != b->params[i]) return false;
    return s->bias == o->bias && s->normalize == o->normalize && s->transform == o->transform && s->scale == o->scale &&
           s->hash_bits == o->hash_bits && s->max_features == o->max_features;
}

bool sl_add_fields(const sl_learner *rule, char *to, const char *from) {
    bool finite = true;
    for (size_t i = 0; i < rule->n_fields; i++) {
        const sl_field *f = &rule->fields[i];
        if (f->type == SL_F32) {
            float a, b;
            memcpy(&a, to + f->offset, sizeof a);
            memcpy(&b, from + f->offset, sizeof b);
            a += b;
            finite &= isfinite(a);
            memcpy(to + f->offset, &a, sizeof a);
        } else if (f->type == SL_F64) {
            double a, b;
            memcpy(&a, to + f->offset, sizeof a);
            memcpy(&b, from + f->offset, sizeof b);
            a += b;
            finite &= isfinite(a);
            memcpy(to + f->offset, &a, sizeof a);
        }
    }
    return finite;
}

/* The order in which features came is that of one stream; a merged model has none, unless one of both is empty. */
static void merge_histories(sluice_model *into, const sluice_model *from, const sl_space *before) {
    into->features.space.arrivals = before->arrivals;
    memcpy(into->features.space.newest, before->newest, sizeof before->newest);
    if (from->state.t == 0) return;
    const sluice_model *only = into->state.t == 0 ? from : NULL;
    into->calibration = only ? only->calibration : (sl_online_calibration){0};
    into->holdout = only ? only->holdout : (sl_holdout){0};
    into->has_threshold = only && only->has_threshold;
    into->threshold = only ? only->threshold : 0;
    into->features.space.arrivals = only ? only->features.space.arrivals : 0;
    if (only) memcpy(into->features.space.newest, only->features.space.newest, sizeof only->features.space.newest);
    memset(into->growth, 0, sizeof into->growth);
    if (only) memcpy(into->growth, only->growth, sizeof into->growth);
}

/* What is left when the sums have been added. */
static sluice_status add_counts(sluice_model *into, const sluice_model *from, const sl_space *before) {
    merge_histories(into, from, before);
    into->state.t += from->state.t;
    into->mistakes += from->mistakes;
    into->updates += from->updates;
    into->positives += from->positives;
    into->pseudo.rows += from->pseudo.rows;
    into->broken |= from->broken;
    sl_positions_free(&into->positions); /* of two runs there is no one place to go on from */
    return into->broken ? sl_fail(&into->error, SLUICE_E_NUMERIC, "the merged model has left the range of numbers")
                        : SLUICE_OK;
}

sluice_status sluice_model_merge(sluice_model *into, const sluice_model *from) {
    sluice_error *err = &into->error;
    if (into->learner->forget && into->params[into->learner->forget] < 1)
        return sl_fail(err, SLUICE_E_UNSUPPORTED,
                       "%s models that forget (forget < 1) do not merge: what is left depends on the order",
                       into->learner->info.name);
    if (!(into->learner->info.flags & SLUICE_LEARNER_MERGES) || sl_model_is_predict_only(into))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "%s models do not merge: their state is no sum over the examples",
                       sl_model_is_predict_only(into) ? "predict-only" : into->learner->info.name);
    if (!same_kind(into, from))
        return sl_fail(err, SLUICE_E_USAGE, "models merge only with the same learner, parameters and settings");
    const bool many = sl_model_is_of_many(into) || sl_model_is_of_many(from);
    if (many && sl_many_check_merge(into, from) != SLUICE_OK) return err->status;
    if (!many && !sl_class_labels_fit(into, from))
        return sl_fail(err, SLUICE_E_USAGE,
                       "models merge only if they have the same classes and the same one came first");
    if (into->settings.scale)
        return sl_fail(err, SLUICE_E_UNSUPPORTED,
                       "models whose features are scaled do not merge: each has sums in its own scales");
    if (into->settings.max_features)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "models with a limit on their features do not merge");
    if (into->state.t > SL_MAX_COUNT / 2 || from->state.t > SL_MAX_COUNT / 2)
        return sl_fail(err, SLUICE_E_LIMIT, "the models' counts are too large to be added");
    if (into == from) return sl_fail(err, SLUICE_E_USAGE, "a model does not merge with itself");
    const sl_space before = into->features.space;
    if (into->matrix) {
        const sluice_status status = sl_matrix_merge(into, from);
        return status == SLUICE_OK ? add_counts(into, from, &before) : status;
    }
    /* all features first, so that what can fail does so before any sum has changed */
    sl_keys_walk w;
    uint32_t slot;
    bool fine = sl_keys_start(&w, &from->features);
    while (fine && sl_keys_next(&w)) fine = sl_keys_add_like(&into->features, &from->features, &w.at, &slot);
    sl_keys_end(&w);
    fine = fine && (many || sl_class_labels_merge(into, from));
    if (!fine || !sl_keys_start(&w, &from->features)) return sl_fail(err, SLUICE_E_MEMORY, "no memory to merge models");
    sluice_status status = many ? sl_many_merge(into, from) : SLUICE_OK;
    while (!many && sl_keys_next(&w)) {
        if (!sl_keys_add_like(&into->features, &from->features, &w.at, &slot))
            continue; /* cannot fail: it was added above */
        into->broken |=
            !sl_add_fields(into->rule, into->features.space.features + (size_t)slot * into->features.space.size,
                           from->features.space.features + (size_t)w.at.slot * from->features.space.size);
    }
    sl_keys_end(&w);
    if (status != SLUICE_OK) return status;
    return add_counts(into, from, &before);
}
