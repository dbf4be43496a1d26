/* The feature space: which features there are, and where the state of each lies.
 *
 * Every feature that was ever seen has a slot; slots are 32-bit positions in one array of the learner's structs.
 *   - Small ids are their own slot ("direct"): no lookup, a plain array, one bit per id says whether it was seen.
 *   - Other ids come through an exact hash table and have the slots behind the direct ones, in the order they came.
 * Ids are direct below 2^20, and beyond that as soon as so many features of a range were seen that direct slots take
 * hardly more memory than the table: so memory stays in proportion to the features seen, and one large id never costs
 * more than one entry of the table. When the direct part grows, features move over from the table; slots are therefore
 * good only as long as `moves` stays the same. Nothing that is saved or computed depends on where a feature lies. */
#ifndef SL_SPACE_H
#define SL_SPACE_H

#include <stdbool.h>
#include <string.h>

#include "sluice.h"

#define SL_NO_SLOT UINT32_MAX
#define SL_WIDE 0x80000000u /* ids from here on are never direct */
enum { SL_NEWEST = 16 };

/* A bucket of the table: as many features as fit a cache line, so that a lookup reads one line, seldom two. */
enum { SL_BUCKET = 5 };
typedef struct sl_bucket {
    uint64_t id[SL_BUCKET];
    uint32_t rank[SL_BUCKET]; /* slot - direct, plus 1 */
    uint32_t used;            /* how many; those that do not fit are in the next bucket */
} sl_bucket;

/* What values of a feature are changed by; 0: it has had none but 0. */
typedef union sl_scale {
    float largest; /* |value| */
    uint32_t rows; /* or how many rows have had the feature; it stays at UINT32_MAX */
} sl_scale;

typedef struct sl_space {
    char *features;       /* one struct per slot */
    size_t size;          /* of that struct */
    const void *fresh;    /* what a new feature's struct holds; NULL: zeros */
    bool numbered;        /* a struct begins with a uint32_t: how many features came before this one */
    bool from_one;        /* or which one it is, from 1, the bias not counted */
    bool forgets;         /* features are removed (sl_space_forget), which only direct ones can be */
    bool scaled;          /* features have scales */
    sl_scale *scale;      /* where they have: one per slot */
    size_t scales;        /* slots that there are scales for: at least as many as features */
    uint32_t direct;      /* ids below this are direct */
    uint32_t too_wide;    /* there was no memory for a direct part of this size; 0: it was not tried */
    uint32_t direct_used; /* direct features seen */
    uint64_t *seen_bits;  /* one per direct slot */
    uint32_t others, other_room;
    sl_bucket *table; /* 2^table_bits buckets, at most 3/4 used */
    unsigned table_bits;
    size_t table_used;
    size_t next_look; /* table size at which to reconsider widening the direct part */
    uint32_t
        width[32]; /* features in the table by the number of bits of their ids; only ids that could become direct */
    uint32_t bias_rank;         /* of the constant feature, which has no id; as sl_bucket.rank */
    uint64_t moves;             /* how often slots have changed */
    uint64_t seen;              /* features, the bias among them */
    uint64_t births;            /* features ever added: those seen, and those evicted since */
    uint64_t rows;              /* that were counted, where scales are numbers of rows */
    uint64_t newest[SL_NEWEST]; /* ids of the last ones added; the next goes to arrivals % SL_NEWEST */
    uint64_t arrivals;          /* features ever added, without the bias */
    uint64_t key[2];            /* of the hash: random, so that no input can be made to collide */
} sl_space;

void sl_space_init(sl_space *sp, size_t size, const void *fresh);
void sl_space_free(sl_space *sp);

/* Removes a direct feature; its slot becomes zeros. False: it is not direct, and nothing has changed. */
bool sl_space_forget(sl_space *sp, uint64_t id);

/* The slot of a feature of the table, or SL_NO_SLOT. */
uint32_t sl_space_probe(const sl_space *sp, uint64_t id);
/* sl_space_admit() for ids that are not direct, or not yet. */
uint32_t sl_space_admit_other(sl_space *sp, uint64_t id);
bool sl_space_add_bias(sl_space *sp);

