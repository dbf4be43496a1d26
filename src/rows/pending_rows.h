/* Pending rows: the unfinished batch of a batch learner. Features are stored by their columns, which are given out when
 * a feature first has a value and, unlike slots, never change. */
#ifndef SL_PENDING_ROWS_H
#define SL_PENDING_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sl_pending {
    size_t rows, rows_room;
    size_t nonzeros, nonzeros_room;
    size_t *start; /* row i is start[i] .. start[i + 1] - 1; NULL: there was no row yet */
    double *yh;    /* label times importance */
    uint32_t *column;
    float *value;
} sl_pending;

static inline double sl_pending_y(const sl_pending *b, size_t i) { return b->yh[i] > 0 ? 1 : -1; }
static inline double sl_pending_h(const sl_pending *b, size_t i) { return b->yh[i] > 0 ? b->yh[i] : -b->yh[i]; }

/* Reserves room for more rows and values. False: no memory. */
bool sl_pending_reserve(sl_pending *b, size_t rows, size_t nonzeros);
/* Adds a row, for which there must be room; the caller writes its n columns and values at the addresses returned. */
void sl_pending_add(sl_pending *b, double yh, size_t n, uint32_t **column, float **value);
bool sl_pending_copy(sl_pending *to, const sl_pending *from);
/* Removes the rows, keeps the memory. */
void sl_pending_clear(sl_pending *b);
void sl_pending_free(sl_pending *b);

#endif
