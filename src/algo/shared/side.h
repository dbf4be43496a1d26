/* The formulas of rule.h for eight configurations at once (learner/lanes.h): the same operations in the same order. */
#ifndef SL_SIDE_H
#define SL_SIDE_H

#include <string.h>

#include "algo/shared/rule.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are never passed to anyone: all of this is inlined */
#endif

#define INLINE static inline __attribute__((always_inline))

/* A rule is written once, with the number of halves as its last argument, and made for each. */
#define HALVES for (size_t h = 0; h < halves; h++)
#define SIDE_SCORE(score)                                                                                              \
    SL_VECTOR static void score##_8(sl_lanes *s, const sl_row *x) { score(s, x, 1); }                                  \
    SL_VECTOR static void score##_16(sl_lanes *s, const sl_row *x) { score(s, x, 2); }
#define SIDE_UPDATE SIDE_SCORE
#define SIDE_WEIGHTS(weights)                                                                                          \
    SL_VECTOR static void weights##_8(const sl_lanes *s, const uint32_t *slot, size_t n, float *w) {                   \
        weights(s, slot, n, w, 1);                                                                                     \
    }                                                                                                                  \
    SL_VECTOR static void weights##_16(const sl_lanes *s, const uint32_t *slot, size_t n, float *w) {                  \
        weights(s, slot, n, w, 2);                                                                                     \
    }
#define SIDE_RULE(score, update, weights)                                                                              \
    {                                                                                                                  \
        {score##_8, score##_16}, {update##_8, update##_16}, { weights##_8, weights##_16 }                              \
    }

INLINE sl_d8 d8_all(double v) { return (sl_d8){v, v, v, v, v, v, v, v}; }
INLINE sl_d8 d8_of(sl_f8 v) { return __builtin_convertvector(v, sl_d8); }
INLINE sl_f8 f8_of(sl_d8 v) { return __builtin_convertvector(v, sl_f8); }
INLINE sl_d8 d8_of_counts(sl_u8 v) { return __builtin_convertvector(v, sl_d8); }
INLINE sl_d8 d8_abs(sl_d8 v) { return (sl_d8)((sl_i8)v & ~(sl_i8)d8_all(-0.0)); }
INLINE void put_weights(float *w, sl_d8 v) { *(sl_f8 *)w = f8_of(v); }
INLINE sl_d8 d8_where(sl_i8 mask, sl_d8 yes, sl_d8 no) { return (sl_d8)(((sl_i8)yes & mask) | ((sl_i8)no & ~mask)); }
INLINE sl_d8 d8_sqrt(sl_d8 v) {
    for (int i = 0; i < 8; i++) v[i] = sqrt(v[i]);
    return v;
}

/* Whether the mask holds for any of the eight. */
INLINE bool any8(sl_i8 mask) {
    typedef signed char bytes __attribute__((vector_size(8)));
    bytes narrow = __builtin_convertvector(mask, bytes);
    uint64_t all;
    memcpy(&all, &narrow, sizeof all);
    return all != 0;
}

INLINE sl_d8 d8_soft(sl_d8 v, sl_d8 k) {
    const sl_i8 sign = (sl_i8)d8_all(-0.0);
    sl_d8 size = d8_abs(v) - k;
    return (sl_d8)(((sl_i8)size | ((sl_i8)v & sign)) & (size > 0));
}

/* Where l > 0: the configurations that make a step; whether there is one. */
INLINE bool lossy(sl_lanes *s, const sl_row *x, size_t halves) {
    sl_i8 any = {0};
    HALVES any |= s->on.mask[h] = 1 - x->y * s->m.half[h] > 0;
    return any8(any);
}

/* The masks of `on`, as plain numbers: where the compiler has just made a mask and knows it for one, it may pick by it
 * one number at a time. */
INLINE sl_side stepping(sl_lanes *s) {
    __asm__ volatile("" ::"r"(&s->on) : "memory");
    return s->on;
}

/* lambda_t of each */
INLINE void thresholds(const sl_lanes *s, const sl_side *schedule, const sl_side *eta, const sl_side *lambda,
                       sl_side *k_t, size_t halves) {
    for (size_t l = 0; l < 8 * halves; l++) k_t->at[l] = threshold(schedule->at[l], eta->at[l], lambda->at[l], s->t);
}

/* What is added: nothing for those who do not step. (Adding -0 changes no number, not even a -0.) */
INLINE sl_d8 d8_step(sl_i8 on, sl_d8 step) { return d8_where(on, step, d8_all(-0.0)); }

/* theta += eta c_y y x where l > 0, for features that begin with theta; c_y NULL: 1 */
INLINE void step_thetas(sl_lanes *s, const sl_row *x, const sl_side *eta, const sl_side *c_y, size_t halves) {
    if (!lossy(s, x, halves)) return;
    sl_side e, on = stepping(s);
    HALVES e.half[h] = eta->half[h] * x->h * (c_y ? c_y->half[h] : d8_all(1)) * x->y;
    for (size_t k = 0; k < x->n; k++) {
        sl_f8 *theta = sl_lanes_at(s, x->slot[k]);
        HALVES theta[h] = f8_of(d8_of(theta[h]) + d8_step(on.mask[h], e.half[h] * (double)x->value[k]));
    }
}

#endif
