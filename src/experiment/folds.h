/* Cross-validation: rows dealt to folds; every fold is predicted by a model of all the others. */
#ifndef SL_FOLDS_H
#define SL_FOLDS_H

#include "sluice.h"

struct sluice_folds {
    sluice_batch **parts;
    size_t n;
    uint64_t rows, positives;
};

#endif
