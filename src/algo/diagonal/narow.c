/* narow, narow-full: arow that learns only what it is not sure of.
 *
 *   if l > 0 and v > 1/b: r = v/(b v - 1), then as arow          Orabona, Crammer, NIPS 2010
 *     Where v <= 1/b, r would be infinite: no update is made.
 *
 * The rest is in confidence.h. Importance h: r/h. */
#include "algo/shared/confidence.h"

enum { B, A };

RULE mask narow_rates(const num *p, num M, num v, double h, rates *to) {
    num l = 1 - M, b = p[B];
    to->r = v / (b * v - 1) / h;
    to->alpha = l / (v + to->r);
    return (l > 0) & (v > 1 / b);
}

SL_CONFIDENCE(narow, A, below_one)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {
    {"b", "examples are learned while their variance is above 1/b", 64, 1e-12, 1e12, 0, NULL},
    P_A,
};

#define PAPER "Orabona and Crammer, New adaptive algorithms for online classification, NIPS 2010"

SL_FULL(narow, A, below_one(s->p, x, m))

const sl_learner sl_narow = {
    .info.name = "narow",
    .info.summary = "arow that learns only what it is not sure of",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(narow),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
    .trial = {"b=2", "a=2"},
};

const sl_learner sl_narow_full = {
    .info.name = "narow-full",
    .without_matrix = "narow",
    .info.summary = "narow with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(params),
    SL_FULL_STATE,
    .trial = {"b=2", "a=2"},
    .kernels.update = narow_full_update,
};

#endif
