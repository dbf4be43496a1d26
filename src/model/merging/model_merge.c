/* Merging: adds what one model has learned to another. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/matrix.h"
#include "model/merging/merge.h"

static bool same_kind(const sluice_model *a, const sluice_model *b) {
    const sluice_settings *s = &a->settings, *o = &b->settings;
    if (a->learner != b->learner || sl_model_is_predict_only(a) != sl_model_is_predict_only(b)) return false;
    for (size_t i = 0; i < a->learner->info.n_params; i++)
        if (a->params[i] != b->params[i]) return false;
    return s->bias == o->bias && s->normalize == o->normalize && s->transform == o->transform && s->scale == o->scale &&
           s->hash_bits == o->hash_bits && s->max_features == o->max_features;
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

/* What is left when the features have been merged. */
static sluice_status add_counts(const sl_merge *m, const sl_space *before) {
    static const sluice_model nothing;
    sluice_model *into = m->into;
    const sluice_model *from = m->from, *start = m->start ? m->start : &nothing;
    merge_histories(into, from, before);
    into->state.t = sl_merged_count(into->state.t, from->state.t, start->state.t);
    into->mistakes = sl_merged_count(into->mistakes, from->mistakes, start->mistakes);
    into->updates = sl_merged_count(into->updates, from->updates, start->updates);
    into->positives = sl_merged_count(into->positives, from->positives, start->positives);
    into->pseudo.rows = sl_merged_count(into->pseudo.rows, from->pseudo.rows, start->pseudo.rows);
    into->broken |= from->broken;
    sl_positions_free(&into->positions); /* of two runs there is no one place to go on from */
    return into->broken ? sl_fail(&into->error, SLUICE_E_NUMERIC, "the merged model has left the range of numbers")
                        : SLUICE_OK;
}

/* ---- what merges ------------------------------------------------------------------------------------------------- */

static sluice_status check_learner(sluice_model *m) {
    const char *name = m->learner->info.name;
    if (m->learner->forget && m->params[m->learner->forget] < 1)
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "%s models that forget (forget < 1) do not merge: what is left depends on the order", name);
    if (!(m->learner->info.flags & SLUICE_LEARNER_MERGES) || sl_model_is_predict_only(m))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "%s models do not merge: of two states there is no one that stands for both",
                       sl_model_is_predict_only(m) ? "predict-only" : name);
    if (m->matrix && m->learner->merge)
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "in a matrix of classes %s models do not merge: their state is no sum over the examples", name);
    return SLUICE_OK;
}

static sluice_status check_settings(sluice_model *m) {
    if (m->settings.scale && m->settings.scale != SLUICE_SCALE_IDF) /* numbers of rows add */
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED,
                       "models whose features are scaled do not merge: each has sums in its own scales");
    if (m->settings.max_features)
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "models with a limit on their features do not merge");
    return SLUICE_OK;
}

/* Whether the classes of `into` and another model go together. */
static sluice_status check_classes(sluice_model *into, const sluice_model *other) {
    if (sl_model_is_of_many(into) || sl_model_is_of_many(other)) return sl_many_check_merge(into, other);
    return sl_class_labels_fit(into, other)
               ? SLUICE_OK
               : sl_fail(&into->error, SLUICE_E_USAGE,
                         "models merge only if they have the same classes and the same one came first");
}

static sluice_status check_start(const sl_merge *m) {
    const sluice_model *start = m->start;
    sluice_error *err = &m->into->error;
    if (start == m->into) return sl_fail(err, SLUICE_E_USAGE, "a model is not merged into the one that it began with");
    if (!same_kind(m->into, start) || start->state.t > m->into->state.t || start->state.t > m->from->state.t ||
        (start->features.named && !(m->into->features.named && m->from->features.named)))
        return sl_fail(err, SLUICE_E_USAGE, "the models did not begin with the one that is given as their start");
    if (m->into->matrix && start->state.t)
        return sl_fail(
            err, SLUICE_E_UNSUPPORTED,
            "in a matrix of classes models with a common start do not merge: what it had learned would count "
            "more than once");
    return check_classes(m->into, start);
}

