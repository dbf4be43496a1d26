/* The rows of an unfinished batch, held compactly until the batch is learned. Features stand by their columns: numbers
 * that they got when they first had a value and that never change, as slots may. */
#ifndef SL_HELD_H
#define SL_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sl_held {
    size_t rows, rows_room;
    size_t nonzeros, nonzeros_room;
    size_t *start; /* of row i: start[i] .. start[i + 1]; NULL: there was none yet */
    double *yh;    /* label times importance */
    uint32_t *column;
    float *value;
} sl_held;

static inline double sl_held_y(const sl_held *b, size_t i) { return b->yh[i] > 0 ? 1 : -1; }
static inline double sl_held_h(const sl_held *b, size_t i) { return b->yh[i] > 0 ? b->yh[i] : -b->yh[i]; }

/* Room for so many more rows and values; false when there is no memory. */
bool sl_held_reserve(sl_held *b, size_t rows, size_t nonzeros);
/* Begins a row, for which there is room; its n columns and values are then written at the addresses given. */
void sl_held_add(sl_held *b, double yh, size_t n, uint32_t **column, float **value);
bool sl_held_copy(sl_held *to, const sl_held *from);
/* Forgets the rows, keeps the room. */
void sl_held_clear(sl_held *b);
void sl_held_free(sl_held *b);

#endif
