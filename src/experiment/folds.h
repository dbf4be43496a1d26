/* Cross-validation: rows dealt to folds; every fold is predicted by a model of all the others. */
#ifndef SL_FOLDS_H
#define SL_FOLDS_H

#include <stdbool.h>

#include "sluice.h"

struct sluice_folds {
    sluice_batch **parts;
    size_t n;
    uint64_t rows, plus;   /* plus: of those that are +1 inside models */
    bool turned;           /* which are not the positive ones */
    sluice_model *classes; /* of the dataset; NULL: labels are signs */
};

#endif
