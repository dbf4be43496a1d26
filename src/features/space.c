/* The feature space: direct slots for small ids, an exact table for the others. */
#include "features/space.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pages.h"
#include "base/system.h"

enum {
    ALWAYS_DIRECT = 1 << 20,
    DIRECT_START = 1024,
    OTHER_START = 64,
    TABLE_START_BITS = 6,
    SMALL_PAGES_REACH = 8 << 20
};

void sl_space_init(sl_space *sp, size_t size, const void *fresh) {
    *sp = (sl_space){.size = size, .fresh = fresh};
    if (!sl_random(sp->key, sizeof sp->key)) {
        sp->key[0] = (uint64_t)(uintptr_t)sp;
        sp->key[1] = (uint64_t)time(NULL);
    }
    sp->key[1] |= 1;
}

static size_t table_bytes(unsigned bits) { return sizeof(sl_bucket) << bits; }

void sl_space_free(sl_space *sp) {
    sl_pages_free(sp->features, ((size_t)sp->direct + sp->other_room) * sp->size);
    sl_pages_free(sp->scale, sp->scales * sizeof *sp->scale);
    sl_pages_free(sp->seen_bits, sp->direct / 8);
    if (sp->table) sl_pages_free(sp->table, table_bytes(sp->table_bits));
    *sp = (sl_space){0};
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* Where the id is, or where it would go: then *at is bucket->used. The table is never full. */
static sl_bucket *place(const sl_space *sp, uint64_t id, unsigned *at) {
    size_t mask = ((size_t)1 << sp->table_bits) - 1;
    for (size_t i = sl_space_home(sp, id);; i = (i + 1) & mask) {
        sl_bucket *b = &sp->table[i];
        unsigned same = 0; /* all are compared: cheaper than a branch that is hard to predict */
        for (unsigned k = 0; k < SL_BUCKET; k++) same |= (unsigned)(b->id[k] == id) << k;
        same &= (1u << b->used) - 1;
        *at = same ? (unsigned)__builtin_ctz(same) : b->used;
        if (same || b->used < SL_BUCKET) return b;
    }
}

uint32_t sl_space_probe(const sl_space *sp, uint64_t id) {
    if (!sp->table) return SL_NO_SLOT;
    unsigned at;
    const sl_bucket *b = place(sp, id, &at);
    return at < b->used ? sp->direct + b->rank[at] - 1 : SL_NO_SLOT;
}

static void fill(sl_bucket *b, uint64_t id, uint32_t rank) {
    b->id[b->used] = id;
    b->rank[b->used++] = rank;
}

static void put(sl_space *sp, uint64_t id, uint32_t rank) { fill(place(sp, id, &(unsigned){0}), id, rank); }

static size_t buckets(const sl_space *sp) { return sp->table ? (size_t)1 << sp->table_bits : 0; }

static size_t table_most(unsigned bits) { return ((size_t)SL_BUCKET << bits) / 4 * 3; }

/* Gives the memory of an old table back while it is copied, up to bucket i, one large page at a time. */
static void drop_read(sl_bucket *table, size_t i) {
    enum { LARGE_PAGE = (2 << 20) / sizeof(sl_bucket) };
    if (i % LARGE_PAGE == LARGE_PAGE - 1) sl_pages_drop(&table[i + 1 - LARGE_PAGE], LARGE_PAGE * sizeof *table);
}

static bool grow_table(sl_space *sp) {
    unsigned bits = sp->table ? sp->table_bits + 1 : TABLE_START_BITS;
    sl_bucket *old = sp->table, *table = sl_pages_new(table_bytes(bits), true);
    if (!table) return false;
    size_t n = buckets(sp);
    sp->table = table;
    sp->table_bits = bits;
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < old[i].used; k++) put(sp, old[i].id[k], old[i].rank[k]);
        drop_read(old, i);
    }
    if (old) sl_pages_free(old, table_bytes(bits - 1));
    return true;
}

/* ---- the direct part --------------------------------------------------------------------------------------------- */

static unsigned width_of(uint64_t id) { return id ? 64 - (unsigned)__builtin_clzll(id) : 0; }

/* Features of the table whose ids are below 2^bits. */
static uint32_t table_below(const sl_space *sp, unsigned bits) {
    uint32_t n = 0;
    for (unsigned i = 0; i <= bits; i++) n += sp->width[i];
    return n;
}

/* Whether to use large pages: where nearly all of the memory will be used (a widened direct part, the slots behind it),
 * or where there would be too many small pages for the TLB. */
static bool is_dense(const sl_space *sp, uint64_t direct, uint64_t room) {
    return direct > ALWAYS_DIRECT || room >= direct || direct * sp->size > SMALL_PAGES_REACH;
}

