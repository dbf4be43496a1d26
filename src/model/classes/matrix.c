/* Several classes in one matrix of (feature, class) pairs. */
#include "model/classes/matrix.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "calibration/softmax_scale.h"
#include "model/classes/many.h"
#include "model/row_layout.h"
#include "model/scaling/row_values.h"

/* ---- margins ----------------------------------------------------------------------------------------------------- */

/* The learner's state, with pairs for features. */
static sl_state pairs_of(const sl_state *s) {
    sl_state pairs = *s;
    pairs.features = s->matrix->arena.state;
    return pairs;
}

static sl_pair_list *list_at(const sl_state *s, uint32_t slot) {
    return &((sl_matrix_feature *)s->features)[slot].list;
}

static void add_margins(sl_matrix *x, const sl_state *pairs, const uint32_t *place, const float *value, size_t n) {
    float w[SL_CHUNK];
    x->kernels.round_weights(pairs, place, n, w);
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = x->arena.class_of[place[i]];
        if (x->touched[c] != pairs->t) {
            x->touched[c] = pairs->t;
            x->margin[c] = 0;
            x->in_row[x->n_in_row++] = c;
        }
        x->margin[c] += (double)w[i] * (double)value[i];
    }
}

/* The margins of all classes in round t. */
static void compute_margins(const sl_state *s, const sl_row *row, uint64_t t) {
    sl_matrix *x = s->matrix;
    sl_state pairs = pairs_of(s);
    pairs.t = t;
    x->n_in_row = 0;
    uint32_t place[SL_CHUNK], first;
    float value[SL_CHUNK];
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        const uint32_t pairs_here = sl_pairs_of_classes(x, list_at(s, row->slot[i]), &first);
        for (uint32_t k = 0; k < pairs_here; k++) {
            place[n] = first + k;
            value[n++] = row->value[i];
            if (n == SL_CHUNK) add_margins(x, &pairs, place, value, n), n = 0;
        }
    }
    add_margins(x, &pairs, place, value, n);
}

static double margin_of(const sl_matrix *x, size_t c, uint64_t t) { return x->touched[c] == t ? x->margin[c] : 0; }

/* The class of largest margin other than one; among equals the one seen first. Most classes have no pair with a feature
 * of the row: of these, whose margins are 0, only the first can be it. */
static size_t largest(const sl_matrix *x, uint64_t t, size_t other_than) {
    size_t best = 0;
    while (best < x->classes && (best == other_than || x->touched[best] == t)) best++;
    double most = 0;
    if (best == x->classes) best = SL_NO_CLASS;
    for (size_t i = 0; i < x->n_in_row; i++) {
        const size_t c = x->in_row[i];
        if (c == other_than) continue;
        const double m = x->margin[c];
        if (best == SL_NO_CLASS || m > most || (m == most && c < best)) best = c, most = m;
    }
    return best;
}

static bool all_finite(const sl_matrix *x) {
    for (size_t i = 0; i < x->n_in_row; i++)
        if (!isfinite(x->margin[x->in_row[i]])) return false;
    return true;
}

/* ---- the rule of the model --------------------------------------------------------------------------------------- */

static void copy_shared(const sl_matrix *x, char *to, const char *from) {
    const sl_field *f = x->learner->matrix_shares;
    memcpy(to + f->offset, from + f->offset, sl_type_size(f->type));
}

/* Brings all pairs of a feature up to date. */
static void settle_pairs(const sl_matrix *x, sl_state *pairs, const sl_pair_list *list) {
    uint32_t place[SL_CHUNK];
    for (uint32_t k = 0; k < list->n;) {
        size_t n = 0;
        for (; n < SL_CHUNK && k < list->n; k++) place[n++] = list->first + k;
        x->kernels.settle(pairs, place, n);
    }
}

static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    sl_state pairs = pairs_of(s);
    for (size_t i = 0; i < n; i++) settle_pairs(s->matrix, &pairs, list_at(s, slot[i]));
}

