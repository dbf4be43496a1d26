/* ada-fobos: forward-backward splitting with a step per feature (Duchi, Hazan, Singer, JMLR 2011).
 *
 *   if l > 0: G += x^2, w += eta y x/(delta + sqrt G); then every weight becomes soft(w, eta lambda/(delta + sqrt G))
 *
 * Lazily: while no example touches a feature its G stays, so n missed rounds shrink it by n times the same; `done` is
 * the round up to which it was shrunk. G is a sum that must not stall: 64 bits. Importance h: the step is eta h, with
 * `invariant` at most l/(sum of x^2/(delta + sqrt G)), G after the step. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, DELTA, INVARIANT };

/* A round may shrink w by less than the last bit of a float. `done` is modulo 2^32: only differences matter. */
#define STATE(MEMBER) MEMBER(F64, G, 0) MEMBER(F64, w, SL_ANY) MEMBER(U32, done, SL_ANY)
SL_FEATURE(STATE)

typedef struct round_state {
    num eta_lambda, delta, step;
    count rounds;
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t;
    return (round_state){.eta_lambda = p[ETA] * p[LAMBDA], .delta = p[DELTA], .rounds = all_counts((uint32_t)done)};
}

RULE num weight(reg *f, const round_state *r) {
    f->w = soft(f->w, of_count(r->rounds - f->done) * r->eta_lambda / (r->delta + root(f->G)));
    f->done = r->rounds;
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

RULE num slope(const reg *f, const round_state *r, double x) { return x * x / (r->delta + root(f->G + x * x)); }

RULE void step(reg *f, const round_state *r, double x) {
    f->G += x * x;
    f->w += r->step * x / (r->delta + root(f->G));
}

RULE void rescale(reg *f, const round_state *r, double by) { f->w = by * weight(f, r); }

#include "algo/shared/kernels.h"

static const rule ada_fobos = {.begin = begin,
                               .weight = weight,
                               .invariant = invariant,
                               .slope = slope,
                               .rescale = rescale,
                               .decide = decide,
                               .step = step,
                               .lazy = true,
                               .step_changes = MEMBER_BIT(G) | MEMBER_BIT(w),
                               .vector_score = true,
                               .vector_step = true};
SL_KERNELS(ada_fobos)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(1e-5), P_DELTA(1), P_INVARIANT};

static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    const round_state at_into = begin(m->p, NULL, 0, m->into.t), at_from = begin(m->p, NULL, 0, m->from.t);
    reg f = load(into), g = load(from);
    f.w = sl_averaged(m, weight(&f, &at_into), weight(&g, &at_from));
    f.G = positive(f.G + g.G - ((const feature *)start)->G);
    f.done = (uint32_t)m->after.t;
    store(into, f, MEMBER_BIT(G) | MEMBER_BIT(w) | MEMBER_BIT(done));
}

const sl_learner sl_ada_fobos = {
    .info.name = "ada-fobos",
    .info.summary = "fobos with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(ada_fobos),
    .counts_rounds = true,
    .merge = merge,
    .trial = {"eta=0.5", "lambda=0.01", "delta=0.5", "invariant=1"},
};

#endif
