/* stg: stochastic truncated gradient (Langford, Li, Zhang, JMLR 2009).
 *
 *   if l > 0: w += eta y x
 *   every k-th round, after that: weights with |w| <= theta become soft(w, k eta lambda)
 *
 * Lazily: a weight that no example touches catches up when it is next read. The n truncations it missed are one, for
 * soft(soft(w, g), g) = soft(w, 2g), and one beyond theta stays beyond it. `done` counts a weight's truncations.
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/shared/side.h"

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
static uint32_t truncations(double k, uint64_t rounds) { return (uint32_t)(rounds / (uint64_t)k); }

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
    uint32_t due = truncations(s->p[K], s->t - 1);
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
    uint32_t due = truncations(s->p[K], s->t);
    for (size_t k = 0; k < n; k++) w[k] = (float)caught_up(s, &f[slot[k]], due);
}

static void settle(sl_state *s, const uint32_t *slot, size_t n) {
    feature *f = s->features;
    uint32_t due = truncations(s->p[K], s->t);
    for (size_t k = 0; k < n; k++) f[slot[k]] = (feature){caught_up(s, &f[slot[k]], due), due};
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

typedef struct due {
    sl_u8 half[SL_HALVES];
    sl_side gravity;
} due;

INLINE due side_due(const sl_lanes *s, uint64_t rounds, size_t halves) {
    due d;
    HALVES {
        d.gravity.half[h] = s->p[K].half[h] * s->p[ETA].half[h] * s->p[LAMBDA].half[h];
        for (size_t i = 0; i < 8; i++) d.half[h][i] = truncations(s->p[K].half[h][i], rounds);
    }
    return d;
}

INLINE sl_d8 side_caught_up(const sl_lanes *s, sl_d8 w, sl_u8 done, const due *d, size_t h) {
    sl_d8 less = d8_soft(w, d8_of_counts(d->half[h] - done) * d->gravity.half[h]);
    return d8_where(d8_abs(w) <= s->p[THETA].half[h], less, w);
}

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side m = {{0}};
    due d = side_due(s, s->t - 1, halves);
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *w = sl_lanes_at(s, x->slot[k]);
        sl_u8 *done = (sl_u8 *)(w + halves);
        HALVES {
            w[h] = side_caught_up(s, w[h], done[h], &d, h);
            done[h] = d.half[h];
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
        sl_d8 *w = sl_lanes_at(s, x->slot[k]);
        HALVES w[h] += d8_step(on.mask[h], e.half[h] * (double)x->value[k]);
    }
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *out, size_t halves) {
    due d = side_due(s, s->t, halves);
    for (size_t k = 0; k < n; k++) {
        const sl_d8 *w = sl_lanes_at(s, slot[k]);
        const sl_u8 *done = (const sl_u8 *)(w + halves);
        HALVES put_weights(out + 8 * (k * halves + h), side_caught_up(s, w[h], done[h], &d, h));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule stg_side = SIDE_RULE(side_score, side_update, side_weights);

const sl_learner sl_stg = {
    .info.name = "stg",
    .info.summary = "gradient descent that truncates small weights now and then",
    .info.paper = "Langford et al., Sparse online learning via truncated gradient, JMLR 2009",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=0.25", "lambda=0.01", "k=3", "theta=0.5"},
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .kernels.settle = settle,
    .lanes = &stg_side,
};