static sluice_status check(const sl_merge *m) {
    sluice_model *into = m->into;
    sluice_error *err = &into->error;
    if (check_learner(into) != SLUICE_OK) return err->status;
    if (!same_kind(into, m->from))
        return sl_fail(err, SLUICE_E_USAGE, "models merge only with the same learner, parameters and settings");
    if (check_classes(into, m->from) != SLUICE_OK || check_settings(into) != SLUICE_OK) return err->status;
    if (into->state.t > SL_MAX_COUNT / 2 || m->from->state.t > SL_MAX_COUNT / 2)
        return sl_fail(err, SLUICE_E_LIMIT, "the models' counts are too large to be added");
    if (into == m->from) return sl_fail(err, SLUICE_E_USAGE, "a model does not merge with itself");
    return m->start ? check_start(m) : SLUICE_OK;
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

typedef struct two_classes {
    sl_merging merging;
    bool finite;
} two_classes;

static void merge_feature(void *context, void *into, const void *from, const void *start) {
    two_classes *c = context;
    c->finite &= sl_merge_structs(&c->merging, into, from, start);
}

static sluice_status merge_two_classes(const sl_merge *m) {
    sluice_model *into = m->into;
    double after[SL_MAX_SCALARS] = {0};
    two_classes c = {sl_merging_of(m, into->rule, into->params), true};
    sl_merge_scalars(&c.merging, into->scalars, m->from->scalars, m->start ? m->start->scalars : NULL, after);
    char *fresh = calloc(1, into->features.space.size);
    if (fresh && into->rule->fresh) memcpy(fresh, into->rule->fresh, into->features.space.size);
    sl_merge_walk w;
    const bool ready = fresh && sl_merge_walk_start(&w, m),
               fine = ready && sl_class_labels_merge(into, m->from, m->start);
    if (fine) sl_merge_walk_all(&w, fresh, merge_feature, &c);
    if (ready) sl_merge_walk_end(&w);
    free(fresh);
    if (!fine) return sl_fail(&into->error, SLUICE_E_MEMORY, "no memory to merge models");
    memcpy(into->scalars, after, sizeof after);
    into->broken |= !c.finite;
    return SLUICE_OK;
}

static sluice_status merge(const sl_merge *m) {
    if (check(m) != SLUICE_OK) return m->into->error.status;
    const sl_space before = m->into->features.space;
    sluice_status status = SLUICE_OK;
    if (m->from->state.t > (m->start ? m->start->state.t : 0))
        status = m->into->matrix                ? sl_matrix_merge(m)
                 : sl_model_is_of_many(m->into) ? sl_many_merge(m)
                                                : merge_two_classes(m);
    return status == SLUICE_OK ? add_counts(m, &before) : status;
}

sluice_status sluice_model_merge(sluice_model *into, const sluice_model *from) {
    return merge(&(sl_merge){into, from, NULL});
}

sluice_status sluice_model_merge_since(sluice_model *into, const sluice_model *from, const sluice_model *start) {
    if (!start || !from->features.named || start->features.named) return merge(&(sl_merge){into, from, start});
    /* names came after the start: there its ids have the names that they have since */
    sluice_model *named = sluice_model_copy(start, &into->error);
    sluice_status status = named ? SLUICE_OK : into->error.status;
    if (named && !sl_keys_use_names(&named->features))
        status = sl_fail(&into->error, SLUICE_E_MEMORY, "no memory to merge models");
    if (status == SLUICE_OK && !into->features.named && !sl_keys_use_names(&into->features))
        status = sl_fail(&into->error, SLUICE_E_MEMORY, "no memory to merge models");
    if (status == SLUICE_OK) status = merge(&(sl_merge){into, from, named});
    sluice_model_free(named);
    return status;
}
