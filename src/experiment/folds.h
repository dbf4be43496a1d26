/* Rows dealt to folds, at random or in order. */
#ifndef SL_FOLDS_H
#define SL_FOLDS_H

#include <stdbool.h>

#include "sluice.h"

struct sluice_folds {
    sluice_batch **parts;
    size_t n;
    uint64_t rows, plus;   /* plus: of those that are +1 inside models */
    bool turned;           /* which are not the positive ones */
    bool in_order;         /* parts of a stream, one behind the other */
    sluice_model *classes; /* of the dataset; NULL: labels are signs */
};

#endif
