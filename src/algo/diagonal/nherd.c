/* nherd: normal herding (Crammer, Lee, Learning via Gaussian herding, NIPS 2010, with the exact covariance).
 *
 * Every weight vector that the distribution N(w, S) could draw makes the step of pa-2; w and S follow their mean and
 * covariance. Where l > 0:
 *
 *   alpha = l/(v + 1/C)
 *   S^-1 += (C^2 v + 2 C) x x',   that is r = 1/(C^2 v + 2 C)
 *
 * The rest is in confidence.h. Importance h: C h. */
#include "algo/shared/confidence.h"

enum { C, A };

RULE mask nherd_rates(const num *p, num M, num v, double h, rates *to) {
    num l = 1 - M, c = p[C] * h;
    to->r = 1 / (c * c * v + 2 * c);
    to->alpha = l / (v + 1 / c);
    return l > 0;
}

SL_CONFIDENCE(nherd, A, below_one)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_C(8), P_A};

const sl_learner sl_nherd = {
    .info.name = "nherd",
    .info.summary = "normal herding: steps as pa-2, surer with every example learned",
    .info.paper = "Crammer and Lee, Learning via Gaussian herding, NIPS 2010",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(nherd),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .trial = {"C=0.5", "a=2"},
};

#endif