/* Scales for this number of slots; false: no memory. */
static bool resize_scales(sl_space *sp, size_t slots) {
    if (!sp->scaled || slots <= sp->scales) return true;
    sl_scale *scale = sl_pages_resize(sp->scale, sp->scales * sizeof *scale, slots * sizeof *scale, true);
    if (!scale) return false;
    sp->scale = scale;
    sp->scales = slots;
    return true;
}

static bool resize_features(sl_space *sp, uint64_t direct, uint64_t room) {
    if (direct + room >= SL_NO_SLOT || !resize_scales(sp, (size_t)(direct + room))) return false;
    size_t old = ((size_t)sp->direct + sp->other_room) * sp->size, new = (size_t)(direct + room) * sp->size;
    char *features = sl_pages_resize(sp->features, old, new, is_dense(sp, direct, room));
    if (!features) return false;
    sp->features = features;
    return true;
}

/* Moves every feature of a table to its new place; places are scattered, so it prefetches a few buckets ahead. */
static void move_over(sl_space *sp, sl_bucket *from, size_t n, const char *states, const sl_scale *scales) {
    enum { AHEAD = 8 };
    for (size_t i = 0; i < n; i++) {
        const sl_bucket *b = &from[i + AHEAD < n ? i + AHEAD : i];
        for (unsigned k = 0; k < b->used; k++) {
            __builtin_prefetch(states + (b->rank[k] - 1) * sp->size);
            if (b->id[k] < sp->direct) __builtin_prefetch(sl_space_at(sp, (uint32_t)b->id[k]), 1);
        }
        b = &from[i];
        for (unsigned k = 0; k < b->used; k++) {
            uint64_t id = b->id[k];
            uint32_t slot = (uint32_t)id;
            if (id < sp->direct) {
                sp->seen_bits[id >> 6] |= (uint64_t)1 << (id & 63);
            } else {
                slot = sp->direct + sp->others;
                put(sp, id, ++sp->others);
            }
            sl_space_copy(sl_space_at(sp, slot), states + (b->rank[k] - 1) * sp->size, sp->size);
            if (scales) sp->scale[slot] = scales[b->rank[k] - 1];
        }
        drop_read(from, i);
    }
}

/* Allocates the features of `to`: the direct part is kept, with room behind it. The features that lay behind are in
 * `*states` until `*block` is freed. The smaller of both parts is copied. False: no memory. */
static bool make_room_for_direct(sl_space *sp, sl_space *to, char **states, char **block, size_t *block_bytes) {
    size_t direct = sp->direct * sp->size, behind = sp->others * sp->size;
    if ((uint64_t)to->direct + to->other_room >= SL_NO_SLOT) return false;
    if (behind > direct) {
        size_t slots = (size_t)to->direct + to->other_room;
        to->features = sl_pages_new(slots * sp->size, is_dense(sp, to->direct, to->other_room));
        if (!to->features) return false;
        if (direct) memcpy(to->features, sp->features, direct);
        *block = sp->features;
        *block_bytes = direct + sp->other_room * sp->size;
        *states = sp->features + direct;
        return true;
    }
    *block_bytes = behind;
    if (behind) {
        *block = *states = sl_pages_new(behind, true);
        if (!*block) return false;
        memcpy(*states, sp->features + direct, behind);
    }
    if (!resize_features(sp, to->direct, to->other_room)) {
        sl_pages_free(*block, behind);
        return false;
    }
    to->features = sp->features;
    if (behind)
        memset(to->features + direct, 0, behind); /* fits: the direct part is at least twice as wide as before */
    return true;
}

/* A copy of the scales of the features behind the direct part; NULL: there are none, or no memory. */
static sl_scale *keep_scales_behind(const sl_space *sp) {
    sl_scale *behind = sp->scaled && sp->others ? malloc(sp->others * sizeof *behind) : NULL;
    if (behind) memcpy(behind, sp->scale + sp->direct, sp->others * sizeof *behind);
    return behind;
}

/* Widens the direct part to the ids below 2^bits. Features behind it are moved: to their direct slots if they have one
 * now, else further back. False: no memory, and nothing has changed. */
