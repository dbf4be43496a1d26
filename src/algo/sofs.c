/* sofs: second-order online feature selection (Wu, Hoi, Mei, arXiv 2014).
 *
 *   v = sum_i S_i x_i^2; if l > 0: beta = 1/(v + r), w += l beta y S x, S -= beta (S x)^2        (AROW, diagonal)
 *   then the `features` nonzero weights of smallest variance S_i stay; of equal ones those seen first. The others' w
 *   becomes 0, their variance is kept.
 *
 * S starts at 1: another start would only scale r. Importance h: r/h. Cost: O(nonzeros of x * log features): variances
 * only fall, so only features of x can enter (features/top_features.h). */
#include "algo/shared/scaled.h"

enum { R, FEATURES };

static const sluice_param_info params[] = {
    P_R(0.1),
    P_FEATURES(10000),
};

typedef struct feature {
    sl_ranked ranked;
    float w, S;
} feature;

static const sl_field fields[] = {
    SL_FIELD(w, SL_F32),
    SL_FIELD_FROM(S, SL_F32, 0),
    {"born", SL_U32, offsetof(feature, ranked.born), 0},
};
static const feature fresh = {.S = 1};

/* The bits of a positive float are in the order of its values. */
static uint32_t rank(const void *f) {
    const feature *g = f;
    return g->w != 0 ? float_bits(2) - float_bits(g->S < 1 ? g->S : 1) : 0;
}

static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += (double)f[x->slot[k]].w * (double)x->value[k];
    return m;
}

static void step(sl_state *s, const sl_row *x, double l) {
    feature *f = s->features;
    double v = 0;
    for (size_t k = 0; k < x->n; k++) v += (double)f[x->slot[k]].S * (double)x->value[k] * (double)x->value[k];
    double beta = 1 / (v + s->p[R] / x->h);
    for (size_t k = 0; k < x->n; k++) {
        feature *g = &f[x->slot[k]];
        double Sx = (double)g->S * (double)x->value[k];
        g->w = (float)(g->w + l * beta * x->y * Sx);
        g->S = (float)positive((double)g->S - beta * Sx * Sx); /* rounding must not take it below 0 */
        if (g->ranked.low) sl_top_changed(&s->top, &g->ranked, x->slot[k], rank(g));
    }
}

static bool update(sl_state *s, const sl_row *x, double m) {
    double l = hinge(x, m);
    if (l <= 0) return false;
    step(s, x, l);
    feature *f = s->features;
    for (size_t k = 0; k < x->n; k++) {
        uint32_t slot = x->slot[k];
        if (f[slot].ranked.low || f[slot].w == 0) continue;
        uint32_t gone = sl_top_offer(&s->top, slot, rank(&f[slot]), (size_t)s->p[FEATURES]);
        if (gone != SL_NO_SLOT) f[gone].w = 0;
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].w;
}

static void rescale(sl_state *s, uint32_t slot, double by) {
    feature *f = (feature *)s->features + slot;
    f->w = (float)(f->w * by);
}

const sl_learner sl_sofs = {
    .info.name = "sofs",
    .info.summary = "second-order ofs: keeps the features it is surest of",
    .info.paper = "Wu et al., Large-scale online feature selection for ultra-high dimensional sparse data, TKDD 2017",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .fresh = &fresh,
    .trial = {"r=0.5", "features=60"},
    .rank = rank,
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .kernels.rescale = rescale,
};
