/* ofs, ofs-p: online feature selection (Wang, Zhao, Hoi, Jin, TKDE 2014).
 *
 *   every round: w *= 1 - lambda eta
 *   ofs:   if l > 0:    w += eta y x, scale into the l2 ball of radius 1/sqrt(lambda), keep the largest `features`
 *   ofs-p: if y m <= 0: w += eta y x^, and so on
 * Of equal weights those seen first stay.
 *
 * ofs-p sees only a part of every example: with probability epsilon `features` of the D seen so far, drawn at random,
 * else those with a nonzero weight. m is the margin of that part, and x^_i = x_i/(features/D epsilon + [w_i != 0](1 -
 * epsilon)) for the features in it makes up for the others on average. As long as D < `features` all are drawn.
 * Drawing goes through the features of x alone: each is taken with probability (still to be taken)/(still left of D).
 *
 * Importance h: the step is eta h; the shrinkage is the rounds' own.
 * Cost: O(nonzeros of x * log features) (scaled.h, features/top_features.h). */
#include "algo/shared/scaled.h"

enum { ETA, LAMBDA, FEATURES, EPSILON, SEED };

#define P_SHRINK                                                                                                       \
    {                                                                                                                  \
        "lambda", "strength of the l2 regularisation: the weights stay within a ball of radius 1/sqrt(lambda)", 1e-5,  \
            0, 1e12, 0, NULL                                                                                           \
    }

static const sluice_param_info ofs_params[] = {P_ETA(2), P_SHRINK, P_FEATURES(10000)};
static const sluice_param_info ofs_p_params[] = {
    P_ETA(0.25),
    P_SHRINK,
    P_FEATURES(10000),
    {"epsilon", "how often to look at features drawn at random", 0.2, 0, 1, 0, NULL},
    P_SEED,
};

static void shrink(sl_state *s) {
    s->scalar[SCALE] *= 1 - s->p[LAMBDA] * s->p[ETA];
    if (s->scalar[SCALE] == 0) sl_scaled_fold(s, 2); /* lambda eta = 1: all weights are 0 */
}

static void project_and_truncate(sl_state *s, const sl_row *x) {
    double norm = fabs(s->scalar[SCALE]) * sqrt(positive(s->scalar[NORM])), radius = 1 / sqrt(s->p[LAMBDA]);
    if (norm > radius) s->scalar[SCALE] *= radius / norm;
    truncate_scaled(s, x, (size_t)s->p[FEATURES], 2);
}

static bool ofs_update(sl_state *s, const sl_row *x, double m) {
    bool lossy = hinge(x, m) > 0;
    shrink(s);
    if (lossy) {
        double step = s->p[ETA] * x->h * x->y / s->scalar[SCALE];
        for (size_t k = 0; k < x->n; k++) step_scaled(s, x->slot[k], step * (double)x->value[k], 2);
        project_and_truncate(s, x);
    }
    sl_scaled_tidy(s, 2);
    return lossy;
}

/* ---- partial input ----------------------------------------------------------------------------------------------- */

/* What is looked at in this round, asked feature by feature in the example's order; score and update ask alike. */
typedef struct look {
    double seed, drawn;  /* numbers drawn */
    double wanted, left; /* of the features seen */
    bool anywhere;
} look;

static look begin(const sl_state *s) {
    look l = {s->p[SEED], s->scalar[DRAWN], fmin(s->p[FEATURES], (double)s->seen), (double)s->seen, false};
    l.anywhere = draw(l.seed, l.drawn++) < s->p[EPSILON];
    return l;
}

static bool looks_at(look *l, const sl_scaled *f) {
    if (!l->anywhere) return f->v != 0;
    bool taken = draw(l->seed, l->drawn++) * l->left-- < l->wanted;
    l->wanted -= taken;
    return taken;
}

static double ofs_p_score(sl_state *s, const sl_row *x) {
    const sl_scaled *f = s->features;
    look l = begin(s);
    double m = 0;
    for (size_t k = 0; k < x->n; k++)
        if (looks_at(&l, &f[x->slot[k]])) m += (double)f[x->slot[k]].v * (double)x->value[k];
    return m * s->scalar[SCALE];
}

static bool ofs_p_update(sl_state *s, const sl_row *x, double m) {
    const sl_scaled *f = s->features;
    bool wrong = x->y * m <= 0;
    look l = begin(s);
    double chance = l.wanted / fmax(l.left, 1) * s->p[EPSILON];
    shrink(s);
    double step = wrong ? s->p[ETA] * x->h * x->y / s->scalar[SCALE] : 0;
    for (size_t k = 0; k < x->n; k++) {
        const sl_scaled *g = &f[x->slot[k]];
        if (!looks_at(&l, g) || !wrong) continue;
        double seen = chance + (g->v != 0 ? 1 - s->p[EPSILON] : 0);
        step_scaled(s, x->slot[k], step * (double)x->value[k] / seen, 2);
    }
    if (wrong) project_and_truncate(s, x);
    s->scalar[DRAWN] = l.drawn;
    sl_scaled_tidy(s, 2);
    return wrong;
}

#define PAPER "Wang et al., Online feature selection and its applications, TKDE 2014"

const sl_learner sl_ofs = {
    .info.name = "ofs",
    .info.summary = "gradient descent that keeps so many features",
    .info.paper = PAPER,
    SL_PARAMS(ofs_params),
    SL_SCALED_STATE,
    .scalars = sl_scaled_scalars,
    .trial = {"eta=0.25", "lambda=0.01", "features=60"},
    .rank = sl_scaled_rank,
    .kernels.score = sl_scaled_score,
    .kernels.update = ofs_update,
    .kernels.rescale = sl_scaled_rescale_2,
};

const sl_learner sl_ofs_p = {
    .info.name = "ofs-p",
    .info.summary = "ofs that looks at only so many features of an example",
    .info.paper = PAPER,
    SL_PARAMS(ofs_p_params),
    SL_SCALED_STATE,
    .scalars = sl_drawing_scalars,
    .trial = {"eta=0.125", "lambda=0.002", "features=90", "epsilon=0.5", "seed=3"},
    .counts_features = true,
    .draws = true,
    .rank = sl_scaled_rank,
    .kernels.score = ofs_p_score,
    .kernels.update = ofs_p_update,
    .kernels.rescale = sl_scaled_rescale_2,
};
