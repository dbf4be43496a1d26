/* A row as bytes, to be kept in a file: its features as they came, bit for bit, and its importance. */
#ifndef CLI_KEPT_ROW_H
#define CLI_KEPT_ROW_H

#include "http/text_buffer.h"
#include "sluice.h"

/* Arrays that are used again and again. */
typedef struct row_arrays {
    uint64_t *ids;
    sluice_name *names;
    float *values;
    size_t room;
} row_arrays;

void row_arrays_free(row_arrays *arrays);

/* Appends a row. A row that was read to be predicted may have the importance 0, for it has no label yet: it is kept
 * with 1. 0: no memory. */
int kept_row_write(text_buffer *to, row_arrays *arrays, const sluice_batch *batch, size_t row);
/* The row of n bytes; what it says points to the arrays and into the bytes. SLUICE_E_FORMAT where they are damaged. */
sluice_status kept_row_read(const void *bytes, size_t n, row_arrays *arrays, sluice_example *x, sluice_error *err);

#endif
