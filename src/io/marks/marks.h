/* Where the bytes are at which the text of tables is taken apart: separators, quotes and line ends of csv, quotes,
 * commas and brackets of JSON. They are found 64 bytes at a time; with the ends of all cells known, no number and no
 * text has to be searched for its end byte by byte. */
#ifndef SL_MARKS_H
#define SL_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_MARKS_WINDOW = 64,
    SL_MARKS_WINDOWS = 16, /* looked at in one go */
    SL_MARKS_ROOM = (SL_MARKS_WINDOWS + 1) * SL_MARKS_WINDOW,
};

/* Which bytes are marks: four, and all that are less than `below` as signed numbers (bytes beyond ASCII are negative).
 */
typedef struct sl_mark_bytes {
    char byte[4];
    signed char below; /* INT8_MIN: none */
} sl_mark_bytes;

/* Scans `windows` windows from text[from] on. Writes the positions of the marks in the text, ascending, and returns how
 * many there are. There must be room for 64 to a window and 64 more. */
typedef size_t sl_find_marks(const char *text, size_t from, size_t windows, const sl_mark_bytes *marks, uint32_t *at);

/* One version for every processor, others for those with certain instructions (io/parse_kernels.h). */
sl_find_marks sl_marks_portable;
#if defined(__x86_64__)
sl_find_marks sl_marks_avx2;
sl_find_marks sl_marks_avx512;
#endif

/* What a window of csv has, a bit for each byte, the first byte's the lowest. */
typedef struct sl_quote_bits {
    uint64_t quotes, newlines, separators;
} sl_quote_bits;
typedef sl_quote_bits sl_find_quotes(const char *text, char separator);
#if defined(__x86_64__)
sl_find_quotes sl_quotes_avx2;
sl_find_quotes sl_quotes_avx512;
#endif

/* The marks ahead in a block's text. */
typedef struct sl_marks {
    sl_find_marks *find;
    sl_mark_bytes bytes;
    const char *text;
    size_t end;     /* of the text, behind which a window can be read */
    size_t scanned; /* how far it was */
    size_t next, n; /* at[next] .. at[n-1] are still to come */
    uint32_t at[SL_MARKS_ROOM];
} sl_marks;

/* `from` is where the first mark may be. */
void sl_marks_begin(sl_marks *m, sl_find_marks *find, sl_mark_bytes bytes, const char *text, size_t end, size_t from);
/* Finds more marks when all were taken; false: there are none. */
bool sl_marks_more(sl_marks *m);
/* Makes the first mark from `p` on the next one; those before the present one do not come again. */
void sl_marks_go_to(sl_marks *m, size_t p);

#endif