/* Computes what all classes of a feature share, once, and hands it to its pairs. */
static void advance_shared(sl_state *s, const sl_row *row) {
    sl_matrix *x = s->matrix;
    for (size_t i = 0; i < row->n; i++) {
        sl_pair_list *list = list_at(s, row->slot[i]);
        if (list->n == 0) sl_pair_add(&x->arena, list, SL_SHARED_PAIR, x->fresh);
        x->slot[i] = list->first;
    }
    sl_state pairs = pairs_of(s);
    const sl_row shared = {x->slot, row->value, row->n, 1, row->h};
    x->kernels.score(&pairs, &shared);
    for (size_t i = 0; i < row->n; i++) {
        const sl_pair_list *list = list_at(s, row->slot[i]);
        if (x->kernels.settle) settle_pairs(x, &pairs, list); /* what they share is of this round */
        const char *from = sl_pair_state(&x->arena, list->first);
        for (uint32_t k = 1; k < list->n; k++) copy_shared(x, sl_pair_state(&x->arena, list->first + k), from);
    }
}

static double score(sl_state *s, const sl_row *row) {
    sl_matrix *x = s->matrix;
    if (x->shares) advance_shared(s, row);
    if (!x->vectors) compute_margins(s, row, s->t); /* else prepare() has */
    if (!all_finite(x)) return NAN;
    x->predicted = largest(x, s->t, SL_NO_CLASS);
    return x->predicted == SL_NO_CLASS ? 0 : margin_of(x, x->predicted, s->t);
}

/* The pairs of a class: those that are there, or fresh ones behind the used places of the arena. */
static void put_pairs(sl_state *s, const sl_row *row, size_t class_index, float sign, size_t at) {
    sl_matrix *x = s->matrix;
    for (size_t i = 0; i < row->n; i++, at++) {
        const sl_pair_list *list = list_at(s, row->slot[i]);
        uint32_t place = sl_pair_find(&x->arena, list, (uint32_t)class_index);
        if (place == SL_NO_SLOT) {
            place = x->arena.used + (uint32_t)at;
            /* the shared pair never makes a step: it is a fresh one with what the classes share */
            const char *fresh = x->shares ? sl_pair_state(&x->arena, list->first) : x->fresh;
            memcpy(sl_pair_state(&x->arena, place), fresh, x->arena.size);
        }
        x->slot[at] = place;
        x->value[at] = sign * row->value[i];
    }
}

/* Keeps the pairs of a class that were fresh. Their states are copied first: lists that move take their places. */
static void keep_pairs(sl_state *s, const sl_row *row, const size_t classes[2], uint32_t used) {
    sl_matrix *x = s->matrix;
    const size_t n = 2 * row->n, size = x->arena.size;
    char *kept = x->fresh + size;
    for (size_t at = 0; at < n; at++)
        if (x->slot[at] >= used) memcpy(kept + at * size, sl_pair_state(&x->arena, x->slot[at]), size);
    for (size_t at = 0; at < n; at++)
        if (x->slot[at] >= used)
            sl_pair_add(&x->arena, list_at(s, row->slot[at % row->n]), (uint32_t)classes[at / row->n],
                        kept + at * size);
}

/* Learners that project and truncate: each vector that changes by itself. */
static bool update_vectors(sl_state *s, const sl_row *row, size_t y, size_t r) {
    sl_matrix *x = s->matrix;
    const double l = 1 - margin_of(x, y, s->t) + margin_of(x, r, s->t);
    double xx = 0;
    for (size_t i = 0; i < row->n; i++) xx += 2 * (double)row->value[i] * (double)row->value[i];
    if (!(l > 0 && xx > 0)) return false;
    const double tau = x->learner->matrix_step(s->p, l, xx, row->h);
    sl_vector_step(s, row, y, tau);
    sl_vector_step(s, row, r, -tau);
    return true;
}

