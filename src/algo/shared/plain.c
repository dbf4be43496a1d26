/* The loops that learners share. */
#include "algo/shared/rule.h"

const sl_field sl_plain_fields[1] = {{"w", SL_F32, 0, -INFINITY}};

const char *const sl_schedules[] = {"constant", "inverse", "sqrt", NULL};

double sl_plain_score(sl_state *s, const sl_row *x) {
    const sl_plain *f = s->features;
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += (double)f[x->slot[k]].w * (double)x->value[k];
    return m;
}

void sl_plain_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_plain *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].w;
}

void sl_plain_step(sl_state *s, const sl_row *x, double step) {
    sl_plain *f = s->features;
    for (size_t k = 0; k < x->n; k++) {
        float *w = &f[x->slot[k]].w;
        *w = (float)(*w + step * (double)x->value[k]);
    }
}

/* Sixteen sums side by side, on every machine: the result does not depend on the width of its vectors. */
SL_VECTOR static double dot(const double *a, const double *b, size_t n) {
    enum { SUMS = 16 };
    double sum[SUMS] = {0};
    size_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (size_t j = 0; j < SUMS; j++) sum[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i < n; i++, j++) sum[j] += a[i] * b[i];
    for (size_t half = SUMS / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++) sum[j] += sum[j + half];
    return sum[0];
}

double sl_dot(const double *a, const double *b, size_t n) { return dot(a, b, n); }
