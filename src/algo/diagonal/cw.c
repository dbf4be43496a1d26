/* cw: confidence-weighted learning (Dredze, Crammer, Pereira, ICML 2008), in its variance form.
 *
 * The smallest change of N(w, S) that gets the example right with probability Phi(phi) or more, where the deviation of
 * its margin is replaced by the variance, which makes the step a formula: M >= phi v after it. Where M < phi v:
 *
 *   alpha = max(0, (-(1 + 2 phi M) + sqrt((1 + 2 phi M)^2 - 8 phi (M - phi v))) / (4 phi v))
 *   beta = 2 alpha phi / (1 + 2 alpha phi v),   that is r = 1/(2 alpha phi)
 *
 * The rest is in confidence.h. Every example is learned until it is right, so noise hurts; scw bounds the step.
 * Importance: a constraint holds or does not; only 0 and 1. */
#include "algo/shared/confidence.h"

enum { PHI, A };

RULE mask cw_rates(const num *p, num M, num v, double h, rates *to) {
    (void)h;
    num phi = p[PHI], b = 1 + 2 * phi * M;
    mask on = M < phi * v;
    if (!any(on)) return on;
    to->alpha = (-b + root(b * b - 8 * phi * (M - phi * v))) / (4 * phi * v);
    to->r = 1 / (2 * to->alpha * phi);
    return on & (to->alpha > 0);
}

SL_CONFIDENCE(cw, A, NULL)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_PHI(1), P_A};

#define PAPER "Dredze et al., Confidence-weighted linear classification, ICML 2008"

SL_FULL(cw, A, true)

const sl_learner sl_cw = {
    .info.name = "cw",
    .info.summary = "confidence-weighted: rare features move fast; for clean labels",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(params),
    SL_DIAGONAL(cw),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .only_weights_0_1 = "scw-1 or scw-2",
    .trial = {"phi=0.5", "a=2"},
};

const sl_learner sl_cw_full = {
    .info.name = "cw-full",
    .without_matrix = "cw",
    .info.summary = "cw with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(params),
    SL_FULL_STATE,
    .only_weights_0_1 = "scw-1-full or scw-2-full",
    .trial = {"phi=0.5", "a=2"},
    .kernels.update = cw_full_update,
};

#endif
