/* What the parsers of text share: the words for what is wrong with a line, and the walk over the lines of a block for
 * those that make rows of named features. */
#ifndef SL_LINE_PARSER_H
#define SL_LINE_PARSER_H

#include "io/block.h"
#include "io/named/named_rows.h"

/* What is wrong with a line, and where. */
typedef struct sl_trouble {
    sl_reason reason; /* SL_REASONS: there is no memory */
    const char *at;
    char message[256];
} sl_trouble;

/* These return false, so that `return sl_bad(...)` reads as one sentence. The format has one %s: the n bytes, quoted.
 */
bool sl_bad(sl_trouble *t, sl_reason reason, const char *at, const char *format, const char *text, size_t n);

/* Reads all of [p, end) as a number. Messages begin with `what`, the bytes quoted, `of`: "value 'x' of id 5 is ...". */
bool sl_number_between(const char *p, const char *end, float *value, sl_reason reason, const char *what, const char *of,
                       sl_trouble *t);
/* An importance weight: a number that is not negative. */
bool sl_weight_between(const char *p, const char *end, float *weight, sl_trouble *t);

bool sl_no_nul(const char *p, const char *end, sl_trouble *t);
bool sl_length_is_fine(const char *line, const char *newline, size_t max_line, sl_trouble *t);

/* Whether a feature could be added; if not, why. Its name is for the message. */
bool sl_named_is_fine(sl_named_status status, const char *at, const char *name, size_t n, sl_trouble *t);

/* One line, without blanks and line end around it, to one row; its number is for sl_named_row(). Behind `end` stands a
 * blank, a carriage return or a newline. */
typedef bool sl_parse_line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, uint64_t line,
                           sl_trouble *t);
/* All lines of a block; blank ones are passed over. */
void sl_parse_named_lines(sl_block *b, sl_parse_line *parse);

#endif
