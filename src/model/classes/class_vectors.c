/* Weight vectors of classes: steps, projections, and which pair is the least. */
#include "model/classes/class_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/shared/scaled.h"
#include "model/classes/matrix.h"

void sl_vectors_init(sl_class_vector *v, size_t from, size_t to) {
    for (size_t c = from; c < to; c++) v[c] = (sl_class_vector){.scale = 1};
}

void sl_vectors_free(sl_class_vector *v, size_t n) {
    for (size_t c = 0; v && c < n; c++) {
        free(v[c].key);
        free(v[c].slot);
    }
    free(v);
}

uint64_t sl_vectors_memory(const sl_class_vector *v, size_t n) {
    uint64_t bytes = v ? n * sizeof *v : 0;
    for (size_t c = 0; v && c < n; c++) bytes += v[c].room * (sizeof *v->key + sizeof *v->slot);
    return bytes;
}

static sl_matrix_feature *feature_at(const sl_state *s, uint32_t slot) {
    return (sl_matrix_feature *)s->features + slot;
}

static float *value_at(const sl_matrix *x, uint32_t place) { return (float *)(void *)sl_pair_state(&x->arena, place); }

void sl_vector_weights(const sl_state *pairs, const uint32_t *place, size_t n, float *w) {
    const sl_matrix *x = pairs->matrix;
    for (size_t i = 0; i < n; i++)
        w[i] = (float)(x->vectors[x->arena.class_of[place[i]]].scale * (double)*value_at(x, place[i]));
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* Of equal weights the feature seen last is the least. */
static uint64_t key_of(float v, uint32_t born) { return (uint64_t)float_bits(fabsf(v)) << 32 | (uint32_t)~born; }

static void put(sl_class_vector *v, size_t at, uint64_t key, uint32_t slot) {
    v->key[at] = key;
    v->slot[at] = slot;
}

/* Puts an entry in the place `at`, or above it. */
static void sift_up(sl_class_vector *v, size_t at, uint64_t key, uint32_t slot) {
    for (size_t parent; at && v->key[parent = (at - 1) / 2] > key; at = parent)
        put(v, at, v->key[parent], v->slot[parent]);
    put(v, at, key, slot);
}

static void push(sl_class_vector *v, uint64_t key, uint32_t slot) { sift_up(v, v->n++, key, slot); }

/* Puts an entry in the place `at`, or below it. */
static void sift_down(sl_class_vector *v, size_t at, uint64_t key, uint32_t slot) {
    for (size_t child; (child = 2 * at + 1) < v->n; at = child) {
        if (child + 1 < v->n && v->key[child + 1] < v->key[child]) child++;
        if (v->key[child] >= key) break;
        put(v, at, v->key[child], v->slot[child]);
    }
    put(v, at, key, slot);
}

static void drop_first(sl_class_vector *v) {
    v->n--;
    if (v->n) sift_down(v, 0, v->key[v->n], v->slot[v->n]);
}

/* The place of the pair that an entry is about, if it is true; else SL_NO_SLOT. */
static uint32_t true_place(const sl_state *s, size_t class_index, uint64_t key, uint32_t slot) {
    const sl_matrix *x = s->matrix;
    const sl_matrix_feature *f = feature_at(s, slot);
    const uint32_t place = sl_pair_find(&x->arena, &f->list, (uint32_t)class_index);
    return place != SL_NO_SLOT && key_of(*value_at(x, place), f->born) == key ? place : SL_NO_SLOT;
}

/* Drops all entries that are not true. */
static void compact(const sl_state *s, size_t class_index) {
    sl_class_vector *v = &s->matrix->vectors[class_index];
    const size_t n = v->n;
    v->n = 0;
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = v->key[i];
        const uint32_t slot = v->slot[i];
        if (true_place(s, class_index, key, slot) != SL_NO_SLOT) push(v, key, slot);
    }
}

static bool make_room(sl_class_vector *v, size_t n) {
    if (n <= v->room) return true;
    const size_t room = n < v->room + v->room / 2 ? v->room + v->room / 2 : n;
    uint64_t *key = realloc(v->key, room * sizeof *key);
    if (key) v->key = key;
    uint32_t *slot = realloc(v->slot, room * sizeof *slot);
    if (slot) v->slot = slot;
    if (!key || !slot) return false;
    v->room = room;
    return true;
}

/* Room for `more` entries. True ones are at least a third, so that dropping the others costs little. */
static bool reserve(const sl_state *s, size_t class_index, size_t more) {
    sl_class_vector *v = &s->matrix->vectors[class_index];
    if (v->n > 3 * v->count + 64) compact(s, class_index);
    return make_room(v, v->n + more);
}

/* Calls f(x, slot, place) for all pairs, in no particular order. */
#define FOR_ALL_PAIRS(s, slot, place)                                                                                  \
    uint32_t slots_[SL_CHUNK];                                                                                         \
    uint64_t cursor_ = 0;                                                                                              \
    for (size_t n_; (n_ = sl_space_chunk((s)->matrix->space, &cursor_, slots_));)                                      \
        for (size_t i_ = 0; i_ < n_; i_++)                                                                             \
            for (uint32_t slot = slots_[i_], place = feature_at(s, slot)->list.first,                                  \
                          end_ = place + feature_at(s, slot)->list.n;                                                  \
                 place < end_; place++)

