/* The fast way through a line of JSON: one whose keys are those of a line before. All rules and errors are in jsonl.c,
 * which takes every other line. */
#ifndef SL_JSON_COMMON_LINES_H
#define SL_JSON_COMMON_LINES_H

#include "io/line_errors.h"
#include "io/named/named_rows.h"

/* What is known of the lines so far; a block keeps it. */
typedef struct sl_json_common sl_json_common;

void sl_json_common_free(sl_json_common *c);
size_t sl_json_common_memory(const sl_json_common *c);

/* Makes ready for the text of a block from b->at on. */
void sl_json_common_begin(sl_block *b);

typedef enum sl_json_line {
    SL_JSON_OTHER, /* it is to be read by all the rules; nothing has happened */
    SL_JSON_ADDED, /* the row is in the batch */
    SL_JSON_FAILED /* it is not: *status says why */
} sl_json_line;

/* Reads the line [p, end), without blanks around it. */
sl_json_line sl_json_common_line(sl_named_rows *rows, const char *p, const char *end, uint64_t line,
                                 sl_named_status *status);
/* Learns the keys of a line that all the rules have found to be fine. */
void sl_json_common_learn(sl_block *b, const char *p, const char *end);

#endif
