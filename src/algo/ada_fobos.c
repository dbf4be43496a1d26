/* ada-fobos: forward-backward splitting with a step per feature (Duchi, Hazan, Singer, JMLR 2011).
 *
 *   if l > 0: G += x^2, w += eta y x/(delta + sqrt G); then every weight becomes soft(w, eta lambda/(delta + sqrt G))
 *
 * Lazily: while no example touches a feature its G stays, so n missed rounds shrink it by n times the same; `done` is
 * the round up to which it has paid. G is a sum that must not stall: 64 bits. Importance h: the step is eta h. Cost:
 * O(nonzeros of x). */
#include "algo/shared/side.h"

enum { ETA, LAMBDA, DELTA };

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(1e-5), P_DELTA};

typedef struct feature {
    double G, w;   /* a round may shrink w by less than the last bit of a float */
    uint32_t done; /* modulo 2^32: only differences matter, and settle() keeps them small */
} feature;

static const sl_field fields[] = {SL_FIELD_FROM(G, SL_F64, 0), SL_FIELD(w, SL_F64), SL_FIELD(done, SL_U32)};

/* w after n rounds without an example */
static inline double shrunk(double w, double G, double n, double eta_lambda, double delta) {
    return soft(w, n * eta_lambda / (delta + sqrt(G)));
}

static double missed(const feature *f, uint32_t rounds) { return (double)(uint32_t)(rounds - f->done); }

static double caught_up(const sl_state *s, const feature *f, uint32_t rounds) {
    return shrunk(f->w, f->G, missed(f, rounds), s->p[ETA] * s->p[LAMBDA], s->p[DELTA]);
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    uint32_t rounds = (uint32_t)(s->t - 1);
    double eta_lambda = s->p[ETA] * s->p[LAMBDA], delta = s->p[DELTA], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double w[SL_LANES], G[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) {
            const feature *g = &f[x->slot[at + k]];
            w[k] = g->w, G[k] = g->G, n[k] = missed(g, rounds);
        }
        for (size_t k = 0; k < l; k++) w[k] = shrunk(w[k], G[k], n[k], eta_lambda, delta);
        for (size_t k = 0; k < l; k++) {
            feature *g = &f[x->slot[at + k]];
            g->w = w[k];
            g->done = rounds;
            m += w[k] * (double)x->value[at + k];
        }
    }
    return m;
}

SL_VECTOR static bool update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    feature *f = s->features;
    double e = s->p[ETA] * x->h * x->y, delta = s->p[DELTA];
    for (size_t at = 0, l; at < x->n; at += l) {
        double w[SL_LANES], G[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) w[k] = f[x->slot[at + k]].w, G[k] = f[x->slot[at + k]].G;
        for (size_t k = 0; k < l; k++) {
            double value = (double)x->value[at + k];
            G[k] += value * value;
            w[k] += e * value / (delta + sqrt(G[k]));
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]].w = w[k], f[x->slot[at + k]].G = G[k];
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)caught_up(s, &f[slot[k]], (uint32_t)s->t);
}

static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    feature *f = s->features;
    for (size_t k = 0; k < n; k++) {
        feature *g = &f[slot[k]];
        g->w = caught_up(s, g, (uint32_t)s->t);
        g->done = (uint32_t)s->t;
    }
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

INLINE sl_d8 side_shrunk(const sl_lanes *s, sl_d8 w, sl_d8 G, sl_u8 missed, size_t h) {
    sl_d8 by = d8_of_counts(missed) * (s->p[ETA].half[h] * s->p[LAMBDA].half[h]);
    return d8_soft(w, by / (s->p[DELTA].half[h] + d8_sqrt(G)));
}

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side m = {{0}};
    const sl_u8 rounds = (sl_u8){0} + (uint32_t)(s->t - 1);
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *G = sl_lanes_at(s, x->slot[k]), *w = G + halves;
        sl_u8 *done = (sl_u8 *)(w + halves);
        HALVES {
            w[h] = side_shrunk(s, w[h], G[h], rounds - done[h], h);
            done[h] = rounds;
            m.half[h] += w[h] * (double)x->value[k];
        }
    }
    s->m = m;
}

INLINE void side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    if (!lossy(s, x, halves)) return;
    sl_side e, on = stepping(s);
    HALVES e.half[h] = s->p[ETA].half[h] * x->h * x->y;
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *G = sl_lanes_at(s, x->slot[k]), *w = G + halves;
        double value = (double)x->value[k];
        HALVES {
            G[h] += d8_step(on.mask[h], d8_all(value * value));
            w[h] += d8_step(on.mask[h], e.half[h] * value / (s->p[DELTA].half[h] + d8_sqrt(G[h])));
        }
    }
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *out, size_t halves) {
    const sl_u8 rounds = (sl_u8){0} + (uint32_t)s->t;
    for (size_t k = 0; k < n; k++) {
        const sl_d8 *G = sl_lanes_at(s, slot[k]), *w = G + halves;
        const sl_u8 *done = (const sl_u8 *)(w + halves);
        HALVES put_weights(out + 8 * (k * halves + h), side_shrunk(s, w[h], G[h], rounds - done[h], h));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule ada_fobos_side = SIDE_RULE(side_score, side_update, side_weights);

const sl_learner sl_ada_fobos = {
    .info.name = "ada-fobos",
    .info.summary = "fobos with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.01", "delta=0.5"},
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .kernels.settle = settle,
    .lanes = &ada_fobos_side,
};