/* The slot of a feature. Direct ids have one, zeroed, even before they are seen. */
static inline uint32_t sl_space_find(const sl_space *sp, uint64_t id) {
    return id < sp->direct ? (uint32_t)id : sl_space_probe(sp, id);
}

static inline uint32_t sl_space_bias(const sl_space *sp) {
    return sp->bias_rank ? sp->direct + sp->bias_rank - 1 : SL_NO_SLOT;
}

/* Whether a small id is direct and was seen. */
static inline bool sl_space_knows(const sl_space *sp, uint32_t id) {
    return id < sp->direct && (sp->seen_bits[id >> 6] >> (id & 63) & 1);
}

static inline char *sl_space_at(const sl_space *sp, uint32_t slot) { return sp->features + (size_t)slot * sp->size; }

/* Copies a feature's struct; a call of memcpy() would cost more than the copy. */
static inline void sl_space_copy(void *to, const void *from, size_t size) {
    switch (size) {
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 12:
        memcpy(to, from, 12);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size);
    }
}

/* Sets the struct of a feature that is added to its first value. */
static inline void sl_space_make_fresh(const sl_space *sp, uint32_t slot) {
    if (sp->fresh) sl_space_copy(sl_space_at(sp, slot), sp->fresh, sp->size);
    const uint64_t number = sp->births + (sp->from_one && !sp->bias_rank);
    if (sp->numbered) memcpy(sl_space_at(sp, slot), &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
}

/* Adds the feature, unless it is there, and returns its slot. SL_NO_SLOT: no memory (or SLUICE_MAX_FEATURES), and
 * nothing has changed. */
static inline uint32_t sl_space_admit(sl_space *sp, uint64_t id) {
    if (id >= sp->direct) return sl_space_admit_other(sp, id);
    uint64_t *word = &sp->seen_bits[id >> 6], bit = (uint64_t)1 << (id & 63);
    if (*word & bit) return (uint32_t)id;
    if (sp->seen >= SLUICE_MAX_FEATURES) return SL_NO_SLOT;
    *word |= bit;
    sl_space_make_fresh(sp, (uint32_t)id);
    sp->direct_used++;
    sp->seen++;
    sp->births++;
    sp->newest[sp->arrivals++ % SL_NEWEST] = id;
    return (uint32_t)id;
}

static inline bool sl_space_add(sl_space *sp, uint64_t id) { return sl_space_admit(sp, id) != SL_NO_SLOT; }

__extension__ typedef unsigned __int128 sl_u128;

/* The bucket where an id belongs. One multiplication that mixes all 64 bits with a secret; its top bits, so that a
 * larger table has the same order. */
static inline size_t sl_space_home(const sl_space *sp, uint64_t id) {
    sl_u128 product = (sl_u128)(id ^ sp->key[0]) * (sp->key[1] ^ (id >> 32 | id << 32));
    return (size_t)(((uint64_t)product ^ (uint64_t)(product >> 64)) >> (64 - sp->table_bits));
}

/* The address that a lookup of an id that is not direct reads first, to be prefetched by the caller. (GCC drops calls
 * of a function that only prefetches.) */
static inline const void *sl_space_entry(const sl_space *sp, uint64_t id) {
    return sp->table ? &sp->table[sl_space_home(sp, id)] : NULL;
}

/* All features in an order that depends on the features alone: the bias, then by ascending id.
 *     sl_walk w; if (!sl_walk_start(&w, sp)) no memory; while (sl_walk_next(&w)) ... w.id, w.slot, w.is_bias ...
 *     sl_walk_end(&w); */
typedef struct sl_walk {
    uint64_t id;
    uint32_t slot;
    bool is_bias;
    const sl_space *sp;
    struct sl_named *sorted; /* the table's or, where memory is short, the next of them */
    size_t room, n_sorted, next_sorted;
    size_t given; /* of the table */
    uint64_t next_direct;
    bool bias_done;
} sl_walk;

bool sl_walk_start(sl_walk *w, const sl_space *sp);
bool sl_walk_next(sl_walk *w);
void sl_walk_end(sl_walk *w);

/* All slots in no particular order, some at a time: *cursor starts at 0; returns how many, 0 after the last. */
enum { SL_CHUNK = 256 };
size_t sl_space_chunk(const sl_space *sp, uint64_t *cursor, uint32_t slot[SL_CHUNK]);

#endif
