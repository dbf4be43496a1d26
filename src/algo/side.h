/* The formulas of rule.h for eight configurations at once (core/lanes.h): the same operations in the same order. */
#ifndef SL_SIDE_H
#define SL_SIDE_H

#include "algo/rule.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are never passed to anyone: all of this is inlined */
#endif

#define HALVES for (size_t h = 0; h < SL_HALVES; h++)
#define INLINE static inline __attribute__((always_inline))

INLINE sl_d8 d8_all(double v) { return (sl_d8){v, v, v, v, v, v, v, v}; }
INLINE sl_d8 d8_of(sl_f8 v) { return __builtin_convertvector(v, sl_d8); }
INLINE sl_f8 f8_of(sl_d8 v) { return __builtin_convertvector(v, sl_f8); }
INLINE sl_d8 d8_where(sl_i8 mask, sl_d8 yes, sl_d8 no) { return (sl_d8)(((sl_i8)yes & mask) | ((sl_i8)no & ~mask)); }
INLINE sl_d8 d8_sqrt(sl_d8 v) {
    for (int i = 0; i < 8; i++) v[i] = sqrt(v[i]);
    return v;
}

INLINE sl_d8 d8_soft(sl_d8 v, sl_d8 k) {
    const sl_i8 sign = (sl_i8)d8_all(-0.0);
    sl_d8 size = (sl_d8)((sl_i8)v & ~sign) - k;
    return (sl_d8)(((sl_i8)size | ((sl_i8)v & sign)) & (size > 0));
}

/* Where l > 0: the configurations that make a step; whether there is one. */
INLINE bool lossy(sl_lanes *s, const sl_row *x) {
    sl_i8 any = {0};
    HALVES any |= s->on.mask[h] = 1 - x->y * s->m.half[h] > 0;
    for (int i = 1; i < 8; i++) any[0] |= any[i];
    return any[0] != 0;
}

/* lambda_t of each */
INLINE void thresholds(const sl_lanes *s, const sl_side *schedule, const sl_side *eta, const sl_side *lambda,
                       sl_side *k_t) {
    for (size_t l = 0; l < SL_SIDE; l++) k_t->at[l] = threshold(schedule->at[l], eta->at[l], lambda->at[l], s->t);
}

/* theta += e x for those who step; theta: the floats of a feature */
INLINE void step_floats(sl_f8 *theta, const sl_side *e, double value, const sl_side *on) {
    HALVES {
        sl_d8 before = d8_of(theta[h]);
        theta[h] = f8_of(d8_where(on->mask[h], d8_of(f8_of(before + e->half[h] * value)), before));
    }
}

/* theta += eta c_y y x where l > 0, for features that begin with theta */
INLINE void step_theta(sl_lanes *s, const sl_row *x, const sl_side *eta, const sl_side *c_y) {
    if (!lossy(s, x)) return;
    sl_side e, on = s->on;
    HALVES e.half[h] = eta->half[h] * x->h * c_y->half[h] * x->y;
    for (size_t k = 0; k < x->n; k++) step_floats(sl_lanes_at(s, x->slot[k]), &e, (double)x->value[k], &on);
}

#endif
