/* Perceptrons: an update for every mistake.
 *
 * perceptron (Rosenblatt 1958):      if y m <= 0: w += eta y x
 * paum (Li et al., ICML 2002):       if y m <= margin_y: w += eta y x
 *   A perceptron with uneven margins: the class that must not be missed gets the larger one.
 *
 * Importance h: the step is eta h. Cost: O(nonzeros of x). */
#include "algo/shared/plain.h"

enum { ETA, MARGIN_POS, MARGIN_NEG };

RULE mask perceptron_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    r->step = p[ETA] * x->h * x->y;
    return x->y * m <= 0;
}

RULE mask paum_decide(round_state *r, const num *p, const rule_row *x, num m, num v, uint64_t t) {
    (void)v, (void)t;
    r->step = p[ETA] * x->h * x->y;
    return x->y * m <= where(x->y > 0, p[MARGIN_POS], p[MARGIN_NEG]);
}

static const rule perceptron = SL_PLAIN_RULE(perceptron_decide), paum = SL_PLAIN_RULE(paum_decide);
SL_KERNELS(perceptron)
SL_KERNELS(paum)

#ifdef SL_MAKES_RECORDS

static const sluice_param_info perceptron_params[] = {P_ETA(1)};

static const sluice_param_info paum_params[] = {
    P_ETA(1),
    {"margin_pos", "margin below which a positive example is learned", 1, -1e12, 1e12, 0, NULL},
    {"margin_neg", "margin below which a negative example is learned", 1, -1e12, 1e12, 0, NULL},
};

const sl_learner sl_perceptron = {
    .info.name = "perceptron",
    .info.summary = "learns from mistakes only",
    .info.paper = "Rosenblatt, The perceptron, Psychological Review 1958",
    .info.flags = SLUICE_LEARNER_MERGES | SLUICE_LEARNER_MATRIX,
    SL_PARAMS(perceptron_params),
    SL_DIAGONAL(perceptron),
    .trial = {"eta=0.5"},
};

const sl_learner sl_paum = {
    .info.name = "paum",
    .info.summary = "perceptron with uneven margins, for rare classes",
    .info.paper = "Li et al., The perceptron algorithm with uneven margins, ICML 2002",
    .info.flags = SLUICE_LEARNER_MERGES,
    SL_PARAMS(paum_params),
    SL_DIAGONAL(paum),
    .trial = {"eta=0.5", "margin_pos=2", "margin_neg=0.25"},
};

#endif
