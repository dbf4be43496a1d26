/* scw-1, scw-2: soft confidence-weighted learning (Wang, Zhao, Hoi, ICML 2012, propositions 1 and 2).
 *
 * As cw, with the deviation itself, and giving way for a price: the loss is l = max(0, phi sqrt(v) - M), its weight C
 * (scw-1: C l, scw-2: C l^2). Where l > 0, with psi = 1 + phi^2/2, zeta = 1 + phi^2 and n = v + 1/(2C):
 *
 *   scw-1  alpha = min(C, max(0, (-M psi + sqrt(M^2 phi^4/4 + v phi^2 zeta))/(v zeta)))
 *   scw-2  alpha = max(0, (-(2 M n + phi^2 M v) + phi sqrt(phi^2 M^2 v^2 + 4 n v (n + v phi^2)))/(2 (n^2 + n v phi^2)))
 *   both   sqrt(u) = (-alpha v phi + sqrt(alpha^2 v^2 phi^2 + 4 v))/2        the deviation after the step
 *          beta = alpha phi/(sqrt(u) + v alpha phi),   that is r = sqrt(u)/(alpha phi)
 *
 * The rest is in confidence.h. Importance h: C h. */
#include "algo/shared/confidence.h"

enum { PHI, C, A, FORGET };

RULE mask rates_of(num alpha, num phi, num v, rates *to) {
    num b = alpha * v * phi;
    num deviation = 2 * v / (b + root(b * b + 4 * v)); /* sqrt(u), without a difference of like numbers */
    to->alpha = alpha;
    to->r = deviation / (alpha * phi);
    return alpha > 0;
}

RULE mask scw_1_rates(const num *p, num M, num v, double h, rates *to) {
    num phi = p[PHI], phi2 = phi * phi, psi = 1 + phi2 / 2, zeta = 1 + phi2;
    mask on = phi * root(v) > M;
    if (!any(on)) return on;
    num alpha = (-M * psi + root(M * M * phi2 * phi2 / 4 + v * phi2 * zeta)) / (v * zeta);
    return on & rates_of(smaller(p[C] * h, alpha), phi, v, to);
}

RULE mask scw_2_rates(const num *p, num M, num v, double h, rates *to) {
    num phi = p[PHI], phi2 = phi * phi, n = v + 1 / (2 * p[C] * h);
    mask on = phi * root(v) > M;
    if (!any(on)) return on;
    num gamma = phi * root(phi2 * M * M * v * v + 4 * n * v * (n + v * phi2));
    num alpha = (-(2 * M * n + phi2 * M * v) + gamma) / (2 * (n * n + n * v * phi2));
    return on & rates_of(alpha, phi, v, to);
}

SL_CONFIDENCE(scw_1, A, NULL)
SL_CONFIDENCE(scw_2, A, NULL)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_PHI(1), P_C(4), P_A, P_FORGET};

#define PAPER "Wang et al., Exact soft confidence-weighted learning, ICML 2012"

extern const sl_learner sl_scw_1_forgetting, sl_scw_2_forgetting;

const sl_learner SL_RECORD(scw_1) = {
    .info.name = "scw-1",
    .info.summary = "soft confidence-weighted with bounded steps",
    .info.paper = PAPER,
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES),
    SL_PARAMS(params),
    SL_DIAGONAL(scw_1),
    SL_FORGETTING(scw_1, FORGET),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .trial = SL_TRIAL("phi=0.5", "C=0.5", "a=2"),
};

const sl_learner SL_RECORD(scw_2) = {
    .info.name = "scw-2",
    .info.summary = "soft confidence-weighted with damped steps",
    .info.paper = PAPER,
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES),
    SL_PARAMS(params),
    SL_DIAGONAL(scw_2),
    SL_FORGETTING(scw_2, FORGET),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .trial = SL_TRIAL("phi=0.5", "C=0.5", "a=2"),
};

#ifndef SL_FORGETS

static const sluice_param_info full_params[] = {P_PHI(1), P_C(4), P_A};

SL_FULL(scw_1, A, true)
SL_FULL(scw_2, A, true)

const sl_learner sl_scw_1_full = {
    .info.name = "scw-1-full",
    .without_matrix = "scw-1",
    .info.summary = "scw-1 with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(full_params),
    SL_FULL_STATE,
    .trial = {"phi=0.5", "C=0.5", "a=2"},
    .kernels.update = scw_1_full_update,
};

const sl_learner sl_scw_2_full = {
    .info.name = "scw-2-full",
    .without_matrix = "scw-2",
    .info.summary = "scw-2 with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(full_params),
    SL_FULL_STATE,
    .trial = {"phi=0.5", "C=0.5", "a=2"},
    .kernels.update = scw_2_full_update,
};

#endif
#endif
