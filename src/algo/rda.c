/* rda, ada-rda: regularised dual averaging with l1 (Xiao, JMLR 2010), and with a step per feature (Duchi, Hazan,
 * Singer, JMLR 2011).
 *
 *   n = max(t - 1, 1) rounds done, u the sum of gradients, G the sum of their squares
 *   rda      w = -eta sqrt(n) soft(u/n, lambda)
 *   ada-rda  w = -eta n/(delta + sqrt G) soft(u/n, lambda)
 *   if l > 0: u -= y x, G += x^2
 *
 * The papers divide by t - 1, which the first round does not have; there n = 1. The sums must not stall: 64 bits.
 * Importance h: the gradient is h times as long in u. Cost: O(nonzeros of x). */
#include "algo/rule.h"

enum { ETA, LAMBDA, DELTA };

static const sluice_param_info rda_params[] = {P_ETA(128), P_LAMBDA(1e-5)};
static const sluice_param_info ada_rda_params[] = {P_ETA(2), P_LAMBDA(1e-5), P_DELTA};

/* ---- rda --------------------------------------------------------------------------------------------------------- */

typedef struct rda_feature {
    double u;
} rda_feature;

static const sl_field rda_fields[] = {{"u", SL_F64, offsetof(rda_feature, u), -INFINITY}};

static double rda_weight(const sl_state *s, const rda_feature *f, double n) {
    return -s->p[ETA] * sqrt(n) * soft(f->u / n, s->p[LAMBDA]);
}

static double rda_score(sl_state *s, const sl_row *x) {
    const rda_feature *f = s->features;
    double n = fmax((double)(s->t - 1), 1), m = 0;
    for (size_t k = 0; k < x->n; k++) m += rda_weight(s, &f[x->slot[k]], n) * (double)x->value[k];
    return m;
}

static bool rda_update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    rda_feature *f = s->features;
    for (size_t k = 0; k < x->n; k++) f[x->slot[k]].u -= x->h * x->y * (double)x->value[k];
    return true;
}

static void rda_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const rda_feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)rda_weight(s, &f[slot[k]], fmax((double)s->t, 1));
}

const sl_learner sl_rda = {
    .info.name = "rda",
    .info.summary = "regularised dual averaging with l1",
    .info.paper = "Xiao, Dual averaging methods for regularized stochastic learning and online optimization, JMLR 2010",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(rda_params),
    SL_STATE_OF(rda_feature, rda_fields),
    .trial = {"eta=0.5", "lambda=0.01"},
    .score = rda_score,
    .update = rda_update,
    .weights = rda_weights,
};

/* ---- ada-rda ----------------------------------------------------------------------------------------------------- */

typedef struct feature {
    double u, G;
} feature;

static const sl_field fields[] = {SL_FIELD(u, SL_F64), SL_FIELD_FROM(G, SL_F64, 0)};

static inline double weight(const double *p, double u, double G, double n) {
    return -p[ETA] * n / (p[DELTA] + sqrt(G)) * soft(u / n, p[LAMBDA]);
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    const double p[] = {s->p[ETA], s->p[LAMBDA], s->p[DELTA]};
    double n = fmax((double)(s->t - 1), 1), m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double u[SL_LANES], G[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) u[k] = f[x->slot[at + k]].u, G[k] = f[x->slot[at + k]].G;
        for (size_t k = 0; k < l; k++) u[k] = weight(p, u[k], G[k], n) * (double)x->value[at + k];
        for (size_t k = 0; k < l; k++) m += u[k];
    }
    return m;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    feature *f = s->features;
    for (size_t k = 0; k < x->n; k++) {
        feature *g = &f[x->slot[k]];
        double value = (double)x->value[k];
        g->u -= x->h * x->y * value;
        g->G += value * value;
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)weight(s->p, f[slot[k]].u, f[slot[k]].G, fmax((double)s->t, 1));
}

const sl_learner sl_ada_rda = {
    .info.name = "ada-rda",
    .info.summary = "dual averaging with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(ada_rda_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.01", "delta=0.5"},
    .score = score,
    .update = update,
    .weights = weights,
};
