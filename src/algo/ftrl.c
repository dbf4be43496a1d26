/* ftrl: FTRL-Proximal with l1 and l2 (McMahan et al., KDD 2013, algorithm 1).
 *
 *   w = 0 where |z| <= l1, else -(z - sign(z) l1)/((beta + sqrt n)/alpha + l2)
 *   g = h (p - [y = +1]) x with p = 1/(1 + exp(-m)) (logistic), or -h y x where l > 0 (hinge)
 *   sigma = (sqrt(n + g^2) - sqrt n)/alpha, z += g - sigma w, n += g^2
 *
 * The sums must not stall: 64 bits. With the logistic loss margins are log odds. Cost: O(nonzeros of x). */
#include "algo/rule.h"

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
static inline double weight(const double *p, double z, double n) {
    double w = -soft(z, p[L1]) / ((p[BETA] + sqrt(n)) / p[ALPHA] + p[L2]);
    return fabs(z) <= p[L1] ? 0 : w;
}

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    const double p[] = {s->p[ALPHA], s->p[BETA], s->p[L1], s->p[L2]};
    double m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) z[k] = weight(p, z[k], n[k]) * (double)x->value[at + k];
        for (size_t k = 0; k < l; k++) m += z[k];
    }
    return m;
}

/* The derivative of the loss by the margin. */
static double slope(const sl_state *s, const sl_row *x, double m) {
    if (s->p[LOSS] == HINGE) return hinge(x, m) > 0 ? -x->y : 0;
    return 1 / (1 + exp(-m)) - (x->y > 0 ? 1 : 0);
}

SL_VECTOR static bool update(sl_state *s, const sl_row *x, double m) {
    feature *f = s->features;
    const double p[] = {s->p[ALPHA], s->p[BETA], s->p[L1], s->p[L2]};
    double d = x->h * slope(s, x, m);
    if (d == 0 || x->n == 0) return false;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) {
            double g = d * (double)x->value[at + k], more = n[k] + g * g;
            double sigma = (sqrt(more) - sqrt(n[k])) / p[ALPHA];
            z[k] += g - sigma * weight(p, z[k], n[k]);
            n[k] = more;
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]] = (feature){z[k], n[k]};
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)weight(s->p, f[slot[k]].z, f[slot[k]].n);
}

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
};
