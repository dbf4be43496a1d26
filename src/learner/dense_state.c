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
    if (!grow(&s->matrix, numbers) || !grow(&s->vector, order) || !grow(&s->work, 2 * order)) return false;
    s->order = s->order_room = order;
    return true;
}

bool sl_dense_widen(sl_state *s, size_t order) {
    if (order > s->order_room) {
        size_t before = s->order, room = s->order_room + s->order_room / 4;
        if (room < order) room = order;
        if (!sl_dense_resize(s, room, sl_triangle(room))) return false;
        s->order = before;
    }
    for (; s->order < order; s->order++) {
        double *row = s->matrix + sl_triangle(s->order);
        memset(row, 0, s->order * sizeof *row);
        row[s->order] = 1;
        s->vector[s->order] = 0;
    }
    return true;
}