static bool update(sl_state *s, const sl_row *row, double m) {
    (void)m;
    sl_matrix *x = s->matrix;
    const size_t y = (size_t)row->y, r = largest(x, s->t, y);
    if (r == SL_NO_CLASS || row->n == 0) return false; /* there is no wrong class yet */
    if (x->vectors) return update_vectors(s, row, y, r);
    const uint32_t used = x->arena.used;
    put_pairs(s, row, y, 1, 0);
    put_pairs(s, row, r, -1, row->n);
    sl_state pairs = pairs_of(s);
    const sl_row both = {x->slot, x->value, 2 * row->n, 1, row->h};
    const double difference =
        x->shares ? margin_of(x, y, s->t) - margin_of(x, r, s->t) : x->kernels.score(&pairs, &both);
    if (!x->kernels.update(&pairs, &both, difference)) return false;
    keep_pairs(s, row, (const size_t[]){y, r}, used);
    return true;
}

/* The largest weight, by absolute value, of each feature; what is not finite stays so. */
static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_state pairs = pairs_of(s);
    uint32_t place[SL_CHUNK], first;
    float all[SL_CHUNK];
    for (size_t i = 0; i < n; i++) {
        const uint32_t pairs_here = sl_pairs_of_classes(s->matrix, list_at(s, slot[i]), &first);
        w[i] = 0;
        for (uint32_t k = 0; k < pairs_here;) {
            size_t chunk = 0;
            for (; chunk < SL_CHUNK && k < pairs_here; k++) place[chunk++] = first + k;
            s->matrix->kernels.weights(&pairs, place, chunk, all);
            for (size_t c = 0; c < chunk && isfinite(w[i]); c++)
                if (!(fabsf(all[c]) <= w[i])) w[i] = fabsf(all[c]);
        }
    }
}

/* All pairs of the feature. */
static void rescale(sl_state *s, uint32_t slot, double by) {
    sl_matrix *x = s->matrix;
    if (x->vectors) {
        sl_vectors_rescale(s, slot, by);
        return;
    }
    sl_state pairs = pairs_of(s);
    const sl_pair_list *list = list_at(s, slot);
    for (uint32_t k = 0; k < list->n; k++) x->kernels.rescale(&pairs, list->first + k, by);
}

static bool grow_row(sl_matrix *x, size_t pairs) {
    if (pairs <= x->pair_room) return true;
    uint32_t *slot = realloc(x->slot, pairs * sizeof *slot);
    if (slot) x->slot = slot;
    float *value = realloc(x->value, pairs * sizeof *value);
    if (value) x->value = value;
    char *fresh = realloc(x->fresh, (pairs + 1) * x->arena.size);
    if (fresh) x->fresh = fresh;
    if (!slot || !value || !fresh) return false;
    x->pair_room = pairs;
    return true;
}

