/* Where rows come from: their lines, and what identifies them. Noted behind the parser, and only where a reader is
 * asked for it. */
#ifndef SL_ORIGINS_H
#define SL_ORIGINS_H

#include "io/block.h"

struct sl_format;

/* Whether rows of this format have what the rules ask for. */
sluice_status sl_origins_check(const sl_rules *rules, const struct sl_format *format, const char *input,
                               sluice_error *err);

/* Parses the next part of a block, and notes where its rows come from if that is asked for. */
void sl_parse_block(sl_block *b, sl_parse *parse);

/* What identifies the row of a line (csv: a record), [p, end), by the block's rules: writes at most end - p bytes to
 * `id`, how many to *n, and returns SLUICE_ID_. Malformed lines may have one too. */
typedef int sl_find_id(const sl_block *b, const char *p, const char *end, char *id, size_t *n);
sl_find_id sl_find_csv_id;
sl_find_id sl_find_vw_id;
sl_find_id sl_find_jsonl_id;

#endif
