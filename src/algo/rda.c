/* rda, ada-rda: regularised dual averaging with l1 (Xiao, JMLR 2010), and with a step per feature (Duchi, Hazan,
 * Singer, JMLR 2011).
 *
 *   n = max(t - 1, 1) rounds done, u the sum of gradients, G the sum of their squares
 *   rda      w = -eta sqrt(n) soft(u/n, lambda)               = -eta/sqrt(n) soft(u, n lambda)
 *   ada-rda  w = -eta n/(delta + sqrt G) soft(u/n, lambda)    = -eta/(delta + sqrt G) soft(u, n lambda)
 *   if l > 0: u -= y x, G += x^2
 *
 * The second forms need no division by n for every feature. The papers divide by t - 1, which the first round does not
 * have; there n = 1. The sums must not stall: 64 bits. Importance h: the gradient is h times as long in u. Cost:
 * O(nonzeros of x). */
#include "algo/shared/side.h"

enum { ETA, LAMBDA, DELTA };

static const sluice_param_info rda_params[] = {P_ETA(128), P_LAMBDA(1e-5)};
static const sluice_param_info ada_rda_params[] = {P_ETA(2), P_LAMBDA(1e-5), P_DELTA};

static double rounds_done(uint64_t t) { return t > 1 ? (double)t : 1; }

/* ---- rda --------------------------------------------------------------------------------------------------------- */

typedef struct rda_feature {
    double u;
} rda_feature;

static const sl_field rda_fields[] = {{"u", SL_F64, offsetof(rda_feature, u), -INFINITY}};

SL_VECTOR static double rda_score(sl_state *s, const sl_row *x) {
    const rda_feature *f = s->features;
    double n = rounds_done(s->t - 1), rate = -s->p[ETA] / sqrt(n), k_n = n * s->p[LAMBDA], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double u[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) u[k] = f[x->slot[at + k]].u;
        for (size_t k = 0; k < l; k++) u[k] = rate * soft(u[k], k_n) * (double)x->value[at + k];
        for (size_t k = 0; k < l; k++) m += u[k];
    }
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
    double rounds = rounds_done(s->t), rate = -s->p[ETA] / sqrt(rounds), k_n = rounds * s->p[LAMBDA];
    for (size_t k = 0; k < n; k++) w[k] = (float)(rate * soft(f[slot[k]].u, k_n));
}

INLINE void rda_side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    double n = rounds_done(s->t - 1), root = sqrt(n);
    sl_side rate, k_n, m = {{0}};
    HALVES rate.half[h] = -s->p[ETA].half[h] / root, k_n.half[h] = n * s->p[LAMBDA].half[h];
    for (size_t k = 0; k < x->n; k++) {
        const sl_d8 *u = sl_lanes_at(s, x->slot[k]);
        HALVES m.half[h] += rate.half[h] * d8_soft(u[h], k_n.half[h]) * (double)x->value[k];
    }
    s->m = m;
}

INLINE void rda_side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    if (!lossy(s, x, halves)) return;
    sl_side on = stepping(s);
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *u = sl_lanes_at(s, x->slot[k]);
        HALVES u[h] += d8_step(on.mask[h], d8_all(-(x->h * x->y * (double)x->value[k])));
    }
}

INLINE void rda_side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *w, size_t halves) {
    double rounds = rounds_done(s->t), root = sqrt(rounds);
    sl_side rate, k_n;
    HALVES rate.half[h] = -s->p[ETA].half[h] / root, k_n.half[h] = rounds * s->p[LAMBDA].half[h];
    for (size_t k = 0; k < n; k++) {
        const sl_d8 *u = sl_lanes_at(s, slot[k]);
        HALVES put_weights(w + 8 * (k * halves + h), rate.half[h] * d8_soft(u[h], k_n.half[h]));
    }
}

SIDE_SCORE(rda_side_score)
SIDE_UPDATE(rda_side_update)
SIDE_WEIGHTS(rda_side_weights)
static const sl_lanes_rule rda_side = SIDE_RULE(rda_side_score, rda_side_update, rda_side_weights);

const sl_learner sl_rda = {
    .info.name = "rda",
    .info.summary = "regularised dual averaging with l1",
    .info.paper = "Xiao, Dual averaging methods for regularized stochastic learning and online optimization, JMLR 2010",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(rda_params),
    SL_STATE_OF(rda_feature, rda_fields),
    .trial = {"eta=0.5", "lambda=0.01"},
    .kernels.score = rda_score,
    .kernels.update = rda_update,
    .kernels.weights = rda_weights,
    .lanes = &rda_side,
};

/* ---- ada-rda ----------------------------------------------------------------------------------------------------- */

typedef struct feature {
    double u, G;
} feature;

static const sl_field fields[] = {SL_FIELD(u, SL_F64), SL_FIELD_FROM(G, SL_F64, 0)};

static inline double weight(double eta, double delta, double u, double G, double k_n) {
    return -eta / (delta + sqrt(G)) * soft(u, k_n);
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double eta = s->p[ETA], delta = s->p[DELTA], k_n = rounds_done(s->t - 1) * s->p[LAMBDA], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double u[SL_LANES], G[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) u[k] = f[x->slot[at + k]].u, G[k] = f[x->slot[at + k]].G;
        for (size_t k = 0; k < l; k++) u[k] = weight(eta, delta, u[k], G[k], k_n) * (double)x->value[at + k];
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
    double k_n = rounds_done(s->t) * p[LAMBDA];
    for (size_t k = 0; k < n; k++) w[k] = (float)weight(p[ETA], p[DELTA], f[slot[k]].u, f[slot[k]].G, k_n);
}

/* ---- ada-rda side by side -------------------------------------------------------------------------------------------
 */

INLINE sl_d8 side_weight(const sl_lanes *s, sl_d8 u, sl_d8 G, sl_d8 k_n, size_t h) {
    return -s->p[ETA].half[h] / (s->p[DELTA].half[h] + d8_sqrt(G)) * d8_soft(u, k_n);
}

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    double n = rounds_done(s->t - 1);
    sl_side k_n, m = {{0}};
    HALVES k_n.half[h] = n * s->p[LAMBDA].half[h];
    for (size_t k = 0; k < x->n; k++) {
        const sl_d8 *u = sl_lanes_at(s, x->slot[k]), *G = u + halves;
        HALVES m.half[h] += side_weight(s, u[h], G[h], k_n.half[h], h) * (double)x->value[k];
    }
    s->m = m;
}

INLINE void side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    if (!lossy(s, x, halves)) return;
    sl_side on = stepping(s);
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *u = sl_lanes_at(s, x->slot[k]), *G = u + halves;
        double value = (double)x->value[k];
        HALVES {
            u[h] += d8_step(on.mask[h], d8_all(-(x->h * x->y * value)));
            G[h] += d8_step(on.mask[h], d8_all(value * value));
        }
    }
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *w, size_t halves) {
    double rounds = rounds_done(s->t);
    for (size_t k = 0; k < n; k++) {
        const sl_d8 *u = sl_lanes_at(s, slot[k]), *G = u + halves;
        HALVES put_weights(w + 8 * (k * halves + h), side_weight(s, u[h], G[h], rounds * s->p[LAMBDA].half[h], h));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule ada_rda_side = SIDE_RULE(side_score, side_update, side_weights);

const sl_learner sl_ada_rda = {
    .info.name = "ada-rda",
    .info.summary = "dual averaging with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(ada_rda_params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.01", "delta=0.5"},
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .lanes = &ada_rda_side,
};
