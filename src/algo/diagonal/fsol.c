/* fsol, cs-fsol: first-order sparse online learning (Wang et al., ICDM 2014, algorithm 3; cost-sensitive: algorithm 6
 * of "A framework of sparse online learning and its applications").
 *
 *   w = soft(theta, lambda_t)          lambda_t = eta lambda (theorem 2), or by `schedule`
 *   if l > 0: theta += eta c_y y x     c_y = 1 in fsol
 *
 * Dual averaging: theta is never shrunk, the threshold applies when a weight is read.
 * Importance h: the step is eta h, with `invariant` at most l/|x|^2. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, SCHEDULE, INVARIANT, COST_POS = INVARIANT, COST_NEG, CS_INVARIANT };

#define STATE(MEMBER) MEMBER(F32, theta, SL_ANY)
SL_FEATURE(STATE)

typedef struct round_state {
    num k_t, step;
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)done;
    return (round_state){.k_t = threshold(p[SCHEDULE], p[ETA], p[LAMBDA], t)};
}

RULE num weight(reg *f, const round_state *r) { return soft(f->theta, r->k_t); }

RULE mask decide_by(round_state *r, const num *p, const rule_row *x, num m, num v, num c_y, num invariant) {
    num tau = p[ETA] * x->h * c_y;
    mask on = bound_step(&tau, invariant, x, m, v);
    r->step = tau * x->y;
    return on;
}

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    return decide_by(r, p, x, m, v, all(1), p[INVARIANT]);
}

RULE mask cs_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    return decide_by(r, p, x, m, v, cost(p, x, COST_POS, COST_NEG), p[CS_INVARIANT]);
}

RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[INVARIANT], x, m);
}

RULE mask cs_invariant(round_state *r, const num *p, const rule_row *x, num m) {
    (void)r;
    return asks_invariant(p[CS_INVARIANT], x, m);
}

RULE num slope(const reg *f, const round_state *r, double x) {
    (void)f, (void)r;
    return all(x * x);
}

RULE void step(reg *f, const round_state *r, double x) { f->theta += r->step * x; }

RULE void rescale(reg *f, const round_state *r, double by) { f->theta = soft_times(f->theta, r->k_t, by); }

#include "algo/shared/kernels.h"

#define FSOL(invariants, decides)                                                                                      \
    {                                                                                                                  \
        .begin = begin, .weight = weight, .invariant = invariants, .slope = slope, .decide = decides, .step = step,    \
        .rescale = rescale, .vector_score = true                                                                       \
    }
static const rule fsol = FSOL(invariant, decide), cs_fsol = FSOL(cs_invariant, cs_decide);
SL_KERNELS(fsol)
SL_KERNELS(cs_fsol)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(2), P_LAMBDA(0.2), P_SCHEDULE(SCHEDULE_CONSTANT), P_INVARIANT};
static const sluice_param_info cs_params[] = {P_ETA(2),   P_LAMBDA(0.2), P_SCHEDULE(SCHEDULE_CONSTANT),
                                              P_COST_POS, P_COST_NEG,    P_INVARIANT};

const sl_learner sl_fsol = {
    .info.name = "fsol",
    .info.summary = "first-order sparse online learning",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(params),
    SL_DIAGONAL(fsol),
    .trial = {"eta=0.5", "lambda=0.25"},
};

const sl_learner sl_cs_fsol = {
    .info.name = "cs-fsol",
    .info.summary = "cost-sensitive fsol, for rare classes",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(cs_params),
    SL_DIAGONAL(cs_fsol),
    .trial = {"eta=0.5", "lambda=0.25", "schedule=sqrt", "cost_pos=3", "cost_neg=0.5", "invariant=1"},
};

#endif
