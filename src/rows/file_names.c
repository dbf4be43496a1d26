/* The names of a file by their numbers. */
#include "rows/file_names.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { AHEAD = 16 }; /* names whose place in the table is prefetched */

static uint64_t next_serial(void) {
    static _Atomic uint64_t last;
    return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

static bool make_room(sl_file_names *l, size_t n) {
    if (n <= l->room) return true;
    const size_t room = n < l->room * 2 ? l->room * 2 : n;
    uint64_t *hash = realloc(l->hash, room * sizeof *hash);
    if (!hash) return false;
    l->hash = hash, l->room = room;
    return true;
}

sl_listing sl_file_names_add(sl_file_names *l, const sl_more_names *more) {
    if (!l->serial) l->serial = next_serial();
    if (!make_room(l, l->names.n + more->n)) return SL_LISTED_NO_MEMORY;
    for (size_t i = 0; i < more->n; i++) {
        const char *name = more->text + more->name[i].at;
        const size_t n = more->name[i].n;
        if (i + AHEAD < more->n) __builtin_prefetch(sl_names_entry(&l->names, more->hash[i + AHEAD]), 1);
        if (sl_names_find(&l->names, more->hash[i], name, n) != SL_NO_NAME) return SL_LISTED_TWICE;
        const uint32_t number = sl_names_add_new(&l->names, more->hash[i], name, n);
        if (number == SL_NO_NAME) return SL_LISTED_NO_MEMORY;
        l->hash[number] = more->hash[i];
        if (n > l->longest) l->longest = n;
    }
    return SL_LISTED;
}

void sl_file_names_clear(sl_file_names *l) {
    sl_names_free(&l->names);
    free(l->hash);
    *l = (sl_file_names){0};
}
