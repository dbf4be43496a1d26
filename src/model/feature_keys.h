/* How a model knows its features: by ids, or by names (docs/names.md). */
#ifndef SL_KEYS_H
#define SL_KEYS_H

#include "rows/batch.h"
#include "model/model.h"

/* Goes over to names, if it has not yet: every id gets the name that it is written as. False: no memory; nothing has
 * changed. */
bool sl_keys_use_names(sluice_model *m);

/* A row as it came: from a batch, or from the API. */
typedef struct sl_raw_row {
    const sluice_batch *batch;
    size_t at;                /* where the row begins in the batch's arrays */
    const uint64_t *ids;      /* the API's, where batch is NULL */
    const sluice_name *names; /* likewise */
    const uint32_t *numbers;  /* or it is resolved already: what the space calls ids */
    const float *value;
    size_t n;
} sl_raw_row;

bool sl_raw_has_names(const sl_raw_row *r);
/* The name of the k-th feature; `digits` has room for 20 bytes. *hash: its sl_name_hash(). */
const char *sl_raw_name(const sl_raw_row *r, size_t k, char *digits, size_t *n, uint64_t *hash);
/* The id of the k-th feature of a row without names. */
static inline uint64_t sl_raw_id(const sl_raw_row *r, size_t k) {
    return r->numbers ? r->numbers[k] : r->batch ? sl_batch_id(r->batch, r->at + k) : r->ids[k];
}

/* Finds the numbers of a row's features in a model with names, giving new names theirs; under a limit, in round t,
 * features may have to make way, and those for which there is no room are left out of `out`. False: no memory. */
bool sl_keys_resolve(sluice_model *m, const sl_raw_row *r, uint64_t t, sl_numbers *out);
/* Asks for what sl_keys_resolve() will touch. */
void sl_keys_prefetch(const sluice_model *m, const sl_raw_row *r);

/* The slot of the k-th feature of a row, or SL_NO_SLOT: for predicting; nothing changes. */
uint32_t sl_keys_find(const sluice_model *m, const sl_raw_row *r, size_t k);

/* Adds a feature of another model (w: a walk over it) to `to`; *slot is its slot there. False: no memory. */
bool sl_keys_add_like(sluice_model *to, const sluice_model *from, const sl_walk *w, uint32_t *slot);
/* Adds a name as it is read from a file. SL_NO_NAME: no memory. */
uint32_t sl_keys_add_name(sluice_model *m, const char *name, size_t n);

/* All features of a model in the order in which they are saved: the bias, then by ascending id, or by first sight.
 *     sl_keys_walk w; if (!sl_keys_start(&w, m)) no memory; while (sl_keys_next(&w)) ... w.at ...; sl_keys_end(&w); */
typedef struct sl_keys_walk {
    sl_walk at; /* id (of a model with names: the number), slot, is_bias */
    const sluice_model *m;
    uint32_t *order;
    size_t n, next;
} sl_keys_walk;

bool sl_keys_start(sl_keys_walk *w, const sluice_model *m);
/* The same for the names alone, in w->order; also where numbers are in order already. */
bool sl_keys_in_order(sl_keys_walk *w, const sluice_model *m);
bool sl_keys_next(sl_keys_walk *w);
void sl_keys_end(sl_keys_walk *w);

void sl_keys_free(sluice_model *m);

#endif
