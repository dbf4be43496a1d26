/* ssol-full, cs-ssol-full: ssol with a full matrix instead of its diagonal (Wang et al., ICDM 2014, algorithm 4).
 *
 *   every round, before predicting:  A^-1 -= (A^-1 x)(A^-1 x)'/(r + x'A^-1 x)      Sherman-Morrison; A^-1 starts at I
 *   w = soft(A^-1 theta, lambda_t)
 *   if l > 0: theta += eta c_y y x
 *
 * theta is never needed itself: u = A^-1 theta is carried along. With v = A^-1 x before the round and b = r + x'v,
 * the first line makes it u - v (x'u)/b, and since A^-1 x is then v r/b, the last adds eta c_y y v r/b.
 * A^-1 is symmetric: its lower triangle lies in s->matrix, a row per feature in the order in which they were first
 * seen; s->vector is u, s->work is v, from score to update. Importance h: the step is eta h. Cost: O(d^2) for d
 * features. 64 bits: the matrix is corrected over and over. */
#include "algo/rule.h"

enum { ETA, LAMBDA, R, SCHEDULE, COST_POS, COST_NEG };

#define P_R                                                                                                            \
    { "r", "how slowly confidence in a feature grows", 1, 1e-12, 1e12, 0, NULL }

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(30), P_R, P_SCHEDULE(SCHEDULE_INVERSE)};
static const sluice_param_info cs_params[] = {P_ETA(4),   P_LAMBDA(30), P_R, P_SCHEDULE(SCHEDULE_INVERSE),
                                              P_COST_POS, P_COST_NEG};

typedef struct feature {
    uint32_t row; /* its row of the matrix, from 1; 0: it has had no value yet */
} feature;

static const sl_field fields[] = {SL_FIELD(row, SL_U32)};

static double lambda_t(const sl_state *s) { return threshold(s->p[SCHEDULE], s->p[ETA], s->p[LAMBDA], s->t); }

static uint32_t row_of(const void *features, uint32_t slot) { return ((const feature *)features)[slot].row; }

static bool prepare(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    size_t order = s->order;
    for (size_t k = 0; k < x->n; k++) order += f[x->slot[k]].row == 0;
    size_t next = s->order;
    if (!sl_state_widen(s, order)) return false;
    for (size_t k = 0; k < x->n; k++)
        if (f[x->slot[k]].row == 0) f[x->slot[k]].row = (uint32_t)++next;
    return true;
}

/* sum_k y_k x_k for a vector y over the rows */
static double dot(const sl_state *s, const sl_row *x, const double *y) {
    const feature *f = s->features;
    double sum = 0;
    for (size_t k = 0; k < x->n; k++) sum += y[f[x->slot[k]].row - 1] * (double)x->value[k];
    return sum;
}

/* v = A^-1 x */
static void multiply(const sl_state *s, const sl_row *x, double *v) {
    const feature *f = s->features;
    for (size_t i = 0; i < s->order; i++) v[i] = 0;
    for (size_t k = 0; k < x->n; k++) {
        size_t i = f[x->slot[k]].row - 1;
        double value = (double)x->value[k];
        const double *row = s->matrix + sl_triangle(i);
        for (size_t j = 0; j <= i; j++) v[j] += row[j] * value;
        for (size_t j = i + 1; j < s->order; j++) v[j] += s->matrix[sl_triangle(j) + i] * value;
    }
}

/* b = r + x'v; x'A^-1 x is never negative, but rounding may say so */
static double denominator(const sl_state *s, const sl_row *x) { return s->p[R] + positive(dot(s, x, s->work)); }

static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double *u = s->vector, *v = s->work;
    multiply(s, x, v);
    double b = denominator(s, x), xu = dot(s, x, u);
    for (size_t i = 0; i < s->order; i++) {
        if (v[i] == 0) continue;
        double *row = s->matrix + sl_triangle(i), part = v[i] / b;
        for (size_t j = 0; j <= i; j++) row[j] -= part * v[j];
        u[i] -= part * xu;
    }
    double k_t = lambda_t(s), m = 0;
    for (size_t k = 0; k < x->n; k++) m += soft(u[f[x->slot[k]].row - 1], k_t) * (double)x->value[k];
    return m;
}

static bool step(sl_state *s, const sl_row *x, double m, double c_y) {
    if (hinge(x, m) <= 0) return false;
    double e = s->p[ETA] * x->h * c_y * x->y * s->p[R] / denominator(s, x);
    for (size_t i = 0; i < s->order; i++) s->vector[i] += e * s->work[i];
    return true;
}

static bool update(sl_state *s, const sl_row *x, double m) { return step(s, x, m, 1); }
static bool cs_update(sl_state *s, const sl_row *x, double m) { return step(s, x, m, cost(s, x, COST_POS, COST_NEG)); }

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    double k_t = lambda_t(s);
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].row ? (float)soft(s->vector[f[slot[k]].row - 1], k_t) : 0;
}

const sl_learner sl_ssol_full = {
    .info.name = "ssol-full",
    .info.summary = "ssol with a full matrix: for few features",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    .info.flags = SLUICE_LEARNER_DENSE,
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=60", "r=2"},
    .row_of = row_of,
    .prepare = prepare,
    .score = score,
    .update = update,
    .weights = weights,
};

const sl_learner sl_cs_ssol_full = {
    .info.name = "cs-ssol-full",
    .info.summary = "cost-sensitive ssol-full",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    .info.flags = SLUICE_LEARNER_DENSE,
    SL_PARAMS(cs_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=2", "r=2", "schedule=sqrt", "cost_pos=2", "cost_neg=0.5"},
    .row_of = row_of,
    .prepare = prepare,
    .score = score,
    .update = cs_update,
    .weights = weights,
};
