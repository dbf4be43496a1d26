/* Probabilities fitted to the margins of examples that were not learned from (docs/probabilities.md). */
#ifndef SL_HOLDOUT_CALIBRATION_H
#define SL_HOLDOUT_CALIBRATION_H

#include "sluice.h"

enum { SL_KNOTS = 256 };

typedef struct sl_holdout {
    int kind;                             /* SLUICE_CALIBRATION_PLATT, _ISOTONIC or _NONE */
    double a, b;                          /* platt: the log odds are a margin + b */
    size_t n;                             /* isotonic: knots, straight lines between them, level outside */
    double margin[SL_KNOTS], p[SL_KNOTS]; /* margins ascend, probabilities never fall */
} sl_holdout;

/* One example of those to fit to, or several with the same mean. */
typedef struct sl_pool {
    double low, high; /* its margins */
    double mean;      /* of labels 0 and 1 */
    double weight;
} sl_pool;

/* Merges n pools in ascending order of their margins until means ascend too; returns how many are left. */
size_t sl_pool_adjacent(sl_pool *pools, size_t n);
/* Fits to n examples in ascending order of their margins, each a pool of its own with mean 0 or 1. Overwrites them. */
void sl_fit_isotonic(sl_holdout *f, sl_pool *pools, size_t n);
void sl_fit_platt(sl_holdout *f, const sl_pool *pools, size_t n);
double sl_holdout_log_odds(const sl_holdout *f, double margin);

#endif
