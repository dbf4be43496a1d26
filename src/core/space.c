/* The feature space: direct slots for small ids, an exact table for the others. */
#include "core/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "core/batch.h"
#include "core/pages.h"

enum { ALWAYS_DIRECT = 1 << 20, DIRECT_START = 1024, OTHER_START = 64, TABLE_START_BITS = 7 };

void sl_space_init(sl_space *sp, size_t size, const void *fresh) {
    *sp = (sl_space){.size = size, .fresh = fresh};
    if (getrandom(sp->key, sizeof sp->key, GRND_NONBLOCK) != (ssize_t)sizeof sp->key) {
        sp->key[0] = (uint64_t)(uintptr_t)sp;
        sp->key[1] = (uint64_t)time(NULL);
    }
    sp->key[1] |= 1;
}

void sl_space_free(sl_space *sp) {
    sl_pages_free(sp->features, ((size_t)sp->direct + sp->other_room) * sp->size);
    sl_pages_free(sp->seen_bits, sp->direct / 8);
    free(sp->table);
    *sp = (sl_space){0};
}

__extension__ typedef unsigned __int128 u128;

/* One multiplication that mixes all 64 bits with a secret. */
static size_t home(const sl_space *sp, uint64_t id) {
    u128 product = (u128)(id ^ sp->key[0]) * (sp->key[1] ^ (id >> 32 | id << 32));
    return (size_t)(((uint64_t)product ^ (uint64_t)(product >> 64)) >> (64 - sp->table_bits));
}

/* Where the id is, or where it would go. The table is never full. */
static sl_entry *place(const sl_space *sp, uint64_t id) {
    size_t mask = ((size_t)1 << sp->table_bits) - 1, i = home(sp, id);
    while (sp->table[i].rank && sp->table[i].id != id) i = (i + 1) & mask;
    return &sp->table[i];
}

uint32_t sl_space_probe(const sl_space *sp, uint64_t id) {
    if (!sp->table) return SL_NO_SLOT;
    uint32_t rank = place(sp, id)->rank;
    return rank ? sp->direct + rank - 1 : SL_NO_SLOT;
}

static char *feature_at(const sl_space *sp, uint32_t slot) { return sp->features + (size_t)slot * sp->size; }

static void make_fresh(const sl_space *sp, uint32_t slot) {
    if (sp->fresh) memcpy(feature_at(sp, slot), sp->fresh, sp->size);
}

static bool resize_features(sl_space *sp, uint64_t direct, uint64_t other_room) {
    if (direct + other_room >= SL_NO_SLOT) return false;
    size_t old = ((size_t)sp->direct + sp->other_room) * sp->size, new = (size_t)(direct + other_room) * sp->size;
    char *features = sl_pages_resize(sp->features, old, new);
    if (!features) return false;
    sp->features = features;
    return true;
}

static bool resize_table(sl_space *sp, unsigned bits) {
    sl_entry *table = calloc((size_t)1 << bits, sizeof *table), *old = sp->table;
    if (!table) return false;
    size_t n = old ? (size_t)1 << sp->table_bits : 0;
    sp->table = table;
    sp->table_bits = bits;
    for (size_t i = 0; i < n; i++)
        if (old[i].rank) *place(sp, old[i].id) = old[i];
    free(old);
    return true;
}

/* The direct part grows over the ids below `direct`: the features behind it make way, and those of them that now have a
 * direct slot move there. Happens a few times in a space's life, each time at least doubling the direct part. */
static bool widen_direct(sl_space *sp, uint32_t direct) {
    size_t moving = (size_t)sp->others * sp->size;
    char *states = malloc(moving ? moving : 1);
    sl_entry *table = sp->table ? calloc((size_t)1 << sp->table_bits, sizeof *table) : NULL;
    uint64_t *bits = NULL;
    if (states && (table || !sp->table)) bits = sl_pages_resize(sp->seen_bits, sp->direct / 8, direct / 8);
    if (bits) sp->seen_bits = bits;
    if (!bits || !resize_features(sp, direct, sp->other_room)) {
        if (bits && sp->direct) /* its size must agree with sp->direct again; making a block smaller does not fail */
            sp->seen_bits = sl_pages_resize(bits, direct / 8, sp->direct / 8);
        else if (bits) {
            sl_pages_free(bits, direct / 8);
            sp->seen_bits = NULL;
        }
        free(states);
        free(table);
        return false;
    }
    if (moving) {
        memcpy(states, feature_at(sp, sp->direct), moving);
        memset(feature_at(sp, sp->direct), 0, moving);
    }
    sl_entry *old = sp->table;
    size_t n = old ? (size_t)1 << sp->table_bits : 0;
    sp->direct = direct;
    sp->table = table;
    sp->table_used = 0;
    sp->others = 0;
    if (sp->bias_rank) {
        memcpy(feature_at(sp, direct), states + (size_t)(sp->bias_rank - 1) * sp->size, sp->size);
        sp->bias_rank = ++sp->others;
    }
    for (size_t i = 0; i < n; i++) {
        if (!old[i].rank) continue;
        uint64_t id = old[i].id;
        uint32_t slot;
        if (id < direct) {
            slot = (uint32_t)id;
            sp->seen_bits[id >> 6] |= (uint64_t)1 << (id & 63);
        } else {
            *place(sp, id) = (sl_entry){.id = id, .rank = ++sp->others};
            sp->table_used++;
            slot = direct + sp->others - 1;
        }
        memcpy(feature_at(sp, slot), states + (size_t)(old[i].rank - 1) * sp->size, sp->size);
    }
    free(old);
    free(states);
    return true;
}

