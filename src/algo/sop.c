/* sop, sop-full: the second-order perceptron (Cesa-Bianchi, Conconi, Gentile, SIAM Journal on Computing 2005).
 *
 *   A starts at a I; m = v'(A + x x')^-1 x: this example's x counts before its label is known
 *   if y m <= 0: v += y x, A += x x'
 *   the weights of a finished model are A^-1 v
 *
 * sop keeps the diagonal X of A alone: m = sum_i v_i x_i/(X_i + x_i^2), X += x^2. What is kept is G = X - a; v and G
 * are sums that must not stall: 64 bits. Cost: O(nonzeros of x). sop-full keeps S = a A^-1 (dense.h) and u = A^-1 v in
 * s->vector. With q = x'A^-1 x, m = x'u/(1 + q), and the update is S^-1 += x x'/a, u += A^-1 x (y - x'u)/(1 + q). Cost:
 * O(d^2) for d features.
 *
 * Importance: an example is in the sums or not; only 0 and 1. */
#include "algo/shared/dense.h"
#include "algo/shared/rule.h"

enum { A };

static const sluice_param_info params[] = {
    {"a", "weight of the identity in the matrix: more makes it more like a perceptron", 1, 1e-12, 1e12, 0, NULL},
};

typedef struct feature {
    double v, G;
} feature;

static const sl_field fields[] = {SL_FIELD(v, SL_F64), SL_FIELD_FROM(G, SL_F64, 0)};

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double a = s->p[A], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double v[SL_LANES], X[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) v[k] = f[x->slot[at + k]].v, X[k] = a + f[x->slot[at + k]].G;
        for (size_t k = 0; k < l; k++) {
            double value = (double)x->value[at + k];
            v[k] = v[k] * value / (X[k] + value * value);
        }
        for (size_t k = 0; k < l; k++) m += v[k];
    }
    return m;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    if (x->y * m > 0) return false;
    feature *f = s->features;
    for (size_t k = 0; k < x->n; k++) {
        double value = (double)x->value[k];
        f[x->slot[k]].v += x->y * value;
        f[x->slot[k]].G += value * value;
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)(f[slot[k]].v / (s->p[A] + f[slot[k]].G));
}

static double full_score(sl_state *s, const sl_row *x) {
    double q = sl_dense_variance(s, x) / s->p[A];
    return sl_dense_dot(s, x, s->vector) / (1 + q);
}

static bool full_update(sl_state *s, const sl_row *x, double m) {
    if (x->y * m > 0) return false;
    double a = s->p[A], one_q = sl_dense_shrink(s, a) / a; /* 1 + q */
    sl_dense_step(s, (x->y / one_q - m) / a);
    return true;
}

#define PAPER "Cesa-Bianchi et al., A second-order perceptron algorithm, SIAM Journal on Computing 2005"

const sl_learner sl_sop = {
    .info.name = "sop",
    .info.summary = "second-order perceptron",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .only_weights_0_1 = "arow",
    .trial = {"a=2"},
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
};

const sl_learner sl_sop_full = {
    .info.name = "sop-full",
    .without_matrix = "sop",
    .info.summary = "sop with a full matrix: for few features",
    .info.paper = PAPER,
    SL_PARAMS(params),
    SL_DENSE_STATE,
    .only_weights_0_1 = "arow-full",
    .trial = {"a=2"},
    .kernels.score = full_score,
    .kernels.update = full_update,
    .kernels.weights = sl_dense_weights,
};
