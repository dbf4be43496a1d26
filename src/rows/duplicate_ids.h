/* Finds an id that comes twice in one row, without a quadratic search. */
#ifndef SL_DUPLICATE_IDS_H
#define SL_DUPLICATE_IDS_H

#include <stddef.h>
#include <stdint.h>

#define SL_NO_DUPLICATE SIZE_MAX

/* Buffers, reused from row to row; begin with {0}, free with sl_duplicates_free(). */
typedef struct sl_duplicates {
    uint64_t *ids; /* the row's ids, and twice as much for sorting */
    size_t room;   /* ids there is room for */
} sl_duplicates;

/* Room for the ids of a row of n; NULL when there is no memory. */
uint64_t *sl_duplicates_room(sl_duplicates *r, size_t n);
/* The position of the first of the n ids that came before in the row; SL_NO_DUPLICATE if all differ. Ascending ids cost
 * one comparison each, others a merge sort of their ascending runs. */
size_t sl_duplicates_find(sl_duplicates *r, size_t n);
void sl_duplicates_free(sl_duplicates *r);
/* Bytes that it has allocated. */
size_t sl_duplicates_memory(const sl_duplicates *r);

#endif
