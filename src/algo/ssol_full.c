/* ssol-full, cs-ssol-full: ssol with a full matrix instead of its diagonal (Wang et al., ICDM 2014, algorithm 4).
 *
 *   every round, before predicting:  A^-1 -= (A^-1 x)(A^-1 x)'/(r + x'A^-1 x)      Sherman-Morrison; A^-1 starts at I
 *   w = soft(A^-1 theta, lambda_t)
 *   if l > 0: theta += eta c_y y x
 *
 * theta is never needed itself: u = A^-1 theta is carried along, in s->dense.vector. With v = A^-1 x before the round
 * and b = r + x'v, the first line makes it u - v (x'u)/b, and since A^-1 x is then v r/b, the last adds eta c_y y v
 * r/b. A^-1 is the S of dense.h. Importance h: the step is eta h. Cost: O(d^2) for d features. */
#include "algo/shared/dense.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, R, SCHEDULE, COST_POS, COST_NEG };

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(30), P_R(1), P_SCHEDULE(SCHEDULE_INVERSE)};
static const sluice_param_info cs_params[] = {P_ETA(4),   P_LAMBDA(30), P_R(1), P_SCHEDULE(SCHEDULE_INVERSE),
                                              P_COST_POS, P_COST_NEG};

static double lambda_t(const sl_state *s) { return threshold(s->p[SCHEDULE], s->p[ETA], s->p[LAMBDA], s->t); }

static double score(sl_state *s, const sl_row *x) {
    const sl_dense *f = s->features;
    const double *u = s->dense.vector;
    double *v = sl_dense_Sx(s);
    sl_dense_variance(s, x);
    double b = sl_dense_shrink(s, s->p[R]);
    sl_dense_step(s, -sl_dense_dot(s, x, u) / b);
    for (size_t i = 0; i < s->dense.order; i++) v[i] *= s->p[R] / b; /* A^-1 x as it is now, for the update */
    double k_t = lambda_t(s), m = 0;
    for (size_t k = 0; k < x->n; k++) m += soft(u[f[x->slot[k]].column - 1], k_t) * (double)x->value[k];
    return m;
}

static bool step(sl_state *s, const sl_row *x, double m, double c_y) {
    if (hinge(x, m) <= 0) return false;
    sl_dense_step(s, s->p[ETA] * x->h * c_y * x->y);
    return true;
}

static bool update(sl_state *s, const sl_row *x, double m) { return step(s, x, m, 1); }
static bool cs_update(sl_state *s, const sl_row *x, double m) {
    return step(s, x, m, cost(s->p, x, COST_POS, COST_NEG));
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_dense *f = s->features;
    double k_t = lambda_t(s);
    for (size_t k = 0; k < n; k++)
        w[k] = f[slot[k]].column ? (float)soft(s->dense.vector[f[slot[k]].column - 1], k_t) : 0;
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    const uint32_t column = ((const sl_dense *)s->features)[slot].column;
    if (!column) return;
    double *u = &s->dense.vector[column - 1];
    *u = soft_times(*u, threshold(s->p[SCHEDULE], s->p[ETA], s->p[LAMBDA], s->t + 1), by);
}

const sl_learner sl_ssol_full = {
    .info.name = "ssol-full",
    .without_matrix = "ssol",
    .info.summary = "ssol with a full matrix: for few features",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    SL_PARAMS(params),
    SL_DENSE_STATE,
    .trial = {"eta=2", "lambda=60", "r=2"},
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
};

const sl_learner sl_cs_ssol_full = {
    .info.name = "cs-ssol-full",
    .without_matrix = "cs-ssol",
    .info.summary = "cost-sensitive ssol-full",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    SL_PARAMS(cs_params),
    SL_DENSE_STATE,
    .trial = {"eta=2", "lambda=2", "r=2", "schedule=sqrt", "cost_pos=2", "cost_neg=0.5"},
    .kernels.score = score,
    .kernels.update = cs_update,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
};
