/* ssol, cs-ssol: second-order sparse online learning, diagonal (Wang et al., ICDM 2014, algorithm 5; cost-sensitive:
 * algorithm 7 of "A framework of sparse online learning and its applications").
 *
 *   every round, before predicting:  a_i -= (a_i x_i)^2 / (r + sum_j a_j x_j^2)      a starts at 1
 *   w = soft(a theta, lambda_t)         lambda_t = lambda/t, or by `schedule`
 *   if l > 0: theta += eta c_y y x      c_y = 1 in ssol
 *
 * a is the diagonal of the inverse of r I + sum of x x': features seen often move less.
 * Importance h: the step is eta h, with `invariant` at most l/(sum of a x^2). Forgetting: of theta, and of 1/a - 1.
 * Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/forgetting.h"
#include "algo/shared/merged.h"
#include "algo/shared/rule.h"

enum { ETA, LAMBDA, R, SCHEDULE, FORGET, INVARIANT };
enum { COST_POS = SCHEDULE + 1, COST_NEG, CS_FORGET, CS_INVARIANT };

#define STATE(MEMBER) MEMBER(F32, theta, SL_ANY) MEMBER(F32, a, 0) SL_ROUND(MEMBER)
SL_FEATURE(STATE)

typedef struct round_state {
    num k_t, shrink, step;
    SL_FORGETTING_PART
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)done;
    return (round_state){.k_t = threshold(p[SCHEDULE], p[ETA], p[LAMBDA], t), SL_FORGET_BEGIN(p, FORGET, t)};
}

RULE round_state cs_begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)done;
    return (round_state){.k_t = threshold(p[SCHEDULE], p[ETA], p[LAMBDA], t), SL_FORGET_BEGIN(p, CS_FORGET, t)};
}

#ifdef SL_FORGETS
RULE void catch_up(reg *f, const round_state *r) {
    num g = power(r->log2_G, r->round - f->round);
    f->theta = f32(f->theta * g);
    f->a = f32(forget_variance(f->a, g));
    f->round = r->round;
}
#endif

RULE num variance(const reg *f, double x) { return f->a * x * x; }

RULE void measure(round_state *r, const num *p, num v) { r->shrink = 1 / (p[R] + v); }

RULE void advance(reg *f, const round_state *r, double x) {
    num ax = f->a * x;
    f->a = f32(positive(f->a - ax * ax * r->shrink)); /* rounding must not take it below 0 */
}

/* a does not depend on what is predicted: with one r for all lanes it is the same in all. */
RULE void share(reg *f, const reg *from) { f->a = from->a; }

RULE num weight(reg *f, const round_state *r) { return soft(f->a * f->theta, r->k_t); }

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

/* With a as it predicted. */
RULE num slope(const reg *f, const round_state *r, double x) {
    (void)r;
    return f->a * x * x;
}

RULE void step(reg *f, const round_state *r, double x) { f->theta += r->step * x; }

/* a theta changes by theta alone: a is the feature's confidence. */
RULE void rescale(reg *f, const round_state *r, double by) {
    num w = weight(f, r);
    f->theta = where(w != 0, soft_times(f->a * f->theta, r->k_t, by) / f->a, f->theta);
}

#include "algo/shared/kernels.h"

#define SSOL(begins, invariants, decides)                                                                              \
    {                                                                                                                  \
        .begin = begins, .catch_up = SL_CATCH_UP, .variance = variance, .measure = measure, .advance = advance,        \
        .share = share, .advance_changes = MEMBER_BIT(a), .step_changes = MEMBER_BIT(theta), .weight = weight,         \
        .invariant = invariants, .slope = slope, .decide = decides, .step = step, .rescale = rescale,                  \
        .vector_score = true                                                                                           \
    }
static const rule ssol = SSOL(begin, invariant, decide), cs_ssol = SSOL(cs_begin, cs_invariant, cs_decide);
SL_KERNELS(ssol)
SL_KERNELS(cs_ssol)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {P_ETA(4), P_LAMBDA(30), P_R(1), P_SCHEDULE(SCHEDULE_INVERSE),
                                           P_FORGET, P_INVARIANT};
static const sluice_param_info cs_params[] = {P_ETA(4),   P_LAMBDA(30), P_R(1),   P_SCHEDULE(SCHEDULE_INVERSE),
                                              P_COST_POS, P_COST_NEG,   P_FORGET, P_INVARIANT};
static const feature fresh = {.a = 1};

/* 1/a is a sum over the examples. */
static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    (void)m;
    f->theta = (float)((double)f->theta + (double)g->theta);
    f->a = (float)merged_variance(f->a, g->a, s->a);
}

/* a theta by the precision that each has added. */
static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    (void)m;
    const double w = merged_by_precision((double)f->a * f->theta, f->a, (double)g->a * g->theta, g->a, s->a);
    f->a = (float)merged_variance(f->a, g->a, s->a);
    f->theta = f->a > 0 ? (float)(w / (double)f->a) : f->theta;
}

extern const sl_learner sl_ssol_forgetting, sl_cs_ssol_forgetting;

const sl_learner SL_RECORD(ssol) = {
    .info.name = "ssol",
    .info.summary = "second-order sparse online learning",
    .info.paper = "Wang et al., High-dimensional data stream classification via sparse online learning, ICDM 2014",
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX),
    SL_PARAMS(params),
    SL_DIAGONAL(ssol),
    SL_FORGETTING(ssol, FORGET),
    .shared_by = R,
    .matrix_shares = &fields[PLACE_OF_a],
    .trial = SL_INVARIANT_TRIAL("eta=2", "lambda=4", "r=2"),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
};

const sl_learner SL_RECORD(cs_ssol) = {
    .info.name = "cs-ssol",
    .info.summary = "cost-sensitive ssol, for rare classes",
    .info.paper = "Wang et al., A framework of sparse online learning and its applications",
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES),
    SL_PARAMS(cs_params),
    SL_DIAGONAL(cs_ssol),
    SL_FORGETTING(cs_ssol, CS_FORGET),
    .shared_by = R,
    .trial = SL_INVARIANT_TRIAL("eta=2", "lambda=0.25", "r=8", "schedule=sqrt", "cost_pos=2", "cost_neg=0.5"),
    .fresh = &fresh,
    .merge = merge,
    .merge_since = merge_since,
};

#endif
