/* Several classes in one matrix of (feature, class) pairs. */
#include "model/classes/matrix.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "calibration/softmax_scale.h"
#include "model/row_layout.h"

/* ---- margins ----------------------------------------------------------------------------------------------------- */

/* The learner's state, with pairs for features. */
static sl_state pairs_of(const sl_state *s) {
    sl_state pairs = *s;
    pairs.features = s->matrix->arena.state;
    return pairs;
}

static void add_margins(sl_matrix *x, const sl_state *pairs, const uint32_t *place, const float *value, size_t n) {
    float w[SL_CHUNK];
    x->kernels.weights(pairs, place, n, w);
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = x->arena.class_of[place[i]];
        if (x->touched[c] != pairs->t + 1) {
            x->touched[c] = pairs->t + 1;
            x->margin[c] = 0;
            x->in_row[x->n_in_row++] = c;
        }
        x->margin[c] += (double)w[i] * (double)value[i];
    }
}

/* The margins of all classes with weights as they are after t rounds. */
static void compute_margins(const sl_state *s, const sl_row *row, uint64_t t) {
    sl_matrix *x = s->matrix;
    sl_state pairs = pairs_of(s);
    pairs.t = t;
    x->n_in_row = 0;
    const sl_pair_list *lists = s->features;
    uint32_t place[SL_CHUNK];
    float value[SL_CHUNK];
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        const sl_pair_list *list = &lists[row->slot[i]];
        for (uint32_t k = 0; k < list->n; k++) {
            place[n] = list->first + k;
            value[n++] = row->value[i];
            if (n == SL_CHUNK) add_margins(x, &pairs, place, value, n), n = 0;
        }
    }
    add_margins(x, &pairs, place, value, n);
}

static double margin_of(const sl_matrix *x, size_t c, uint64_t t) { return x->touched[c] == t + 1 ? x->margin[c] : 0; }

/* The class of largest margin other than one; among equals the one seen first. Most classes have no pair with a feature
 * of the row: of these, whose margins are 0, only the first can be it. */
