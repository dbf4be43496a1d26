/* Any number of lanes (lanes.h): blocks of 16 lanes and, perhaps, one of 8 at the end. The parts
 * of a feature that belong to the blocks lie one behind the other, so that a feature is found once for all lanes. */
#ifndef SL_LANE_BLOCKS_H
#define SL_LANE_BLOCKS_H

#include "learner/learner.h"

typedef struct sl_lane_block {
    sl_lanes lanes;
    size_t n;      /* 8 or 16 */
    size_t offset; /* of its part in a feature */
} sl_lane_block;

typedef struct sl_lane_blocks {
    const sl_learner *learner;
    const sl_lane_kernels *kernels;
    sl_lane_block *block;
    size_t n_blocks, n_lanes;
    size_t size;          /* of a feature */
    unsigned char *fresh; /* a feature when first seen */
} sl_lane_blocks;

/* At least n lanes of a learner that has them, all with these parameters. False: no memory. */
bool sl_lane_blocks_make(sl_lane_blocks *b, const sl_learner *learner, const double *params, size_t n);
/* Gives a lane other parameters; `shared` of its block must stay true (lanes.h), or be set by the caller. */
void sl_lane_blocks_set_params(sl_lane_blocks *b, size_t lane, const double *params);
void sl_lane_blocks_free(sl_lane_blocks *b);
uint64_t sl_lane_blocks_memory(const sl_lane_blocks *b);

/* A lane of a feature, to and from the learner's own struct. */
void sl_lane_blocks_gather(const sl_lane_blocks *b, const char *feature, size_t lane, char *to);
void sl_lane_blocks_scatter(const sl_lane_blocks *b, const char *from, size_t lane, char *feature);
/* The place of a scalar of a lane. */
double *sl_lane_blocks_scalar(const sl_lane_blocks *b, size_t i, size_t lane);
static inline double sl_lane_margin(const sl_lane_blocks *b, size_t lane) {
    return b->block[lane / 16].lanes.m[lane % 16];
}
static inline bool sl_lane_updated(const sl_lane_blocks *b, size_t lane) {
    return b->block[lane / 16].lanes.on[lane % 16] != 0;
}

/* As the functions of sl_kernels, for all lanes. update() takes every lane's label as -1, but for one lane (SIZE_MAX:
 * for none). */
void sl_lane_blocks_score(sl_lane_blocks *b, char *features, uint64_t t, const sl_row *x);
void sl_lane_blocks_update(sl_lane_blocks *b, const sl_row *x, size_t positive);
void sl_lane_blocks_settle(sl_lane_blocks *b, char *features, uint64_t t, const uint32_t *slot, size_t n);
void sl_lane_blocks_rescale(sl_lane_blocks *b, char *features, uint64_t t, uint32_t slot, double by);
/* Adds to the margins of all lanes what n features of an example are worth after t rounds. */
void sl_lane_blocks_margins(const sl_lane_blocks *b, char *features, uint64_t t, const uint32_t *slot,
                            const float *value, size_t n, double *m);
/* The weights of one feature in all lanes after t rounds. */
void sl_lane_blocks_weights(const sl_lane_blocks *b, char *features, uint64_t t, uint32_t slot, float *w);

#endif
