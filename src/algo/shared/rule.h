/* What the learners' files share: the loops and formulas that stand in every paper. */
#ifndef SL_RULE_H
#define SL_RULE_H

#include "algo/shared/num.h"
#include "learner/learner.h"

/* A row as a rule sees it: in lanes each has a label of its own, that of the row in a sweep. */
#if SL_WIDTH == 1
typedef sl_row rule_row;
#else
typedef struct rule_row {
    const uint32_t *slot;
    const float *value;
    size_t n;
    num y;
    double h;
} rule_row;
#endif

/* l = max(0, 1 - y m) */
RULE num hinge(const rule_row *x, num m) { return positive(1 - x->y * m); }
/* Where the hinge loss is above 0. */
RULE mask lossy(const rule_row *x, num m) { return 1 - x->y * m > 0; }

/* |x|^2, in four independent sums: in one, every addition would wait for the one before */
static inline double square_norm(const rule_row *x) {
    double sum[4] = {0};
    size_t k = 0;
    for (; k + 4 <= x->n; k += 4)
        for (size_t j = 0; j < 4; j++) sum[j] += (double)x->value[k + j] * (double)x->value[k + j];
    for (; k < x->n; k++) sum[0] += (double)x->value[k] * (double)x->value[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Whether the n-th pivot of a Cholesky factor, of a matrix with this element on its diagonal, is more than rounding:
 * accurate to a thousandth. */
static inline bool sl_pivot_is_accurate(double pivot, double diagonal, size_t n) {
    return (double)n * 0x1p-52 * diagonal <= 1e-3 * pivot;
}

/* c_y, for learners whose table has cost_pos and cost_neg at these places */
RULE num cost(const num *p, const rule_row *x, size_t cost_pos, size_t cost_neg) {
    return where(x->y > 0, p[cost_pos], p[cost_neg]);
}

/* ---- importance-invariant steps (Karampatziakis and Langford, UAI 2011) ----
 *
 * A step of size tau, which the rule takes for importance h, moves the margin by tau times the slope, the sum over the
 * features of what one unit moves it: x^2, a x^2 and so on. With `invariant` it is the limit of ever more, ever smaller
 * steps one after the other, which end where the loss does: for the hinge min(tau, l/slope). Where the slope is 0, none
 * is made. */

/* Where they are asked for and the hinge loss is above 0. */
RULE mask asks_invariant(num invariant, const rule_row *x, num m) { return (invariant != 0) & lossy(x, m); }

/* Bounds the step of a round whose hinge loss is above 0; where one is made. */
RULE mask bound_step(num *tau, num invariant, const rule_row *x, num m, num slope) {
    mask asked = invariant != 0;
    if (!any(asked)) return lossy(x, m);
    *tau = where(asked, smaller(*tau, hinge(x, m) / slope), *tau);
    return lossy(x, m) & ((invariant == 0) | (slope > 0));
}

#define P_INVARIANT                                                                                                    \
    {                                                                                                                  \
        "invariant",                                                                                                   \
            "1: importance or cost h means h times as many small steps, none of which goes too far; 0: one step, h "   \
            "times as long",                                                                                           \
            0, 0, 1, 1, NULL, 1                                                                                        \
    }

/* The n-th number from [0, 1) that a seed gives (splitmix64): a generator whose state is how many it has given. */
static inline double draw(double seed, double n) {
    uint64_t given = n >= 0 && n < 0x1p53 ? (uint64_t)n : 0; /* a file may say anything */
    uint64_t z = (uint64_t)seed * 0xD1342543DE82EF95u + (given + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ---- parameters that mean the same wherever they occur ---- */

#define P_ETA(eta)                                                                                                     \
    { "eta", "learning rate", eta, 1e-12, 1e12, 0, NULL }
#define P_LAMBDA(lambda)                                                                                               \
    { "lambda", "strength of the l1 regularisation: more makes the model sparser", lambda, 0, 1e12, 0, NULL }
#define P_COST_POS                                                                                                     \
    { "cost_pos", "cost of missing a positive example", 1, 1e-9, 1e9, 0, NULL }
#define P_COST_NEG                                                                                                     \
    { "cost_neg", "cost of a false alarm", 1, 1e-9, 1e9, 0, NULL }
#define P_C(c)                                                                                                         \
    { "C", "aggressiveness: the largest step, or the weight of the loss", c, 1e-12, 1e12, 0, NULL }
#define P_R(r)                                                                                                         \
    { "r", "how slowly confidence in a feature grows", r, 1e-12, 1e12, 0, NULL }
#define P_DELTA(delta)                                                                                                 \
    { "delta", "added to the root of the squared gradients", delta, 1e-12, 1e12, 0, NULL }

#define P_FEATURES(n)                                                                                                  \
    { "features", "how many features may have a weight", n, 1, 4e9, 1, NULL }
#define P_BATCH                                                                                                        \
    { "batch", "examples that are learned at once; 0: all of a run, with all of its passes", 0, 0, 4e9, 1, NULL }
#define P_SEED                                                                                                         \
    { "seed", "what is drawn at random depends on this alone", 1, 0, 1e9, 1, NULL }

/* How the threshold of the dual averagers runs with the rounds; the theorems' schedule is each learner's default. */
enum { SCHEDULE_CONSTANT, SCHEDULE_INVERSE, SCHEDULE_SQRT };
extern const char *const sl_schedules[];
#define P_SCHEDULE(first)                                                                                              \
    {                                                                                                                  \
        "schedule", "threshold in round t: eta lambda (constant), lambda/t (inverse) or lambda/sqrt t (sqrt)", first,  \
            0, 2, 1, sl_schedules                                                                                      \
    }

/* lambda_t */
RULE num threshold(num schedule, num eta, num lambda, uint64_t t) {
    double n = (double)(t > 1 ? t : 1);
    mask inverse = schedule == SCHEDULE_INVERSE, by_root = schedule == SCHEDULE_SQRT;
    num k_t = eta * lambda;
    if (any(inverse)) k_t = where(inverse, lambda / n, k_t);
    if (any(by_root)) k_t = where(by_root, lambda / sqrt(n), k_t);
    return k_t;
}

#endif
