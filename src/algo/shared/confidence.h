/* What the confidence-weighted learners share: weights that are normally distributed, with mean w and covariance S.
 *
 * With m = w.x, M = y m and v = x'Sx, an update is
 *
 *   w += alpha y S x,   S -= beta (Sx)(Sx)',   beta = 1/(v + r)
 *
 * A rule chooses alpha and r; the latter is how the papers write it too: S^-1 += x x'/r. S is diagonal, or in the -full
 * learners a matrix (dense.h). It starts at a I. What is kept is S/a, so that every feature starts alike.
 * Where v = 0 there is no update. Forgetting: of the precision above that of the start, 1/S - 1/a; the weights are
 * means, no sums, and stay. Cost: O(nonzeros of x), -full O(d^2) for d features. */
#ifndef SL_CONFIDENCE_H
#define SL_CONFIDENCE_H

#include <float.h>

#include "algo/shared/dense.h"
#include "algo/shared/feature.h"
#include "algo/shared/forgetting.h"
#include "algo/shared/merged.h"
#include "algo/shared/rule.h"

typedef struct rates {
    num alpha, r; /* both > 0 */
} rates;

#define STATE(MEMBER) MEMBER(F32, w, SL_ANY) MEMBER(F32, s, 0) SL_ROUND(MEMBER)
SL_FEATURE(STATE)

typedef struct round_state {
    num step, beta, least;
    SL_FORGETTING_PART
} round_state;

#ifdef SL_FORGETS
RULE void catch_up(reg *f, const round_state *r) {
    f->s = f32(forget_variance(f->s, power(r->log2_G, r->round - f->round)));
    f->round = r->round;
}
#endif

RULE num variance(const reg *f, double x) { return f->s * x * x; }

RULE num weight(reg *f, const round_state *r) {
    (void)r;
    return f->w;
}

RULE void step(reg *f, const round_state *r, double x) {
    num sx = f->s * x;
    f->w += r->step * sx;
    /* where v >> r rounding would take s to 0, and below */
    f->s = larger(larger(f->s - r->beta * sx * sx, f->s * r->least), all((double)FLT_MIN));
}

/* Whether the hinge loss is above 0: rules that step only then need not know the variance otherwise. */
RULE mask below_one(const num *p, const rule_row *x, num m) {
    (void)p;
    return x->y * m < 1;
}

/* The round, by the rates of a rule. Where r is infinite, which rounding may make of a large one, neither w nor S would
 * change. */
RULE mask take(round_state *r, const rates *to, mask on, const rule_row *x, num v, num a) {
    r->step = to->alpha * x->y * a;
    r->beta = a / (v + to->r);
    r->least = to->r / (v + to->r);
    return on & (v > 0) & (to->r < (double)INFINITY);
}

RULE void rescale(reg *f, const round_state *r, double by) {
    (void)r;
    f->w *= by;
}

#include "algo/shared/kernels.h"

#ifdef SL_FORGETS
#define SL_CONFIDENCE_BEGIN(name, A)                                                                                   \
    RULE round_state name##_begin(const num *p, const num *s, uint64_t t, uint64_t done) {                             \
        (void)s, (void)done;                                                                                           \
        return (round_state){SL_FORGET_BEGIN(p, (A) + 1, t)};                                                          \
    }
#define SL_BEGIN_OF(name) name##_begin
#else
#define SL_CONFIDENCE_BEGIN(name, A)
#define SL_BEGIN_OF(name) NULL
#endif

/* A rule of this kind: name_rates(p, M, v, h, to) says whether there is an update, and which, where v > 0; A is the
 * place of the parameter a, behind which that of `forget` is. */
#define SL_CONFIDENCE(name, A, is_possible)                                                                            \
    RULE mask name##_decide(round_state *r, const num *p, const rule_row *x, num m, num unscaled, uint64_t t) {        \
        (void)t;                                                                                                       \
        rates to = {0};                                                                                                \
        num v = p[A] * unscaled;                                                                                       \
        mask on = name##_rates(p, x->y * m, v, x->h, &to);                                                             \
        return take(r, &to, on, x, v, p[A]);                                                                           \
    }                                                                                                                  \
    SL_CONFIDENCE_BEGIN(name, A)                                                                                       \
    static const rule name = {.begin = SL_BEGIN_OF(name),                                                              \
                              .catch_up = SL_CATCH_UP,                                                                 \
                              .variance = variance,                                                                    \
                              .weight = weight,                                                                        \
                              .possible = is_possible,                                                                 \
                              .decide = name##_decide,                                                                 \
                              .step = step,                                                                            \
                              .rescale = rescale};                                                                     \
    SL_KERNELS(name)

#ifdef SL_MAKES_RECORDS

static const feature fresh = {.s = 1};

/* The product of both normal distributions: precisions add, and so do means times precisions. */
static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    (void)m;
    if (!(f->s > 0 && g->s > 0)) return; /* no state that learning makes */
    const double v = merged_variance(f->s, g->s, s->s);
    f->w = (float)(v * ((double)f->w / (double)f->s + (double)g->w / (double)g->s));
    f->s = (float)fmax(v, (double)FLT_MIN);
}

static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    (void)m;
    f->w = (float)merged_by_precision(f->w, f->s, g->w, g->s, s->s);
    f->s = (float)fmax(merged_variance(f->s, g->s, s->s), (double)FLT_MIN);
}

#ifndef SL_FORGETS

/* The same with a full matrix: S = a times the matrix of dense.h. */
RULE bool full_update(sl_state *s, const sl_row *x, double m, double a, bool possible,
                      mask (*rates_of)(const num *p, num M, num v, double h, rates *to)) {
    if (!possible) return false;
    double v = a * sl_dense_variance(s, x);
    rates to = {0};
    if (!(v > 0 && rates_of(s->p, x->y * m, v, x->h, &to) && to.r < (double)INFINITY)) return false;
    sl_dense_shrink(s, to.r / a);
    sl_dense_step(s, to.alpha * x->y * a);
    return true;
}

#define SL_FULL(name, A, is_possible)                                                                                  \
    static bool name##_full_update(sl_state *s, const sl_row *x, double m) {                                           \
        return full_update(s, x, m, s->p[A], is_possible, name##_rates);                                               \
    }
#define SL_FULL_STATE                                                                                                  \
    SL_DENSE_STATE, .kernels.score = sl_dense_score, .kernels.weights = sl_dense_weights,                              \
                    .kernels.rescale = sl_dense_rescale

#endif

#define P_PHI(phi)                                                                                                     \
    { "phi", "how sure the model has to be of an example", phi, 1e-6, 1e6, 0, NULL }
#define P_A                                                                                                            \
    { "a", "variance that every weight starts with", 1, 1e-12, 1e12, 0, NULL }

#endif
#endif
