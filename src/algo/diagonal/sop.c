/* sop, sop-full: the second-order perceptron (Cesa-Bianchi, Conconi, Gentile, SIAM Journal on Computing 2005).
 *
 *   A starts at a I; m = v'(A + x x')^-1 x: this example's x counts before its label is known
 *   if y m <= 0: v += y x, A += x x'
 *   the weights of a finished model are A^-1 v
 *
 * sop keeps the diagonal X of A alone: m = sum_i v_i x_i/(X_i + x_i^2), X += x^2. What is kept is G = X - a; v and G
 * are sums that must not stall: 64 bits. Cost: O(nonzeros of x). sop-full keeps S = a A^-1 (dense.h) and u = A^-1 v in
 * s->dense.vector. With q = x'A^-1 x, m = x'u/(1 + q), and the update is S^-1 += x x'/a, u += A^-1 x (y - x'u)/(1 + q).
 * Cost: O(d^2) for d features.
 *
 * Importance: an example is in the sums or not; only 0 and 1. */
#include "algo/shared/dense.h"
#include "algo/shared/feature.h"
#include "algo/shared/rule.h"

enum { A };

#define STATE(MEMBER) MEMBER(F64, v, SL_ANY) MEMBER(F64, G, 0)
SL_FEATURE(STATE)

typedef struct round_state {
    num a, y;
} round_state;

RULE round_state begin(const num *p, const num *s, uint64_t t, uint64_t done) {
    (void)s, (void)t, (void)done;
    return (round_state){.a = p[A]};
}

RULE num term(const reg *f, const round_state *r, double x) { return f->v * x / (r->a + f->G + x * x); }

RULE num weight(reg *f, const round_state *r) { return f->v / (r->a + f->G); }

RULE mask decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)p, (void)v, (void)t;
    r->y = x->y;
    return x->y * m <= 0;
}

RULE void step(reg *f, const round_state *r, double x) {
    f->v += r->y * x;
    f->G += x * x;
}

RULE void rescale(reg *f, const round_state *r, double by) {
    (void)r;
    f->v *= by;
}

#include "algo/shared/kernels.h"

static const rule sop = {.begin = begin,
                         .term = term,
                         .weight = weight,
                         .decide = decide,
                         .rescale = rescale,
                         .step = step,
                         .vector_score = true};
SL_KERNELS(sop)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info params[] = {
    {"a", "weight of the identity in the matrix: more makes it more like a perceptron", 1, 1e-12, 1e12, 0, NULL},
};

static double full_score(sl_state *s, const sl_row *x) {
    double q = sl_dense_variance(s, x) / s->p[A];
    return sl_dense_dot(s, x, s->dense.vector) / (1 + q);
}

static bool full_update(sl_state *s, const sl_row *x, double m) {
    if (x->y * m > 0) return false;
    double a = s->p[A], one_q = sl_dense_shrink(s, a) / a; /* 1 + q */
    sl_dense_step(s, (x->y / one_q - m) / a);
    return true;
}

#define PAPER "Cesa-Bianchi et al., A second-order perceptron algorithm, SIAM Journal on Computing 2005"

/* v/(a + G), by what each has added to G. */
static void merge_since(const sl_merging *m, void *into, const void *from, const void *start) {
    feature *f = into;
    const feature *g = from, *s = start;
    const double a = m->p[A], G = positive(f->G + g->G - s->G);
    f->v = (a + G) * sl_merged_mean(f->v / (a + f->G), positive(f->G - s->G), g->v / (a + g->G), positive(g->G - s->G));
    f->G = G;
}

const sl_learner sl_sop = {
    .info.name = "sop",
    .info.summary = "second-order perceptron",
    .info.paper = PAPER,
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(params),
    SL_DIAGONAL(sop),
    .merge_since = merge_since,
    .only_weights_0_1 = "arow",
    .trial = {"a=2"},
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
    .kernels.rescale = sl_dense_rescale,
};

#endif
