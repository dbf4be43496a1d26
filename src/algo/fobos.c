/* fobos: forward-backward splitting with l1 (Duchi, Singer, JMLR 2009).
 *
 *   e = eta/sqrt(t); if l > 0: w += e y x; then every weight becomes soft(w, e lambda)
 *
 * Lazily: Q is the sum of all e lambda so far, q a weight's share of it that it has already paid; when the weight is
 * next read it pays the rest at once, for soft(soft(w, a), b) = soft(w, a + b). Q grows without end, so q needs 64
 * bits; w has 64 too, which costs nothing beside it. Importance h: the step is e h; the shrinkage is the rounds' own.
 * Cost: O(nonzeros of x). */
#include "algo/shared/side.h"

enum { ETA, LAMBDA };
enum { Q };

static const sluice_param_info params[] = {P_ETA(32), P_LAMBDA(3e-5)};
static const char *const scalars[] = {"Q", NULL};

typedef struct feature {
    double w, q;
} feature;

static const sl_field fields[] = {SL_FIELD(w, SL_F64), SL_FIELD(q, SL_F64)};

SL_VECTOR static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    double due = s->scalar[Q], m = 0;
    for (size_t at = 0, l; at < x->n; at += l) {
        double w[SL_LANES], q[SL_LANES];
        l = lanes(x->n - at);
        for (size_t k = 0; k < l; k++) w[k] = f[x->slot[at + k]].w, q[k] = f[x->slot[at + k]].q;
        for (size_t k = 0; k < l; k++) w[k] = soft(w[k], due - q[k]);
        for (size_t k = 0; k < l; k++) {
            f[x->slot[at + k]] = (feature){w[k], due};
            m += w[k] * (double)x->value[at + k];
        }
    }
    return m;
}

static bool update(sl_state *s, const sl_row *x, double m) {
    feature *f = s->features;
    double e = s->p[ETA] / sqrt((double)s->t);
    bool lossy = hinge(x, m) > 0;
    if (lossy)
        for (size_t k = 0; k < x->n; k++) f[x->slot[k]].w += e * x->h * x->y * (double)x->value[k];
    s->scalar[Q] += e * s->p[LAMBDA];
    return lossy;
}

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)soft(f[slot[k]].w, s->scalar[Q] - f[slot[k]].q);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

INLINE void side_score(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_side m = {{0}}, due = s->scalar[Q];
    for (size_t k = 0; k < x->n; k++) {
        sl_d8 *w = sl_lanes_at(s, x->slot[k]), *q = w + halves;
        HALVES {
            w[h] = d8_soft(w[h], due.half[h] - q[h]);
            q[h] = due.half[h];
            m.half[h] += w[h] * (double)x->value[k];
        }
    }
    s->m = m;
}

INLINE void side_update(sl_lanes *s, const sl_row *x, size_t halves) {
    double root = sqrt((double)s->t);
    bool any = lossy(s, x, halves);
    sl_side e, on = stepping(s);
    HALVES e.half[h] = s->p[ETA].half[h] / root;
    for (size_t k = 0; any && k < x->n; k++) {
        sl_d8 *w = sl_lanes_at(s, x->slot[k]);
        HALVES w[h] += d8_step(on.mask[h], e.half[h] * x->h * x->y * (double)x->value[k]);
    }
    HALVES s->scalar[Q].half[h] += e.half[h] * s->p[LAMBDA].half[h];
}

INLINE void side_weights(const sl_lanes *s, const uint32_t *slot, size_t n, float *out, size_t halves) {
    for (size_t k = 0; k < n; k++) {
        const sl_d8 *w = sl_lanes_at(s, slot[k]), *q = w + halves;
        HALVES put_weights(out + 8 * (k * halves + h), d8_soft(w[h], s->scalar[Q].half[h] - q[h]));
    }
}

SIDE_SCORE(side_score)
SIDE_UPDATE(side_update)
SIDE_WEIGHTS(side_weights)
static const sl_lanes_rule fobos_side = SIDE_RULE(side_score, side_update, side_weights);

const sl_learner sl_fobos = {
    .info.name = "fobos",
    .info.summary = "forward-backward splitting with l1",
    .info.paper = "Duchi and Singer, Efficient online and batch learning using forward backward splitting, JMLR 2009",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=1", "lambda=0.02"},
    .scalars = scalars,
    .kernels.score = score,
    .kernels.update = update,
    .kernels.weights = weights,
    .lanes = &fobos_side,
};
