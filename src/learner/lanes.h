/* Many configurations of a learner in one pass: each is a lane. The state of all lanes for one feature lies together,
 * each field an array of 8 or 16, and the rule goes over them in vectors (algo/shared/kernels.h). Each lane computes to
 * the bit what its configuration would compute alone. */
#ifndef SL_LANES_H
#define SL_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SL_MAX_LANES = 16 };

struct sl_row;

typedef struct sl_lanes {
    char *features; /* each field of a feature is an array of all lanes, in the order of the learner's table */
    size_t size;    /* of one feature */
    uint64_t t;
    bool shared; /* all lanes have the same value of the parameter that the rule shares its work by */
    /* vector after vector: the parameters (SL_MAX_PARAMS) and scalars (SL_MAX_SCALARS) of its lanes. Aligned to 64. */
    double *p, *scalar;
    double y[SL_MAX_LANES];   /* the labels: a sweep has the row's in all lanes */
    double m[SL_MAX_LANES];   /* the margins */
    int64_t on[SL_MAX_LANES]; /* -1: the lane makes an update in this round; 0: it makes none */
} sl_lanes;

/* A rule over lanes, each function for 8 lanes and for 16: score() fills m; update() goes by m and fills `on`;
 * weights() fills w with those of all lanes for the first slot, then for the next; margins() adds to m what n features
 * of an example are worth to each lane; settle() and rescale() as in sl_kernels. */
typedef struct sl_lane_kernels {
    size_t width; /* lanes in a vector */
    void (*score[2])(sl_lanes *s, const struct sl_row *x);
    void (*update[2])(sl_lanes *s, const struct sl_row *x);
    void (*weights[2])(const sl_lanes *s, const uint32_t *slot, size_t n, float *w);
    void (*margins[2])(const sl_lanes *s, const uint32_t *slot, const float *value, size_t n, double *m);
    void (*settle[2])(sl_lanes *s, const uint32_t *slot, size_t n);
    void (*rescale[2])(sl_lanes *s, uint32_t slot, double by);
} sl_lane_kernels;

static inline void *sl_lanes_at(const sl_lanes *s, uint32_t slot) { return s->features + slot * s->size; }

#endif
