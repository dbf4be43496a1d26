/* Blocks of lanes: their layout in a feature, and the rule's functions over all of them. */
#include "learner/lane_blocks.h"

#include <stdlib.h>
#include <string.h>

static size_t which(const sl_lane_block *k) { return k->n / 8 - 1; }

static size_t struct_size(const sl_learner *learner, size_t lanes) {
    size_t size = 0;
    for (size_t i = 0; i < learner->n_fields; i++) size += lanes * sl_type_size(learner->fields[i].type);
    return size;
}

/* Room for parameters and scalars as the kernels read them: vector after vector. */
static bool make_numbers(sl_lane_block *k) {
    const size_t n_params = SL_MAX_LANES * SL_MAX_PARAMS, n_scalars = SL_MAX_LANES * SL_MAX_SCALARS;
    sl_lanes *s = &k->lanes;
    s->p = aligned_alloc(64, (n_params + n_scalars) * sizeof(double));
    if (!s->p) return false;
    memset(s->p, 0, (n_params + n_scalars) * sizeof(double));
    s->scalar = s->p + n_params;
    s->shared = true;
    return true;
}

void sl_lane_blocks_set_params(sl_lane_blocks *b, size_t lane, const double *params) {
    const size_t width = b->kernels->width, l = lane % SL_MAX_LANES;
    double *p = b->block[lane / SL_MAX_LANES].lanes.p;
    for (size_t i = 0; i < b->learner->info.n_params; i++)
        p[(l / width * SL_MAX_PARAMS + i) * width + l % width] = params[i];
}

static void start_lane(sl_lane_blocks *b, size_t lane, const double *params) {
    const sl_learner *learner = b->learner;
    sl_lane_blocks_set_params(b, lane, params);
    for (size_t i = 0; learner->scalars && learner->scalars[i] && learner->first_scalars; i++)
        *sl_lane_blocks_scalar(b, i, lane) = learner->first_scalars[i];
    if (learner->fresh) sl_lane_blocks_scatter(b, learner->fresh, lane, (char *)b->fresh);
}

bool sl_lane_blocks_make(sl_lane_blocks *b, const sl_learner *learner, const double *params, size_t n) {
    const size_t lanes = (n + 7) / 8 * 8;
    *b = (sl_lane_blocks){.learner = learner, .kernels = sl_learner_lanes(learner), .n_lanes = lanes};
    b->n_blocks = (lanes + SL_MAX_LANES - 1) / SL_MAX_LANES;
    b->block = calloc(b->n_blocks, sizeof *b->block);
    bool fine = b->block != NULL;
    for (size_t i = 0; fine && i < b->n_blocks; i++) {
        sl_lane_block *k = &b->block[i];
        k->n = lanes - i * SL_MAX_LANES < SL_MAX_LANES ? 8 : SL_MAX_LANES;
        k->offset = b->size;
        b->size += struct_size(learner, k->n);
        fine = make_numbers(k);
    }
    for (size_t i = 0; fine && i < b->n_blocks; i++) b->block[i].lanes.size = b->size;
    fine = fine && (b->fresh = calloc(1, b->size)) != NULL;
    for (size_t l = 0; fine && l < lanes; l++) start_lane(b, l, params);
    if (!fine) sl_lane_blocks_free(b);
    return fine;
}

void sl_lane_blocks_free(sl_lane_blocks *b) {
    for (size_t i = 0; b->block && i < b->n_blocks; i++) free(b->block[i].lanes.p);
    free(b->block);
    free(b->fresh);
    *b = (sl_lane_blocks){0};
}

uint64_t sl_lane_blocks_memory(const sl_lane_blocks *b) {
    const size_t numbers = SL_MAX_LANES * (SL_MAX_PARAMS + SL_MAX_SCALARS) * sizeof(double);
    return b->n_blocks * (sizeof *b->block + numbers) + b->size;
}