static size_t largest(const sl_matrix *x, uint64_t t, size_t other_than) {
    size_t best = 0;
    while (best < x->classes && (best == other_than || x->touched[best] == t + 1)) best++;
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

static double score(sl_state *s, const sl_row *row) {
    sl_matrix *x = s->matrix;
    compute_margins(s, row, s->t - 1);
    if (!all_finite(x)) return NAN;
    x->predicted = largest(x, s->t - 1, SL_NO_CLASS);
    return x->predicted == SL_NO_CLASS ? 0 : margin_of(x, x->predicted, s->t - 1);
}

/* The pairs of a class: those that are there, or fresh ones behind the used places of the arena. */
static void put_pairs(sl_state *s, const sl_row *row, size_t class_index, float sign, size_t at) {
    sl_matrix *x = s->matrix;
    const sl_pair_list *lists = s->features;
    for (size_t i = 0; i < row->n; i++, at++) {
        uint32_t place = sl_pair_find(&x->arena, &lists[row->slot[i]], (uint32_t)class_index);
        if (place == SL_NO_SLOT) {
            place = x->arena.used + (uint32_t)at;
            memcpy(sl_pair_state(&x->arena, place), x->fresh, x->arena.size);
        }
        x->slot[at] = place;
        x->value[at] = sign * row->value[i];
    }
}

/* Keeps the pairs of a class that were fresh. Their states are copied first: lists that move take their places. */
static void keep_pairs(sl_state *s, const sl_row *row, const size_t classes[2], uint32_t used) {
    sl_matrix *x = s->matrix;
    sl_pair_list *lists = s->features;
    const size_t n = 2 * row->n, size = x->arena.size;
    char *kept = x->fresh + size;
    for (size_t at = 0; at < n; at++)
        if (x->slot[at] >= used) memcpy(kept + at * size, sl_pair_state(&x->arena, x->slot[at]), size);
    for (size_t at = 0; at < n; at++)
        if (x->slot[at] >= used)
            sl_pair_add(&x->arena, &lists[row->slot[at % row->n]], (uint32_t)classes[at / row->n], kept + at * size);
}

static bool update(sl_state *s, const sl_row *row, double m) {
    (void)m;
    sl_matrix *x = s->matrix;
    const size_t y = (size_t)row->y, r = largest(x, s->t - 1, y);
    if (r == SL_NO_CLASS || row->n == 0) return false; /* there is no wrong class yet */
    const uint32_t used = x->arena.used;
    put_pairs(s, row, y, 1, 0);
    put_pairs(s, row, r, -1, row->n);
    sl_state pairs = pairs_of(s);
    const sl_row both = {x->slot, x->value, 2 * row->n, 1, row->h};
    const double difference = x->kernels.score(&pairs, &both);
    if (!x->kernels.update(&pairs, &both, difference)) return false;
    keep_pairs(s, row, (const size_t[]){y, r}, used);
    return true;
}

/* The largest weight, by absolute value, of each feature; what is not finite stays so. */
static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_state pairs = pairs_of(s);
    const sl_pair_list *lists = s->features;
    uint32_t place[SL_CHUNK];
    float all[SL_CHUNK];
    for (size_t i = 0; i < n; i++) {
        const sl_pair_list *list = &lists[slot[i]];
        w[i] = 0;
        for (uint32_t k = 0; k < list->n;) {
            size_t chunk = 0;
            for (; chunk < SL_CHUNK && k < list->n; k++) place[chunk++] = list->first + k;
            s->matrix->kernels.weights(&pairs, place, chunk, all);
            for (size_t c = 0; c < chunk; c++)
                if (!(fabsf(all[c]) <= w[i])) w[i] = fabsf(all[c]);
        }
    }
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
    const sl_pair_list *lists = s->features;
    uint64_t places = 2 * row->n;
    for (size_t i = 0; i < row->n; i++) {
        const sl_pair_list *list = &lists[row->slot[i]];
        if (list->n + 2 > list->room) places += 2 * (uint64_t)sl_pair_room(list->n + 2);
    }
    return grow_row(x, 2 * row->n) && sl_pair_reserve(&x->arena, places);
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* What a file has of a list: how many pairs. They are in sections of their own. */
static const sl_field list_fields[] = {{"pairs", SL_U32, offsetof(sl_pair_list, n), 0}};

bool sl_matrix_takes(const sl_learner *learner) {
    static const char *const names[] = {"perceptron", "pa", "pa-1", "pa-2", "arow", "cw", "rda", "ada-rda", "fsol"};
    for (size_t i = 0; i < SL_COUNT(names); i++)
        if (strcmp(learner->info.name, names[i]) == 0) return !learner->counts_rounds;
    return false;
}

void sl_matrix_free(sl_matrix *x) {
    if (!x) return;
    sl_pair_arena_free(&x->arena);
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
           (x->calibration ? x->classes * sizeof *x->calibration : 0);
}

/* A model whose pairs have the state of a rule: the learner's, or that of predict-only models. */
static sluice_model *make(const sl_learner *learner, const sl_learner *rule, const double *params,
                          const sluice_settings *settings, sluice_error *err) {
    const size_t size = rule->info.bytes_per_feature;
    sl_matrix *x = calloc(1, sizeof *x);
    sluice_model *m = NULL;
    if (x) {
        x->arena.size = size;
        x->pair_rule = rule;
        x->kernels = sl_learner_kernels(rule);
        x->rule = *rule;
        x->rule.info.bytes_per_feature = sizeof(sl_pair_list);
        x->rule.fields = list_fields;
        x->rule.n_fields = SL_COUNT(list_fields);
        x->rule.fresh = NULL;
        x->rule.sets = NULL;
        x->rule.prepare = prepare;
        x->rule.kernels = (sl_kernels){.weights = weights};
        if (rule->kernels.score || rule->sets) x->rule.kernels.score = score, x->rule.kernels.update = update;
        x->fresh = calloc(1, size);
        if (x->fresh && rule->fresh) memcpy(x->fresh, rule->fresh, size);
    }
    if (!x || !x->fresh)
        sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of several classes");
    else
        m = sl_model_empty(learner, &x->rule, params, settings, err);
    if (!m) return sl_matrix_free(x), NULL;
    m->matrix = m->state.matrix = x;
    return m;
}

sluice_model *sl_matrix_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                            sluice_error *err) {
    if (sl_matrix_takes(learner)) return make(learner, learner, params, settings, err);
    sl_fail(err, SLUICE_E_UNSUPPORTED, "%s has no form with one matrix for all classes", learner->info.name);
    return NULL;
}

