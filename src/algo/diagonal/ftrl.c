/* ftrl: FTRL-Proximal with l1 and l2 (McMahan et al., KDD 2013, algorithm 1).
 *
 *   w = 0 where |z| <= l1, else -(z - sign(z) l1)/((beta + sqrt n)/alpha + l2)
 *   g = h (p - [y = +1]) x with p = 1/(1 + exp(-m)) (logistic), or -h y x where l > 0 (hinge)
 *   sigma = (sqrt(n + g^2) - sqrt n)/alpha, z += g - sigma w, n += g^2
 *
 * Divisions take longest, so there is one: w = -alpha v with v = soft(z, l1)/(beta + alpha l2 + sqrt n), and
 * -sigma w = (sqrt(n + g^2) - sqrt n) v. The sums must not stall: 64 bits. With the logistic loss margins are log odds.
 * With `invariant` (rule.h) n grows by the gradient without h, and the slope is the sum of alpha x^2/(beta + alpha l2 +
 * sqrt n) with that n. Forgetting: of z and n. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/forgetting.h"
#include "algo/shared/rule.h"

enum { ALPHA, BETA, L1, L2, LOSS, FORGET, INVARIANT };
enum { LOGISTIC, HINGE };

#define STATE(MEMBER) MEMBER(F64, z, SL_ANY) MEMBER(F64, n, 0) SL_ROUND(MEMBER)
SL_FEATURE(STATE)

typedef struct round_state {
    num alpha, l1, base;
    num d; /* the derivative of the loss by the margin, times h, or what small steps make of it */
    num e; /* the same as it counts in n */
    SL_FORGETTING_PART
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t, (void)done;
    return (round_state){
        .alpha = p[ALPHA], .l1 = p[L1], .base = p[BETA] + p[ALPHA] * p[L2], SL_FORGET_BEGIN(p, FORGET, t)};
}

#ifdef SL_FORGETS
RULE void catch_up(reg *f, const round_state *r) {
    num g = power(r->log2_G, r->round - f->round);
    f->z *= g;
    f->n *= g;
    f->round = r->round;
}
#endif

/* A feature without a gradient yet has weight 0, also where beta = l2 = 0 would make it 0/0. */
RULE num quotient(const reg *f, const round_state *r, num root_n) {
    num size = absolute(f->z) - r->l1;
    return if_positive(size, with_sign(size, f->z) / (r->base + root_n));
}

RULE num weight(reg *f, const round_state *r) { return -r->alpha * quotient(f, r, root(f->n)); }

RULE double derivative(double loss, double y, double m) {
    if (loss == HINGE) return 1 - y * m > 0 ? -y : 0;
    return 1 / (1 + exp(-m)) - (y > 0 ? 1 : 0);
}

/* How far h infinitesimal steps along the logistic loss take M = y m: from M to M + d. By dM/dh = v p with p =
 * 1/(1 + exp(M)), the solution is M + d + exp(M + d) = M + exp(M) + h v, or with p as it is at first
 * p d + (1 - p) (exp(d) - 1) = h v p, whose left side is convex: Newton's steps come down to d from above. */
static inline double logistic_way(double p, double hv) {
    const double goal = hv * p, by_exp = log1p(goal / (1 - p));
    double d = goal < by_exp ? goal : by_exp;
    for (int i = 0; i < 100; i++) {
        const double next = d - (p * d + (1 - p) * expm1(d) - goal) / (p + (1 - p) * exp(d));
        if (!(next < d)) break;
        d = next;
    }
    return d;
}

/* d where steps are importance-invariant; e is the derivative, v the slope. */
static inline double invariant_d(double loss, double y, double m, double h, double e, double v) {
    if (e == 0 || !(v > 0 && v < (double)INFINITY)) return 0;
    const double l = 1 - y * m;
    return -y * (loss == HINGE ? (h < l / v ? h : l / v) : logistic_way(fabs(e), h * v) / v);
}

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)t;
    for (int i = 0; i < SL_WIDTH; i++) {
        const double loss = lane_of(p[LOSS], i), y = lane_of(x->y, i), margin = lane_of(m, i),
                     e = derivative(loss, y, margin);
        const bool bounded = lane_of(p[INVARIANT], i) != 0;
        set_lane(&r->d, i, bounded ? invariant_d(loss, y, margin, x->h, e, lane_of(v, i)) : x->h * e);
        set_lane(&r->e, i, bounded ? e : x->h * e);
    }
    return only_if(x->n > 0, r->d != 0);
}