void sl_lane_blocks_gather(const sl_lane_blocks *b, const char *feature, size_t lane, char *to) {
    const sl_lane_block *k = &b->block[lane / SL_MAX_LANES];
    const char *from = feature + k->offset;
    for (size_t i = 0; i < b->learner->n_fields; i++) {
        size_t size = sl_type_size(b->learner->fields[i].type);
        memcpy(to + b->learner->fields[i].offset, from + lane % SL_MAX_LANES * size, size);
        from += k->n * size;
    }
}

void sl_lane_blocks_scatter(const sl_lane_blocks *b, const char *from, size_t lane, char *feature) {
    const sl_lane_block *k = &b->block[lane / SL_MAX_LANES];
    char *to = feature + k->offset;
    for (size_t i = 0; i < b->learner->n_fields; i++) {
        size_t size = sl_type_size(b->learner->fields[i].type);
        memcpy(to + lane % SL_MAX_LANES * size, from + b->learner->fields[i].offset, size);
        to += k->n * size;
    }
}

double *sl_lane_blocks_scalar(const sl_lane_blocks *b, size_t i, size_t lane) {
    const size_t width = b->kernels->width, l = lane % SL_MAX_LANES;
    return &b->block[lane / SL_MAX_LANES].lanes.scalar[(l / width * SL_MAX_SCALARS + i) * width + l % width];
}

/* Where the block's part of the features begins; NULL: there are none yet. */
static char *features_of(const sl_lane_block *k, char *features) { return features ? features + k->offset : NULL; }

void sl_lane_blocks_score(sl_lane_blocks *b, char *features, uint64_t t, const sl_row *x) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        sl_lane_block *k = &b->block[i];
        k->lanes.features = features_of(k, features);
        k->lanes.t = t;
        b->kernels->score[which(k)](&k->lanes, x);
    }
}

void sl_lane_blocks_update(sl_lane_blocks *b, const sl_row *x, size_t positive) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        sl_lane_block *k = &b->block[i];
        for (size_t l = 0; l < SL_MAX_LANES; l++) k->lanes.y[l] = -1;
        if (positive / SL_MAX_LANES == i) k->lanes.y[positive % SL_MAX_LANES] = 1;
        b->kernels->update[which(k)](&k->lanes, x);
    }
}

/* The lanes as they are after t rounds. */
static sl_lanes lanes_at(const sl_lane_block *k, char *features, uint64_t t) {
    sl_lanes s = k->lanes;
    s.features = features_of(k, features);
    s.t = t;
    return s;
}

void sl_lane_blocks_settle(sl_lane_blocks *b, char *features, uint64_t t, const uint32_t *slot, size_t n) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        sl_lanes s = lanes_at(&b->block[i], features, t);
        b->kernels->settle[which(&b->block[i])](&s, slot, n);
    }
}

void sl_lane_blocks_rescale(sl_lane_blocks *b, char *features, uint64_t t, uint32_t slot, double by) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        sl_lanes s = lanes_at(&b->block[i], features, t);
        b->kernels->rescale[which(&b->block[i])](&s, slot, by);
    }
}

void sl_lane_blocks_margins(const sl_lane_blocks *b, char *features, uint64_t t, const uint32_t *slot,
                            const float *value, size_t n, double *m) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        const sl_lane_block *k = &b->block[i];
        const sl_lanes s = lanes_at(k, features, t);
        b->kernels->margins[which(k)](&s, slot, value, n, m + i * SL_MAX_LANES);
    }
}

void sl_lane_blocks_weights(const sl_lane_blocks *b, char *features, uint64_t t, uint32_t slot, float *w) {
    for (size_t i = 0; i < b->n_blocks; i++) {
        const sl_lane_block *k = &b->block[i];
        const sl_lanes s = lanes_at(k, features, t);
        b->kernels->weights[which(k)](&s, &slot, 1, w + i * SL_MAX_LANES);
    }
}
