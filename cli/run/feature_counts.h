/* How many examples have had each feature, for --final --min-count. */
#ifndef FEATURE_COUNTS_H
#define FEATURE_COUNTS_H

#include "args/args.h"
#include "sluice.h"

#define MIN_COUNT_OPTION                                                                                               \
    {                                                                                                                  \
        "min-count", 0, "N",                                                                                           \
            "with --final: leave out features, with their names, that fewer than N examples have had", 0               \
    }

typedef struct feature_counts {
    uint64_t least; /* 0: there is nothing to count */
    sluice_names *keys;
    uint32_t *count; /* by number of the key */
    size_t room;
    sluice_name *names; /* of a row */
    uint64_t *ids;
    size_t row_room;
} feature_counts;

/* Reads the option. Returns DONE or WRONG_USAGE. */
int feature_counts_options(const args *a, feature_counts *c);
/* Before learning: whether a model of this kind can be without features. Returns an exit status. */
int feature_counts_start(const feature_counts *c, const sluice_model *model);
/* Counts the features of n rows of a batch that were learned. Returns an exit status. */
int feature_counts_learned(feature_counts *c, const sluice_batch *batch, size_t first, size_t n);
/* A predict-only model without the rare features. NULL: *err says why. */
sluice_model *feature_counts_final(feature_counts *c, const sluice_model *model, sluice_error *err);
void feature_counts_free(feature_counts *c);

#endif
