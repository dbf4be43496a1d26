/* fobos: forward-backward splitting with l1 (Duchi, Singer, JMLR 2009).
 *
 *   e = eta/sqrt(t); if l > 0: w += e y x; then every weight becomes soft(w, e lambda)
 *
 * Lazily: Q is the sum of all e lambda so far, q a weight's share of it that it has already paid; when the weight is
 * next read it pays the rest at once, for soft(soft(w, a), b) = soft(w, a + b). Q grows without end, so q needs 64
 * bits; w has 64 too, which costs nothing beside it. Importance h: the step is e h; the shrinkage is the rounds' own.
 * Cost: O(nonzeros of x). */
#include "algo/side.h"

enum { ETA, LAMBDA };
enum { Q };

static const sluice_param_info params[] = {P_ETA(32), P_LAMBDA(3e-5)};
static const char *const scalars[] = {"Q", NULL};

typedef struct feature {
    double w, q;
} feature;

static const sl_field fields[] = {SL_FIELD(w, SL_F64), SL_FIELD(q, SL_F64)};

static double score(sl_state *s, const sl_row *x) {
    feature *f = s->features;
    double m = 0;
    for (size_t k = 0; k < x->n; k++) {
        feature *g = &f[x->slot[k]];
        g->w = soft(g->w, s->scalar[Q] - g->q);
        g->q = s->scalar[Q];
        m += g->w * (double)x->value[k];
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

typedef struct side {
    sl_d8 w[SL_HALVES], q[SL_HALVES];
} side;

SL_VECTOR static void side_score(sl_lanes *s, const sl_row *x) {
    sl_side m = {{0}}, due = s->scalar[Q];
    for (size_t k = 0; k < x->n; k++) {
        side *f = sl_lanes_at(s, x->slot[k]);
        HALVES {
            f->w[h] = d8_soft(f->w[h], due.half[h] - f->q[h]);
            f->q[h] = due.half[h];
            m.half[h] += f->w[h] * (double)x->value[k];
        }
    }
    s->m = m;
}

SL_VECTOR static void side_update(sl_lanes *s, const sl_row *x) {
    double root = sqrt((double)s->t);
    bool any = lossy(s, x);
    sl_side e, on = s->on;
    HALVES e.half[h] = s->p[ETA].half[h] / root;
    for (size_t k = 0; any && k < x->n; k++) {
        side *f = sl_lanes_at(s, x->slot[k]);
        HALVES f->w[h] = d8_where(on.mask[h], f->w[h] + e.half[h] * x->h * x->y * (double)x->value[k], f->w[h]);
    }
    HALVES s->scalar[Q].half[h] += e.half[h] * s->p[LAMBDA].half[h];
}

static const sl_lanes_rule fobos_side = {side_score, side_update};

const sl_learner sl_fobos = {
    .info.name = "fobos",
    .info.summary = "forward-backward splitting with l1",
    .info.paper = "Duchi and Singer, Efficient online and batch learning using forward backward splitting, JMLR 2009",
    SL_PARAMS(params),
    SL_STATE_OF(feature, fields),
    .trial = {"eta=1", "lambda=0.02"},
    .scalars = scalars,
    .score = score,
    .update = update,
    .weights = weights,
    .lanes = &fobos_side,
};