/* Makes all heaps anew: slots have changed, or the model was loaded. */
static bool make_heaps(const sl_state *s) {
    sl_matrix *x = s->matrix;
    for (size_t c = 0; c < x->class_room; c++) x->vectors[c].n = x->vectors[c].count = 0;
    { FOR_ALL_PAIRS(s, slot, place) x->vectors[x->arena.class_of[place]].count++; }
    for (size_t c = 0; c < x->class_room; c++)
        if (!make_room(&x->vectors[c], x->vectors[c].count)) return false;
    FOR_ALL_PAIRS(s, slot, place)
    push(&x->vectors[x->arena.class_of[place]], key_of(*value_at(x, place), feature_at(s, slot)->born), slot);
    x->heaps_made_at = x->space->moves;
    return true;
}

/* Whether the heaps are those of the features as they lie now; makes them if there is memory. */
static bool has_heaps(const sl_state *s) {
    return s->matrix->heaps_made_at == s->matrix->space->moves || make_heaps(s);
}

bool sl_vectors_prepare(const sl_state *s, const sl_row *row, size_t y, size_t r) {
    return has_heaps(s) && reserve(s, y, row->n) && (r == SL_NO_CLASS || reserve(s, r, row->n));
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

static void remove_pair(const sl_state *s, sl_class_vector *v, uint32_t slot, uint32_t place) {
    sl_matrix *x = s->matrix;
    v->norm -= fabs((double)*value_at(x, place));
    v->count--;
    sl_pair_remove(&x->arena, &feature_at(s, slot)->list, place);
}

/* s moves into v. It is seldom necessary: all features are visited. */
static void fold(const sl_state *s, size_t class_index) {
    sl_matrix *x = s->matrix;
    sl_class_vector *v = &x->vectors[class_index];
    sl_power_sum sum = {.p = 1};
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    v->n = 0;
    for (size_t n; (n = sl_space_chunk(x->space, &cursor, slot));)
        for (size_t k = 0; k < n; k++) {
            sl_matrix_feature *f = feature_at(s, slot[k]);
            const uint32_t place = sl_pair_find(&x->arena, &f->list, (uint32_t)class_index);
            if (place == SL_NO_SLOT) continue;
            float *value = value_at(x, place);
            *value = (float)(v->scale * (double)*value);
            if (*value == 0) {
                remove_pair(s, v, slot[k], place);
            } else {
                sl_power_sum_add(&sum, *value);
                push(v, key_of(*value, f->born), slot[k]);
            }
        }
    v->norm = sl_power_sum_total(&sum);
    v->scale = 1;
}

/* v += step for one feature. */
static void move(const sl_state *s, sl_class_vector *v, uint32_t class_index, uint32_t slot, double step) {
    sl_matrix *x = s->matrix;
    sl_matrix_feature *f = feature_at(s, slot);
    const uint32_t place = sl_pair_find(&x->arena, &f->list, class_index);
    const float before = place == SL_NO_SLOT ? 0 : *value_at(x, place), after = (float)((double)before + step);
    if (place != SL_NO_SLOT && after == 0) {
        remove_pair(s, v, slot, place);
        return;
    }
    if (after == 0) return;
    v->norm += fabs((double)after) - fabs((double)before);
    if (place == SL_NO_SLOT) {
        sl_pair_add(&x->arena, &f->list, class_index, (const char *)&after);
        v->count++;
    } else {
        *value_at(x, place) = after;
    }
    push(v, key_of(after, f->born), slot);
}

static void project(const sl_state *s, sl_class_vector *v) {
    const double radius = s->p[s->matrix->learner->matrix_radius], norm = v->scale * v->norm;
    if (norm > radius) v->scale *= radius / norm;
}

static void truncate_to(const sl_state *s, size_t class_index, size_t most) {
    sl_class_vector *v = &s->matrix->vectors[class_index];
    while (v->count > most && v->n) {
        const uint32_t slot = v->slot[0], place = true_place(s, class_index, v->key[0], slot);
        drop_first(v);
        if (place != SL_NO_SLOT) remove_pair(s, v, slot, place);
    }
}

void sl_vector_step(const sl_state *s, const sl_row *row, size_t class_index, double tau) {
    sl_matrix *x = s->matrix;
    sl_class_vector *v = &x->vectors[class_index];
    double largest = 0;
    for (size_t i = 0; i < row->n; i++) largest = fmax(largest, fabs((double)row->value[i]));
    if (fabs(tau) * largest > 0x1p120 * v->scale) fold(s, class_index); /* v must not leave the range of floats */
    const double step = tau / v->scale;
    for (size_t i = 0; i < row->n; i++) move(s, v, (uint32_t)class_index, row->slot[i], step * (double)row->value[i]);
    project(s, v);
    truncate_to(s, class_index, (size_t)fmax(1, floor(s->p[x->learner->matrix_share] * (double)s->seen)));
    if (v->scale < 0x1p-80) fold(s, class_index);
}

/* Where there is no memory for the new entries of the heaps, these are made anew later. */
void sl_vectors_rescale(const sl_state *s, uint32_t slot, double by) {
    sl_matrix *x = s->matrix;
    const sl_matrix_feature *f = feature_at(s, slot);
    for (uint32_t place = f->list.first; place < f->list.first + f->list.n; place++) {
        const uint32_t class_index = x->arena.class_of[place];
        sl_class_vector *v = &x->vectors[class_index];
        float *value = value_at(x, place);
        if (fabs((double)*value) * by > 0x1p120 && has_heaps(s)) fold(s, class_index); /* as in sl_vector_step() */
        const float before = *value;
        *value = (float)((double)*value * by);
        v->norm += fabs((double)*value) - fabs((double)before);
        if (x->heaps_made_at == x->space->moves && !reserve(s, class_index, 1)) x->heaps_made_at = UINT64_MAX;
        if (x->heaps_made_at == x->space->moves) push(v, key_of(*value, f->born), slot);
    }
}
