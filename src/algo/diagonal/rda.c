/* rda: regularised dual averaging with l1 (Xiao, JMLR 2010).
 *
 *   n = max(t - 1, 1) rounds done, u the sum of gradients
 *   w = -eta sqrt(n) soft(u/n, lambda) = -eta/sqrt(n) soft(u, n lambda)
 *   if l > 0: u -= y x
 *
 * The second form needs no division by n for every feature. The paper divides by t - 1, which the first round does not
 * have; there n = 1. The sum must not stall: 64 bits. Importance h: the gradient is h times as long, with
 * `invariant` at most l/(eta/sqrt(n) |x|^2) times: as far as the loss goes by the rate that predicted. Cost: O(nonzeros
 * of x). */
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, INVARIANT };

#define STATE(MEMBER) MEMBER(F64, u, SL_ANY)
SL_FEATURE(STATE)

typedef struct round_state {
    num rate, k_n;
    num hy;
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t;
    double n = done > 1 ? (double)done : 1;
    return (round_state){.rate = -p[ETA] / sqrt(n), .k_n = n * p[LAMBDA]};
}

RULE num weight(reg *f, const round_state *r) { return r->rate * soft(f->u, r->k_n); }

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
    (void)f;
    return -r->rate * (x * x);
}

RULE void step(reg *f, const round_state *r, double x) { f->u -= r->hy * x; }

RULE void rescale(reg *f, const round_state *r, double by) { f->u = soft_times(f->u, r->k_n, by); }

#include "algo/shared/kernels.h"

static const rule rda = {.begin = begin,
                         .weight = weight,
                         .invariant = invariant,
                         .slope = slope,
                         .decide = decide,
                         .step = step,
                         .rescale = rescale,
                         .vector_score = true};
SL_KERNELS(rda)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(128), P_LAMBDA(1e-5), P_INVARIANT};

/* u/sqrt(n), by examples: w but for the threshold. */
static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from;
    (void)start;
    f->u = sqrt((double)m->after.t) * sl_averaged(m, f->u / sqrt((double)m->into.t), g->u / sqrt((double)m->from.t));
}

const sl_learner sl_rda = {
    .info.name = "rda",
    .info.summary = "regularised dual averaging with l1",
    .info.paper = "Xiao, Dual averaging methods for regularized stochastic learning and online optimization, JMLR 2010",
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(params),
    SL_DIAGONAL(rda),
    .merge_since = merge_since,
    .trial = {"eta=0.5", "lambda=0.01", "invariant=1"},
};

#endif
