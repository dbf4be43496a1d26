/* Finds an id that comes twice in one row, without a quadratic search. */
#ifndef SL_DUPLICATE_IDS_H
#define SL_DUPLICATE_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SL_NO_DUPLICATE SIZE_MAX
#define SL_MANY_IDS ((size_t)1 << 20) /* ids of a row that is large */

/* Buffers, reused from row to row; begin with {0}, free with sl_duplicates_free(). */
typedef struct sl_duplicates {
    uint64_t *ids;  /* the row's ids, and (unless it is large) two copies for sorting */
    size_t room;    /* ids and copies there is room for */
    uint32_t *seen; /* of a large row, until it is searched: a hash table of positions, plus 1; 2^bits entries */
    unsigned bits;
    uint16_t *mark; /* of sl_duplicates_in_rows(): in which round an id was seen, by its lowest bits */
    uint16_t round;
} sl_duplicates;

/* Room for the ids of a row of n, to be asked for before every search; NULL when there is no memory. */
uint64_t *sl_duplicates_room(sl_duplicates *r, size_t n);
/* The position of the first of the n ids that came before in the row; SL_NO_DUPLICATE if all differ. Ascending ids cost
 * one comparison each, others an entry of a table or, where they are a few ascending runs of a longer row, a merge of
 * these. The ids stay as they are. */
size_t sl_duplicates_find(sl_duplicates *r, size_t n);
/* The same for ids that are where `id_at` finds them, without a copy if the row is large. False: no memory. */
typedef uint64_t sl_id_at(const void *context, size_t k);
bool sl_duplicates_search(sl_duplicates *r, size_t n, sl_id_at *id_at, const void *context, size_t *found);
/* Whether an id stands twice in a row; row i is id[start[i]] .. id[start[i + 1] - 1]. For ids that begin at 0 and where
 * small ones are frequent: each costs a mark. False: no memory. */
bool sl_duplicates_in_rows(sl_duplicates *r, const uint32_t *id, const size_t *start, size_t rows, bool *found);
void sl_duplicates_free(sl_duplicates *r);
/* Bytes that it has allocated. */
size_t sl_duplicates_memory(const sl_duplicates *r);

#endif
