/* The rows of an unfinished batch, held compactly until the batch is learned. Features stand by their columns: numbers
 * that they got when they first had a value and that never change, as slots may. */
#ifndef SL_PENDING_ROWS_H
#define SL_PENDING_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sl_pending {
    size_t rows, rows_room;
    size_t nonzeros, nonzeros_room;
    size_t *start; /* of row i: start[i] .. start[i + 1]; NULL: there was none yet */
    double *yh;    /* label times importance */
    uint32_t *column;
    float *value;
} sl_pending;

static inline double sl_pending_y(const sl_pending *b, size_t i) { return b->yh[i] > 0 ? 1 : -1; }
static inline double sl_pending_h(const sl_pending *b, size_t i) { return b->yh[i] > 0 ? b->yh[i] : -b->yh[i]; }

/* Room for so many more rows and values; false when there is no memory. */
bool sl_pending_reserve(sl_pending *b, size_t rows, size_t nonzeros);
/* Begins a row, for which there is room; its n columns and values are then written at the addresses given. */
void sl_pending_add(sl_pending *b, double yh, size_t n, uint32_t **column, float **value);
bool sl_pending_copy(sl_pending *to, const sl_pending *from);
/* Forgets the rows, keeps the room. */
void sl_pending_clear(sl_pending *b);
void sl_pending_free(sl_pending *b);

#endif
