#include "algo/shared/confidence.h"

#include <float.h>

const sl_sure sl_sure_fresh = {.s = 1};
const sl_field sl_sure_fields[2] = {
    {"w", SL_F32, offsetof(sl_sure, w), -INFINITY},
    {"s", SL_F32, offsetof(sl_sure, s), 0},
};

double sl_sure_score(sl_state *s, const sl_row *x) {
    const sl_sure *f = s->features;
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += (double)f[x->slot[k]].w * (double)x->value[k];
    return m;
}

void sl_sure_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_sure *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].w;
}

static double variance(const sl_state *s, const sl_row *x) {
    const sl_sure *f = s->features;
    double v = 0;
    for (size_t k = 0; k < x->n; k++) v += (double)f[x->slot[k]].s * (double)x->value[k] * (double)x->value[k];
    return v;
}

/* Where r is infinite, which rounding may make of a large one, neither w nor S would change. */
static bool find_rates(const sl_state *s, const sl_row *x, double m, double v, const sl_confidence *rule,
                       sl_rates *to) {
    return v > 0 && rule->rates(s->p, x->y * m, v, x->h, to) && to->r < INFINITY;
}

bool sl_sure_update(sl_state *s, const sl_row *x, double m, const sl_confidence *rule) {
    if (x->y * m >= rule->edge) return false;
    double a = s->p[rule->a], v = a * variance(s, x);
    sl_rates to;
    if (!find_rates(s, x, m, v, rule, &to)) return false;
    sl_sure *f = s->features;
    double step = to.alpha * x->y * a, beta = a / (v + to.r), least = to.r / (v + to.r);
    for (size_t k = 0; k < x->n; k++) {
        sl_sure *g = &f[x->slot[k]];
        double sx = (double)g->s * (double)x->value[k];
        g->w = (float)(g->w + step * sx);
        double after = (double)g->s - beta * sx * sx, bound = (double)g->s * least;
        if (after < bound) after = bound; /* where v >> r rounding would take it to 0, and below */
        g->s = (float)(after > FLT_MIN ? after : FLT_MIN);
    }
    return true;
}

bool sl_full_update(sl_state *s, const sl_row *x, double m, const sl_confidence *rule) {
    if (x->y * m >= rule->edge) return false;
    double a = s->p[rule->a], v = a * sl_dense_variance(s, x);
    sl_rates to;
    if (!find_rates(s, x, m, v, rule, &to)) return false;
    sl_dense_shrink(s, to.r / a);
    sl_dense_step(s, to.alpha * x->y * a);
    return true;
}
