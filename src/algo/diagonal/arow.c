/* arow, narow: adaptive regularisation of weights: least squares on the hinge loss, surer with every example learned.
 *
 *   if l > 0: beta = 1/(v + r), alpha = l beta                   arow: Crammer, Kulesza, Dredze, NIPS 2009
 *   narow: if l > 0 and v > 1/b: r = v/(b v - 1), then as arow   Orabona, Crammer, NIPS 2010
 *     Where v <= 1/b, r would be infinite: no update is made.
 *
 * The rest is in confidence.h. Importance h: r/h. */
#include "algo/shared/confidence.h"

enum { R, AROW_A };
enum { B, NAROW_A };

RULE mask arow_rates(const num *p, num M, num v, double h, rates *to) {
    num l = 1 - M;
    to->r = p[R] / h;
    to->alpha = l / (v + to->r);
    return l > 0;
}

RULE mask narow_rates(const num *p, num M, num v, double h, rates *to) {
    num l = 1 - M, b = p[B];
    to->r = v / (b * v - 1) / h;
    to->alpha = l / (v + to->r);
    return (l > 0) & (v > 1 / b);
}

SL_CONFIDENCE(arow, AROW_A, below_one)
SL_CONFIDENCE(narow, NAROW_A, below_one)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info arow_params[] = {P_R(0.03), P_A};
static const sluice_param_info narow_params[] = {
    {"b", "examples are learned while their variance is above 1/b", 64, 1e-12, 1e12, 0, NULL},
    P_A,
};

#define AROW_PAPER "Crammer et al., Adaptive regularization of weight vectors, NIPS 2009"
#define NAROW_PAPER "Orabona and Crammer, New adaptive algorithms for online classification, NIPS 2010"

SL_FULL(arow, AROW_A, below_one(s->p, x, m))
SL_FULL(narow, NAROW_A, below_one(s->p, x, m))

const sl_learner sl_arow = {
    .info.name = "arow",
    .info.summary = "adaptive regularisation of weights: confident and robust to noise",
    .info.paper = AROW_PAPER,
    .info.flags = SLUICE_LEARNER_MATRIX,
    SL_PARAMS(arow_params),
    SL_DIAGONAL(arow),
    .fresh = &fresh,
    .trial = {"r=0.5", "a=2"},
};

const sl_learner sl_arow_full = {
    .info.name = "arow-full",
    .without_matrix = "arow",
    .info.summary = "arow with a full matrix: for few features",
    .info.paper = AROW_PAPER,
    SL_PARAMS(arow_params),
    SL_FULL_STATE,
    .trial = {"r=0.5", "a=2"},
    .kernels.update = arow_full_update,
};

const sl_learner sl_narow = {
    .info.name = "narow",
    .info.summary = "arow that learns only what it is not sure of",
    .info.paper = NAROW_PAPER,
    SL_PARAMS(narow_params),
    SL_DIAGONAL(narow),
    .fresh = &fresh,
    .trial = {"b=2", "a=2"},
};

const sl_learner sl_narow_full = {
    .info.name = "narow-full",
    .without_matrix = "narow",
    .info.summary = "narow with a full matrix: for few features",
    .info.paper = NAROW_PAPER,
    SL_PARAMS(narow_params),
    SL_FULL_STATE,
    .trial = {"b=2", "a=2"},
    .kernels.update = narow_full_update,
};

#endif
