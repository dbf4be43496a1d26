/* The features that a learner keeps when it may keep only so many: those of highest rank; of equal rank, those seen
 * first. The one question is: which is the least?
 *
 * Each feature kept has an entry with its rank, in one of three places:
 *   - the run: the lowest of them in order. The least comes from its front.
 *   - the heap: those that came later and rank within the reach of the run.
 *   - the pool: all above that reach, in no order. When run and heap are used up the lower three quarters of it become
 * the run. So a feature that comes in far above the least, as most do, costs a store, and its part in one sort later.
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

/* Ranks are below this. All features kept have it in `low`, or none, by turns: so a visit sees whom it has met. */
#define SL_TOP_TURN 0x80000000u

typedef struct sl_top_entry {
    uint64_t key; /* rank, then the order of first sight backwards: one comparison says who goes first */
    uint32_t slot;
} sl_top_entry;

typedef struct sl_top {
    uint32_t (*rank)(const void *feature); /* 0: not to be kept */
    bool listed;                           /* only a pool, in the order of `low`, from 1: chance decides who goes */
    char *features;                        /* the space's array, and the size of its structs */
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

/* Shows every feature kept to `visit`, in no particular order. It may change them, and says which rank they have now.
 */
void sl_top_visit(sl_top *k, uint32_t (*visit)(void *context, void *feature), void *context);

/* An entry for the feature, with its present rank. */
void sl_top_push(sl_top *k, uint32_t slot, uint32_t rank);

/* Lets the least feature go, and says which; there is one. */
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

/* sl_top_offer() where it is not as simple as that. */
uint32_t sl_top_take_in(sl_top *k, uint32_t slot, uint32_t rank, size_t limit);

/* Offers a feature that is not kept, when at most `limit` are to be. Which one has to go: SL_NO_SLOT (there was room),
 * another, whose rank the caller makes 0, or the feature itself, likewise. */
static inline uint32_t sl_top_offer(sl_top *k, uint32_t slot, uint32_t rank, size_t limit) {
    uint64_t front = sl_top_front(k);
    bool below_all = front != UINT64_MAX && sl_top_key(rank, sl_top_at(k, slot)->born) < front;
    return below_all && k->count >= limit ? slot : sl_top_take_in(k, slot, rank, limit);
}

/* A feature that is kept has changed its rank. */
static inline void sl_top_changed(sl_top *k, sl_ranked *f, uint32_t slot, uint32_t rank) {
    if (rank >= (f->low & ~SL_TOP_TURN)) return;
    if (rank == 0) {
        f->low = 0;
        k->count--;
    } else {
        sl_top_push(k, slot, rank);
    }
}

/* The list: a feature comes to its end; the last takes the place, from 1, of one that goes. */
void sl_top_append(sl_top *k, uint32_t slot);
void sl_top_take_out(sl_top *k, uint32_t place);
static inline uint32_t sl_top_in_place(const sl_top *k, uint32_t place) { return k->pool[place - 1].slot; }

#endif
