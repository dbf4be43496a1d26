/* fsol, cs-fsol: first-order sparse online learning (Wang et al., ICDM 2014, algorithm 3; cost-sensitive: algorithm 6
 * of "A framework of sparse online learning and its applications").
 *
 *   w = soft(theta, lambda_t)          lambda_t = eta lambda (theorem 2), or by `schedule`
 *   if l > 0: theta += eta c_y y x     c_y = 1 in fsol
 *
 * Dual averaging: theta is never shrunk, the threshold applies when a weight is read.
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/shared/side.h"

enum { ETA, LAMBDA, SCHEDULE, COST_POS, COST_NEG };

static const sluice_param_info fsol_params[] = {P_ETA(2), P_LAMBDA(0.2), P_SCHEDULE(SCHEDULE_CONSTANT)};
static const sluice_param_info cs_fsol_params[] = {P_ETA(2), P_LAMBDA(0.2), P_SCHEDULE(SCHEDULE_CONSTANT), P_COST_POS,
                                                   P_COST_NEG};

typedef struct feature {
    float theta;
} feature;

static const sl_field fields[] = {SL_FIELD(theta, SL_F32)};

static double lambda_t(const sl_state *s) { return threshold(s->p[SCHEDULE], s->p[ETA], s->p[LAMBDA], s->t); }

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double k_t = lambda_t(s), m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        float theta[SL_LANES];
        double wx[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) theta[k] = f[x->slot[at + k]].theta;
        for (size_t k = 0; k < l; k++) wx[k] = soft((double)theta[k], k_t) * (double)x->value[at + k];
        for (size_t k = 0; k < l; k++) m += wx[k];
    }
    return m;
}

static bool fsol_update(sl_state *s, const sl_row *x, double m) { return step_theta(s, x, m, s->p[ETA], 1, 1); }
static bool cs_fsol_update(sl_state *s, const sl_row *x, double m) {
    return step_theta(s, x, m, s->p[ETA], cost(s, x, COST_POS, COST_NEG), 1);
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    double k_t = lambda_t(s);
    for (size_t k = 0; k < n; k++) w[k] = (float)soft((double)f[slot[k]].theta, k_t);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side k_t, m = {{0}};
    thresholds(s, &s->p[SCHEDULE], &s->p[ETA], &s->p[LAMBDA], &k_t, halves);
    for (size_t k = 0; k < x->n; k++) {
        const sl_f8 *theta = sl_lanes_at(s, x->slot[k]);
        HALVES m.half[h] += d8_soft(d8_of(theta[h]), k_t.half[h]) * (double)x->value[k];
    }
    s->m = m;
}

INLINE void fsol_side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    step_thetas(s, x, &s->p[ETA], NULL, halves);
}
INLINE void cs_fsol_side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    step_thetas(s, x, &s->p[ETA], &s->p[x->y > 0 ? COST_POS : COST_NEG], halves);
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *w, size_t halves) {
    sl_side k_t;
    thresholds(s, &s->p[SCHEDULE], &s->p[ETA], &s->p[LAMBDA], &k_t, halves);
    for (size_t k = 0; k < n; k++) {
        const sl_f8 *theta = sl_lanes_at(s, slot[k]);
        HALVES put_weights(w + 8 * (k * halves + h), d8_soft(d8_of(theta[h]), k_t.half[h]));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(fsol_side_update)
SIDE_UPDATE(cs_fsol_side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule fsol_side = SIDE_RULE(side_score, fsol_side_update, side_weights),
                           cs_fsol_side = SIDE_RULE(side_score, cs_fsol_side_update, side_weights);

const sl_learner sl_fsol = {
    .info.name = "fsol",
    .info.summary = "first-order sparse online learning",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(fsol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.25"},
    .kernels.score = score,
    .kernels.update = fsol_update,
    .kernels.weights = weights,
    .lanes = &fsol_side,
};

const sl_learner sl_cs_fsol = {
    .info.name = "cs-fsol",
    .info.summary = "cost-sensitive fsol, for rare classes",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(cs_fsol_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.25", "schedule=sqrt", "cost_pos=3", "cost_neg=0.5"},
    .kernels.score = score,
    .kernels.update = cs_fsol_update,
    .kernels.weights = weights,
    .lanes = &cs_fsol_side,
};
