/* Synthetic streams. A stream declares its parameters as a learner does and draws one row at a time. */
#ifndef CLI_SYNTH_H
#define CLI_SYNTH_H

#include "sluice.h"

#include <stddef.h>

enum { SYNTH_ROWS = 0, SYNTH_TEST_ROWS = 1, MAX_SYNTH_PARAMS = 16 }; /* the first two parameters of every stream */

typedef struct synth_row {
    uint64_t *ids;
    float *values;
    size_t n;
    double label;
    sluice_name word; /* the label as text; n is 0: it is the number */
} synth_row;

/* A good 64-bit hash of a number: one step of splitmix64. */
static inline uint64_t synth_mix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

typedef struct synth_stream {
    const char *name, *summary;
    const sluice_param_info *params;
    size_t n_params;
    /* NULL, or why these values do not go together; may itself be NULL */
    const char *(*check)(const double *params);
    /* Prepares the hidden truth; NULL when memory is short. Freed with free_state(). */
    void *(*start)(const double *params, sluice_random *r);
    void (*draw)(void *state, sluice_random *r, synth_row *row); /* the row's arrays belong to the state */
    void (*free_state)(void *state);
} synth_stream;

extern const synth_stream synth_effective, synth_sparse, synth_dense, synth_classes, synth_drift, synth_prices;

#endif
