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
#include "algo/side.h"

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

SL_VECTOR static void rda_side_score(sl_lanes *s, const sl_row *x) {
    double n = fmax((double)(s->t - 1), 1), root = sqrt(n);
    sl_side m = {{0}};
    for (size_t k = 0; k < x->n; k++) {
        const sl_d8 *u = sl_lanes_at(s, x->slot[k]);
        HALVES m.half[h] += -s->p[ETA].half[h] * root * d8_soft(u[h] / n, s->p[LAMBDA].half[h]) * (double)x->value[k];
    }
    s->m = m;
}

SL_VECTOR static void rda_side_update(sl_lanes *s, const sl_row *x) {
    if (!lossy(s, x)) return;
    sl_side on = s->on;
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *u = sl_lanes_at(s, x->slot[k]);
        HALVES u[h] = d8_where(on.mask[h], u[h] - x->h * x->y * (double)x->value[k], u[h]);
    }
}

static const sl_lanes_rule rda_side = {rda_side_score, rda_side_update};

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
    .lanes = &rda_side,
};

/* ---- ada-rda ----------------------------------------------------------------------------------------------------- */

typedef struct feature {
    double u, G;
} feature;

static const sl_field fields[] = {SL_FIELD(u, SL_F64), SL_FIELD_FROM(G, SL_F64, 0)};

static inline double weight(double eta, double lambda, double delta, double u, double G, double n) {
    return -eta * n / (delta + sqrt(G)) * soft(u / n, lambda);
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double eta = s->p[ETA], lambda = s->p[LAMBDA], delta = s->p[DELTA];
    double n = fmax((double)(s->t - 1), 1), m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double u[SL_LANES], G[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) u[k] = f[x->slot[at + k]].u, G[k] = f[x->slot[at + k]].G;
        for (size_t k = 0; k < l; k++) u[k] = weight(eta, lambda, delta, u[k], G[k], n) * (double)x->value[at + k];
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
    const double *p = s->p;
    double rounds = fmax((double)s->t, 1);
    for (size_t k = 0; k < n; k++)
        w[k] = (float)weight(p[ETA], p[LAMBDA], p[DELTA], f[slot[k]].u, f[slot[k]].G, rounds);
}

/* ---- ada-rda side by side -------------------------------------------------------------------------------------------
 */

typedef struct side {
    sl_d8 u[SL_HALVES], G[SL_HALVES];
} side;

SL_VECTOR static void side_score(sl_lanes *s, const sl_row *x) {
    double n = fmax((double)(s->t - 1), 1);
    sl_side m = {{0}};
    for (size_t k = 0; k < x->n; k++) {
        const side *f = sl_lanes_at(s, x->slot[k]);
        HALVES {
            sl_d8 rate = -s->p[ETA].half[h] * n / (s->p[DELTA].half[h] + d8_sqrt(f->G[h]));
            m.half[h] += rate * d8_soft(f->u[h] / n, s->p[LAMBDA].half[h]) * (double)x->value[k];
        }
    }
    s->m = m;
}

SL_VECTOR static void side_update(sl_lanes *s, const sl_row *x) {
    if (!lossy(s, x)) return;
    sl_side on = s->on;
    for (size_t k = 0; k < x->n; k++) {
        side *f = sl_lanes_at(s, x->slot[k]);
        double value = (double)x->value[k];
        HALVES {
            f->u[h] = d8_where(on.mask[h], f->u[h] - x->h * x->y * value, f->u[h]);
            f->G[h] = d8_where(on.mask[h], f->G[h] + value * value, f->G[h]);
        }
    }
}

static const sl_lanes_rule ada_rda_side = {side_score, side_update};

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
    .lanes = &ada_rda_side,
};
