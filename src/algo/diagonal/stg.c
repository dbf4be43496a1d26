/* stg: stochastic truncated gradient (Langford, Li, Zhang, JMLR 2009).
 *
 *   if l > 0: w += eta y x
 *   every k-th round, after that: weights with |w| <= theta become soft(w, k eta lambda)
 *
 * Lazily: a weight that no example touches catches up when it is next read. The n truncations it missed are one, for
 * soft(soft(w, g), g) = soft(w, 2g), and one beyond theta stays beyond it. `done` counts a weight's truncations.
 * Importance h: the step is eta h, with `invariant` at most l/|x|^2. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, K, THETA, INVARIANT };

/* A truncation may be smaller than the last bit of a float, and still must not get lost: w has 64 bits. */
#define STATE(MEMBER) MEMBER(F64, w, SL_ANY) MEMBER(U32, done, SL_ANY)
SL_FEATURE(STATE)

typedef struct round_state {
    num gravity, theta, step;
    count due; /* truncations so far, modulo 2^32: only differences matter */
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t;
    round_state r = {.gravity = p[K] * p[ETA] * p[LAMBDA], .theta = p[THETA]};
    for (int i = 0; i < SL_WIDTH; i++) set_count(&r.due, i, (uint32_t)(done / (uint64_t)lane_of(p[K], i)));
    return r;
}

RULE num weight(reg *f, const round_state *r) {
    num less = soft(f->w, of_count(r->due - f->done) * r->gravity);
    f->w = where(absolute(f->w) <= r->theta, less, f->w);
    f->done = r->due;
    return f->w;
}

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    num tau = p[ETA] * x->h;
    mask on = bound_step(&tau, p[INVARIANT], x, m, v);
    r->step = tau * x->y;
    return on;
}

RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[INVARIANT], x, m);
}

RULE num slope(const reg *f, const round_state *r, double x) {
    (void)f, (void)r;
    return all(x * x);
}

RULE void step(reg *f, const round_state *r, double x) { f->w += r->step * x; }

RULE void rescale(reg *f, const round_state *r, double by) { f->w = by * weight(f, r); }

#include "algo/shared/kernels.h"

static const rule stg = {.begin = begin,
                         .weight = weight,
                         .invariant = invariant,
                         .slope = slope,
                         .rescale = rescale,
                         .decide = decide,
                         .step = step,
                         .lazy = true,
                         .step_changes = MEMBER_BIT(w),
                         .vector_score = true};
SL_KERNELS(stg)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {
    P_ETA(2),
    P_LAMBDA(1e-5),
    {"k", "rounds from one truncation to the next", 10, 1, 1e9, 1, NULL},
    {"theta", "only weights up to this size are truncated; inf: all", INFINITY, 0, INFINITY, 0, NULL},
    P_INVARIANT,
};

static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    const round_state at_into = begin(m->p, NULL, 0, m->into.t), at_from = begin(m->p, NULL, 0, m->from.t),
                      after = begin(m->p, NULL, 0, m->after.t);
    reg f = load(into), g = load(from);
    (void)start;
    f.w = sl_averaged(m, weight(&f, &at_into), weight(&g, &at_from));
    f.done = after.due;
    store(into, f, MEMBER_BIT(w) | MEMBER_BIT(done));
}

const sl_learner sl_stg = {
    .info.name = "stg",
    .info.summary = "gradient descent that truncates small weights now and then",
    .info.paper = "Langford et al., Sparse online learning via truncated gradient, JMLR 2009",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(stg),
    .counts_rounds = true,
    .merge = merge,
    .trial = {"eta=0.25", "lambda=0.01", "k=3", "theta=0.5", "invariant=1"},
};

#endif
