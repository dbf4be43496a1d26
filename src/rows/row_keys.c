/* Looks up the features of a row: names become numbers, new names are added, under a limit others are evicted. */
#include "rows/row_keys.h"

#include <stdlib.h>

enum { LOOK_AHEAD = 24 }; /* names whose entries are prefetched */

void sl_numbers_free(sl_numbers *numbers) {
    free(numbers->number);
    free(numbers->value);
    *numbers = (sl_numbers){0};
}

static bool numbers_room(sl_numbers *out, size_t n) {
    if (n <= out->room) return true;
    size_t room = n * 2;
    uint32_t *number = realloc(out->number, room * sizeof *number);
    if (number) out->number = number;
    float *value = realloc(out->value, room * sizeof *value);
    if (value) out->value = value;
    if (!number || !value) return false;
    out->room = room;
    return true;
}

/* Adds a name that is not known, if there is room. False: no memory. */
static bool add_unknown(sl_features *f, uint64_t t, const sl_idle_test *idle, uint64_t hash, const char *name, size_t n,
                        uint32_t *number) {
    *number = SL_NO_NAME;
    if (sl_features_full(f) && !sl_evict(f, t, idle)) return false;
    if (sl_features_full(f)) {
        f->limit.refused++;
        return true;
    }
    return (*number = sl_keys_add_new_name(f, hash, name, n)) != SL_NO_NAME;
}

/* Marks the known features of a row as seen in round t, so that none is evicted for another feature of the same row. */
static void mark_seen(sl_features *f, const sl_raw_row *r, uint64_t t) {
    for (size_t k = 0; k < r->n; k++) {
        char digits[20];
        size_t n;
        uint64_t hash;
        const char *name = sl_raw_name(r, k, digits, &n, &hash);
        uint32_t number = sl_names_find(&f->names, hash, name, n);
        if (number != SL_NO_NAME) f->limit.last_seen[number] = t;
    }
}

bool sl_row_resolve(sl_features *f, const sl_raw_row *r, uint64_t t, const sl_idle_test *idle, sl_numbers *out) {
    if (!numbers_room(out, r->n)) return false;
    const sluice_batch *const b = r->batch && r->batch->has_names ? r->batch : NULL;
    const bool limited = sl_features_limited(f);
    out->n = 0;
    if (limited) mark_seen(f, r, t);
    if (r->hash) sl_row_prefetch(f, r);
    for (size_t k = 0; k < r->n; k++) {
        char digits[20];
        size_t n;
        uint64_t hash;
        const char *name;
        uint32_t number;
        if (b) {
            const sl_name *at = &b->name[r->at + k];
            name = b->text + at->at, n = at->n, hash = b->hash[r->at + k];
            if (r->at + k + LOOK_AHEAD < b->nonzeros) /* of this row or the next */
                __builtin_prefetch(sl_names_entry(&f->names, b->hash[r->at + k + LOOK_AHEAD]));
            if (r->at + k + LOOK_AHEAD / 2 < b->nonzeros)
                __builtin_prefetch(sl_names_bytes(&f->names, b->hash[r->at + k + LOOK_AHEAD / 2]));
            number = sl_names_find_quick(&f->names, hash, name, n);
        } else if (r->hash) {
            name = r->names[k].text, n = r->names[k].n, hash = r->hash[k];
            number = sl_names_find(&f->names, hash, name, n);
        } else {
            name = sl_raw_name(r, k, digits, &n, &hash);
            number = sl_names_find(&f->names, hash, name, n);
        }
        if (__builtin_expect(number == SL_NO_NAME, 0)) {
            if (!add_unknown(f, t, idle, hash, name, n, &number)) return false;
            if (number == SL_NO_NAME) continue;
        }
        if (limited) f->limit.last_seen[number] = t;
        __builtin_prefetch(f->space.features + (size_t)number * f->space.size, 1);
        out->number[out->n] = number;
        out->value[out->n++] = r->value[k];
    }
    return true;
}

void sl_row_prefetch(const sl_features *f, const sl_raw_row *r) {
    const uint64_t *hash = r->batch && r->batch->has_names ? r->batch->hash + r->at : r->hash;
    for (size_t k = 0; hash && k < r->n; k++) __builtin_prefetch(sl_names_entry(&f->names, hash[k]));
}

uint32_t sl_row_find(const sl_features *f, const sl_raw_row *r, size_t k) {
    char digits[20];
    size_t n;
    uint64_t hash, id;
    if (!f->named && !sl_raw_has_names(r)) return sl_space_find(&f->space, sl_raw_id(r, k));
    const char *name = sl_raw_name(r, k, digits, &n, &hash);
    if (!f->named) return sl_id_of_name(name, n, &id) ? sl_space_find(&f->space, id) : SL_NO_SLOT;
    uint32_t number = sl_names_find(&f->names, hash, name, n);
    return number == SL_NO_NAME ? SL_NO_SLOT : sl_space_find(&f->space, number);
}
