/* What the learners' files share: the loops and formulas that stand in every paper. */
#ifndef SL_RULE_H
#define SL_RULE_H

#include <stdlib.h> /* for __GLIBC__ */

#include "learner/learner.h"

/* soft(v, k) = sign(v) max(|v| - k, 0) */
static inline double soft(double v, double k) {
    double size = fabs(v) - k;
    return size > 0 ? copysign(size, v) : 0;
}

/* max(0, v); fmax() would ask about NaN, by a call */
static inline double positive(double v) { return v > 0 ? v : 0; }

static inline double hinge(const sl_row *x, double m) { return positive(1 - x->y * m); }

/* |x|^2, in four sums side by side: one would wait for itself at every value */
static inline double square_norm(const sl_row *x) {
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

/* a.b */
double sl_dot(const double *a, const double *b, size_t n);

/* c_y, for learners whose table has cost_pos and cost_neg at these places */
static inline double cost(const sl_state *s, const sl_row *x, size_t cost_pos, size_t cost_neg) {
    return s->p[x->y > 0 ? cost_pos : cost_neg];
}

/* theta += eta c_y y x where l > 0; theta is the first of the floats that a feature has */
static inline bool step_theta(sl_state *s, const sl_row *x, double m, double eta, double c_y, size_t floats) {
    if (hinge(x, m) <= 0) return false;
    float *features = s->features;
    double e = eta * x->h * c_y * x->y;
    for (size_t k = 0; k < x->n; k++) {
        float *theta = features + floats * x->slot[k];
        *theta = (float)(*theta + e * (double)x->value[k]);
    }
    return true;
}

/* The n-th number from [0, 1) that a seed gives (splitmix64): a generator whose state is how many it has given. */
static inline double draw(double seed, double n) {
    uint64_t given = n >= 0 && n < 0x1p53 ? (uint64_t)n : 0; /* a file may say anything */
    uint64_t z = (uint64_t)seed * 0xD1342543DE82EF95u + (given + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* ---- weights that have to be computed ------------------------------------------------------------------------ */

/* Such a rule gathers the state of up to SL_LANES features, computes their weights side by side, which the compiler
 * turns into vector instructions (SL_VECTOR: for the best that the processor has), and sums in the example's order: the
 * same operations on the same numbers, so the same result to the bit as one after the other. */
enum { SL_LANES = 64 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SL_VECTOR /* functions chosen at loading run before a sanitizer is ready */
#elif defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define SL_VECTOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define SL_VECTOR
#endif

static inline size_t lanes(size_t left) { return left < SL_LANES ? left : SL_LANES; }

/* ---- learners whose per-feature state is the weight alone -------------------------------------------------------- */

typedef struct sl_plain {
    float w;
} sl_plain;

extern const sl_field sl_plain_fields[1];
double sl_plain_score(sl_state *s, const sl_row *x);                                /* w.x */
void sl_plain_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w); /* w */
void sl_plain_step(sl_state *s, const sl_row *x, double step);                      /* w += step x */

#define SL_PLAIN_STATE SL_STATE_OF(sl_plain, sl_plain_fields)

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
#define P_DELTA                                                                                                        \
    { "delta", "added to the root of the squared gradients", 1, 1e-12, 1e12, 0, NULL }

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
static inline double threshold(double schedule, double eta, double lambda, uint64_t t) {
    double n = (double)(t > 1 ? t : 1);
    return schedule == SCHEDULE_CONSTANT ? eta * lambda : schedule == SCHEDULE_INVERSE ? lambda / n : lambda / sqrt(n);
}

#endif
