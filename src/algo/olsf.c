/* olsf: streams in which features keep arriving, learned with a limited share of them.
 * (Zhang et al., Online learning from trapezoidal data streams, TKDE 2016; Towards mining trapezoidal data streams,
 * ICDM 2015: the same algorithm under two names.)
 *
 *   if l > 0: w += tau y x, where
 *     olsf      tau = l/|x|^2
 *     olsf-1    tau = min(C, l/|x|^2)
 *     olsf-2    tau = l/(|x|^2 + 1/(2C))
 *   project:  if |w|_1 > lambda: w *= lambda/|w|_1
 *   truncate: of D features seen so far keep the K = max(1, floor(B D)) largest |w_i|; of equal ones those seen first
 *
 * The papers split the rule by old and new features; a new feature is one whose weight is 0, and the same rule.
 * For comparison, as in the papers:
 *   olsf-all    olsf-1 that neither projects nor truncates, which is pa-1 (diagonal/pa.c)
 *   olsf-rand   olsf-1 that keeps K of its nonzero weights drawn at random
 *   olsf-per    tau = 1
 *
 * Importance h: C h; olsf itself has no C and takes only 0 and 1; olsf-per tau = h. An example without values makes no
 * update. Cost: O(nonzeros of x * log K), since only features of x can enter (scaled.h, features/top_features.h). */
#include "algo/shared/scaled.h"

enum { LAMBDA, B, C, SEED };

#define P_RADIUS                                                                                                       \
    { "lambda", "the l1 norm of the weights is at most this", 3000, 1e-12, 1e12, 0, NULL }
#define P_B                                                                                                            \
    { "B", "share of the features seen that may have a weight", 0.2, 1e-9, 1, 0, NULL }

static const sluice_param_info olsf_params[] = {P_RADIUS, P_B};
static const sluice_param_info olsf_1_params[] = {P_RADIUS, P_B, P_C(1)};
static const sluice_param_info olsf_2_params[] = {P_RADIUS, P_B, P_C(0.25)};
static const sluice_param_info olsf_rand_params[] = {P_RADIUS, P_B, P_C(1), P_SEED};

static size_t most(const sl_state *s) { return (size_t)fmax(1, floor(s->p[B] * (double)s->seen)); }

static void project(sl_state *s) {
    double norm = fabs(s->scalar[SCALE]) * s->scalar[NORM];
    if (norm > s->p[LAMBDA]) s->scalar[SCALE] *= s->p[LAMBDA] / norm;
}

/* tau y in terms of v; xx is |x|^2. Where values are tiny steps are huge, and v must not leave the range of floats. */
static double step_of(sl_state *s, const sl_row *x, double tau, double xx) {
    if (tau * sqrt(xx) > 0x1p120 * s->scalar[SCALE]) sl_scaled_fold(s, 1);
    return tau * x->y / s->scalar[SCALE];
}

static bool learn(sl_state *s, const sl_row *x, double tau, double xx) {
    double step = step_of(s, x, tau, xx);
    for (size_t k = 0; k < x->n; k++) step_scaled(s, x->slot[k], step * (double)x->value[k], 1);
    project(s);
    truncate_scaled(s, x, most(s), 1);
    return true;
}

/* What every round ends with. */
static bool tidied(sl_state *s, bool updated) {
    sl_scaled_tidy(s, 1);
    return updated;
}

static bool olsf_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return tidied(s, xx > 0 && learn(s, x, l / xx, xx));
}

static bool olsf_1_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return tidied(s, xx > 0 && learn(s, x, fmin(s->p[C] * x->h, l / xx), xx));
}

static bool olsf_2_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return tidied(s, xx > 0 && learn(s, x, l / (xx + 1 / (2 * s->p[C] * x->h)), xx));
}

static bool olsf_per_update(sl_state *s, const sl_row *x, double m) {
    double xx = hinge(x, m) > 0 ? square_norm(x) : 0;
    return tidied(s, xx > 0 && learn(s, x, x->h, xx));
}

/* ---- olsf-rand: the nonzero weights stand in a list, and each draw is a place in it ------------------------------ */

static const sl_field rand_fields[] = {
    {"v", SL_F32, offsetof(sl_scaled, v), -INFINITY},
    {"place", SL_U32, offsetof(sl_scaled, ranked.low), 0},
};

static uint32_t place(const void *feature) {
    const sl_scaled *f = feature;
    return f->v != 0 ? f->ranked.low : 0;
}

