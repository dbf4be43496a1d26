/* Many configurations of a learner side by side: the state of eight or sixteen of them for one feature lies together,
 * each field an array, and the rule goes over all of them at once in vectors of eight (the compilers' vector types: any
 * machine can do it, those with wide vectors fast). What every configuration computes is to the bit what it would
 * compute alone. */
#ifndef SL_LANES_H
#define SL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_SIDE = 16, SL_HALVES = 2 };

typedef double sl_d8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float sl_f8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t sl_u8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int64_t sl_i8 __attribute__((vector_size(64), aligned(8), may_alias)); /* as a mask: all bits or none */

/* A number for each configuration. */
typedef union sl_side {
    double at[SL_SIDE];
    sl_d8 half[SL_HALVES];
    sl_i8 mask[SL_HALVES];
} sl_side;

struct sl_row;

typedef struct sl_lanes {
    char *features;  /* 8 * halves of every field, in the order of the learner's table */
    size_t size;     /* of one feature */
    sl_side *p;      /* the parameters */
    sl_side *scalar; /* the scalars */
    uint64_t t;
    sl_side m;  /* the margins */
    sl_side on; /* a mask: the configurations that make an update in this round */
} sl_lanes;

/* What a learner declares to be swept, for eight and for sixteen configurations (one half or two): score() fills m;
 * update() goes by m and fills `on`; weights() fills w with those of all configurations for the first feature, then for
 * the next. */
typedef struct sl_lanes_rule {
    void (*score[SL_HALVES])(sl_lanes *s, const struct sl_row *x);
    void (*update[SL_HALVES])(sl_lanes *s, const struct sl_row *x);
    void (*weights[SL_HALVES])(const sl_lanes *s, const uint32_t *slot, size_t n, float *w);
} sl_lanes_rule;

static inline void *sl_lanes_at(const sl_lanes *s, uint32_t slot) { return s->features + slot * s->size; }

#endif
