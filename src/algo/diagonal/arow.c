/* arow, arow-full: adaptive regularisation of weights: least squares on the hinge loss, surer with every example
 * learned.
 *
 *   if l > 0: beta = 1/(v + r), alpha = l beta                   Crammer, Kulesza, Dredze, NIPS 2009
 *
 * The rest is in confidence.h. Importance h: r/h. */
#include "algo/shared/confidence.h"

enum { R, A, FORGET };

RULE mask arow_rates(const num *p, num M, num v, double h, rates *to) {
    num l = 1 - M;
    to->r = p[R] / h;
    to->alpha = l / (v + to->r);
    return l > 0;
}

SL_CONFIDENCE(arow, A, below_one)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_R(0.03), P_A, P_FORGET};

#define PAPER "Crammer et al., Adaptive regularization of weight vectors, NIPS 2009"

extern const sl_learner sl_arow_forgetting;

const sl_learner SL_RECORD(arow) = {
    .info.name = "arow",
    .info.summary = "adaptive regularisation of weights: robust to noise",
    .info.paper = PAPER,
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX),
    SL_PARAMS(params),
    SL_DIAGONAL(arow),
    SL_FORGETTING(arow, FORGET),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .trial = SL_TRIAL("r=0.5", "a=2"),
};

#ifndef SL_FORGETS

static const sluice_param_info full_params[] = {P_R(0.03), P_A};

SL_FULL(arow, A, below_one(s->p, x, m))

const sl_learner sl_arow_full = {
    .info.name = "arow-full",
    .without_matrix = "arow",
    .info.summary = "arow with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(full_params),
    SL_FULL_STATE,
    .trial = {"r=0.5", "a=2"},
    .kernels.update = arow_full_update,
};

#endif
#endif
