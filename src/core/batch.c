/* Batches: the arrays behind them and the public view of their rows. */
#include <stdio.h>
#include <stdlib.h>

#include "core/batch.h"
#include "core/error.h"

void sl_batch_clear(sluice_batch *b) {
    b->rows = b->nonzeros = b->wides = b->text_n = 0;
    b->has_names = b->has_weights = b->has_zeros = b->has_lines = false;
    if (b->start) b->start[0] = 0;
}

/* Makes an array hold n elements; what it held stays. */
static bool grow(void *array, size_t n, size_t element) {
    void *old, *grown;
    __builtin_memcpy(&old, array, sizeof old); /* array is a pointer to some pointer */
    if (n > SIZE_MAX / element || !(grown = realloc(old, n * element))) return false;
    __builtin_memcpy(array, &grown, sizeof grown);
    return true;
}

/* How large to make a room that must hold used + more: at least half as large again, so that growing step by step stays
 * linear. 0 when there is no such size. */
static size_t room_for(size_t room, size_t used, size_t more) {
    if (more > SIZE_MAX / 2 - used) return 0;
    size_t need = used + more;
    return room >= need ? room : need < room + room / 2 ? room + room / 2 : need;
}

bool sl_batch_reserve(sluice_batch *b, size_t rows, size_t nonzeros, size_t wides) {
    size_t row_room = room_for(b->row_room, b->rows, rows),
           nonzero_room = room_for(b->nonzero_room, b->nonzeros, nonzeros),
           wide_room = room_for(b->wide_room, b->wides, wides);
    if (b->rows + rows && !row_room) return false;
    if (b->nonzeros + nonzeros && !nonzero_room) return false;
    if (b->wides + wides && !wide_room) return false;
    if (!b->start || row_room > b->row_room) {
        bool fresh = !b->start;
        if (!grow(&b->start, row_room + 1, sizeof *b->start) || !grow(&b->label, row_room + 1, sizeof *b->label) ||
            !grow(&b->weight, row_room + 1, sizeof *b->weight) || !grow(&b->line, row_room + 1, sizeof *b->line))
            return false;
        if (fresh) b->start[0] = 0;
        b->row_room = row_room;
    }
    if (nonzero_room > b->nonzero_room) {
        if (!grow(&b->id, nonzero_room, sizeof *b->id) || !grow(&b->value, nonzero_room, sizeof *b->value))
            return false;
        b->nonzero_room = nonzero_room;
    }
    if (wide_room > b->wide_room) {
        if (!grow(&b->wide, wide_room, sizeof *b->wide)) return false;
        b->wide_room = wide_room;
    }
    return true;
}

bool sl_batch_reserve_names(sluice_batch *b, size_t nonzeros, size_t bytes) {
    size_t room = room_for(b->name_room, b->nonzeros, nonzeros), text_room = room_for(b->text_room, b->text_n, bytes);
    if (text_room > UINT32_MAX || !sl_batch_reserve(b, 0, nonzeros, 0)) return false;
    if (room > b->name_room) {
        if (!grow(&b->name, room, sizeof *b->name) || !grow(&b->hash, room, sizeof *b->hash)) return false;
        b->name_room = room;
    }
    if (text_room > b->text_room) {
        if (!grow(&b->text, text_room + SL_NAME_PAD, 1)) return false;
        b->text_room = text_room;
    }
    return b->text_room >= b->text_n + bytes && b->name_room >= b->nonzeros + nonzeros;
}

void sl_batch_free_arrays(sluice_batch *b) {
    free(b->start);
    free(b->label);
    free(b->weight);
    free(b->line);
    free(b->id);
    free(b->value);
    free(b->wide);
    free(b->name);
    free(b->hash);
    free(b->text);
    *b = (sluice_batch){0};
}

size_t sluice_batch_rows(const sluice_batch *b) { return b->rows; }

size_t sluice_batch_nonzeros(const sluice_batch *b, size_t row) { return b->start[row + 1] - b->start[row]; }

double sluice_batch_label(const sluice_batch *b, size_t row) { return (double)b->label[row]; }

int sluice_batch_has_names(const sluice_batch *b) { return b->has_names; }

void sluice_batch_row(const sluice_batch *b, size_t row, uint64_t *ids, sluice_name *names, sluice_example *x) {
    size_t first = b->start[row], n = b->start[row + 1] - first;
    for (size_t k = 0; k < n; k++)
        if (b->has_names)
            names[k] = (sluice_name){b->text + b->name[first + k].at, b->name[first + k].n};
        else
            ids[k] = sl_batch_id(b, first + k);
    *x = (sluice_example){
        .ids = b->has_names ? NULL : ids,
        .names = b->has_names ? names : NULL,
        .values = b->value + first,
        .n = n,
        .label = (double)b->label[row],
        .weight = b->has_weights ? (double)b->weight[row] : 1.0,
    };
}

const char *sl_feature_shown(const sluice_example *x, size_t k, char out[128]) {
    if (x->names) return sl_quote(out, x->names[k].text, x->names[k].n);
    snprintf(out, 128, "%llu", (unsigned long long)x->ids[k]);
    return out;
}
