/* The names of a file by their numbers. */
#include "rows/file_names.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/pages.h"

enum { START_BITS = 8, AHEAD = 16 }; /* names whose place in the table is prefetched */

static uint64_t next_serial(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

/* Room for `more` behind the first n, and for a half more than before. False: no memory. */
static bool grow(void *array, size_t element, size_t n, size_t more, size_t *room) {
    void *old, *grown;
    memcpy(&old, array, sizeof old); /* array is a pointer to some pointer */
    const size_t want = n + more > *room + *room / 2 ? n + more : *room + *room / 2;
    if (want < n || want > SIZE_MAX / element - SL_NAME_PAD) return false;
    if (!(grown = realloc(old, (want + SL_NAME_PAD) * element))) return false;
    memcpy(array, &grown, sizeof grown);
    *room = want;
    return true;
}

static bool make_room(sl_file_names *l, size_t names, size_t bytes) {
    size_t room = l->room; /* both arrays have the same */
    if (bytes > l->text_room - l->text_n && !grow(&l->text, 1, l->text_n, bytes, &l->text_room)) return false;
    if (names <= l->room - l->n) return true;
    return grow(&l->hash, sizeof *l->hash, l->n, names, &room) && grow(&l->end, sizeof *l->end, l->n, names, &l->room);
}

static uint64_t *place_of(const sl_file_names *l, uint64_t hash) { return &l->table[hash >> (64 - l->bits)]; }

static uint64_t *next_place(const sl_file_names *l, uint64_t *place) {
    return &l->table[(size_t)(place - l->table + 1) & (((size_t)1 << l->bits) - 1)];
}

static uint64_t entry_of(uint64_t hash, size_t number) { return hash << 32 | (number + 1); }

static bool is_name(const sl_file_names *l, uint64_t entry, uint64_t hash, const char *name, size_t n) {
    if (entry >> 32 != (uint32_t)hash) return false;
    size_t length;
    const uint32_t number = (uint32_t)entry - 1;
    const char *text = sl_file_names_text(l, number, &length);
    return l->hash[number] == hash && length == n && memcmp(text, name, n) == 0;
}

/* A table for so many names. False: no memory. */
static bool make_table(sl_file_names *l, size_t names) {
    unsigned bits = l->bits ? l->bits : START_BITS;
    while (names > (size_t)1 << (bits - 1)) bits++;
    if (bits == l->bits) return true;
    uint64_t *table = sl_pages_new(sizeof *table << bits, true);
    if (!table) return false;
    if (l->table) sl_pages_free(l->table, sizeof *table << l->bits);
    l->table = table, l->bits = bits;
    for (size_t i = 0; i < l->n; i++) {
        if (i + AHEAD < l->n) __builtin_prefetch(place_of(l, l->hash[i + AHEAD]), 1);
        uint64_t *place = place_of(l, l->hash[i]);
        while (*place) place = next_place(l, place);
        *place = entry_of(l->hash[i], i);
    }
    return true;
}

sl_listing sl_file_names_add(sl_file_names *l, const sl_more_names *more) {
    size_t bytes = 1; /* a text even for a name without bytes */
    for (size_t i = 0; i < more->n; i++) bytes += more->name[i].n;
    if (!l->serial) l->serial = next_serial();
    if (more->n && (!make_room(l, more->n, bytes) || !make_table(l, l->n + more->n))) return SL_LISTED_NO_MEMORY;
    for (size_t i = 0; i < more->n; i++) {
        const char *name = more->text + more->name[i].at;
        const size_t n = more->name[i].n;
        const uint64_t hash = more->hash[i];
        if (i + AHEAD < more->n) __builtin_prefetch(place_of(l, more->hash[i + AHEAD]), 1);
        uint64_t *place = place_of(l, hash);
        for (; *place; place = next_place(l, place))
            if (is_name(l, *place, hash, name, n)) return SL_LISTED_TWICE;
        *place = entry_of(hash, l->n);
        if (n) memcpy(l->text + l->text_n, name, n);
        l->hash[l->n] = hash;
        l->end[l->n++] = l->text_n += n;
        if (n > l->longest) l->longest = n;
    }
    return SL_LISTED;
}

void sl_file_names_clear(sl_file_names *l) {
    if (l->table) sl_pages_free(l->table, sizeof *l->table << l->bits);
    free(l->hash);
    free(l->end);
    free(l->text);
    *l = (sl_file_names){0};
}