static bool olsf_rand_learn(sl_state *s, const sl_row *x, double tau, double xx) {
    sl_scaled *f = s->features;
    double step = step_of(s, x, tau, xx);
    for (size_t k = 0; k < x->n; k++) {
        uint32_t slot = x->slot[k];
        move_scaled(s, &f[slot], step * (double)x->value[k], 1);
        if (f[slot].v == 0 && f[slot].ranked.low) sl_top_take_out(&s->top, f[slot].ranked.low);
        if (f[slot].v != 0 && !f[slot].ranked.low) sl_top_append(&s->top, slot);
    }
    project(s);
    for (size_t K = most(s); s->top.count > K;) {
        uint32_t drawn = 1 + (uint32_t)(draw(s->p[SEED], s->scalar[DRAWN]++) * (double)s->top.count);
        forget_scaled(s, sl_top_in_place(&s->top, drawn), 1);
        sl_top_take_out(&s->top, drawn);
    }
    return true;
}

static bool olsf_rand_update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m), xx = l > 0 ? square_norm(x) : 0;
    return tidied(s, xx > 0 && olsf_rand_learn(s, x, fmin(s->p[C] * x->h, l / xx), xx));
}

/* ---- several classes in a matrix: |x|^2 is that of the pairs ------------------------------------------------------
 */

static double olsf_step(const double *p, double l, double xx, double h) {
    (void)p, (void)h;
    return l / xx;
}
static double olsf_1_step(const double *p, double l, double xx, double h) { return fmin(p[C] * h, l / xx); }
static double olsf_2_step(const double *p, double l, double xx, double h) { return l / (xx + 1 / (2 * p[C] * h)); }
static double olsf_per_step(const double *p, double l, double xx, double h) {
    (void)p, (void)l, (void)xx;
    return h;
}

#define PAPER "Zhang et al., Online learning from trapezoidal data streams, TKDE 2016"
#define KEEPS_LARGEST                                                                                                  \
    .info.paper = PAPER, SL_SCALED_STATE, .scalars = sl_scaled_scalars, .rank = sl_scaled_rank,                        \
    .counts_features = true, .kernels.score = sl_scaled_score, .kernels.rescale = sl_scaled_rescale_1,                 \
    .matrix_radius = LAMBDA, .matrix_share = B

const sl_learner sl_olsf = {
    .info.name = "olsf",
    .info.summary = "growing feature spaces: keeps a share of the features seen",
    KEEPS_LARGEST,
    .info.flags = SLUICE_LEARNER_MATRIX,
    SL_PARAMS(olsf_params),
    .trial = {"lambda=40", "B=0.6"},
    .only_weights_0_1 = "olsf-1 or olsf-2",
    .kernels.update = olsf_update,
    .matrix_step = olsf_step,
};

const sl_learner sl_olsf_1 = {
    .info.name = "olsf-1",
    .info.summary = "olsf with bounded steps",
    KEEPS_LARGEST,
    .info.flags = SLUICE_LEARNER_MATRIX,
    SL_PARAMS(olsf_1_params),
    .trial = {"lambda=35", "B=0.6", "C=0.25"},
    .kernels.update = olsf_1_update,
    .matrix_step = olsf_1_step,
};

const sl_learner sl_olsf_2 = {
    .info.name = "olsf-2",
    .info.summary = "olsf with damped steps",
    KEEPS_LARGEST,
    .info.flags = SLUICE_LEARNER_MATRIX,
    SL_PARAMS(olsf_2_params),
    .trial = {"lambda=30", "B=0.6", "C=0.25"},
    .kernels.update = olsf_2_update,
    .matrix_step = olsf_2_step,
};

const sl_learner sl_olsf_rand = {
    .info.name = "olsf-rand",
    .info.summary = "olsf-1 that keeps features at random, for comparison",
    .info.paper = PAPER,
    SL_PARAMS(olsf_rand_params),
    .info.bytes_per_feature = sizeof(sl_scaled),
    .fields = rand_fields,
    .n_fields = SL_COUNT(rand_fields),
    .scalars = sl_drawing_scalars,
    .first_scalars = sl_scaled_first,
    .trial = {"lambda=20", "B=0.96", "C=0.125", "seed=7"},
    .counts_features = true,
    .draws = true,
    .rank = place,
    .keeps_list = true,
    .kernels.score = sl_scaled_score,
    .kernels.update = olsf_rand_update,
    .kernels.weights = sl_scaled_weights,
    .kernels.rescale = sl_scaled_rescale_1,
};

const sl_learner sl_olsf_per = {
    .info.name = "olsf-per",
    .info.summary = "olsf with steps of one size, for comparison",
    KEEPS_LARGEST,
    .info.flags = SLUICE_LEARNER_MATRIX,
    SL_PARAMS(olsf_params),
    .trial = {"lambda=120", "B=0.6"},
    .kernels.update = olsf_per_update,
    .matrix_step = olsf_per_step,
};
