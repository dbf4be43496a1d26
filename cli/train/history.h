/* The history of a run, in bounded memory: errors at equal distances, sizes at growing ones. */
#ifndef CLI_HISTORY_H
#define CLI_HISTORY_H

#include "sluice.h"

#include <stddef.h>

enum { HISTORY_POINTS = 200, HISTORY_SIZES = 130, RACE_POINTS = 240, RACE_CANDIDATES = 32 };

/* The candidates of `auto`, at growing distances: most of a race is decided early. */
typedef struct race_history {
    struct race_point {
        uint64_t examples;            /* learned in this run */
        size_t leader, alive;         /* its number; how many learn */
        float error[RACE_CANDIDATES]; /* fading; NaN: it does not learn */
    } points[RACE_POINTS];
    size_t n;
    uint64_t next; /* rows at which the next point is due */
} race_history;

typedef struct history {
    int wanted;
    uint64_t rows;  /* learned so far */
    uint64_t every; /* examples per point; doubles, dropping every other point, when the array is full */
    struct history_point {
        uint64_t examples, mistakes;
    } points[HISTORY_POINTS];
    size_t n;
    uint64_t next_size; /* rows at which the weights may be counted next: twice in every doubling */
    uint64_t values;    /* in all rows so far */
    uint64_t counted;   /* features in all counts together; bounded by a share of the values, to bound the cost */
    struct history_size {
        uint64_t examples, features_seen, nonzeros;
    } sizes[HISTORY_SIZES];
    size_t n_sizes;
    race_history race;
} history;

history history_start(int wanted);
/* How many of the next `rows` examples to learn before history_learned() is called. */
size_t history_until_point(const history *c, size_t rows);
/* After learning n rows of the batch, from `first` on. */
void history_learned(history *c, const sluice_batch *batch, size_t first, size_t n, const sluice_model *model,
                     const sluice_meter *meter);
/* The last point and the last size, that of the facts. Intervals of a short run are joined until each has at least
 * four times as many examples as there are intervals: shorter ones would show noise, longer ones hide the trend. */
void history_end(history *c, const sluice_model *model, const sluice_model_facts *facts, const sluice_meter *meter);

#endif
