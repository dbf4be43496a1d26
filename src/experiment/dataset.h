/* Rows held in memory, for work that needs them all at once or several times. */
#ifndef SL_DATASET_H
#define SL_DATASET_H

#include <stdbool.h>

#include "sluice.h"

struct sluice_dataset {
    size_t rows, room;
    size_t *start; /* row i has the features start[i] .. start[i + 1] - 1 */
    double *labels, *weights;
    sluice_names *words; /* labels other than -1, 0 and 1; NULL: there are none */
    uint64_t *word;      /* where there are: the number of each row's label in `words` plus 1; 0: it is none of them */
    size_t nonzeros, nonzeros_room;
    uint64_t *ids; /* or numbers of names */
    float *values;
    sluice_names *names;    /* NULL: the features have ids */
    sluice_name *row_names; /* buffers for one row */
    uint64_t *row_ids;
    size_t id_rows;     /* with names: the first id_rows rows came with ids */
    uint64_t dimension; /* the largest id in the rows of the order */
    size_t longest;     /* features of the longest row */
    sluice_model
        *classes;   /* of all rows added, whose classes it has learned and nothing else; NULL: labels are signs */
    bool test_rows; /* those that are added now are for testing: their classes are not learned */

    size_t *order; /* which rows, in which order: what sampling and shuffling change */
    size_t n_order;
};

/* Puts n row numbers into a random order. */
void sl_shuffle(size_t *order, size_t n, uint64_t seed);

/* The rows order[0 .. n - 1] as a batch, without those of importance 0; names go by their numbers. */
sluice_batch *sl_dataset_batch(const sluice_dataset *d, const size_t *order, size_t n, sluice_error *err);

/* The class of a row; 0 for -1, 1 for +1 where all labels are signs. Rows of importance 0 may have none: SL_NO_CLASS.
 */
size_t sl_dataset_class(const sluice_dataset *d, size_t row);
/* The sign that a row has inside models: whether it is +1, as labels > 0 are, or the class that was not seen first. */
bool sl_dataset_is_plus(const sluice_dataset *d, size_t row);
/* Whether the positive class is -1 inside. */
bool sl_dataset_is_turned(const sluice_dataset *d);
/* A new model that has learned nothing gets the classes of a dataset; NULL: there are none to give. */
sluice_status sl_give_classes(sluice_model *model, const sluice_model *classes, sluice_error *err);

/* Fills *err and returns its status. */
sluice_status sl_no_memory(sluice_error *err);

#endif