/* Room for all that the row can make necessary, so that learning it cannot fail. */
static bool prepare(sl_state *s, const sl_row *row) {
    sl_matrix *x = s->matrix;
    uint64_t places = 2 * row->n;
    for (size_t i = 0; i < row->n; i++) {
        const sl_pair_list *list = list_at(s, row->slot[i]);
        const uint32_t more = x->shares && list->n == 0 ? 3 : 2;
        if (list->n + more > list->room) places += 2 * (uint64_t)sl_pair_room(list->n + more);
    }
    if (!grow_row(x, 2 * row->n) || !sl_pair_reserve(&x->arena, places)) return false;
    if (!x->vectors) return true;
    compute_margins(s, row, s->t + 1);
    if (sl_vectors_prepare(s, row, (size_t)row->y, largest(x, s->t + 1, (size_t)row->y))) return true;
    for (size_t i = 0; i < x->n_in_row; i++) x->touched[x->in_row[i]] = 0; /* the round does not come */
    return false;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* What a file has of a list: how many pairs. They are in sections of their own. */
static const sl_field list_fields[] = {
    {"born", SL_U32, offsetof(sl_matrix_feature, born), 0}, /* where vectors are truncated */
    {"pairs", SL_U32, offsetof(sl_matrix_feature, list.n), 0},
};
static const sl_field vector_fields[] = {{"v", SL_F32, 0, -INFINITY}};

bool sl_matrix_takes(const sl_learner *learner) { return learner->info.flags & SLUICE_LEARNER_MATRIX; }

void sl_matrix_free(sl_matrix *x) {
    if (!x) return;
    sl_pair_arena_free(&x->arena);
    sl_vectors_free(x->vectors, x->class_room);
    free(x->calibration);
    free(x->margin);
    free(x->touched);
    free(x->in_row);
    free(x->slot);
    free(x->value);
    free(x->fresh);
    free(x);
}

uint64_t sl_matrix_memory(const sl_matrix *x) {
    return sizeof *x + (uint64_t)x->arena.room * (x->arena.size + sizeof *x->arena.class_of) +
           x->class_room * (sizeof *x->margin + sizeof *x->touched + sizeof *x->in_row) +
           x->pair_room * (sizeof *x->slot + sizeof *x->value + x->arena.size) +
           (x->calibration ? x->classes * sizeof *x->calibration : 0) + sl_vectors_memory(x->vectors, x->class_room);
}

/* What the pairs of a learner that projects are: v, of which the class has the scale. */
static void make_vector_rule(sl_matrix *x, const sl_learner *learner) {
    x->vector_rule = *learner;
    x->vector_rule.info.bytes_per_feature = sizeof(float);
    x->vector_rule.fields = vector_fields;
    x->vector_rule.n_fields = SL_COUNT(vector_fields);
    x->vector_rule.fresh = NULL;
    x->vector_rule.kernels = (sl_kernels){.weights = sl_vector_weights, .round_weights = sl_vector_weights};
}

/* To the core: a learner whose features are lists. */
static void make_rule(sl_matrix *x, const sl_learner *rule, bool projects) {
    x->rule = *rule;
    x->rule.info.bytes_per_feature = sizeof(sl_matrix_feature);
    x->rule.fields = list_fields + !projects;
    x->rule.n_fields = SL_COUNT(list_fields) - !projects;
    x->rule.fresh = NULL;
    x->rule.sets = NULL;
    x->rule.rank = NULL;
    x->rule.prepare = prepare;
    x->rule.kernels = (sl_kernels){.weights = weights};
    if (rule != &sl_predict_only)
        x->rule.kernels.score = score, x->rule.kernels.update = update, x->rule.kernels.rescale = rescale;
    if (x->kernels.settle) x->rule.kernels.settle = settle;
    if (!projects) return;
    x->rule.scalars = NULL; /* each class has its own */
    x->rule.first_scalars = NULL;
}

/* A model whose pairs have the state of the learner, or of predict-only models. */
static sluice_model *make(const sl_learner *learner, bool predict_only, const double *params,
                          const sluice_settings *settings, sluice_error *err) {
    sl_matrix *x = calloc(1, sizeof *x);
    sluice_model *m = NULL;
    const bool projects = !predict_only && learner->matrix_step;
    if (x) {
        x->learner = learner;
        if (projects) make_vector_rule(x, learner);
        x->pair_rule = predict_only ? &sl_predict_only : projects ? &x->vector_rule : learner;
        x->kernels = sl_learner_kernels(x->pair_rule);
        x->shares = !predict_only && learner->matrix_shares;
        x->heaps_made_at = UINT64_MAX;
        make_rule(x, predict_only ? &sl_predict_only : learner, projects);
        x->arena.size = x->pair_rule->info.bytes_per_feature;
        x->fresh = calloc(1, x->arena.size);
        x->vectors = projects ? malloc(sizeof *x->vectors) : NULL; /* grows with the classes */
        if (x->fresh && x->pair_rule->fresh) memcpy(x->fresh, x->pair_rule->fresh, x->arena.size);
    }
    if (!x || !x->fresh || (projects && !x->vectors))
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of several classes");
    else
        m = sl_model_empty(learner, &x->rule, params, settings, err);
    if (!m) return sl_matrix_free(x), NULL;
    m->matrix = m->state.matrix = x;
    x->space = &m->features.space;
    m->features.space.numbered = projects;
    return m;
}

/* The names of the learners that have such a form. */
static const char *takers(char *out, size_t room) {
    size_t n = 0;
    *out = 0;
    for (size_t i = 0; sl_learners[i] && n < room; i++)
        if (sl_matrix_takes(sl_learners[i]))
            n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ", " : "", sl_learners[i]->info.name);
    return out;
}

