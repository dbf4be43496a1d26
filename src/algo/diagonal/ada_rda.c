/* ada-rda: dual averaging with l1 and a step per feature (Duchi, Hazan, Singer, JMLR 2011).
 *
 *   n = max(t - 1, 1) rounds done, u the sum of gradients, G the sum of their squares
 *   w = -eta n/(delta + sqrt G) soft(u/n, lambda) = -eta/(delta + sqrt G) soft(u, n lambda)
 *   if l > 0: u -= y x, G += x^2
 *
 * The paper divides by t - 1, which the first round does not have; there n = 1. The sums must not stall: 64 bits.
 * Importance h: the gradient is h times as long in u, with `invariant` at most l/(sum of eta x^2/(delta + sqrt G))
 * times, G after the step. Forgetting: of u and G; n stays. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/forgetting.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, DELTA, FORGET, INVARIANT };

#define STATE(MEMBER) MEMBER(F64, u, SL_ANY) MEMBER(F64, G, 0) SL_ROUND(MEMBER)
SL_FEATURE(STATE)

typedef struct round_state {
    num eta, delta, k_n;
    num hy;
    SL_FORGETTING_PART
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t;
    double n = done > 1 ? (double)done : 1;
    return (round_state){.eta = p[ETA], .delta = p[DELTA], .k_n = n * p[LAMBDA], SL_FORGET_BEGIN(p, FORGET, t)};
}

#ifdef SL_FORGETS
RULE void catch_up(reg *f, const round_state *r) {
    num g = power(r->log2_G, r->round - f->round);
    f->u *= g;
    f->G *= g;
    f->round = r->round;
}
#endif

RULE num weight(reg *f, const round_state *r) { return -r->eta / (r->delta + root(f->G)) * soft(f->u, r->k_n); }

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    num tau = all(x->h);
    mask on = bound_step(&tau, p[INVARIANT], x, m, v);
    r->hy = tau * x->y;
    return on;
}

RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[INVARIANT], x, m);
}

RULE num slope(const reg *f, const round_state *r, double x) {
    return r->eta * (x * x) / (r->delta + root(f->G + x * x));
}

RULE void step(reg *f, const round_state *r, double x) {
    f->u -= r->hy * x;
    f->G += x * x;
}

RULE void rescale(reg *f, const round_state *r, double by) { f->u = soft_times(f->u, r->k_n, by); }

#include "algo/shared/kernels.h"

static const rule ada_rda = {.begin = begin,
                             .catch_up = SL_CATCH_UP,
                             .weight = weight,
                             .invariant = invariant,
                             .slope = slope,
                             .decide = decide,
                             .step = step,
                             .rescale = rescale,
                             .vector_score = true};
SL_KERNELS(ada_rda)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(1), P_LAMBDA(3e-5), P_DELTA(0.1), P_FORGET, P_INVARIANT};

/* u/(delta + sqrt G), by the squared gradients that each has added. */
static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    const double delta = m->p[DELTA], G = positive(f->G + g->G - s->G);
    f->u = (delta + sqrt(G)) * sl_merged_mean(f->u / (delta + sqrt(f->G)), positive(f->G - s->G),
                                              g->u / (delta + sqrt(g->G)), positive(g->G - s->G));
    f->G = G;
}

extern const sl_learner sl_ada_rda_forgetting;

const sl_learner SL_RECORD(ada_rda) = {
    .info.name = "ada-rda",
    .info.summary = "dual averaging with a step size per feature",
    .info.paper =
        "Duchi et al., Adaptive subgradient methods for online learning and stochastic optimization, JMLR 2011",
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX),
    SL_PARAMS(params),
    SL_DIAGONAL(ada_rda),
    SL_FORGETTING(ada_rda, FORGET),
    .merge_since = merge_since,
    .trial = SL_INVARIANT_TRIAL("eta=0.5", "lambda=0.003", "delta=0.5"),
};

#endif
