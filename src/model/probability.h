#ifndef SL_PROBABILITY_H
#define SL_PROBABILITY_H

#include "model/model.h"

/* The log odds of the class +1, non-decreasing in the margin; NaN where the model has no probabilities. */
double sl_model_log_odds(const sluice_model *m, double margin);

#endif
