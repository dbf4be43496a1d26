/* ssol, cs-ssol: second-order sparse online learning, diagonal (Wang et al., ICDM 2014, algorithm 5; cost-sensitive:
 * algorithm 7 of "A framework of sparse online learning and its applications").
 *
 *   every round, before predicting:  a_i -= (a_i x_i)^2 / (r + sum_j a_j x_j^2)      a starts at 1
 *   w = soft(a theta, lambda_t)         lambda_t = lambda/t, or by `schedule`
 *   if l > 0: theta += eta c_y y x      c_y = 1 in ssol
 *
 * a is the diagonal of the inverse of r I + sum of x x': features seen often move less.
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/shared/side.h"

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

/* a_i -= (a_i x_i)^2 shrink */
INLINE float shrunk(float a, double value, double shrink) {
    double ax = (double)a * value;
    return (float)positive((double)a - ax * ax * shrink); /* rounding must not take it below 0 */
}

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
            double value = (double)x->value[at + k];
            a[k] = shrunk(a[k], value, shrink);
            wx[k] = soft((double)a[k] * (double)theta[k], k_t) * value;
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]].a = a[k], m += wx[k];
    }
    return m;
}

static bool ssol_update(sl_state *s, const sl_row *x, double m) { return step_theta(s, x, m, s->p[ETA], 1, 2); }
static bool cs_ssol_update(sl_state *s, const sl_row *x, double m) {
    return step_theta(s, x, m, s->p[ETA], cost(s, x, COST_POS, COST_NEG), 2);
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    double k_t = lambda_t(s);
    for (size_t k = 0; k < n; k++) {
        const feature *g = &f[slot[k]];
        w[k] = (float)soft((double)g->a * (double)g->theta, k_t);
    }
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* a does not depend on what is predicted: with one r for all it is the same for all, and is computed once. */
INLINE bool one_r(const sl_lanes *s, size_t halves) {
    for (size_t l = 1; l < 8 * halves; l++)
        if (s->p[R].at[l] != s->p[R].at[0]) return false;
    return true;
}

INLINE void side_score_one_r(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side k_t, m = {{0}};
    double v = 0;
    for (size_t k = 0; k < x->n; k++) {
        const sl_f8 *a = (const sl_f8 *)sl_lanes_at(s, x->slot[k]) + halves;
        v += (double)a[0][0] * (double)x->value[k] * (double)x->value[k];
    }
    double shrink = 1 / (s->p[R].at[0] + v);
    thresholds(s, &s->p[SCHEDULE], &s->p[ETA], &s->p[LAMBDA], &k_t, halves);
    for (size_t k = 0; k < x->n; k++) {
        sl_f8 *theta = sl_lanes_at(s, x->slot[k]), *all = theta + halves;
        float a = shrunk(all[0][0], (double)x->value[k], shrink);
        HALVES {
            all[h] = (sl_f8){0} + a;
            m.half[h] += d8_soft((double)a * d8_of(theta[h]), k_t.half[h]) * (double)x->value[k];
        }
    }
    s->m = m;
}

INLINE void side_score_many_r(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side v = {{0}}, k_t, shrink, m = {{0}};
    for (size_t k = 0; k < x->n; k++) {
        const sl_f8 *a = (const sl_f8 *)sl_lanes_at(s, x->slot[k]) + halves;
        HALVES v.half[h] += d8_of(a[h]) * (double)x->value[k] * (double)x->value[k];
    }
    HALVES shrink.half[h] = 1 / (s->p[R].half[h] + v.half[h]);
    thresholds(s, &s->p[SCHEDULE], &s->p[ETA], &s->p[LAMBDA], &k_t, halves);
    for (size_t k = 0; k < x->n; k++) {
        sl_f8 *theta = sl_lanes_at(s, x->slot[k]), *all = theta + halves;
        HALVES {
            sl_d8 a = d8_of(all[h]), ax = a * (double)x->value[k];
            a -= ax * ax * shrink.half[h];
            all[h] = f8_of(d8_where(a > 0, a, d8_all(0)));
            m.half[h] += d8_soft(d8_of(all[h]) * d8_of(theta[h]), k_t.half[h]) * (double)x->value[k];
        }
    }
    s->m = m;
}

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    if (one_r(s, halves))
        side_score_one_r(s, x, halves);
    else
        side_score_many_r(s, x, halves);
}

INLINE void ssol_side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    step_thetas(s, x, &s->p[ETA], NULL, halves);
}
INLINE void cs_ssol_side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    step_thetas(s, x, &s->p[ETA], &s->p[x->y > 0 ? COST_POS : COST_NEG], halves);
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *w, size_t halves) {
    sl_side k_t;
    thresholds(s, &s->p[SCHEDULE], &s->p[ETA], &s->p[LAMBDA], &k_t, halves);
    for (size_t k = 0; k < n; k++) {
        const sl_f8 *theta = sl_lanes_at(s, slot[k]), *a = theta + halves;
        HALVES put_weights(w + 8 * (k * halves + h), d8_soft(d8_of(a[h]) * d8_of(theta[h]), k_t.half[h]));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(ssol_side_update)
SIDE_UPDATE(cs_ssol_side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule ssol_side = SIDE_RULE(side_score, ssol_side_update, side_weights),
                           cs_ssol_side = SIDE_RULE(side_score, cs_ssol_side_update, side_weights);

const sl_learner sl_ssol = {
    .info.name = "ssol",
    .info.summary = "second-order sparse online learning: the default",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    SL_PARAMS(ssol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=4", "r=2"},
    .fresh = &fresh,
    .kernels.score = score,
    .kernels.update = ssol_update,
    .kernels.weights = weights,
    .lanes = &ssol_side,
};

const sl_learner sl_cs_ssol = {
    .info.name = "cs-ssol",
    .info.summary = "cost-sensitive ssol, for rare classes",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    SL_PARAMS(cs_ssol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=2", "lambda=0.25", "r=8", "schedule=sqrt", "cost_pos=2", "cost_neg=0.5"},
    .fresh = &fresh,
    .kernels.score = score,
    .kernels.update = cs_ssol_update,
    .kernels.weights = weights,
    .lanes = &cs_ssol_side,
};
