/* Where the records of a text end: at every newline, or, in csv, at every newline that does not stand in quotes.
 *
 * A quote opens only where a field begins, and the next one closes; one that follows at once opens again, which is how
 * doubled quotes come out right without looking ahead. A quote elsewhere is an error that the parser of csv (csv.c)
 * reports; here it changes nothing, so that it affects no other record. */
#ifndef SL_RECORDS_H
#define SL_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "io/marks/marks.h"

typedef struct sl_cut {
    bool quotes;    /* it is csv */
    char separator; /* of its fields; 0: to be found in the first record */
    bool quoted;    /* whether text[at] stands in quotes */
    size_t at;      /* how far the text was scanned */
    size_t fresh;   /* a quote here opens whatever stands before it: a record begins, or quotes were closed */
    sl_find_quotes *find_quotes; /* a window at a time, for sl_cut_last(); NULL: one by one */
} sl_cut;

/* Behind the last end of a record in text[at..n), or `end` if there is none. Called again when the text has grown. */
size_t sl_cut_last(sl_cut *c, const char *text, size_t n, size_t end);
/* Behind the first end of a record in text[at..n), or 0 if there is none. */
size_t sl_cut_first(sl_cut *c, const char *text, size_t n);
/* The n bytes of text were scanned; the next ones come in another buffer. */
void sl_cut_go_on(sl_cut *c, const char *text, size_t n);

/* The separator of the record that begins the text: of comma, tab, semicolon and bar the one that stands most often
 * outside quotes in it, or in its first SL_SEPARATOR_LOOK bytes; of equals the first of these four, so that a record
 * without any has commas. *decided: whether no text that follows could change that. *open: the text ends in
 * quotes, and more of it could. */
#define SL_SEPARATOR_LOOK ((size_t)64 << 10)
char sl_guess_separator(const char *text, size_t n, bool *decided, bool *open);

/* Behind the blank line that begins at text[p], or p if there is none. */
size_t sl_past_blank_line(const char *text, size_t p, size_t n);
size_t sl_count_newlines(const char *text, size_t n);

#endif
