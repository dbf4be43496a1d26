/* The numbers by which other programs know a model's features: an id is its own number, names count from 1 in the order
 * in which `inspect --weights` lists them. */
#ifndef CLI_FEATURE_NUMBERS_H
#define CLI_FEATURE_NUMBERS_H

#include "models/weight_list.h"
#include "sluice.h"

typedef struct feature_numbers {
    sluice_names *names; /* NULL: features have ids */
} feature_numbers;

/* Returns an exit status after saying what is wrong. */
int feature_numbers_start(feature_numbers *f, int has_names);
/* The number of the feature that a weight is of, which is not the constant one; a name that is new gets the next. To be
 * called in the order of weight_list_read(). Returns an exit status. */
int feature_numbers_take(feature_numbers *f, const listed_weight *w, uint64_t *number);
void feature_numbers_end(feature_numbers *f);

#endif
