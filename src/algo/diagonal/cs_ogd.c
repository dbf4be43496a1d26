/* cs-ogd: cost-sensitive online gradient descent (Wang, Zhao, Hoi, Cost-sensitive online classification, TKDE 2014).
 *
 *   if l > 0: w += eta c_y y x
 *
 * Importance h: the step is eta h, with `invariant` at most l/|x|^2. Cost: O(nonzeros of x). */
#include "algo/shared/plain.h"

enum { ETA, COST_POS, COST_NEG, INVARIANT };

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    num tau = p[ETA] * x->h * cost(p, x, COST_POS, COST_NEG);
    mask on = bound_step(&tau, p[INVARIANT], x, m, v);
    r->step = tau * x->y;
    return on;
}

RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[INVARIANT], x, m);
}

RULE num slope(const reg *f, const round_state *r, double x) {
    (void)f, (void)r;
    return all(x * x);
}

static const rule cs_ogd = {
    .weight = weight, .invariant = invariant, .slope = slope, .decide = decide, .step = step, .rescale = rescale};
SL_KERNELS(cs_ogd)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(2), P_COST_POS, P_COST_NEG, P_INVARIANT};

const sl_learner sl_cs_ogd = {
    .info.name = "cs-ogd",
    .info.summary = "cost-sensitive gradient descent",
    .info.paper = "Wang et al., Cost-sensitive online classification, TKDE 2014",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(cs_ogd),
    .trial = {"eta=0.25", "cost_pos=3", "cost_neg=0.5", "invariant=1"},
};

#endif