/* Notes the derivative, by which n will grow. */
RULE mask invariant(round_state *r, const num *p, const rule_row *x, num m) {
    mask asked = p[INVARIANT] != 0;
    if (!any(asked)) return asked;
    for (int i = 0; i < SL_WIDTH; i++)
        set_lane(&r->e, i, derivative(lane_of(p[LOSS], i), lane_of(x->y, i), lane_of(m, i)));
    return asked;
}

RULE num slope(const reg *f, const round_state *r, double x) {
    num e = r->e * x;
    return r->alpha * (x * x) / (r->base + root(f->n + e * e));
}

RULE void step(reg *f, const round_state *r, double x) {
    num g = r->d * x, e = r->e * x, more = f->n + e * e, root_n = root(f->n);
    f->z += g + (root(more) - root_n) * quotient(f, r, root_n);
    f->n = more;
}

RULE void rescale(reg *f, const round_state *r, double by) { f->z = soft_times(f->z, r->l1, by); }

#include "algo/shared/kernels.h"

static const rule ftrl = {.begin = begin,
                          .catch_up = SL_CATCH_UP,
                          .weight = weight,
                          .invariant = invariant,
                          .slope = slope,
                          .decide = decide,
                          .step = step,
                          .rescale = rescale,
                          .vector_score = true,
                          .vector_step = true};
SL_KERNELS(ftrl)

#ifdef SL_MAKES_RECORDS

static const char *const losses[] = {"logistic", "hinge", NULL};

static const sluice_param_info params[] = {
    {"alpha", "learning rate", 2, 1e-12, 1e12, 0, NULL},
    {"beta", "slows the first steps of every feature", 0.1, 0, 1e12, 0, NULL},
    {"l1", "strength of the l1 regularisation: more makes the model sparser", 0.03, 0, 1e12, 0, NULL},
    {"l2", "strength of the l2 regularisation", 0, 0, 1e12, 0, NULL},
    {"loss", "logistic (gives probabilities) or hinge", LOGISTIC, 0, 1, 1, losses},
    P_FORGET,
    P_INVARIANT,
};

/* The leader of both streams: what it minimises adds, z w and the squares, whose weight is sqrt(n)/alpha. */
static void merge(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from;
    (void)m, (void)start;
    const double root_n = sqrt(f->n) + sqrt(g->n);
    f->z += g->z;
    f->n = root_n * root_n;
}

/* -w before the threshold, by the squared gradients that each has added. */
static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    const double base = m->p[BETA] + m->p[ALPHA] * m->p[L2], n = positive(f->n + g->n - s->n);
    const double by_into = base + sqrt(f->n), by_from = base + sqrt(g->n);
    if (!(by_into > 0 && by_from > 0)) { /* a part has no gradient yet */
        sl_merge_averages(m, into, from, start);
        return;
    }
    f->z =
        (base + sqrt(n)) * sl_merged_mean(f->z / by_into, positive(f->n - s->n), g->z / by_from, positive(g->n - s->n));
    f->n = n;
}

static bool has_probability(const double *p) { return p[LOSS] == LOGISTIC; }

extern const sl_learner sl_ftrl_forgetting;

const sl_learner SL_RECORD(ftrl) = {
    .info.name = "ftrl",
    .info.summary = "follow the regularised leader: logistic regression, l1 and l2",
    .info.paper = "McMahan et al., Ad click prediction: a view from the trenches, KDD 2013",
    .info.flags = SL_FLAGS(SLUICE_LEARNER_MERGES | SLUICE_LEARNER_PROBABILITY | SLUICE_LEARNER_MATRIX),
    SL_PARAMS(params),
    SL_DIAGONAL(ftrl),
    SL_FORGETTING(ftrl, FORGET),
    .trial = SL_INVARIANT_TRIAL("alpha=0.5", "beta=0.5", "l1=0.5", "l2=0.1", "loss=hinge"),
    .has_probability = has_probability,
    .merge = merge,
    .merge_since = merge_since,
};

#endif
