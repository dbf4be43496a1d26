/* What rules with a confidence for every feature merge by. */
#ifndef SL_MERGED_H
#define SL_MERGED_H

#include <float.h>
#include <math.h>

#include "learner/merging.h"

/* The precision 1/v of two models and their common start: what each has added to the start's adds up. Variances only
 * fall; that holds where a file says otherwise, too. */
static inline double merged_precision(double into, double from, double start) {
    const double both = 1 / into + 1 / from - 1 / start, most = fmax(1 / into, 1 / from);
    return both > most ? both : most;
}

static inline double merged_variance(double into, double from, double start) {
    return into > 0 && from > 0 && start > 0 ? 1 / merged_precision(into, from, start) : 0;
}

/* The mean of weights by the precision that each model has added to that of the start. */
static inline double merged_by_precision(double into, double v_into, double from, double v_from, double v_start) {
    if (!(v_into > 0 && v_from > 0 && v_start > 0)) return into; /* no state that learning makes */
    return sl_merged_mean(into, fmax(1 / v_into - 1 / v_start, 0), from, fmax(1 / v_from - 1 / v_start, 0));
}

#endif
