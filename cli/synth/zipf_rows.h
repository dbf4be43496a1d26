/* Sparse rows whose features follow Zipf's law, with hidden weights: what the streams `sparse` and `drift` share. */
#ifndef CLI_ZIPF_ROWS_H
#define CLI_ZIPF_ROWS_H

#include "synth/synth.h"

typedef struct zipf_law {
    double exponent, n, low, high, cut;
} zipf_law;

typedef struct zipf_feature {
    uint64_t id, rank;
} zipf_feature;

typedef struct zipf_rows {
    zipf_law law;
    uint64_t dim, stride;
    uint64_t informative_below; /* hashes below this have a weight */
    uint64_t *taken;            /* a hash set of the row's ranks + 1; 0: free */
    size_t mask;
    zipf_feature *features; /* of the row, by id */
    double *drawn, squares; /* the row's values before it is scaled; the sum of their squares */
    synth_row row;
} zipf_rows;

/* 0 when memory is short; then nothing is held. */
int zipf_rows_start(zipf_rows *z, double exponent, double dim, double nonzeros, double informative);
void zipf_rows_free(zipf_rows *z);

/* Draws the features of a row and their values. */
void zipf_rows_draw(zipf_rows *z, sluice_random *r);

/* The margin of the row under the weights that `secret` hides. */
double zipf_rows_side(const zipf_rows *z, uint64_t secret);

/* Gives the row length 1 and six decimals. */
void zipf_rows_scale(zipf_rows *z);

#endif
