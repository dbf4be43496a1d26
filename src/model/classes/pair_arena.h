/* Places for the states of (feature, class) pairs: those of one feature lie side by side, in a list with a power of two
 * of places. Lists that were left are kept by their size and used again. */
#ifndef SL_PAIR_ARENA_H
#define SL_PAIR_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A feature's pairs: `n` of the arena from `first` on; there is room for `room` of them. */
typedef struct sl_pair_list {
    uint32_t first, n, room;
} sl_pair_list;

typedef struct sl_pair_arena {
    char *state; /* the rule's struct, one for each place */
    uint32_t *class_of;
    size_t size; /* of the struct */
    uint32_t used, room;
    uint32_t free[32]; /* by size: the first place of a free list, plus 1; class_of there is the next one's */
} sl_pair_arena;

static inline char *sl_pair_state(const sl_pair_arena *a, uint32_t place) { return a->state + (size_t)place * a->size; }

void sl_pair_arena_free(sl_pair_arena *a);
/* Makes `to`, which has no places, a copy. False: no memory. */
bool sl_pair_arena_copy(sl_pair_arena *to, const sl_pair_arena *from);

/* The room of a list that must hold n pairs. */
uint32_t sl_pair_room(uint32_t n);
/* Room so that `more` places can be taken at the end. False: no memory. */
bool sl_pair_reserve(sl_pair_arena *a, uint64_t more);
/* Adds a pair to a list; the places that it needs have been reserved. */
void sl_pair_add(sl_pair_arena *a, sl_pair_list *list, uint32_t class_index, const char *state);
/* Adds n places to a list, whose contents the caller sets; *place is the first of them. False: no memory. */
bool sl_pair_extend(sl_pair_arena *a, sl_pair_list *list, uint32_t n, uint32_t *place);
/* Removes a pair; the last one of the list takes its place. */
void sl_pair_remove(sl_pair_arena *a, sl_pair_list *list, uint32_t place);
/* The place of a pair, or SL_NO_SLOT. */
uint32_t sl_pair_find(const sl_pair_arena *a, const sl_pair_list *list, uint32_t class_index);

#endif