sluice_model *sl_matrix_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                            sluice_error *err) {
    char names[200];
    if (!sl_matrix_takes(learner))
        sl_fail(err, SLUICE_E_UNSUPPORTED, "%s has no form with one matrix for all classes; these have: %s",
                learner->info.name, takers(names, sizeof names));
    else if (learner->has_probability && learner->has_probability(params))
        sl_fail(err, SLUICE_E_UNSUPPORTED, "%s learns one matrix for all classes with the hinge loss alone: loss=hinge",
                learner->info.name);
    else
        return make(learner, false, params, settings, err);
    return NULL;
}

sluice_model *sl_matrix_new_predict_only(const sl_learner *learner, const double *params,
                                         const sluice_settings *settings, sluice_error *err) {
    return make(learner, true, params, settings, err);
}

sluice_model *sl_matrix_like(const sluice_model *from, sluice_error *err) {
    return make(from->learner, sl_model_is_predict_only(from), from->params, &from->settings, err);
}

bool sl_matrix_copy(sluice_model *to, const sluice_model *from) {
    sl_matrix *t = to->matrix;
    const sl_matrix *f = from->matrix;
    if (!sl_pair_arena_copy(&t->arena, &f->arena) || sl_matrix_reserve(to, f->class_room) != SLUICE_OK) return false;
    if (f->calibration) {
        t->calibration = malloc((f->classes + 1) * sizeof *t->calibration);
        if (!t->calibration) return false;
        memcpy(t->calibration, f->calibration, f->classes * sizeof *t->calibration);
    }
    for (size_t c = 0; f->vectors && c < f->class_room; c++) {
        t->vectors[c].scale = f->vectors[c].scale;
        t->vectors[c].norm = f->vectors[c].norm;
    }
    t->classes = f->classes;
    t->predicted = f->predicted;
    return true;
}

sluice_status sl_matrix_reserve(sluice_model *m, size_t classes) {
    sl_matrix *x = m->matrix;
    if (classes <= x->class_room) return SLUICE_OK;
    const size_t room = classes < 2 * x->class_room ? 2 * x->class_room : classes + 16;
    double *margin = realloc(x->margin, room * sizeof *margin);
    if (margin) x->margin = margin;
    uint64_t *touched = realloc(x->touched, room * sizeof *touched);
    if (touched) x->touched = touched;
    uint32_t *in_row = realloc(x->in_row, room * sizeof *in_row);
    if (in_row) x->in_row = in_row;
    sl_class_vector *vectors = x->vectors ? realloc(x->vectors, room * sizeof *vectors) : NULL;
    if (vectors) x->vectors = vectors;
    if (!margin || !touched || !in_row || (x->vectors && !vectors))
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for more classes");
    if (vectors) sl_vectors_init(vectors, x->class_room, room);
    memset(touched + x->class_room, 0, (room - x->class_room) * sizeof *touched);
    x->class_room = room;
    return SLUICE_OK;
}

sluice_status sl_matrix_settle(sluice_model *m) {
    sl_matrix *x = m->matrix;
    const sluice_status status = sl_matrix_reserve(m, m->classes.table.n);
    x->classes = sl_classes_met(m);
    return status;
}

