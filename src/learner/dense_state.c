/* The matrix and the vectors of the learners that have them. */
#include <stdlib.h>
#include <string.h>

#include "learner/learner.h"

size_t sl_matrix_numbers(const sl_learner *rule, const double *p, size_t order) {
    return rule->matrix_size ? rule->matrix_size(p, order) : sl_triangle(order);
}

static bool grow(double **array, size_t n) {
    double *larger = realloc(*array, (n ? n : 1) * sizeof *larger);
    if (larger) *array = larger;
    return larger != NULL;
}

bool sl_dense_resize(sl_state *s, size_t order, size_t numbers) {
    if (!grow(&s->dense.matrix, numbers) || !grow(&s->dense.vector, order) || !grow(&s->dense.work, 2 * order))
        return false;
    s->dense.order = s->dense.room = order;
    return true;
}

bool sl_dense_widen(sl_state *s, size_t order) {
    if (order > s->dense.room) {
        size_t before = s->dense.order, room = s->dense.room + s->dense.room / 4;
        if (room < order) room = order;
        if (!sl_dense_resize(s, room, sl_triangle(room))) return false;
        s->dense.order = before;
    }
    for (; s->dense.order < order; s->dense.order++) {
        double *row = s->dense.matrix + sl_triangle(s->dense.order);
        memset(row, 0, s->dense.order * sizeof *row);
        row[s->dense.order] = 1;
        s->dense.vector[s->dense.order] = 0;
    }
    return true;
}
