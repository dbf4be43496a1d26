/* ada-fobos: forward-backward splitting with a step per feature (Duchi, Hazan, Singer, JMLR 2011).
 *
 *   if l > 0: G += x^2, w += eta y x/(delta + sqrt G); then every weight becomes soft(w, eta lambda/(delta + sqrt G))
 *
 * Lazily: while no example touches a feature its G stays, so n missed rounds shrink it by n times the same; `done` is
 * the round up to which it has paid. G is a sum that must not stall: 64 bits. Importance h: the step is eta h. Cost:
 * O(nonzeros of x). */
#include "algo/rule.h"

enum { ETA, LAMBDA, DELTA };

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(1e-5), P_DELTA};

typedef struct feature {
    double G, w;   /* a round may shrink w by less than the last bit of a float */
    uint32_t done; /* modulo 2^32: only differences matter, and settle() keeps them small */
} feature;

static const sl_field fields[] = {SL_FIELD_FROM(G, SL_F64, 0), SL_FIELD(w, SL_F64), SL_FIELD(done, SL_U32)};

static double caught_up(const sl_state *s, const feature *f, uint32_t rounds) {
    double n = (double)(uint32_t)(rounds - f->done);
    return f->w != 0 ? soft(f->w, n * s->p[ETA] * s->p[LAMBDA] / (s->p[DELTA] + sqrt(f->G))) : 0;
}

static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    uint32_t rounds = (uint32_t)(s->t - 1);
    double m = 0;
    for (size_t k = 0; k < x->n; k++) {
        feature *g = &f[x->slot[k]];
        g->w = caught_up(s, g, rounds);
        g->done = rounds;
        m += g->w * (double)x->value[k];
    }
    return m;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    feature *f = s->features;
    double e = s->p[ETA] * x->h * x->y;
    for (size_t k = 0; k < x->n; k++) {
        feature *g = &f[x->slot[k]];
        double value = (double)x->value[k];
        g->G += value * value;
        g->w += e * value / (s->p[DELTA] + sqrt(g->G));
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

const sl_learner sl_ada_fobos = {
    .info.name = "ada-fobos",
    .info.summary = "fobos with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.5", "lambda=0.01", "delta=0.5"},
    .score = score,
    .update = update,
    .weights = weights,
    .settle = settle,
};