void sl_matrix_place_weights(const sluice_model *m, const uint32_t *place, size_t n, float *w) {
    const sl_state pairs = pairs_of(&m->state);
    m->matrix->kernels.weights(&pairs, place, n, w);
}

void sl_matrix_calibrate(sluice_model *m, const sl_row *row) {
    const sl_matrix *x = m->matrix;
    const size_t class_index = (size_t)row->y;
    if (class_index >= x->classes) return; /* there was no margin of this class yet */
    sl_softmax_scale_learn(&m->calibration, x->margin, x->in_row, x->n_in_row, x->classes - x->n_in_row,
                           margin_of(x, class_index, m->state.t), row->h);
}

size_t sl_matrix_nonzeros(const sluice_model *m, uint32_t slot) {
    const sl_matrix *x = m->matrix;
    const sl_pair_list *list = sl_matrix_list(m, slot);
    const sl_state pairs = pairs_of(&m->state);
    uint32_t first;
    const uint32_t n = sl_pairs_of_classes(x, list, &first);
    size_t nonzeros = 0;
    for (uint32_t place = first; place < first + n; place++) {
        float w;
        x->kernels.weights(&pairs, &place, 1, &w);
        nonzeros += w != 0;
    }
    return nonzeros;
}

void sl_matrix_weights(const sluice_model *m, uint32_t slot, float *w) {
    const sl_matrix *x = m->matrix;
    const sl_state pairs = pairs_of(&m->state);
    uint32_t first;
    const uint32_t n = sl_pairs_of_classes(x, sl_matrix_list(m, slot), &first);
    memset(w, 0, m->classes.table.n * sizeof *w);
    for (uint32_t place = first; place < first + n; place++)
        x->kernels.weights(&pairs, &place, 1, &w[x->arena.class_of[place]]);
}

float sl_matrix_weight(const sluice_model *m, uint32_t slot, size_t class_index) {
    const sl_matrix *x = m->matrix;
    const sl_pair_list *list = sl_matrix_list(m, slot);
    const uint32_t place = sl_pair_find(&x->arena, list, (uint32_t)class_index);
    if (place == SL_NO_SLOT) return 0;
    sl_state pairs = pairs_of(&m->state);
    float w;
    x->kernels.weights(&pairs, &place, 1, &w);
    return w;
}

/* Adds the terms of one feature to the margins of the classes that it has a pair with. */
static void add_terms(const sluice_model *m, const sl_state *pairs, uint32_t slot, float value, double *margins) {
    const sl_matrix *x = m->matrix;
    uint32_t place[SL_CHUNK], first;
    float w[SL_CHUNK];
    const uint32_t pairs_here = sl_pairs_of_classes(x, sl_matrix_list(m, slot), &first);
    for (uint32_t k = 0; k < pairs_here;) {
        size_t n = 0;
        for (; n < SL_CHUNK && k < pairs_here; k++) place[n++] = first + k;
        x->kernels.weights(pairs, place, n, w);
        for (size_t i = 0; i < n; i++) margins[x->arena.class_of[place[i]]] += (double)w[i] * (double)value;
    }
}

void sl_matrix_margins(const sluice_model *m, const sl_raw_row *r, double *margins) {
    const sl_state pairs = pairs_of(&m->state);
    const double scale = sl_row_scale(m, r);
    for (size_t c = 0; c < m->classes.table.n; c++) margins[c] = 0;
    for (size_t k = 0; k < r->n; k++) {
        const uint32_t slot = sl_row_slot(m, r, k);
        const float value = sl_row_value(m, r, k, slot, scale);
        if (slot != SL_NO_SLOT && value != 0) add_terms(m, &pairs, slot, value, margins);
    }
    const uint32_t bias = sl_space_bias(&m->features.space);
    if (bias != SL_NO_SLOT) add_terms(m, &pairs, bias, (float)m->settings.bias, margins);
}
