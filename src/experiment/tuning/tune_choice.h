/* What points are chosen by, and which of those that have a result is the best. */
#ifndef SL_TUNE_CHOICE_H
#define SL_TUNE_CHOICE_H

#include "experiment/search.h"

typedef struct sl_tune_measure {
    sluice_measure_info info;
    size_t offset; /* in sluice_measures */
} sl_tune_measure;

/* By SLUICE_MEASURE_; of several classes some stand in another place. NULL: there is none. */
const sl_tune_measure *sl_tune_measure_for(int measure, int several_classes);

/* Puts the points into the order in which they are handed out: the chosen one, then the others by the measure. */
void sl_choose(sluice_search *s, const sl_tune_measure *by, int choose);

#endif
