/* The feature space: which features there are, and where the state of each lies.
 *
 * Every feature that was ever seen has a slot; slots are 32-bit positions in one array of the learner's structs.
 *   - Small ids are their own slot ("direct"): no lookup, a plain array, one bit per id says whether it was seen.
 *   - Other ids come through an exact hash table and have the slots behind the direct ones.
 * Ids are direct below 2^20, and beyond that as long as there are a quarter as many features as direct slots: so
 * memory stays in proportion to the features seen, and one large id never costs more than one entry of the table. When
 * the direct part grows, features move over from the table; slots are therefore good only until the next sl_space_add.
 * Nothing that is saved or computed depends on where a feature lies. */
#ifndef SL_SPACE_H
#define SL_SPACE_H

#include <stdbool.h>

#include "sluice.h"

#define SL_NO_SLOT UINT32_MAX

typedef struct sl_entry {
    uint64_t id;
    uint32_t rank; /* slot - direct, plus 1; 0: the entry is free */
} sl_entry;

typedef struct sl_space {
    char *features;      /* one struct per slot */
    size_t size;         /* of that struct */
    const void *fresh;   /* what a new feature's struct holds; NULL: zeros */
    uint32_t direct;     /* ids below this are direct */
    uint32_t too_wide;   /* there was no memory for a direct part of this size; 0: it was not tried */
    uint64_t *seen_bits; /* one per direct slot */
    uint32_t others, other_room;
    sl_entry *table; /* 2^table_bits entries, at most 5/8 used */
    unsigned table_bits;
    size_t table_used;
    uint32_t bias_rank; /* as sl_entry.rank; the constant feature has no id */
    uint64_t seen;      /* features, the bias among them */
    uint64_t key[2];    /* of the hash: drawn anew for every space, so that nobody can aim at collisions */
} sl_space;

void sl_space_init(sl_space *sp, size_t size, const void *fresh);
void sl_space_free(sl_space *sp);

/* Makes the feature seen. False: no memory (or SLUICE_MAX_FEATURES); then nothing has changed. */
bool sl_space_add(sl_space *sp, uint64_t id);
bool sl_space_add_bias(sl_space *sp);

/* The slot of a feature of the table, or SL_NO_SLOT. */
uint32_t sl_space_probe(const sl_space *sp, uint64_t id);

/* The slot of a feature. Direct ids have one, zeroed, even before they are seen. */
static inline uint32_t sl_space_find(const sl_space *sp, uint64_t id) {
    return id < sp->direct ? (uint32_t)id : sl_space_probe(sp, id);
}

static inline uint32_t sl_space_bias(const sl_space *sp) {
    return sp->bias_rank ? sp->direct + sp->bias_rank - 1 : SL_NO_SLOT;
}

/* Whether a small id is direct and was seen: the question asked of every nonzero. */
static inline bool sl_space_knows(const sl_space *sp, uint32_t id) {
    return id < sp->direct && (sp->seen_bits[id >> 6] >> (id & 63) & 1);
}

/* All features in the one order that depends on nothing else: the bias, then by ascending id.
 *     sl_walk w; if (!sl_walk_start(&w, sp)) no memory; while (sl_walk_next(&w)) ... w.id, w.slot, w.is_bias ...
 *     sl_walk_end(&w); */
typedef struct sl_walk {
    uint64_t id;
    uint32_t slot;
    bool is_bias;
    const sl_space *sp;
    sl_entry *sorted;
    size_t n_sorted, next_sorted;
    uint64_t next_direct;
    bool bias_done;
} sl_walk;

bool sl_walk_start(sl_walk *w, const sl_space *sp);
bool sl_walk_next(sl_walk *w);
void sl_walk_end(sl_walk *w);

/* All slots in no particular order, some at a time: *cursor starts at 0; returns how many, 0 after the last. */
enum { SL_BLOCK = 256 };
size_t sl_space_block(const sl_space *sp, uint64_t *cursor, uint32_t slot[SL_BLOCK]);

#endif