static bool widen(sl_space *sp, unsigned bits) {
    uint32_t leaving = table_below(sp, bits);
    if (!resize_scales(sp, ((size_t)1 << bits) + sp->others - leaving)) return false;
    sl_space old = *sp, new = *sp;
    new.direct = (uint32_t)1 << bits;
    new.other_room = old.others - leaving;
    new.table_used = old.table_used - leaving;
    for (new.table_bits = TABLE_START_BITS; table_most(new.table_bits) < new.table_used;) new.table_bits++;

    char *states = NULL, *block = NULL;
    size_t block_bytes = 0;
    new.seen_bits = sl_pages_new(new.direct / 8, true);
    new.table = new.table_used ? sl_pages_new(table_bytes(new.table_bits), true) : NULL;
    sl_scale *behind = keep_scales_behind(sp);
    if (!new.seen_bits || (new.table_used && !new.table) || (sp->scaled && sp->others && !behind) ||
        !make_room_for_direct(sp, &new, &states, &block, &block_bytes)) {
        sl_pages_free(new.seen_bits, new.direct / 8);
        sl_pages_free(new.table, table_bytes(new.table_bits));
        free(behind);
        return false;
    }

    new.direct_used += leaving;
    new.others = 0;
    new.moves++;
    memset(new.width, 0, (bits + 1) * sizeof *new.width);
    if (old.direct) memcpy(new.seen_bits, old.seen_bits, old.direct / 8);
    if (old.bias_rank) {
        new.bias_rank = ++new.others;
        sl_space_copy(sl_space_at(&new, new.direct), states + (old.bias_rank - 1) * old.size, old.size);
    }
    if (behind) memset(new.scale + old.direct, 0, old.others * sizeof *behind);
    move_over(&new, old.table, buckets(&old), states, behind);
    *sp = new;
    free(behind);
    sl_pages_free(block, block_bytes);
    sl_pages_free(old.seen_bits, old.direct / 8);
    sl_pages_free(old.table, table_bytes(old.table_bits));
    return true;
}

enum {
    MOST_BITS = 8 * 128
}; /* of memory per feature in a sparse direct part; in the table it is up to a third of it */

/* Whether direct slots for all ids below 2^bits cost at most MOST_BITS per feature seen, or five times its state. */
static bool worth_it(const sl_space *sp, unsigned bits) {
    size_t id = 8 * sp->size + 1, most = 5 * id > MOST_BITS ? 5 * id : MOST_BITS;
    return ((uint64_t)id << bits) <= ((uint64_t)sp->direct_used + table_below(sp, bits)) * most;
}

/* To how many bits to widen the direct part now that this id is added; 0: leave it. */
static unsigned better_bits(sl_space *sp, uint64_t id) {
    unsigned bits = 0;
    if (id < ALWAYS_DIRECT) {
        bits = width_of(sp->others < DIRECT_START ? id | (DIRECT_START - 1) : ALWAYS_DIRECT - 1);
    } else if (id < SL_WIDE && sp->table_used >= sp->next_look) {
        sp->next_look = sp->table_used + sp->table_used / 8 + DIRECT_START;
        for (bits = 31; bits >= width_of(id) && !worth_it(sp, bits);) bits--;
        if (bits < width_of(id)) bits = 0;
    }
    return bits && sp->too_wide && (uint32_t)1 << bits >= sp->too_wide ? 0 : bits;
}

/* ---- adding ------------------------------------------------------------------------------------------------------ */

static bool add_other(sl_space *sp, uint32_t *rank) {
    if (sp->others == sp->other_room) {
        uint64_t room = (uint64_t)sp->other_room * 2, most = SL_NO_SLOT - 1 - sp->direct;
        if (room < OTHER_START) room = OTHER_START;
        if (room > most) room = most;
        if (room <= sp->other_room || !resize_features(sp, sp->direct, room)) return false;
        sp->other_room = (uint32_t)room;
    }
    *rank = ++sp->others;
    sl_space_make_fresh(sp, sp->direct + *rank - 1);
    sp->seen++;
    sp->births++;
    return true;
}

bool sl_space_add_bias(sl_space *sp) { return sp->bias_rank || add_other(sp, &sp->bias_rank); }

/* Where the id goes in a table that has room for it; NULL: no memory. */
static sl_bucket *make_room(sl_space *sp, uint64_t id, sl_bucket *there, unsigned *at) {
    if (there && sp->table_used < table_most(sp->table_bits)) return there;
    return grow_table(sp) ? place(sp, id, at) : NULL;
}

uint32_t sl_space_admit_other(sl_space *sp, uint64_t id) {
    unsigned at;
    sl_bucket *b = sp->table ? place(sp, id, &at) : NULL;
    if (b && at < b->used) return sp->direct + b->rank[at] - 1;
    if (sp->seen >= SLUICE_MAX_FEATURES) return SL_NO_SLOT;
    unsigned bits = better_bits(sp, id);
    if (bits) {
        if (widen(sp, bits)) return sl_space_admit(sp, id);
        if (sp->forgets) return SL_NO_SLOT; /* others would be removed than on a machine with more memory */
        sp->too_wide = (uint32_t)1 << bits; /* go on with the table, and do not try this again for every id */
    }
    b = make_room(sp, id, b, &at);
    uint32_t rank;
    if (!b || !add_other(sp, &rank)) return SL_NO_SLOT;
    fill(b, id, rank);
    sp->table_used++;
    if (id < SL_WIDE) sp->width[width_of(id)]++;
    sp->newest[sp->arrivals++ % SL_NEWEST] = id;
    return sp->direct + rank - 1;
}

