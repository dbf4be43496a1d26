/* bcw: batch confidence-weighted learning (Tan et al., AAAI 2016, algorithm 1).
 *
 *   a batch of examples is learned at once:  S^-1 += C sum_i h_i x_i x_i'              S^-1 starts at I
 *   then one pass over it: xi = 1 - y mu.x; if xi > 0: mu += alpha y S x,
 *   alpha = min(xi/(x'Sx), C h) (q = 1) or xi/(x'Sx + 0.5/(C h)) (q = 2)
 *
 * Examples are predicted with mu as of the last finished batch. The rule needs S only through x'Sx, mu.x and Sx, so any
 * square root will do: with LL' = S^-1 (Cholesky) and x^ = L^-1 x, w = L'mu, these are |x^|^2, w.x^ and a step along
 * x^. All x^ are found by triangular solves over blocks of examples. s->dense.matrix is S^-1, s->dense.vector mu, a row
 * per column. Importance h: C h. Cost: O(d^2) an example and O(d^3) a batch, nearly all of it in BLAS 3; memory O(d^2)
 * and the batch. 64 bits: the entries of S^-1 differ by many orders of magnitude. */
#include <stdlib.h>
#include <string.h>

#include "algo/shared/rule.h"
#include "algo/shared/tiles.h"
#include "base/error.h"

enum { C, Q, BATCH };

static const sluice_param_info params[] = {
    {"C", "weight of the loss and of the examples in the covariance", 1, 1e-12, 1e12, 0, NULL},
    {"q", "the loss is the hinge to this power: 1 or 2", 1, 1, 2, 1, NULL},
    P_BATCH,
};

typedef struct feature {
    uint32_t column;
} feature;

static const sl_field fields[] = {SL_FIELD(column, SL_U32)};

/* mu of a feature; none while it has only been in an unfinished batch */
static double mu(const sl_state *s, uint32_t slot) {
    uint32_t column = ((const feature *)s->features)[slot].column;
    return column && column <= s->dense.order ? s->dense.vector[column - 1] : 0;
}

static double score(sl_state *s, const sl_row *x) {
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += mu(s, x->slot[k]) * (double)x->value[k];
    return m;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    for (size_t k = 0; k < n; k++) w[k] = (float)mu(s, slot[k]);
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    const uint32_t column = ((const feature *)s->features)[slot].column;
    if (column && column <= s->dense.order) s->dense.vector[column - 1] *= by;
}

static double step(const sl_state *s, double xi, double v, double h) {
    double ch = s->p[C] * h;
    return s->p[Q] == 1 ? (xi < ch * v ? xi / v : ch) : xi / (v + 0.5 / ch);
}

/* The pass over some examples, with x^ and |x^|^2 at hand; how many steps were made. */
static uint64_t pass(const sl_state *s, size_t first, size_t rows, const double *x, const double *v, double *w) {
    uint64_t steps = 0;
    size_t n = s->dense.order;
    for (size_t i = 0; i < rows; i++, x += n) {
        double y = sl_pending_y(&s->batch.pending, first + i), xi = 1 - y * s->vectors->dot(w, x, n);
        if (xi <= 0 || v[i] <= 0) continue;
        double alpha = y * step(s, xi, v[i], sl_pending_h(&s->batch.pending, first + i));
        for (size_t k = 0; k < n; k++) w[k] += alpha * x[k];
        steps++;
    }
    return steps;
}

/* Between the triangle that is kept and the square that BLAS wants. */
static void unpack(const double *triangle, double *square, size_t n) {
    for (size_t i = 0; i < n; i++) memcpy(square + i * n, triangle + sl_triangle(i), (i + 1) * sizeof *square);
}
static void pack(const double *square, double *triangle, size_t n) {
    for (size_t i = 0; i < n; i++) memcpy(triangle + sl_triangle(i), square + i * n, (i + 1) * sizeof *square);
}

static sluice_status lost(sluice_error *err) {
    return sl_fail(err, SLUICE_E_NUMERIC,
                   "the covariance of bcw is not positive definite in 64 bits: values are too large; scale them "
                   "(--normalize l2) or set a smaller C");
}

/* In exact numbers no pivot of I + C sum x x' is below 1. Where rounding, some n ulps of the diagonal, is not small
 * beside one, the factor is noise, whether or not it came out positive. */
static bool is_accurate(const sl_state *s, const double *l) {
    size_t n = s->dense.order;
    for (size_t i = 0; i < n; i++) {
        double pivot = l[i * n + i] * l[i * n + i];
        if (!sl_pivot_is_accurate(pivot, s->dense.matrix[sl_triangle(i) + i], i + 1)) return false;
    }
    return true;
}

static sluice_status learn(sl_state *s, double *l, double *x, double *v, uint64_t *updates, sluice_error *err) {
    size_t n = s->dense.order, block = sl_tiles_rows(s);
    int order = (int)n;
    unpack(s->dense.matrix, l, n);
    sl_tiles_add_gram(s, s->p[C], l, n, x);
    pack(l, s->dense.matrix, n);
    if (!sl_tiles_cholesky(s, l, n) || !is_accurate(s, l)) return lost(err);
    double *w = s->dense.vector;
    s->batch.blas->dtrmv(SL_ROWS, SL_LOWER, SL_TRANSPOSED, SL_ANY_DIAGONAL, order, l, order, w, 1);
    for (size_t first = 0; first < s->batch.pending.rows; first += block) {
        size_t rows = s->batch.pending.rows - first < block ? s->batch.pending.rows - first : block;
        sl_tiles_solve(s, l, n, first, rows, x, v);
        *updates += pass(s, first, rows, x, v, w);
    }
    s->batch.blas->dtrsv(SL_ROWS, SL_LOWER, SL_TRANSPOSED, SL_ANY_DIAGONAL, order, l, order, w, 1);
    return isfinite(s->vectors->dot(w, w, n)) ? SLUICE_OK : lost(err);
}

static sluice_status finish(sl_state *s, uint64_t *updates, sluice_error *err) {
    size_t n = s->batch.columns;
    if (n == 0) return SLUICE_OK; /* examples without a value */
    size_t rows = sl_tiles_rows(s);
    double *l = malloc(n * n * sizeof *l), *x = malloc(rows * n * sizeof *x), *v = malloc(rows * sizeof *v);
    sluice_status status = l && x && v && sl_dense_widen(s, n)
                               ? learn(s, l, x, v, updates, err)
                               : sl_fail(err, SLUICE_E_MEMORY, "no memory for the matrix of bcw (%zu features)", n);
    free(l);
    free(x);
    free(v);
    return status;
}

const sl_learner sl_bcw = {
    .info.name = "bcw",
    .without_matrix = "sbcw",
    .info.summary = "batch confidence-weighted: a full covariance, batch by batch",
    .info.paper = "Tan et al., Learning sparse confidence-weighted classifier on very high dimensional data, AAAI 2016",
    .info.flags = SLUICE_LEARNER_DENSE | SLUICE_LEARNER_BATCH,
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"C=0.3", "q=2", "batch=50"},
    .kernels.score = score,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
    .finish = finish,
    .batch = BATCH,
};
