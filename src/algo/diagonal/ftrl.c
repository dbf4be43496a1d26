/* ftrl: FTRL-Proximal with l1 and l2 (McMahan et al., KDD 2013, algorithm 1).
 *
 *   w = 0 where |z| <= l1, else -(z - sign(z) l1)/((beta + sqrt n)/alpha + l2)
 *   g = h (p - [y = +1]) x with p = 1/(1 + exp(-m)) (logistic), or -h y x where l > 0 (hinge)
 *   sigma = (sqrt(n + g^2) - sqrt n)/alpha, z += g - sigma w, n += g^2
 *
 * Divisions take longest, so there is one: w = -alpha v with v = soft(z, l1)/(beta + alpha l2 + sqrt n), and
 * -sigma w = (sqrt(n + g^2) - sqrt n) v. The sums must not stall: 64 bits. With the logistic loss margins are log odds.
 * Forgetting: of z and n. Cost: O(nonzeros of x). */
#include "algo/shared/feature.h"
#include "algo/shared/forgetting.h"
#include "algo/shared/rule.h"

enum { ALPHA, BETA, L1, L2, LOSS, FORGET };
enum { LOGISTIC, HINGE };

#define STATE(MEMBER) MEMBER(F64, z, SL_ANY) MEMBER(F64, n, 0) SL_ROUND(MEMBER)
SL_FEATURE(STATE)

typedef struct round_state {
    num alpha, l1, base;
    num d; /* the derivative of the loss by the margin, times h */
    SL_FORGETTING_PART
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t, (void)done;
    return (round_state){SL_FORGET_BEGIN(p, FORGET, t).alpha = p[ALPHA], .l1 = p[L1],
                         .base = p[BETA] + p[ALPHA] * p[L2]};
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

RULE double slope(double loss, double y, double m) {
    if (loss == HINGE) return 1 - y * m > 0 ? -y : 0;
    return 1 / (1 + exp(-m)) - (y > 0 ? 1 : 0);
}

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    for (int i = 0; i < SL_WIDTH; i++)
        set_lane(&r->d, i, x->h * slope(lane_of(p[LOSS], i), lane_of(x->y, i), lane_of(m, i)));
    return only_if(x->n > 0, r->d != 0);
}

RULE void step(reg *f, const round_state *r, double x) {
    num g = r->d * x, more = f->n + g * g, root_n = root(f->n);
    f->z += g + (root(more) - root_n) * quotient(f, r, root_n);
    f->n = more;
}

#include "algo/shared/kernels.h"

static const rule ftrl = {SL_CATCH_UP.begin = begin, .weight = weight,   .decide = decide, .step = step,
                          .vector_score = true,      .vector_step = true};
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
};

static bool has_probability(const double *p) { return p[LOSS] == LOGISTIC; }

extern const sl_learner sl_ftrl_forgetting;

const sl_learner SL_RECORD(ftrl) = {
    .info.name = "ftrl",
    .info.summary = "follow the proximally regularised leader; logistic regression with l1 and l2",
    .info.paper = "McMahan et al., Ad click prediction: a view from the trenches, KDD 2013",
    .info.flags = SLUICE_LEARNER_PROBABILITY | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(params),
    SL_DIAGONAL(ftrl),
    SL_FORGETTING(ftrl, FORGET),
    .trial = SL_TRIAL("alpha=0.5", "beta=0.5", "l1=0.5", "l2=0.1", "loss=hinge"),
    .has_probability = has_probability,
};

#endif
