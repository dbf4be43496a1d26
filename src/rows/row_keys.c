/* Looks up the features of a row: names become numbers, new names are added, under a limit others are evicted. */
#include "rows/row_keys.h"

#include <stdlib.h>

enum {
    LOOK_AHEAD = 96,  /* names, of this row and the next ones, whose entries are prefetched */
    KNOWN_AHEAD = 32, /* the same, of those that are not known yet by their numbers in a list */
};

void sl_numbers_free(sl_numbers *numbers) {
    free(numbers->number);
    free(numbers->kept);
    *numbers = (sl_numbers){0};
}

static bool numbers_room(sl_numbers *out, size_t n) {
    if (n <= out->room) return true;
    size_t room = n * 2;
    uint32_t *number = realloc(out->number, room * sizeof *number);
    if (number) out->number = number;
    float *kept = realloc(out->kept, room * sizeof *kept);
    if (kept) out->kept = kept;
    if (!number || !kept) return false;
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

/* A name that the dictionary does not have: it is added or, where there is no room, left out. False: no memory. */
static bool take_unknown(sl_features *f, uint64_t t, const sl_idle_test *idle, uint64_t hash, const char *name,
                         size_t n, float value, sl_numbers *out) {
    uint32_t number;
    if (!add_unknown(f, t, idle, hash, name, n, &number)) return false;
    if (number == SL_NO_NAME) return true;
    if (sl_features_limited(f)) f->limit.last_seen[number] = t;
    out->number[out->n] = number;
    out->kept[out->n++] = value;
    return true;
}

/* The loop that every nonzero of a batch of names takes. */
static bool resolve_batch(sl_features *f, const sl_raw_row *r, uint64_t t, const sl_idle_test *idle, sl_numbers *out) {
    const sluice_batch *const b = r->batch;
    const bool limited = sl_features_limited(f);
    const size_t size = f->space.size, n_ahead = b->nonzeros;
    for (size_t k = 0, at = r->at; k < r->n; k++, at++) {
        const sl_name *name = &b->name[at];
        if (at + LOOK_AHEAD < n_ahead) __builtin_prefetch(sl_names_entry(&f->names, b->hash[at + LOOK_AHEAD]));
        if (at + LOOK_AHEAD / 4 < n_ahead && name[LOOK_AHEAD / 4].n > SL_SHORT_NAME)
            __builtin_prefetch(sl_names_bytes(&f->names, b->hash[at + LOOK_AHEAD / 4], name[LOOK_AHEAD / 4].n));
        const uint32_t number = sl_names_find_quick(&f->names, b->hash[at], b->text + name->at, name->n);
        if (__builtin_expect(number == SL_NO_NAME, 0)) {
            if (!take_unknown(f, t, idle, b->hash[at], b->text + name->at, name->n, r->value[k], out)) return false;
            continue;
        }
        if (limited) f->limit.last_seen[number] = t;
        __builtin_prefetch(f->space.features + (size_t)number * size, 1);
        out->number[out->n] = number;
        out->kept[out->n++] = r->value[k];
    }
    return true;
}

/* A name of a list that is not known yet: the model has it, or it is added. False: no memory. */
static bool know(sl_features *f, const sluice_batch *b, size_t at) {
    const sl_feature_name name = sl_batch_name(b, at);
    uint32_t number = sl_names_find(&f->names, name.hash, name.text, name.n);
    if (number == SL_NO_NAME) number = sl_keys_add_new_name(f, name.hash, name.text, name.n);
    if (number == SL_NO_NAME) return false;
    f->known.number[b->id[at]] = number + 1;
    return true;
}

/* The loop that every nonzero of a batch with a list of names takes: all features of the row are there at its end. */
static bool resolve_listed(sl_features *f, const sl_raw_row *r, sl_numbers *out) {
    const sluice_batch *const b = r->batch;
    if (!sl_keys_know(f, b->list->serial, b->list->n)) return false;
    const size_t size = f->space.size, n_ahead = b->nonzeros;
    const uint32_t *const id = b->id, *const known = f->known.number;
    for (size_t k = 0, at = r->at; k < r->n; k++, at++) {
        if (at + 2 * KNOWN_AHEAD < n_ahead) __builtin_prefetch(known + id[at + 2 * KNOWN_AHEAD]);
        if (at + KNOWN_AHEAD < n_ahead && __builtin_expect(!known[id[at + KNOWN_AHEAD]], 0))
            __builtin_prefetch(sl_names_entry(&f->names, b->list->hash[id[at + KNOWN_AHEAD]]), 1);
        if (__builtin_expect(!known[id[at]], 0) && !know(f, b, at)) return false;
        const uint32_t number = known[id[at]] - 1;
        __builtin_prefetch(f->space.features + (size_t)number * size, 1);
        out->number[k] = number;
    }
    out->n = r->n;
    out->value = r->value;
    return true;
}

bool sl_row_resolve(sl_features *f, const sl_raw_row *r, uint64_t t, const sl_idle_test *idle, sl_numbers *out) {
    if (!numbers_room(out, r->n)) return false;
    out->n = 0;
    out->value = out->kept;
    if (sl_features_limited(f)) mark_seen(f, r, t);
    if (r->batch && r->batch->list && !sl_features_limited(f)) return resolve_listed(f, r, out);
    if (r->batch && r->batch->has_names && !r->batch->list) return resolve_batch(f, r, t, idle, out);
    if (r->hash) sl_row_prefetch(f, r);
    for (size_t k = 0; k < r->n; k++) {
        char digits[20];
        size_t n;
        uint64_t hash;
        const char *name = sl_raw_name(r, k, digits, &n, &hash);
        const uint32_t number = sl_names_find(&f->names, hash, name, n);
        if (number == SL_NO_NAME) {
            if (!take_unknown(f, t, idle, hash, name, n, r->value[k], out)) return false;
            continue;
        }
        if (sl_features_limited(f)) f->limit.last_seen[number] = t;
        out->number[out->n] = number;
        out->kept[out->n++] = r->value[k];
    }
    return true;
}

void sl_row_prefetch(const sl_features *f, const sl_raw_row *r) {
    if (r->batch && r->batch->list) {
        const uint32_t *id = r->batch->id + r->at;
        for (size_t k = 0; k < r->n; k++) __builtin_prefetch(sl_names_entry(&f->names, r->batch->list->hash[id[k]]));
        return;
    }
    const bool of_batch = r->batch && r->batch->has_names;
    const uint64_t *hash = of_batch ? r->batch->hash : r->hash; /* NULL too where no row of the batch has a feature */
    const size_t at = of_batch ? r->at : 0;
    for (size_t k = 0; hash && k < r->n; k++) __builtin_prefetch(sl_names_entry(&f->names, hash[at + k]));
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
