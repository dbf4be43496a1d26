/* The matrix of the -full learners: x'Sx, the rank-one step, and margins by the vector. */
#include "algo/shared/dense.h"

#include "algo/shared/rule.h"

const sl_field sl_dense_fields[1] = {{"column", SL_U32, offsetof(sl_dense, column), -INFINITY}};

uint32_t sl_dense_row_of(const void *features, uint32_t slot) { return ((const sl_dense *)features)[slot].column; }

/* New features have the columns behind the others, as in I. */
bool sl_dense_prepare(sl_state *s, const sl_row *x) {
    sl_dense *f = s->features;
    size_t next = s->dense.order, order = s->dense.order;
    for (size_t k = 0; k < x->n; k++) order += f[x->slot[k]].column == 0;
    if (!sl_dense_widen(s, order)) return false;
    for (size_t k = 0; k < x->n; k++)
        if (f[x->slot[k]].column == 0) f[x->slot[k]].column = (uint32_t)++next;
    return true;
}

static inline size_t place(const sl_state *s, const sl_row *x, size_t k) {
    return ((const sl_dense *)s->features)[x->slot[k]].column - 1;
}

double sl_dense_dot(const sl_state *s, const sl_row *x, const double *y) {
    double sum = 0;
    for (size_t k = 0; k < x->n; k++) sum += y[place(s, x, k)] * (double)x->value[k];
    return sum;
}

/* ---- U'x and x'Sx ------------------------------------------------------------------------------------------------ */

/* Of x, laid out in f; from the last column on, so that what is still needed of x is still there. */
static void project_all(const sl_state *s, double *f) {
    for (size_t j = s->dense.order; j-- > 0;) f[j] += s->vectors->dot(s->dense.matrix + sl_triangle(j), f, j);
}

/* The same where x has few of the features: a column's few elements cost less than the column. */
static void project_few(const sl_state *s, const sl_row *x, double *f) {
    for (size_t j = 0; j < s->dense.order; j++) {
        const double *column = s->dense.matrix + sl_triangle(j);
        for (size_t k = 0; k < x->n; k++) {
            size_t i = place(s, x, k);
            if (i < j) f[j] += column[i] * (double)x->value[k];
        }
    }
}

double sl_dense_variance(sl_state *s, const sl_row *x) {
    enum { FEW = 16 }; /* measured: where x has less than a sixteenth of the features */
    double *f = s->dense.work, v = 0;
    for (size_t j = 0; j < s->dense.order; j++) f[j] = 0;
    for (size_t k = 0; k < x->n; k++) f[place(s, x, k)] = (double)x->value[k];
    if (x->n * FEW < s->dense.order)
        project_few(s, x, f);
    else
        project_all(s, f);
    for (size_t j = 0; j < s->dense.order; j++) v += s->dense.matrix[sl_triangle(j) + j] * f[j] * f[j];
    return v;
}

/* ---- S^-1 += x x'/r ---------------------------------------------------------------------------------------------- */

double sl_dense_shrink(sl_state *s, double r) {
    const double *f = s->dense.work;
    double *Sx = sl_dense_Sx(s), sum = r; /* r and as much of x'Sx as the columns so far make */
    for (size_t j = 0; j < s->dense.order; j++) {
        double *column = s->dense.matrix + sl_triangle(j), *D = column + j;
        double g = *D * f[j], more = sum + f[j] * g;
        Sx[j] = g;
        if (f[j] == 0) continue;
        s->vectors->turn(column, Sx, j, -f[j] / sum, g);
        *D *= sum / more;
        if (!(*D > 0)) s->dense.lost = true;
        sum = more;
    }
    return sum;
}

void sl_dense_step(sl_state *s, double step) {
    const double *Sx = sl_dense_Sx(s);
    for (size_t i = 0; i < s->dense.order; i++) s->dense.vector[i] += step * Sx[i];
}

/* ---- s->dense.vector as the weights
 * ------------------------------------------------------------------------------------ */

double sl_dense_score(sl_state *s, const sl_row *x) { return sl_dense_dot(s, x, s->dense.vector); }

void sl_dense_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_dense *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].column ? (float)s->dense.vector[f[slot[k]].column - 1] : 0;
}

void sl_dense_rescale(sl_state *s, uint32_t slot, double by) {
    const uint32_t column = ((const sl_dense *)s->features)[slot].column;
    if (column) s->dense.vector[column - 1] *= by;
}
