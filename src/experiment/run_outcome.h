/* What a model came to, and what several runs of one point come to together. */
#ifndef SL_RUN_OUTCOME_H
#define SL_RUN_OUTCOME_H

#include "experiment/row_sets.h"
#include "experiment/search.h"

/* One run. */
typedef struct sl_outcome {
    sluice_measures test;
    uint64_t examples, mistakes, nonzeros, features_seen;
    sl_first_pass counted; /* set before it is measured: replaces examples and mistakes */
    double sparsity, seconds;
    sluice_status status; /* of the run */
    char *failure;        /* why it failed */
    double *by_part;      /* progressive error rates of the parts of a stream; may be NULL */
    size_t n_parts;
} sl_outcome;

/* Measures a model on rows it has not learned (NULL: there are none, and no figures). */
void sl_outcome_of(const sluice_model *model, const sluice_batch *rows, const sluice_meter_options *how, sl_outcome *o);
/* Measures n configurations of a sweep from `first` on, at most SL_OUTCOMES_AT_ONCE, on rows that they have not learned
 * (NULL: there are none, and no figures). The outcomes are `apart` elements from each other. Sparsity refers to
 * `dimension`, or, where that is 0, to the features seen. */
enum { SL_OUTCOMES_AT_ONCE = 16 };
void sl_outcomes_of_sweep(const sluice_sweep *sweep, size_t first, size_t n, const sluice_batch *rows,
                          const sluice_meter_options *how, uint64_t dimension, sl_outcome *o, size_t apart);
/* Counts the first pass of n configurations from `first` on, before the second one begins. */
sluice_status sl_count_first_pass(const sluice_sweep *sweep, size_t first, size_t n, sl_outcome *o, size_t apart,
                                  sluice_error *err);
void sl_outcome_failed(sl_outcome *o, const sluice_error *err);
void sl_outcomes_free(sl_outcome *outcomes, size_t n);

/* Drops the result of a point. */
void sl_forget_result(sl_point *p);
/* Makes the result of a point from its runs; its mean is that of the figure at `offset` in sluice_measures. A run that
 * left the range of numbers, say, is a failure of the point; one that had no memory fails the whole search. */
sluice_status sl_sum_up(sl_point *p, sl_outcome *runs, size_t n, size_t offset, sluice_error *err);

#endif
