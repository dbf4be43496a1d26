/* Weights w = s v. */
#include "algo/shared/scaled.h"

#include <string.h>

const sl_field sl_scaled_fields[2] = {
    {"v", SL_F32, offsetof(sl_scaled, v), -INFINITY},
    {"born", SL_U32, offsetof(sl_scaled, ranked.born), 0},
};
const char *const sl_scaled_scalars[] = {"s", "norm", NULL};
const char *const sl_drawing_scalars[] = {"s", "norm", "drawn", NULL};
const double sl_scaled_first[] = {[SCALE] = 1, [NORM] = 0, [DRAWN] = 0};

double sl_scaled_score(sl_state *s, const sl_row *x) {
    const sl_scaled *f = s->features;
    double m = 0;
    for (size_t k = 0; k < x->n; k++) m += (double)f[x->slot[k]].v * (double)x->value[k];
    return m * s->scalar[SCALE];
}

void sl_scaled_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const sl_scaled *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = (float)(s->scalar[SCALE] * (double)f[slot[k]].v);
}

/* The rank of a top feature only rises, which needs nothing more. */
static void rescale(sl_state *s, uint32_t slot, double by, int p) {
    sl_scaled *f = (sl_scaled *)s->features + slot;
    if (fabs((double)f->v) * by > 0x1p120) sl_scaled_fold(s, p); /* v must not leave the range of floats */
    move_scaled(s, f, (double)f->v * by - (double)f->v, p);
}

void sl_scaled_rescale_1(sl_state *s, uint32_t slot, double by) { rescale(s, slot, by, 1); }
void sl_scaled_rescale_2(sl_state *s, uint32_t slot, double by) { rescale(s, slot, by, 2); }

uint32_t sl_scaled_rank(const void *feature) { return float_bits(fabsf(((const sl_scaled *)feature)->v)); }

void sl_power_sum_add(sl_power_sum *sum, float v) {
    uint32_t bits = float_bits(fabsf(v)), exponent = bits >> 23;
    uint64_t mantissa = (bits & 0x7fffff) | (exponent ? 0x800000 : 0),
             power = sum->p == 1 ? mantissa : mantissa * mantissa;
    sum->low[exponent] += power & 0xffffff;
    sum->high[exponent] += power >> 24;
}

/* What a visit of all weights does: multiplies each v and adds it up. */
typedef struct scaling {
    double scale;
    sl_power_sum sum;
} scaling;

static uint32_t visit(void *context, void *feature) {
    scaling *to = context;
    sl_scaled *f = feature;
    f->v = (float)(to->scale * (double)f->v);
    sl_power_sum_add(&to->sum, f->v);
    return float_bits(fabsf(f->v));
}

double sl_power_sum_total(const sl_power_sum *sum) {
    double all = 0;
    for (int e = 0; e < 256; e++)
        if (sum->low[e] | sum->high[e])
            all += ldexp((double)sum->low[e] + 0x1p24 * (double)sum->high[e], sum->p * ((e ? e : 1) - 127 - 23));
    return all;
}

static void sum_again(sl_state *s, int p, double scale) {
    scaling to = {.scale = scale, .sum.p = p};
    sl_top_visit(&s->top, visit, &to);
    s->scalar[NORM] = sl_power_sum_total(&to.sum);
}

void sl_scaled_fold(sl_state *s, int p) {
    sum_again(s, p, s->scalar[SCALE]);
    s->scalar[SCALE] = 1;
}

void sl_scaled_tidy(sl_state *s, int p) {
    double size = fabs(s->scalar[SCALE]);
    if (size < 0x1p-80 || size > 0x1p80)
        sl_scaled_fold(s, p);
    else if (s->t % (1 << 16) == 0)
        sum_again(s, p, 1);
}
