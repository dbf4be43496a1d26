/* Examples held in memory, for what needs them all at once or again and again. */
#ifndef CLI_DATASET_H
#define CLI_DATASET_H

#include "sluice.h"

#include <stddef.h>

typedef struct dataset {
    size_t rows, room;
    size_t *start; /* of row i: start[i] .. start[i + 1] */
    double *labels, *weights;
    size_t nonzeros, nonzeros_room;
    uint64_t *ids; /* or numbers of names */
    float *values;
    sluice_names *names;    /* NULL: the features have ids */
    sluice_name *row_names; /* of one row */
    uint64_t *row_ids;      /* likewise */
    size_t id_rows;         /* where there are names: the first so many rows came with ids */
    uint64_t dimension;     /* the largest id */
    size_t longest;         /* row */
    const char *format;     /* of the last input */

    size_t *order; /* which rows, in which order: what sampling and shuffling change */
    size_t n_order;
} dataset;

/* Returns 0 where memory is short. */
int dataset_add_batch(dataset *d, const sluice_batch *batch);
/* Starts with all rows in their order. Returns 0 where memory is short. */
int dataset_complete(dataset *d);
/* The first n rows in their order again. */
void dataset_reset_order(dataset *d, size_t n);
/* A row by ids, or by numbers: dataset_name() then gives their names. */
sluice_example dataset_row(const dataset *d, size_t row);
/* Turns the ids of an example into names, if the dataset has them; good until the next call. */
void dataset_name(dataset *d, sluice_example *x);
/* A row as it came, by ids or by names; good until the next call. */
sluice_example dataset_original(dataset *d, size_t row);
void dataset_free(dataset *d);
/* Keeps the names alone. */
void dataset_forget_rows(dataset *d);

/* Whether the id is among n ascending ones. */
int has_id(const uint64_t *ids, size_t n, uint64_t id);

/* Keeps all of the scarce class and so many of the other that positives : negatives = pos : neg, rounded down; drawn
 * without replacement, the order kept. */
void dataset_sample(dataset *d, uint64_t pos, uint64_t neg, uint64_t seed);
void dataset_shuffle(dataset *d, uint64_t seed);

/* Per column: subtract the mean, divide by the sample deviation (n - 1); absent values count as 0. */
typedef struct column_scale {
    double mean, deviation; /* deviation 0: a constant column, which becomes 0 */
} column_scale;

/* The scales of columns 0..dimension over the rows in `order`; NULL where memory is short. Free it. */
column_scale *dataset_scales(const dataset *d);

#endif
