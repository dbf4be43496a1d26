/* A row as it was given, from a batch or from the API, before a model has looked its features up. */
#ifndef SL_RAW_ROW_H
#define SL_RAW_ROW_H

#include "rows/batch.h"

typedef struct sl_raw_row {
    const sluice_batch *batch;
    size_t at;                /* where the row begins in the batch's arrays */
    const uint64_t *ids;      /* the API's, where batch is NULL */
    const sluice_name *names; /* likewise */
    const uint64_t *hash;     /* the sl_name_hash() of each of these; NULL: not known yet */
    const uint32_t *numbers;  /* or it is resolved already: what the space calls ids */
    const float *value;
    size_t n;
} sl_raw_row;

sl_raw_row sl_batch_raw(const sluice_batch *b, size_t i);
sl_raw_row sl_example_raw(const sluice_example *x);
/* The same with the hashes of its names, if `hash` has room for them: computed once, before they are looked up. */
enum { SL_HASHED_NAMES = 256 };
sl_raw_row sl_example_hashed(const sluice_example *x, uint64_t hash[SL_HASHED_NAMES]);

bool sl_raw_has_names(const sl_raw_row *r);
/* The name of the k-th feature; `digits` has room for 20 bytes. *hash: its sl_name_hash(). */
const char *sl_raw_name(const sl_raw_row *r, size_t k, char *digits, size_t *n, uint64_t *hash);
/* The id of the k-th feature of a row without names. */
static inline uint64_t sl_raw_id(const sl_raw_row *r, size_t k) {
    return r->numbers ? r->numbers[k] : r->batch ? sl_batch_id(r->batch, r->at + k) : r->ids[k];
}

#endif
