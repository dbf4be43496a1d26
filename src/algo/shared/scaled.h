/* Learners that scale all weights at once and keep the largest: olsf, ofs.
 *
 * The weights are w = s v, so that scaling is one multiplication and leaves the order of magnitudes as it is. The norm
 * of v is carried along: |v|_1 or |v|_2^2, as p says. Every 2^16 rounds, by the saved count of examples, it is summed
 * anew; its error stays far below the radius of the ball that it is compared with, for s only shrinks, and old errors
 * with it.
 *
 * When s gets out of hand it moves into v. That costs O(weights kept), but is paid for: since the last time every
 * weight has shrunk by 2^80, and one that nothing touched through three such times is 0 in 32 bits. So there are no
 * more weights than the examples of the last few times have values. */
#ifndef SL_SCALED_H
#define SL_SCALED_H

#include "algo/shared/rule.h"

enum { SCALE, NORM, DRAWN }; /* the scalars; DRAWN only where a learner draws at random */

typedef struct sl_scaled {
    sl_ranked ranked;
    float v;
} sl_scaled;

extern const sl_field sl_scaled_fields[2];
extern const char *const sl_scaled_scalars[];  /* SCALE, NORM */
extern const char *const sl_drawing_scalars[]; /* and DRAWN */
extern const double sl_scaled_first[];

double sl_scaled_score(sl_state *s, const sl_row *x);                                /* w.x */
void sl_scaled_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w); /* w */
/* rescale() of learner.h, where the norm is |v|_1 and |v|_2^2 */
void sl_scaled_rescale_1(sl_state *s, uint32_t slot, double by);
void sl_scaled_rescale_2(sl_state *s, uint32_t slot, double by);
uint32_t sl_scaled_rank(const void *feature); /* |v| as ordered bits */

/* s moves into v; p is the norm's. */
void sl_scaled_fold(sl_state *s, int p);
/* After a round: what has to be done now and then. */
void sl_scaled_tidy(sl_state *s, int p);

/* A sum of powers that is the same whatever their order: whole numbers are added up, for each exponent by itself. The
 * square of a 24-bit mantissa has 48 bits, which are added up by halves. Begin with {.p = p}. */
typedef struct sl_power_sum {
    int p;
    uint64_t low[256], high[256];
} sl_power_sum;

void sl_power_sum_add(sl_power_sum *sum, float v);
double sl_power_sum_total(const sl_power_sum *sum);

#define SL_SCALED_STATE                                                                                                \
    SL_STATE_OF(sl_scaled, sl_scaled_fields), .first_scalars = sl_scaled_first, .kernels.weights = sl_scaled_weights

static inline uint32_t float_bits(float v) {
    union {
        float v;
        uint32_t bits;
    } u = {v};
    return u.bits;
}

static inline double power(float v, int p) { return p == 1 ? fabs((double)v) : (double)v * (double)v; }

/* v += step for one feature; whether it is kept, and stays so, is for later */
static inline void move_scaled(sl_state *s, sl_scaled *f, double step, int p) {
    float v = (float)(f->v + step);
    s->scalar[NORM] += power(v, p) - power(f->v, p);
    f->v = v;
}

static inline void step_scaled(sl_state *s, uint32_t slot, double step, int p) {
    sl_scaled *f = (sl_scaled *)s->features + slot;
    move_scaled(s, f, step, p);
    if (f->ranked.low) sl_top_changed(&s->top, &f->ranked, slot, float_bits(fabsf(f->v)));
}

/* w becomes 0 */
static inline void forget_scaled(sl_state *s, uint32_t slot, int p) {
    sl_scaled *f = (sl_scaled *)s->features + slot;
    s->scalar[NORM] -= power(f->v, p);
    f->v = 0;
}

/* Keeps the K largest weights, where x was learned since they were the K largest: only features of x can enter. */
static inline void truncate_scaled(sl_state *s, const sl_row *x, size_t K, int p) {
    const sl_scaled *f = s->features;
    for (size_t k = 0; k < x->n; k++) {
        uint32_t slot = x->slot[k];
        if (f[slot].ranked.low || f[slot].v == 0) continue;
        uint32_t gone = sl_top_offer(&s->top, slot, float_bits(fabsf(f[slot].v)), K);
        if (gone != SL_NO_SLOT) forget_scaled(s, gone, p);
    }
    while (s->top.count > K) forget_scaled(s, sl_top_drop(&s->top), p); /* K falls when features are evicted */
}

#endif
