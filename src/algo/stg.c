/* stg: stochastic truncated gradient (Langford, Li, Zhang, JMLR 2009).
 *
 *   if l > 0: w += eta y x
 *   every k-th round, after that: weights with |w| <= theta become soft(w, k eta lambda)
 *
 * Lazily: a weight that no example touches catches up when it is next read. The n truncations it missed are one, for
 * soft(soft(w, g), g) = soft(w, 2g), and one beyond theta stays beyond it. `done` counts a weight's truncations.
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/rule.h"

enum { ETA, LAMBDA, K, THETA };

static const sluice_param_info params[] = {
    P_ETA(2),
    P_LAMBDA(1e-5),
    {"k", "rounds from one truncation to the next", 10, 1, 1e9, 1, NULL},
    {"theta", "only weights up to this size are truncated; inf: all", INFINITY, 0, INFINITY, 0, NULL},
};

typedef struct feature {
    double w; /* a truncation may be smaller than the last bit of a float, and still must not get lost */
    uint32_t done;
} feature;

static const sl_field fields[] = {SL_FIELD(w, SL_F64), SL_FIELD(done, SL_U32)};

/* Truncations in the first `rounds` rounds, modulo 2^32: only differences matter, and settle() keeps them small. */
static uint32_t truncations(const sl_state *s, uint64_t rounds) { return (uint32_t)(rounds / (uint64_t)s->p[K]); }

/* w after n truncations by g */
static inline double truncated(double w, double n, double g, double theta) {
    double less = soft(w, n * g);
    return fabs(w) <= theta ? less : w;
}

static double gravity(const sl_state *s) { return s->p[K] * s->p[ETA] * s->p[LAMBDA]; }
static double missed(const feature *f, uint32_t due) { return (double)(uint32_t)(due - f->done); }

static double caught_up(const sl_state *s, const feature *f, uint32_t due) {
    return truncated(f->w, missed(f, due), gravity(s), s->p[THETA]);
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    uint32_t due = truncations(s, s->t - 1);
    double g = gravity(s), theta = s->p[THETA], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double w[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) w[k] = f[x->slot[at + k]].w, n[k] = missed(&f[x->slot[at + k]], due);
        for (size_t k = 0; k < l; k++) w[k] = truncated(w[k], n[k], g, theta);
        for (size_t k = 0; k < l; k++) {
            f[x->slot[at + k]] = (feature){w[k], due};
            m += w[k] * (double)x->value[at + k];
        }
    }
    return m;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    if (hinge(x, m) <= 0) return false;
    feature *f = s->features;
    double e = s->p[ETA] * x->h * x->y;
    for (size_t k = 0; k < x->n; k++) f[x->slot[k]].w += e * (double)x->value[k];
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    uint32_t due = truncations(s, s->t);
    for (size_t k = 0; k < n; k++) w[k] = (float)caught_up(s, &f[slot[k]], due);
}

static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    feature *f = s->features;
    uint32_t due = truncations(s, s->t);
    for (size_t k = 0; k < n; k++) f[slot[k]] = (feature){caught_up(s, &f[slot[k]], due), due};
}

const sl_learner sl_stg = {
    .info.name = "stg",
    .info.summary = "gradient descent that truncates small weights now and then",
    .info.paper = "Langford et al., Sparse online learning via truncated gradient, JMLR 2009",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.25", "lambda=0.01", "k=3", "theta=0.5"},
    .score = score,
    .update = update,
    .weights = weights,
    .settle = settle,
};
