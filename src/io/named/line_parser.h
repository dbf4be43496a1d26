/* The loop over the lines of a block, for formats whose lines become rows of named features. */
#ifndef SL_LINE_PARSER_H
#define SL_LINE_PARSER_H

#include "io/line_errors.h"
#include "io/named/named_rows.h"

/* Whether a feature could be added; if not, why. Its name is for the message. */
bool sl_named_is_fine(sl_named_status status, const char *at, const char *name, size_t n, sl_trouble *t);

/* One line, without blanks and line end around it, to one row; its number is for sl_named_row(). Behind `end` stands a
 * blank, a carriage return or a newline. */
typedef bool sl_parse_line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, uint64_t line,
                           sl_trouble *t);
/* All lines of a block; blank ones are passed over. */
void sl_parse_named_lines(sl_block *b, sl_parse_line *parse);

#endif
