/* Top features: those that a learner with a limited number of features keeps. They are those of highest rank; of equal
 * rank, those seen first. The operation that must be fast is to find the least of them.
 *
 * Each feature kept has an entry with its rank, in one of three places:
 *   - the run: the lowest of them in order. The least comes from its front.
 *   - the heap: those that came later and rank within the reach of the run.
 *   - the pool: all above that reach, in no order. When run and heap are used up the lower three quarters of it become
 * the run. So a feature that ranks far above the least, as most do, costs a store, and its share of one sort later.
 *
 * Entries are lazy: one may be older than its feature, but never ranks it higher than it is. A feature that rises costs
 * nothing; one that falls below its entry gets another; only an entry that comes to the front is compared with its
 * feature and then returned, corrected or dropped. Nothing else touches a feature, which would miss the cache. Each
 * change of a feature costs O(log kept) on average.
 *
 * Which features stay depends on ranks and order of first sight alone, not on where the entries are: they are not saved
 * but made anew from the features, and so they are when the space has moved them. */
#ifndef SL_TOP_H
#define SL_TOP_H

#include <stdbool.h>

#include "features/space.h"

/* What the struct of a feature begins with. */
typedef struct sl_ranked {
    uint32_t born; /* how many features were seen before it; the space writes it */
    uint32_t low;  /* 0: not kept; else the rank that its entry has, at most its own, and SL_TOP_TURN now and then */
} sl_ranked;

/* Ranks are below this. All features kept have it in `low`, or none, in turns: so that a visit can tell which features
 * it has seen. */
#define SL_TOP_TURN 0x80000000u

typedef struct sl_top_entry {
    uint64_t key; /* rank, then the order of first sight reversed: one comparison orders two entries */
    uint32_t slot;
} sl_top_entry;

typedef struct sl_top {
    uint32_t (*rank)(const void *feature); /* 0: not to be kept */
    bool listed;    /* only a pool, in the order of `low`, from 1; features to drop are drawn at random */
    char *features; /* the space's array, and the size of its structs */
    size_t size;
    sl_top_entry *run, *heap, *pool; /* run and heap end with a key above all others */
    size_t run_at, run_end, heap_end, pool_end;
    size_t room;    /* of each */
    uint64_t reach; /* keys above this are in the pool, others not */
    size_t count;   /* features kept: the entries, less those out of date */
    uint32_t turn;  /* SL_TOP_TURN or 0, as in `low` */
    uint64_t moves; /* of the space, when this was built; UINT64_MAX: it was not */
} sl_top;

/* Where the heap's root lies, so that the four children of an entry share a cache line. */
enum { SL_TOP_ROOT = 3 };

void sl_top_init(sl_top *k, uint32_t (*rank)(const void *feature), bool listed);
void sl_top_free(sl_top *k);

/* Before a round: the space is as it is now, and at most `more` features change. False: no memory. */
bool sl_top_prepare(sl_top *k, const sl_space *sp, size_t more);

/* Calls `visit` for every top feature, in no particular order. It may change the feature and returns its new rank. */
void sl_top_visit(sl_top *k, uint32_t (*visit)(void *context, void *feature), void *context);

/* Adds an entry for the feature with its present rank. */
void sl_top_push(sl_top *k, uint32_t slot, uint32_t rank);

/* Drops the least feature and returns its slot. There must be one. */
uint32_t sl_top_drop(sl_top *k);

static inline sl_ranked *sl_top_at(const sl_top *k, uint32_t slot) {
    return (sl_ranked *)(void *)(k->features + (size_t)slot * k->size);
}

static inline uint64_t sl_top_key(uint32_t rank, uint32_t born) { return (uint64_t)rank << 32 | (uint32_t)~born; }

/* The lowest key in run and heap, or one above all others when they are used up; no feature kept ranks below it. */
static inline uint64_t sl_top_front(const sl_top *k) {
    uint64_t a = k->run[k->run_at].key, b = k->heap[SL_TOP_ROOT].key;
    return a < b ? a : b;
}

/* The slow part of sl_top_offer(). */
uint32_t sl_top_take_in(sl_top *k, uint32_t slot, uint32_t rank, size_t limit);

/* Offers a feature that is not among the top ones, of which there may be `limit`. Returns the feature to drop, whose
 * rank the caller sets to 0: SL_NO_SLOT (there was room), another one, or the feature itself. */
static inline uint32_t sl_top_offer(sl_top *k, uint32_t slot, uint32_t rank, size_t limit) {
    uint64_t front = sl_top_front(k);
    bool below_all = front != UINT64_MAX && sl_top_key(rank, sl_top_at(k, slot)->born) < front;
    return below_all && k->count >= limit ? slot : sl_top_take_in(k, slot, rank, limit);
}

/* Call this when the rank of a top feature has changed. */
static inline void sl_top_changed(sl_top *k, sl_ranked *f, uint32_t slot, uint32_t rank) {
    if (rank >= (f->low & ~SL_TOP_TURN)) return;
    if (rank == 0) {
        f->low = 0;
        k->count--;
    } else {
        sl_top_push(k, slot, rank);
    }
}

/* The list: appends a feature; removes the one in a place (from 1), which the last one then takes. */
void sl_top_append(sl_top *k, uint32_t slot);
void sl_top_take_out(sl_top *k, uint32_t place);
static inline uint32_t sl_top_in_place(const sl_top *k, uint32_t place) { return k->pool[place - 1].slot; }

#endif
