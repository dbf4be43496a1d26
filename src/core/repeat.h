/* Finding an id that stands twice in one row, without a quadratic search. */
#ifndef SL_REPEAT_H
#define SL_REPEAT_H

#include <stddef.h>
#include <stdint.h>

#define SL_REPEAT_NONE SIZE_MAX

/* Room that is kept from row to row; begin with {0}, free with sl_repeat_free(). */
typedef struct sl_repeat {
    uint64_t *ids; /* the row, and twice as much to sort in */
    size_t room;   /* for so many ids */
} sl_repeat;

/* Room for the ids of a row of n; NULL when there is no memory. */
uint64_t *sl_repeat_room(sl_repeat *r, size_t n);
/* The position of the first of the n ids in the room that already stands before it; SL_REPEAT_NONE if all differ.
 * Ascending ids cost one look each, others a merge sort of the runs they consist of. */
size_t sl_repeat_find(sl_repeat *r, size_t n);
void sl_repeat_free(sl_repeat *r);

#endif
