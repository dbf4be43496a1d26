/* arow, narow: adaptive regularisation of weights: least squares on the hinge loss, surer with every example learned.
 *
 *   if l > 0: beta = 1/(v + r), alpha = l beta                   arow: Crammer, Kulesza, Dredze, NIPS 2009
 *   narow: if l > 0 and v > 1/b: r = v/(b v - 1), then as arow   Orabona, Crammer, NIPS 2010
 *     Where v <= 1/b, r would be infinite: what it is that sure of, narow no longer learns.
 *
 * The rest is in confidence.h. Importance h: r/h. */
#include "algo/shared/confidence.h"

enum { R, AROW_A };
enum { B, NAROW_A };

static const sluice_param_info arow_params[] = {P_R(0.03), P_A};
static const sluice_param_info narow_params[] = {
    {"b", "examples are learned while their variance is above 1/b", 64, 1e-12, 1e12, 0, NULL},
    P_A,
};

static bool arow_rates(const double *p, double M, double v, double h, sl_rates *to) {
    double l = 1 - M;
    to->r = p[R] / h;
    to->alpha = l / (v + to->r);
    return true;
}

static bool narow_rates(const double *p, double M, double v, double h, sl_rates *to) {
    double l = 1 - M, b = p[B];
    if (v <= 1 / b) return false;
    to->r = v / (b * v - 1) / h;
    to->alpha = l / (v + to->r);
    return true;
}

static const sl_confidence arow = {.rates = arow_rates, .edge = 1, .a = AROW_A};
static const sl_confidence narow = {.rates = narow_rates, .edge = 1, .a = NAROW_A};

static bool arow_update(sl_state *s, const sl_row *x, double m) { return sl_sure_update(s, x, m, &arow); }
static bool arow_full_update(sl_state *s, const sl_row *x, double m) { return sl_full_update(s, x, m, &arow); }
static bool narow_update(sl_state *s, const sl_row *x, double m) { return sl_sure_update(s, x, m, &narow); }
static bool narow_full_update(sl_state *s, const sl_row *x, double m) { return sl_full_update(s, x, m, &narow); }

#define AROW "Crammer et al., Adaptive regularization of weight vectors, NIPS 2009"
#define NAROW "Orabona and Crammer, New adaptive algorithms for online classification, NIPS 2010"

const sl_learner sl_arow = {
    .info.name = "arow",
    .info.summary = "adaptive regularisation of weights: confident and robust to noise",
    .info.paper = AROW,
    SL_PARAMS(arow_params),
    SL_DIAGONAL,
    .trial = {"r=0.5", "a=2"},
    .kernels.update = arow_update,
};

const sl_learner sl_arow_full = {
    .info.name = "arow-full",
    .without_matrix = "arow",
    .info.summary = "arow with a full matrix: for few features",
    .info.paper = AROW,
    SL_PARAMS(arow_params),
    SL_FULL,
    .trial = {"r=0.5", "a=2"},
    .kernels.update = arow_full_update,
};

const sl_learner sl_narow = {
    .info.name = "narow",
    .info.summary = "arow that learns only what it is not sure of",
    .info.paper = NAROW,
    SL_PARAMS(narow_params),
    SL_DIAGONAL,
    .trial = {"b=2", "a=2"},
    .kernels.update = narow_update,
};

const sl_learner sl_narow_full = {
    .info.name = "narow-full",
    .without_matrix = "narow",
    .info.summary = "narow with a full matrix: for few features",
    .info.paper = NAROW,
    SL_PARAMS(narow_params),
    SL_FULL,
    .trial = {"b=2", "a=2"},
    .kernels.update = narow_full_update,
};
