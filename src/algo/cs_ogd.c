/* cs-ogd: cost-sensitive online gradient descent (Wang, Zhao, Hoi, Cost-sensitive online classification, TKDE 2014).
 *
 *   if l > 0: w += eta c_y y x
 *
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/shared/rule.h"

enum { ETA, COST_POS, COST_NEG };

static const sluice_param_info params[] = {P_ETA(2), P_COST_POS, P_COST_NEG};

static bool update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    sl_plain_step(s, x, s->p[ETA] * x->h * cost(s, x, COST_POS, COST_NEG) * x->y);
    return true;
}

const sl_learner sl_cs_ogd = {
    .info.name = "cs-ogd",
    .info.summary = "cost-sensitive gradient descent",
    .info.paper = "Wang et al., Cost-sensitive online classification, TKDE 2014",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_PLAIN_STATE,
    .trial = {"eta=0.25", "cost_pos=3", "cost_neg=0.5"},
    .kernels.score = sl_plain_score,
    .kernels.update = update,
    .kernels.weights = sl_plain_weights,
};
