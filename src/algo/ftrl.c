/* ftrl: FTRL-Proximal with l1 and l2 (McMahan et al., KDD 2013, algorithm 1).
 *
 *   w = 0 where |z| <= l1, else -(z - sign(z) l1)/((beta + sqrt n)/alpha + l2)
 *   g = h (p - [y = +1]) x with p = 1/(1 + exp(-m)) (logistic), or -h y x where l > 0 (hinge)
 *   sigma = (sqrt(n + g^2) - sqrt n)/alpha, z += g - sigma w, n += g^2
 *
 * The sums must not stall: 64 bits. With the logistic loss margins are log odds. Cost: O(nonzeros of x). */
#include "algo/side.h"

enum { ALPHA, BETA, L1, L2, LOSS };
enum { LOGISTIC, HINGE };

static const char *const losses[] = {"logistic", "hinge", NULL};

static const sluice_param_info params[] = {
    {"alpha", "learning rate", 2, 1e-12, 1e12, 0, NULL},
    {"beta", "slows the first steps of every feature", 0.1, 0, 1e12, 0, NULL},
    {"l1", "strength of the l1 regularisation: more makes the model sparser", 0.03, 0, 1e12, 0, NULL},
    {"l2", "strength of the l2 regularisation", 0, 0, 1e12, 0, NULL},
    {"loss", "logistic (gives probabilities) or hinge", LOGISTIC, 0, 1, 1, losses},
};

typedef struct feature {
    double z, n;
} feature;

static const sl_field fields[] = {SL_FIELD(z, SL_F64), SL_FIELD_FROM(n, SL_F64, 0)};

/* A feature without a gradient yet has weight 0, also where beta = l2 = 0 would make it 0/0. */
static inline double weight(double alpha, double beta, double l1, double l2, double z, double n) {
    double w = -soft(z, l1) / ((beta + sqrt(n)) / alpha + l2);
    return fabs(z) <= l1 ? 0 : w;
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double alpha = s->p[ALPHA], beta = s->p[BETA], l1 = s->p[L1], l2 = s->p[L2];
    double m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) z[k] = weight(alpha, beta, l1, l2, z[k], n[k]) * (double)x->value[at + k];
        for (size_t k = 0; k < l; k++) m += z[k];
    }
    return m;
}

/* The derivative of the loss by the margin. */
static double slope(double loss, const sl_row *x, double m) {
    if (loss == HINGE) return hinge(x, m) > 0 ? -x->y : 0;
    return 1 / (1 + exp(-m)) - (x->y > 0 ? 1 : 0);
}

SL_VECTOR static bool update(sl_state *s, const sl_row *x, double m) {
    feature *f = s->features;
    double alpha = s->p[ALPHA], beta = s->p[BETA], l1 = s->p[L1], l2 = s->p[L2];
    double d = x->h * slope(s->p[LOSS], x, m);
    if (d == 0 || x->n == 0) return false;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) {
            double g = d * (double)x->value[at + k], more = n[k] + g * g;
            double sigma = (sqrt(more) - sqrt(n[k])) / alpha;
            z[k] += g - sigma * weight(alpha, beta, l1, l2, z[k], n[k]);
            n[k] = more;
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]] = (feature){z[k], n[k]};
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    const double *p = s->p;
    for (size_t k = 0; k < n; k++) w[k] = (float)weight(p[ALPHA], p[BETA], p[L1], p[L2], f[slot[k]].z, f[slot[k]].n);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

typedef struct side {
    sl_d8 z[SL_HALVES], n[SL_HALVES];
} side;

INLINE sl_d8 side_weight(const sl_side *p, size_t h, sl_d8 z, sl_d8 root) {
    sl_d8 soft_z = d8_soft(z, p[L1].half[h]);
    sl_d8 w = -soft_z / ((p[BETA].half[h] + root) / p[ALPHA].half[h] + p[L2].half[h]);
    return d8_where(soft_z != 0, w, d8_all(0));
}

SL_VECTOR static void side_score(sl_lanes *s, const sl_row *x) {
    sl_side m = {{0}};
    for (size_t k = 0; k < x->n; k++) {
        const side *f = sl_lanes_at(s, x->slot[k]);
        HALVES m.half[h] += side_weight(s->p, h, f->z[h], d8_sqrt(f->n[h])) * (double)x->value[k];
    }
    s->m = m;
}

SL_VECTOR static void side_update(sl_lanes *s, const sl_row *x) {
    sl_side d, on;
    for (size_t l = 0; l < SL_SIDE; l++) d.at[l] = x->h * slope(s->p[LOSS].at[l], x, s->m.at[l]);
    HALVES s->on.mask[h] = on.mask[h] = d.half[h] != 0;
    for (size_t k = 0; k < x->n; k++) {
        side *f = sl_lanes_at(s, x->slot[k]);
        HALVES {
            sl_d8 g = d.half[h] * (double)x->value[k], more = f->n[h] + g * g, root = d8_sqrt(f->n[h]);
            sl_d8 sigma = (d8_sqrt(more) - root) / s->p[ALPHA].half[h];
            sl_d8 z = f->z[h] + (g - sigma * side_weight(s->p, h, f->z[h], root));
            f->z[h] = d8_where(on.mask[h], z, f->z[h]);
            f->n[h] = d8_where(on.mask[h], more, f->n[h]);
        }
    }
}

static const sl_lanes_rule ftrl_side = {side_score, side_update};

static bool has_probability(const double *p) { return p[LOSS] == LOGISTIC; }

const sl_learner sl_ftrl = {
    .info.name = "ftrl",
    .info.summary = "follow the proximally regularised leader; logistic regression with l1 and l2",
    .info.paper = "McMahan et al., Ad click prediction: a view from the trenches, KDD 2013",
    .info.flags = SLUICE_LEARNER_PROBABILITY,
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"alpha=0.5", "beta=0.5", "l1=0.5", "l2=0.1", "loss=hinge"},
    .has_probability = has_probability,
    .score = score,
    .update = update,
    .weights = weights,
    .lanes = &ftrl_side,
};
