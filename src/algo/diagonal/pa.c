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
#include "algo/shared/plain.h"

enum { C, COST_POS, COST_NEG };

/* |x|^2 where some loss is above 0; else it is not needed. */
RULE double square_norm_if(num l, const rule_row *x) { return any(l > 0) ? square_norm(x) : 0; }

RULE mask pa_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)p, (void)v, (void)t;
    num l = hinge(x, m);
    double xx = square_norm_if(l, x);
    r->step = l / xx * x->y;
    return only_if(xx > 0, l > 0);
}

RULE mask pa_1_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    num l = hinge(x, m);
    double xx = square_norm_if(l, x);
    r->step = smaller(p[C] * x->h, l / xx) * x->y;
    return only_if(xx > 0, l > 0);
}

RULE mask pa_2_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    num l = hinge(x, m);
    double xx = square_norm_if(l, x);
    r->step = l / (xx + 1 / (2 * p[C] * x->h)) * x->y;
    return only_if(xx > 0, l > 0);
}

RULE mask cpa_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    num l = root(cost(p, x, COST_POS, COST_NEG)) - x->y * m;
    double xx = square_norm_if(l, x);
    r->step = smaller(p[C] * x->h, l / xx) * x->y;
    return only_if(xx > 0, l > 0);
}

static const rule pa = SL_PLAIN_RULE(pa_decide), pa_1 = SL_PLAIN_RULE(pa_1_decide), pa_2 = SL_PLAIN_RULE(pa_2_decide),
                  cpa = SL_PLAIN_RULE(cpa_decide);
SL_KERNELS(pa)
SL_KERNELS(pa_1)
SL_KERNELS(pa_2)
SL_KERNELS(cpa)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info pa_1_params[] = {P_C(2)};
static const sluice_param_info pa_2_params[] = {P_C(1)};
static const sluice_param_info cpa_params[] = {P_C(2), P_COST_POS, P_COST_NEG};

#define PAPER "Crammer et al., Online passive-aggressive algorithms, JMLR 2006"

const sl_learner sl_pa = {
    .info.name = "pa",
    .info.summary = "passive-aggressive: always satisfies the last example",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_DIAGONAL(pa),
    .merge = sl_merge_averages,
    .only_weights_0_1 = "pa-1 or pa-2",
};

const sl_learner sl_pa_1 = {
    .info.name = "pa-1",
    .info.summary = "passive-aggressive with bounded steps",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(pa_1_params),
    SL_DIAGONAL(pa_1),
    .merge = sl_merge_averages,
    .trial = {"C=0.25"},
};

const sl_learner sl_pa_2 = {
    .info.name = "pa-2",
    .info.summary = "passive-aggressive with damped steps",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(pa_2_params),
    SL_DIAGONAL(pa_2),
    .merge = sl_merge_averages,
    .trial = {"C=0.25"},
};

const sl_learner sl_cpa = {
    .info.name = "cpa",
    .info.summary = "cost-sensitive passive-aggressive",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(cpa_params),
    SL_DIAGONAL(cpa),
    .merge = sl_merge_averages,
    .trial = {"C=0.25", "cost_pos=4", "cost_neg=0.5"},
};

/* Under its name in the papers on trapezoidal streams (olsf.c). */
const sl_learner sl_olsf_all = {
    .info.name = "olsf-all",
    .info.summary = "olsf-1 that keeps all features: pa-1, for comparison",
    .info.paper = "Zhang et al., Online learning from trapezoidal data streams, TKDE 2016",
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(pa_1_params),
    SL_DIAGONAL(pa_1),
    .merge = sl_merge_averages,
    .trial = {"C=0.25"},
};

#endif
