/* ssol, cs-ssol: second-order sparse online learning, diagonal (Wang et al., ICDM 2014, algorithm 5; cost-sensitive:
 * algorithm 7 of "A framework of sparse online learning and its applications").
 *
 *   every round, before predicting:  a_i -= (a_i x_i)^2 / (r + sum_j a_j x_j^2)      a starts at 1
 *   w = soft(a theta, lambda_t)         lambda_t = lambda/t, or by `schedule`
 *   if l > 0: theta += eta c_y y x      c_y = 1 in ssol
 *
 * a is the diagonal of the inverse of r I + sum of x x': features seen often move less.
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/rule.h"

enum { ETA, LAMBDA, R, SCHEDULE, COST_POS, COST_NEG };

static const sluice_param_info ssol_params[] = {P_ETA(4), P_LAMBDA(30), P_R(1), P_SCHEDULE(SCHEDULE_INVERSE)};
static const sluice_param_info cs_ssol_params[] = {P_ETA(4),   P_LAMBDA(30), P_R(1), P_SCHEDULE(SCHEDULE_INVERSE),
                                                   P_COST_POS, P_COST_NEG};

typedef struct feature {
    float theta, a;
} feature;

static const feature fresh = {.a = 1};
static const sl_field fields[] = {SL_FIELD(theta, SL_F32), SL_FIELD_FROM(a, SL_F32, 0)};

static double lambda_t(const sl_state *s) { return threshold(s->p[SCHEDULE], s->p[ETA], s->p[LAMBDA], s->t); }

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    double v = 0; /* x'Ax */
    for (size_t k = 0; k < x->n; k++) v += (double)f[x->slot[k]].a * (double)x->value[k] * (double)x->value[k];
    double shrink = 1 / (s->p[R] + v), k_t = lambda_t(s), m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        float a[SL_LANES], theta[SL_LANES];
        double wx[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) a[k] = f[x->slot[at + k]].a, theta[k] = f[x->slot[at + k]].theta;
        for (size_t k = 0; k < l; k++) {
            double value = (double)x->value[at + k], ax = (double)a[k] * value;
            a[k] = (float)positive((double)a[k] - ax * ax * shrink); /* rounding must not take it below 0 */
            wx[k] = soft((double)a[k] * (double)theta[k], k_t) * value;
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]].a = a[k], m += wx[k];
    }
    return m;
}

static bool step(sl_state *s, const sl_row *x, double m, double c_y) {
    if (hinge(x, m) <= 0) return false;
    feature *f = s->features;
    double e = s->p[ETA] * x->h * c_y * x->y;
    for (size_t k = 0; k < x->n; k++) {
        float *theta = &f[x->slot[k]].theta;
        *theta = (float)(*theta + e * (double)x->value[k]);
    }
    return true;
}

static bool ssol_update(sl_state *s, const sl_row *x, double m) { return step(s, x, m, 1); }
static bool cs_ssol_update(sl_state *s, const sl_row *x, double m) {
    return step(s, x, m, cost(s, x, COST_POS, COST_NEG));
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    double k_t = lambda_t(s);
    for (size_t k = 0; k < n; k++) {
        const feature *g = &f[slot[k]];
        w[k] = (float)soft((double)g->a * (double)g->theta, k_t);
    }
}

const sl_learner sl_ssol = {
    .info.name = "ssol",
    .info.summary = "second-order sparse online learning: the default",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    SL_PARAMS(ssol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=4", "r=2"},
    .fresh = &fresh,
    .score = score,
    .update = ssol_update,
    .weights = weights,
};

const sl_learner sl_cs_ssol = {
    .info.name = "cs-ssol",
    .info.summary = "cost-sensitive ssol, for rare classes",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    SL_PARAMS(cs_ssol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=0.25", "r=8", "schedule=sqrt", "cost_pos=2", "cost_neg=0.5"},
    .fresh = &fresh,
    .score = score,
    .update = cs_ssol_update,
    .weights = weights,
};
