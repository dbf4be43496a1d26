/* Probabilities of several classes from the margins of a matrix: their softmax with one scale, learned with the model.
 *
 * As online calibration (online_calibration.h) does for two classes: a times the margins over their root mean square,
 * `a` fitted by Newton's method with forgetting to the log loss of examples that are not learned yet. Of the numbers of
 * sl_online_calibration, b, hab and hbb stay 0. */
#ifndef SL_SOFTMAX_SCALE_H
#define SL_SOFTMAX_SCALE_H

#include <stddef.h>

#include "calibration/online_calibration.h"

/* Margins of the classes in a list; those of `zeros` further classes are 0. `truth`: that of the example's class. */
void sl_softmax_scale_learn(sl_online_calibration *c, const double *margin, const uint32_t *list, size_t n,
                            size_t zeros, double truth, double h);
/* What margins are multiplied by; 0: there was nothing to learn from yet. */
double sl_softmax_scale(const sl_online_calibration *c);
/* Turns n values into their softmax. */
void sl_softmax(double *values, size_t n, double scale);

#endif
