/* The fast way through a row of csv: cells of the common kinds, one behind the other. All rules and errors are in
 * csv.c, which takes every other cell. */
#ifndef SL_CSV_COMMON_CELLS_H
#define SL_CSV_COMMON_CELLS_H

#include "io/csv/csv.h"
#include "io/marks/marks.h"
#include "io/named/named_rows.h"

/* Whether a number of n bytes is sure to be -1, 0 or 1: more digits may be rounded away. */
static inline bool sl_csv_is_plain(size_t n, float value) {
    return n <= 2 && (value == 0 || value == 1 || value == -1);
}

/* Makes ready to find the marks of the block's text from its first row on; false: it is to be parsed cell by cell. */
bool sl_csv_common_begin(sl_marks *m, const sl_block *b);

/* Takes the cells from column i on, the first of which begins at *at, as long as they are common ones; returns how many
 * and moves *at behind the last of them. A number as label goes to *label. The batch has room for their features. */
size_t sl_csv_common_cells(sl_marks *m, const sl_csv_header *h, sl_named_rows *rows, size_t i, const char **at,
                           float *label);

#endif
