/* What a model came to, and what several runs of one point come to together. */
#ifndef CLI_OUTCOME_H
#define CLI_OUTCOME_H

#include "points.h"

/* One run. */
typedef struct outcome {
    sluice_measures test;
    uint64_t examples, mistakes, nonzeros, features_seen;
    double sparsity, seconds;
    int failed;
    char *failure; /* why; NULL where memory is short even for that */
} outcome;

/* What is known of a model without measuring it. Sparsity refers to `dimension`, or, where that is 0, to the features
 * seen. */
void outcome_unmeasured(const sluice_model_facts *facts, uint64_t dimension, outcome *o);
/* Measures a model on rows it has not learned. */
sluice_status outcome_of(const sluice_model *model, const sluice_batch *rows, const sluice_meter_options *how,
                         uint64_t dimension, outcome *o, sluice_error *err);
void outcomes_free(outcome *outcomes, size_t n);

/* Makes the result of a point from its runs; its mean is that of the figure at `offset` in sluice_measures. Returns an
 * exit status. */
int sum_up(point *p, const outcome *runs, size_t n, size_t offset);

#endif
