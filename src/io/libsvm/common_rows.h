/* The fast parser of LIBSVM text: whole rows in which every field is of the common kind. */
#ifndef SL_COMMON_ROWS_H
#define SL_COMMON_ROWS_H

#include "io/block.h"
#include "io/parse_kernels.h"
#include "rows/label_text.h"

enum {
    SL_SCAN_WINDOWS = 16,                  /* looked at in one go */
    SL_SCAN_AHEAD = 2 * SL_FIELDS_AT_ONCE, /* separators that are known ahead, except at the end of the text */
    SL_SCAN_ROOM = 1 + SL_SCAN_AHEAD + SL_SCAN_WINDOWS * SL_WINDOW,
};

/* The separators ahead: positions in the block's text, and which bytes they are. */
typedef struct sl_scan {
    const sl_parse_kernels *kernels;
    sl_label label; /* of the row, where it is not a digit */
    size_t scanned; /* how far the text was scanned */
    size_t next, n; /* at[next] .. at[n-1] are still to come; the one before, if there is one, is still there */
    uint32_t at[SL_SCAN_ROOM + SL_WINDOW];
    char kind[SL_SCAN_ROOM + SL_WINDOW];
} sl_scan;

/* Appends rows to the block's batch, from position *p of its text on, as long as they are common ones; moves *p behind
 * them and counts their lines. It stops at any other row, which the careful parser then takes. The batch must have room
 * for all that the text can hold. */
void sl_common_rows(sl_block *b, sl_scan *scan, size_t *p);

#endif
