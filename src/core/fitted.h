/* Probabilities fitted to the margins of examples that were not learned from (docs/probabilities.md). */
#ifndef SL_FITTED_H
#define SL_FITTED_H

#include "sluice.h"

enum { SL_KNOTS = 256 };

typedef struct sl_fitted {
    int kind;                             /* SLUICE_CALIBRATION_PLATT, _ISOTONIC or _NONE */
    double a, b;                          /* platt: the log odds are a margin + b */
    size_t n;                             /* isotonic: knots, straight lines between them, level outside */
    double margin[SL_KNOTS], p[SL_KNOTS]; /* margins ascend, probabilities never fall */
} sl_fitted;

/* One example of those to fit to, or several with the same mean. */
typedef struct sl_block {
    double low, high; /* its margins */
    double mean;      /* of labels 0 and 1 */
    double weight;
} sl_block;

/* Pools n blocks in ascending order of their margins until means ascend too; returns how many are left. */
size_t sl_pool(sl_block *blocks, size_t n);
/* Fits to n examples in ascending order of their margins, each a block of its own with mean 0 or 1, which it reuses. */
void sl_fit_isotonic(sl_fitted *f, sl_block *blocks, size_t n);
void sl_fit_platt(sl_fitted *f, const sl_block *blocks, size_t n);
double sl_fitted_log_odds(const sl_fitted *f, double margin);

#endif
