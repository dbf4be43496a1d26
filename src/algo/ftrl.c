/* ftrl: FTRL-Proximal with l1 and l2 (McMahan et al., KDD 2013, algorithm 1).
 *
 *   w = 0 where |z| <= l1, else -(z - sign(z) l1)/((beta + sqrt n)/alpha + l2)
 *   g = h (p - [y = +1]) x with p = 1/(1 + exp(-m)) (logistic), or -h y x where l > 0 (hinge)
 *   sigma = (sqrt(n + g^2) - sqrt n)/alpha, z += g - sigma w, n += g^2
 *
 * Divisions take longest, so there is one: w = -alpha v with v = soft(z, l1)/(beta + alpha l2 + sqrt n), and
 * -sigma w = (sqrt(n + g^2) - sqrt n) v. The sums must not stall: 64 bits. With the logistic loss margins are log odds.
 * Cost: O(nonzeros of x). */
#include "algo/shared/side.h"

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
static inline double quotient(double base, double l1, double z, double root) {
    double v = soft(z, l1) / (base + root);
    return fabs(z) <= l1 ? 0 : v;
}

static inline double base(const sl_state *s) { return s->p[BETA] + s->p[ALPHA] * s->p[L2]; }

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    const feature *f = s->features;
    double alpha = s->p[ALPHA], l1 = s->p[L1], b = base(s), m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) z[k] = -alpha * quotient(b, l1, z[k], sqrt(n[k])) * (double)x->value[at + k];
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
    double l1 = s->p[L1], b = base(s);
    double d = x->h * slope(s->p[LOSS], x, m);
    if (d == 0 || x->n == 0) return false;
    for (size_t at = 0, l; at < x->n; at += l) {
        double z[SL_LANES], n[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) z[k] = f[x->slot[at + k]].z, n[k] = f[x->slot[at + k]].n;
        for (size_t k = 0; k < l; k++) {
            double g = d * (double)x->value[at + k], more = n[k] + g * g, root = sqrt(n[k]);
            z[k] += g + (sqrt(more) - root) * quotient(b, l1, z[k], root);
            n[k] = more;
        }
        for (size_t k = 0; k < l; k++) f[x->slot[at + k]] = (feature){z[k], n[k]};
    }
    return true;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    double b = base(s);
    for (size_t k = 0; k < n; k++)
        w[k] = (float)(-s->p[ALPHA] * quotient(b, s->p[L1], f[slot[k]].z, sqrt(f[slot[k]].n)));
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

INLINE sl_d8 side_quotient(sl_d8 base, sl_d8 l1, sl_d8 z, sl_d8 root) {
    sl_d8 size = d8_soft(z, l1), v = size / (base + root);
    return d8_where(size != 0, v, d8_all(0));
}

INLINE sl_d8 side_base(const sl_lanes *s, size_t h) {
    return s->p[BETA].half[h] + s->p[ALPHA].half[h] * s->p[L2].half[h];
}

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side base, m = {{0}};
    HALVES base.half[h] = side_base(s, h);
    for (size_t k = 0; k < x->n; k++) {
        const sl_d8 *z = sl_lanes_at(s, x->slot[k]), *n = z + halves;
        HALVES {
            sl_d8 v = side_quotient(base.half[h], s->p[L1].half[h], z[h], d8_sqrt(n[h]));
            m.half[h] += -s->p[ALPHA].half[h] * v * (double)x->value[k];
        }
    }
    s->m = m;
}

INLINE void side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side base, d;
    HALVES base.half[h] = side_base(s, h);
    for (size_t l = 0; l < 8 * halves; l++) d.at[l] = x->h * slope(s->p[LOSS].at[l], x, s->m.at[l]);
    HALVES s->on.mask[h] = d.half[h] != 0;
    const sl_side on = stepping(s);
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *z = sl_lanes_at(s, x->slot[k]), *n = z + halves;
        HALVES {
            sl_d8 g = d.half[h] * (double)x->value[k], more = n[h] + g * g, root = d8_sqrt(n[h]);
            sl_d8 v = side_quotient(base.half[h], s->p[L1].half[h], z[h], root);
            z[h] += d8_step(on.mask[h], g + (d8_sqrt(more) - root) * v);
            n[h] = d8_where(on.mask[h], more, n[h]);
        }
    }
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n_slots, float *w, size_t halves) {
    for (size_t k = 0; k < n_slots; k++) {
        const sl_d8 *z = sl_lanes_at(s, slot[k]), *n = z + halves;
        HALVES {
            sl_d8 v = side_quotient(side_base(s, h), s->p[L1].half[h], z[h], d8_sqrt(n[h]));
            put_weights(w + 8 * (k * halves + h), -s->p[ALPHA].half[h] * v);
        }
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule ftrl_side = SIDE_RULE(side_score, side_update, side_weights);

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
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .lanes = &ftrl_side,
};