static bool add_other(sl_space *sp, uint32_t *rank) {
    if (sp->others == sp->other_room) {
        uint64_t room = sp->other_room ? (uint64_t)sp->other_room * 2 : OTHER_START, most = SL_NO_SLOT - 1 - sp->direct;
        if (room > most) room = most;
        if (room == sp->other_room) return false;
        if (!resize_features(sp, sp->direct, room)) return false;
        sp->other_room = (uint32_t)room;
    }
    *rank = ++sp->others;
    make_fresh(sp, sp->direct + *rank - 1);
    sp->seen++;
    return true;
}

bool sl_space_add_bias(sl_space *sp) { return sp->bias_rank || add_other(sp, &sp->bias_rank); }

bool sl_space_add(sl_space *sp, uint64_t id) {
    if (id < sp->direct) {
        uint64_t *word = &sp->seen_bits[id >> 6], bit = (uint64_t)1 << (id & 63);
        if (*word & bit) return true;
        if (sp->seen >= SLUICE_MAX_FEATURES) return false;
        *word |= bit;
        make_fresh(sp, (uint32_t)id);
        sp->seen++;
        return true;
    }
    if (sl_space_probe(sp, id) != SL_NO_SLOT) return true;
    if (sp->seen >= SLUICE_MAX_FEATURES) return false;
    if (id < SL_WIDE) {
        uint32_t direct = DIRECT_START;
        while (direct <= id) direct *= 2;
        bool worth_it = direct <= ALWAYS_DIRECT || direct / 4 <= sp->seen;
        if (worth_it && (!sp->too_wide || direct < sp->too_wide)) {
            if (widen_direct(sp, direct)) return sl_space_add(sp, id);
            sp->too_wide = direct; /* the table still may have room, but do not try this again for every id */
        }
    }
    size_t room = sp->table ? (size_t)1 << sp->table_bits : 0;
    if (sp->table_used + 1 > room / 8 * 5 && !resize_table(sp, sp->table ? sp->table_bits + 1 : TABLE_START_BITS))
        return false;
    uint32_t rank;
    if (!add_other(sp, &rank)) return false;
    *place(sp, id) = (sl_entry){.id = id, .rank = rank};
    sp->table_used++;
    return true;
}

/* ---- walking ---------------------------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b) {
    uint64_t x = ((const sl_entry *)a)->id, y = ((const sl_entry *)b)->id;
    return x < y ? -1 : x > y;
}

bool sl_walk_start(sl_walk *w, const sl_space *sp) {
    *w = (sl_walk){.sp = sp};
    if (!sp->table_used) return true;
    w->sorted = malloc(sp->table_used * sizeof *w->sorted);
    if (!w->sorted) return false;
    for (size_t i = 0; i < (size_t)1 << sp->table_bits; i++)
        if (sp->table[i].rank) w->sorted[w->n_sorted++] = sp->table[i];
    qsort(w->sorted, w->n_sorted, sizeof *w->sorted, by_id);
    return true;
}

bool sl_walk_next(sl_walk *w) {
    const sl_space *sp = w->sp;
    w->is_bias = false;
    if (!w->bias_done) {
        w->bias_done = true;
        if (sp->bias_rank) {
            w->is_bias = true;
            w->id = 0;
            w->slot = sl_space_bias(sp);
            return true;
        }
    }
    while (w->next_direct < sp->direct) {
        uint64_t rest = sp->seen_bits[w->next_direct >> 6] >> (w->next_direct & 63);
        if (!rest) {
            w->next_direct = (w->next_direct | 63) + 1;
            continue;
        }
        w->id = w->next_direct + (uint64_t)__builtin_ctzll(rest);
        w->slot = (uint32_t)w->id;
        w->next_direct = w->id + 1;
        return true;
    }
    if (w->next_sorted == w->n_sorted) return false;
    w->id = w->sorted[w->next_sorted].id;
    w->slot = sp->direct + w->sorted[w->next_sorted++].rank - 1;
    return true;
}

void sl_walk_end(sl_walk *w) {
    free(w->sorted);
    w->sorted = NULL;
}

size_t sl_space_block(const sl_space *sp, uint64_t *cursor, uint32_t slot[SL_BLOCK]) {
    size_t n = 0;
    for (; n < SL_BLOCK && *cursor < sp->direct; ++*cursor) {
        uint64_t rest = sp->seen_bits[*cursor >> 6] >> (*cursor & 63);
        if (!rest) {
            *cursor |= 63;
            continue;
        }
        *cursor += (uint64_t)__builtin_ctzll(rest);
        slot[n++] = (uint32_t)*cursor;
    }
    for (uint64_t end = (uint64_t)sp->direct + sp->others; n < SL_BLOCK && *cursor < end; ++*cursor)
        slot[n++] = (uint32_t)*cursor;
    return n;
}
