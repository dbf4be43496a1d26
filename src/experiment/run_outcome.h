/* What a model came to, and what several runs of one point come to together. */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "experiment/search.h"

/* One run. */
typedef struct outcome {
    sluice_measures test;
    uint64_t examples, mistakes, nonzeros, features_seen;
    double sparsity, seconds;
    int failed;
    char *failure; /* why; NULL where memory is short even for that */
} outcome;

/* Measures a model on rows it has not learned. */
void outcome_of(const sluice_model *model, const sluice_batch *rows, const sluice_meter_options *how, outcome *o);
/* Measures n configurations of a sweep from `first` on, at most OUTCOMES_AT_ONCE, on rows that they have not learned
 * (NULL: there are none, and no figures). The outcomes lie `apart`. Sparsity refers to `dimension`, or, where that is
 * 0, to the features seen. */
enum { OUTCOMES_AT_ONCE = 16 };
void outcomes_of_sweep(const sluice_sweep *sweep, size_t first, size_t n, const sluice_batch *rows,
                       const sluice_meter_options *how, uint64_t dimension, outcome *o, size_t apart);
void outcome_failed(outcome *o, const sluice_error *err);
void outcomes_free(outcome *outcomes, size_t n);

/* Makes the result of a point from its runs; its mean is that of the figure at `offset` in sluice_measures. Returns an
 * exit status. */
int sum_up(point *p, const outcome *runs, size_t n, size_t offset);

#endif
