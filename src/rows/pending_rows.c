/* Pending rows of a batch learner: compressed rows that grow, are copied and cleared. */
#include "rows/pending_rows.h"

#include <stdlib.h>
#include <string.h>

static bool grow(void *array, size_t room, size_t size) {
    void *larger, *old;
    memcpy(&old, array, sizeof old);
    if (room > SIZE_MAX / size || !(larger = realloc(old, room * size))) return false;
    memcpy(array, &larger, sizeof larger);
    return true;
}

static size_t room_for(size_t n, size_t room) { return n > room + room / 2 ? n : room + room / 2; }

bool sl_pending_reserve(sl_pending *b, size_t rows, size_t nonzeros) {
    if (!b->start || b->rows + rows > b->rows_room) {
        size_t room = room_for(b->rows + rows, b->rows_room);
        bool first = !b->start;
        if (!grow(&b->start, room + 1, sizeof *b->start)) return false;
        if (first) b->start[0] = 0;
        if (!grow(&b->yh, room + 1, sizeof *b->yh)) return false;
        b->rows_room = room;
    }
    if (b->nonzeros + nonzeros > b->nonzeros_room) {
        size_t room = room_for(b->nonzeros + nonzeros, b->nonzeros_room);
        if (!grow(&b->column, room, sizeof *b->column) || !grow(&b->value, room, sizeof *b->value)) return false;
        b->nonzeros_room = room;
    }
    return true;
}

void sl_pending_add(sl_pending *b, double yh, size_t n, uint32_t **column, float **value) {
    *column = b->column + b->nonzeros;
    *value = b->value + b->nonzeros;
    b->nonzeros += n;
    b->yh[b->rows++] = yh;
    b->start[b->rows] = b->nonzeros;
}

bool sl_pending_copy(sl_pending *to, const sl_pending *from) {
    if (from->rows == 0) return true;
    if (!sl_pending_reserve(to, from->rows, from->nonzeros)) return false;
    memcpy(to->start, from->start, (from->rows + 1) * sizeof *to->start);
    memcpy(to->yh, from->yh, from->rows * sizeof *to->yh);
    if (from->nonzeros) {
        memcpy(to->column, from->column, from->nonzeros * sizeof *to->column);
        memcpy(to->value, from->value, from->nonzeros * sizeof *to->value);
    }
    to->rows = from->rows;
    to->nonzeros = from->nonzeros;
    return true;
}

void sl_pending_clear(sl_pending *b) { b->rows = b->nonzeros = 0; }

void sl_pending_free(sl_pending *b) {
    free(b->start);
    free(b->yh);
    free(b->column);
    free(b->value);
    *b = (sl_pending){0};
}
