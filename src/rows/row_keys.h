/* From the names or ids of a row to the numbers and slots that a model's features have. */
#ifndef SL_ROW_KEYS_H
#define SL_ROW_KEYS_H

#include "features/eviction.h"
#include "rows/raw_row.h"

/* The features of a row by the numbers of their names. */
typedef struct sl_numbers {
    uint32_t *number;
    const float *value; /* the row's, where all its features are there; else `kept` */
    float *kept;
    size_t n, room;
} sl_numbers;

void sl_numbers_free(sl_numbers *numbers);

/* Finds the numbers of a row's features, which have names, and adds the names that are new. Under a limit, in round t,
 * features may be evicted for them, and those for which there is no room are left out of `out`. False: no memory. */
bool sl_row_resolve(sl_features *f, const sl_raw_row *r, uint64_t t, const sl_idle_test *idle, sl_numbers *out);
/* Prefetches what sl_row_resolve() will read. */
void sl_row_prefetch(const sl_features *f, const sl_raw_row *r);

/* The slot of the k-th feature of a row, or SL_NO_SLOT: for predicting; nothing changes. */
uint32_t sl_row_find(const sl_features *f, const sl_raw_row *r, size_t k);

#endif