sluice_model *sl_matrix_new_predict_only(const sl_learner *learner, const double *params,
                                         const sluice_settings *settings, sluice_error *err) {
    return make(learner, &sl_predict_only, params, settings, err);
}

sluice_model *sl_matrix_like(const sluice_model *from, sluice_error *err) {
    return make(from->learner, from->matrix->pair_rule, from->params, &from->settings, err);
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
    t->classes = f->classes;
    t->predicted = f->predicted;
    return true;
}

sluice_status sl_matrix_reserve(sluice_model *m, size_t classes) {
    sl_matrix *x = m->matrix;
    if (classes > SLUICE_MAX_MATRIX_CLASSES)
        return sl_fail(&m->error, SLUICE_E_LIMIT, "more than %d classes", SLUICE_MAX_MATRIX_CLASSES);
    if (classes <= x->class_room) return SLUICE_OK;
    const size_t room = classes < 2 * x->class_room ? 2 * x->class_room : classes + 16;
    double *margin = realloc(x->margin, room * sizeof *margin);
    if (margin) x->margin = margin;
    uint64_t *touched = realloc(x->touched, room * sizeof *touched);
    if (touched) x->touched = touched;
    uint32_t *in_row = realloc(x->in_row, room * sizeof *in_row);
    if (in_row) x->in_row = in_row;
    if (!margin || !touched || !in_row) return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for more classes");
    memset(touched + x->class_room, 0, (room - x->class_room) * sizeof *touched);
    x->class_room = room;
    return SLUICE_OK;
}

sluice_status sl_matrix_settle(sluice_model *m) {
    sl_matrix *x = m->matrix;
    const sl_class_table *t = &m->classes.table;
    const sluice_status status = sl_matrix_reserve(m, t->n);
    x->classes = t->n;
    /* a class whose first row was refused has not come yet */
    while (!sl_model_is_predict_only(m) && x->classes && t->entry[x->classes - 1].count == 0) x->classes--;
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
                           margin_of(x, class_index, m->state.t - 1), row->h);
}

size_t sl_matrix_nonzeros(const sluice_model *m, uint32_t slot) {
    const sl_matrix *x = m->matrix;
    const sl_pair_list *list = sl_matrix_list(m, slot);
    const sl_state pairs = pairs_of(&m->state);
    size_t nonzeros = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        const uint32_t place = list->first + i;
        float w;
        x->kernels.weights(&pairs, &place, 1, &w);
        nonzeros += w != 0;
    }
    return nonzeros;
}

void sl_matrix_weights(const sluice_model *m, uint32_t slot, float *w) {
    const sl_matrix *x = m->matrix;
    const sl_pair_list *list = (const sl_pair_list *)(const void *)sl_space_at(&m->features.space, slot);
    const sl_state pairs = pairs_of(&m->state);
    memset(w, 0, m->classes.table.n * sizeof *w);
    for (uint32_t i = 0; i < list->n; i++) {
        const uint32_t place = list->first + i;
        x->kernels.weights(&pairs, &place, 1, &w[x->arena.class_of[place]]);
    }
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
    const sl_pair_list *list = sl_matrix_list(m, slot);
    uint32_t place[SL_CHUNK];
    float w[SL_CHUNK];
    for (uint32_t k = 0; k < list->n;) {
        size_t n = 0;
        for (; n < SL_CHUNK && k < list->n; k++) place[n++] = list->first + k;
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
        const float value = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
        if (slot != SL_NO_SLOT && value != 0) add_terms(m, &pairs, slot, value, margins);
    }
    const uint32_t bias = sl_space_bias(&m->features.space);
    if (bias != SL_NO_SLOT) add_terms(m, &pairs, bias, (float)m->settings.bias, margins);
}
