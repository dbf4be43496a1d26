/* VECT, MATR: the dense state of learners with a matrix. */
#include <stdlib.h>
#include <string.h>

#include "file/loader.h"

static bool has_matrix(const sl_learner *rule) { return rule->info.flags & SLUICE_LEARNER_DENSE || rule->matrix_size; }

/* Room for n numbers; grows with those that were read. */
static bool make_room_for(double **array, size_t *room, size_t n) {
    if (n <= *room) return true;
    double *larger = realloc(*array, (n + n / 4) * sizeof *larger);
    if (!larger) return false;
    *array = larger;
    *room = n + n / 4;
    return true;
}

sluice_status sl_load_numbers(sl_loader *l) {
    sluice_model *m = l->model;
    size_t n = (size_t)(l->end - l->at) / 8;
    bool vector = strcmp(l->tag, "VECT") == 0, dense = m->rule->info.flags & SLUICE_LEARNER_DENSE;
    if (!has_matrix(m->rule) || (l->end - l->at) % 8 || n == 0)
        return DAMAGED(l, "section %s: this learner has no place for such numbers", l->tag);
    if (vector ? l->numbers || (dense && l->vectors + n > SLUICE_MAX_DENSE_FEATURES)
               : n > sl_matrix_numbers(m->rule, m->params, l->vectors) - l->numbers)
        return DAMAGED(l, "its matrix is too large");
    double **array = vector ? &m->state.dense.vector : &m->state.dense.matrix;
    size_t *count = vector ? &l->vectors : &l->numbers;
    if (!make_room_for(array, vector ? &l->vectors_room : &l->numbers_room, *count + n))
        return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's matrix");
    for (size_t k = 0; k < n; k++, ++*count) {
        uint64_t bits = sl_get_le(l->at + 8 * k, 8);
        memcpy(&(*array)[*count], &bits, sizeof bits);
        if (!isfinite((*array)[*count])) return DAMAGED(l, "a number of its matrix is not finite");
    }
    return SLUICE_OK;
}

/* Whether the matrix is complete and has the rows that the features refer to. */
sluice_status sl_load_finish_dense(sl_loader *l) {
    sluice_model *m = l->model;
    sl_state *s = &m->state;
    if (!has_matrix(m->rule)) return SLUICE_OK;
    if (l->numbers != sl_matrix_numbers(m->rule, m->params, l->vectors)) return DAMAGED(l, "its matrix is incomplete");
    if (!sl_dense_resize(s, l->vectors, l->numbers))
        return sl_fail(l->err, SLUICE_E_MEMORY, "no memory for the model's matrix");
    for (size_t i = 0; !m->rule->matrix_size && i < s->dense.order; i++)
        if (!(s->dense.matrix[sl_triangle(i) + i] > 0)) return DAMAGED(l, "its matrix is not positive definite");
    if (!m->rule->row_of) return SLUICE_OK;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++)
            if (m->rule->row_of(m->features.space.features, slot[k]) > s->dense.order)
                return DAMAGED(l, "a feature lies outside the matrix");
    return SLUICE_OK;
}
