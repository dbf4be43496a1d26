/* Passive-aggressive learners: the smallest step that satisfies the example.
 *
 * With the hinge loss l and |x|^2, if l > 0: w += tau y x, where
 *   pa    tau = l/|x|^2
 *   pa-1  tau = min(C, l/|x|^2)
 *   pa-2  tau = l/(|x|^2 + 1/(2C))                       Crammer et al., JMLR 2006
 *   cpa   l = sqrt(c_y) - y m, then as pa-1              ibid., prediction-based cost-sensitive
 *
 * Importance h: C h; pa itself has no C and takes only 0 and 1. An example without values makes no update.
 * Cost: O(nonzeros of x). */
#include "algo/shared/rule.h"

enum { C, COST_POS, COST_NEG };

static const sluice_param_info pa_1_params[] = {P_C(2)};
static const sluice_param_info pa_2_params[] = {P_C(1)};
static const sluice_param_info cpa_params[] = {P_C(2), P_COST_POS, P_COST_NEG};

static bool step(sl_state *s, const sl_row *x, double tau) {
    sl_plain_step(s, x, tau * x->y);
    return true;
}

static bool pa_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return xx > 0 && step(s, x, l / xx);
}

static bool pa_1_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return xx > 0 && step(s, x, fmin(s->p[C] * x->h, l / xx));
}

static bool pa_2_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return xx > 0 && step(s, x, l / (xx + 1 / (2 * s->p[C] * x->h)));
}

static bool cpa_update(sl_state *s, const sl_row *x, double m) {
    double l = sqrt(cost(s, x, COST_POS, COST_NEG)) - x->y * m, xx = l > 0 ? square_norm(x) : 0;
    return xx > 0 && step(s, x, fmin(s->p[C] * x->h, l / xx));
}

#define PAPER "Crammer et al., Online passive-aggressive algorithms, JMLR 2006"

const sl_learner sl_pa = {
    .info.name = "pa",
    .info.summary = "passive-aggressive: always satisfies the last example",
    .info.paper = PAPER,
    SL_PLAIN_STATE,
    .only_weights_0_1 = "pa-1 or pa-2",
    .kernels.score = sl_plain_score,
    .kernels.update = pa_update,
    .kernels.weights = sl_plain_weights,
};

const sl_learner sl_pa_1 = {
    .info.name = "pa-1",
    .info.summary = "passive-aggressive with bounded steps",
    .info.paper = PAPER,
    SL_PARAMS(pa_1_params),
    SL_PLAIN_STATE,
    .trial = {"C=0.25"},
    .kernels.score = sl_plain_score,
    .kernels.update = pa_1_update,
    .kernels.weights = sl_plain_weights,
};

const sl_learner sl_pa_2 = {
    .info.name = "pa-2",
    .info.summary = "passive-aggressive with damped steps",
    .info.paper = PAPER,
    SL_PARAMS(pa_2_params),
    SL_PLAIN_STATE,
    .trial = {"C=0.25"},
    .kernels.score = sl_plain_score,
    .kernels.update = pa_2_update,
    .kernels.weights = sl_plain_weights,
};

const sl_learner sl_cpa = {
    .info.name = "cpa",
    .info.summary = "cost-sensitive passive-aggressive",
    .info.paper = PAPER,
    SL_PARAMS(cpa_params),
    SL_PLAIN_STATE,
    .trial = {"C=0.25", "cost_pos=4", "cost_neg=0.5"},
    .kernels.score = sl_plain_score,
    .kernels.update = cpa_update,
    .kernels.weights = sl_plain_weights,
};