bool sl_space_forget(sl_space *sp, uint64_t id) {
    if (id >= sp->direct) return false;
    sp->seen_bits[id >> 6] &= ~((uint64_t)1 << (id & 63));
    memset(sl_space_at(sp, (uint32_t)id), 0, sp->size);
    if (sp->scaled) sp->scale[id] = (sl_scale){0};
    sp->direct_used--;
    sp->seen--;
    return true;
}

/* ---- walking ----------------------------------------------------------------------------------------------------- */

typedef struct sl_named {
    uint64_t id;
    uint32_t rank;
} sl_named;

static int by_id(const void *a, const void *b) {
    uint64_t x = ((const sl_named *)a)->id, y = ((const sl_named *)b)->id;
    return x < y ? -1 : x > y;
}

/* Puts an entry that is smaller than the largest of a full heap, the first one, in its place. */
static void replace_largest(sl_named *heap, size_t n, sl_named entry) {
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1].id > heap[child].id) child++;
        if (heap[child].id <= entry.id) break;
        heap[at] = heap[child];
    }
    heap[at] = entry;
}

static void make_heap(sl_named *heap, size_t n) {
    qsort(heap, n, sizeof *heap, by_id); /* ascending; the other way round it is a heap */
    for (size_t i = 0; i < n / 2; i++) {
        sl_named x = heap[i];
        heap[i] = heap[n - 1 - i];
        heap[n - 1 - i] = x;
    }
}

/* Takes the next entries of the table by ascending id, as many as there is room for: all, where memory is not short. */
static void take_next(sl_walk *w) {
    const sl_space *sp = w->sp;
    uint64_t last = w->given ? w->sorted[w->n_sorted - 1].id : 0;
    w->n_sorted = w->next_sorted = 0;
    for (size_t i = 0; i < buckets(sp); i++)
        for (unsigned k = 0; k < sp->table[i].used; k++) {
            sl_named entry = {sp->table[i].id[k], sp->table[i].rank[k]};
            if (w->given && entry.id <= last) continue;
            if (w->n_sorted < w->room) {
                w->sorted[w->n_sorted++] = entry;
                if (w->n_sorted == w->room && w->room < sp->table_used) make_heap(w->sorted, w->room);
            } else if (entry.id < w->sorted[0].id) {
                replace_largest(w->sorted, w->room, entry);
            }
        }
    qsort(w->sorted, w->n_sorted, sizeof *w->sorted, by_id);
    w->given += w->n_sorted;
}

/* A model must not be lost because the list of its ids finds no room: half of it, or less, will do. */
bool sl_walk_start(sl_walk *w, const sl_space *sp) {
    enum { LEAST_ROOM = 4096 };
    *w = (sl_walk){.sp = sp, .room = sp->table_used};
    if (!sp->table_used) return true;
    while (!(w->sorted = malloc(w->room * sizeof *w->sorted))) {
        if (w->room <= LEAST_ROOM) return false;
        w->room = w->room / 2 + 1;
    }
    take_next(w);
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
    if (w->next_sorted == w->n_sorted) {
        if (w->given == sp->table_used) return false;
        take_next(w);
    }
    w->id = w->sorted[w->next_sorted].id;
    w->slot = sp->direct + w->sorted[w->next_sorted++].rank - 1;
    return true;
}

void sl_walk_end(sl_walk *w) {
    free(w->sorted);
    w->sorted = NULL;
}

size_t sl_space_chunk(const sl_space *sp, uint64_t *cursor, uint32_t slot[SL_CHUNK]) {
    size_t n = 0;
    for (; n + 64 <= SL_CHUNK && *cursor < sp->direct; *cursor += 64) /* whole words: the direct part has no others */
        for (uint64_t seen = sp->seen_bits[*cursor >> 6]; seen; seen &= seen - 1)
            slot[n++] = (uint32_t)*cursor + (uint32_t)__builtin_ctzll(seen);
    if (*cursor < sp->direct) return n;
    for (uint64_t end = (uint64_t)sp->direct + sp->others; n < SL_CHUNK && *cursor < end; ++*cursor)
        slot[n++] = (uint32_t)*cursor;
    return n;
}
