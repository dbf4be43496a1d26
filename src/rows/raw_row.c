/* Rows as they were given: the ids and names of their features, whatever they come from. */
#include "rows/raw_row.h"

#include "features/names.h"

sl_raw_row sl_batch_raw(const sluice_batch *b, size_t i) {
    size_t at = b->start[i];
    const float *value = b->value ? b->value + at : NULL; /* no row of the batch has a feature */
    return (sl_raw_row){.batch = b, .at = at, .value = value, .n = b->start[i + 1] - at};
}

sl_raw_row sl_example_raw(const sluice_example *x) {
    return (sl_raw_row){.ids = x->ids, .names = x->names, .value = x->values, .n = x->n};
}

sl_raw_row sl_example_hashed(const sluice_example *x, uint64_t hash[SL_HASHED_NAMES]) {
    sl_raw_row r = sl_example_raw(x);
    if (!x->names || x->n > SL_HASHED_NAMES) return r;
    for (size_t k = 0; k < x->n; k++) hash[k] = sl_name_hash(x->names[k].text, x->names[k].n);
    r.hash = hash;
    return r;
}

bool sl_raw_has_names(const sl_raw_row *r) { return r->batch ? r->batch->has_names : r->names != NULL; }

const char *sl_raw_name(const sl_raw_row *r, size_t k, char *digits, size_t *n, uint64_t *hash) {
    const char *name = digits;
    if (r->batch && r->batch->has_names) {
        const sl_feature_name of_batch = sl_batch_name(r->batch, r->at + k);
        *n = of_batch.n;
        *hash = of_batch.hash;
        return of_batch.text;
    }
    if (r->names) {
        name = r->names[k].text;
        *n = r->names[k].n;
        *hash = r->hash ? r->hash[k] : sl_name_hash(name, *n);
        return name;
    }
    *n = sl_name_of_id(sl_raw_id(r, k), digits);
    *hash = sl_name_hash(name, *n);
    return name;
}
