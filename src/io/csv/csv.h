/* What the two halves of the csv reader share: the header, made when the first block of an input is fetched
 * (csv_header.c), and the taking apart of cells (csv.c). */
#ifndef SL_CSV_H
#define SL_CSV_H

#include "io/block.h"

#define SL_CSV_MAX_COLUMNS ((size_t)1 << 22)
/* Bytes of a column's name: it stands before every text in the column, so work and memory grow with it. */
#define SL_CSV_MAX_NAME ((size_t)512)
#define SL_CSV_NO_COLUMN SIZE_MAX

/* What a column's cells are; those before SL_CSV_WEIGHT may be numbers that need no second look. */
typedef enum sl_csv_use { SL_CSV_FEATURE, SL_CSV_LABEL, SL_CSV_WEIGHT, SL_CSV_NOTHING, SL_CSV_TEXT } sl_csv_use;

typedef struct sl_csv_column {
    sl_name name; /* in the header's text, where a '=' follows it */
    sl_csv_use use;
    uint64_t hash;
} sl_csv_column;

/* Immutable, with a count of references. */
typedef struct sl_csv_header {
    _Atomic size_t holders;
    char separator;
    bool clashes; /* two cells of a row may make the same feature */
    size_t columns, label, weight;
    size_t id; /* what identifies rows; SL_CSV_NO_COLUMN: not asked for */
    sl_csv_column *column;
    char *text;
    size_t text_n;
} sl_csv_header;

/* NULL is fine. */
void sl_csv_release(sl_csv_header *h);

typedef struct sl_csv_trouble {
    sl_reason reason; /* SL_REASONS: no memory */
    const char *at;
    bool counted; /* such rows are left out and only counted: no messages are made */
    char message[400];
} sl_csv_trouble;

typedef struct sl_csv_cell {
    const char *text; /* what stands in it: without its quotes, but with doubled ones where there are such */
    size_t n;
    bool doubled;
    size_t newlines;
    const char *end; /* what comes next: a separator, a newline, or a carriage return before one */
} sl_csv_cell;

/* Takes the cell at p apart; `end` is that of a text as blocks have it. */
bool sl_csv_take(const char *p, const char *end, char separator, sl_csv_cell *cell, sl_csv_trouble *t);

/* Where in a text a place is: the line from 1, and the byte in that line from 1. */
void sl_csv_place(const char *text, const char *at, uint64_t *line, size_t *column);

#endif
