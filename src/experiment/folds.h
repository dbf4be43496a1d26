/* Cross-validation: the rows are dealt to folds, and every fold is predicted by a model of all the others. */
#ifndef CLI_FOLDS_H
#define CLI_FOLDS_H

#include "experiment/dataset.h"

/* Rows in folds, each a batch. */
typedef struct fold_list {
    sluice_batch **parts;
    size_t n;
    uint64_t rows, positives;
} fold_list;

/* Shuffles the rows (as `convert --shuffle SEED` does) and deals first the positive, then the negative ones to the
 * folds in turn: sizes differ by at most one, numbers of positives too. Rows of importance 0 are absent. Free with
 * folds_free() in any case. */
sluice_status deal_folds(dataset *d, size_t folds, uint64_t seed, fold_list *f, sluice_error *err);
void folds_free(fold_list *f);

#endif
