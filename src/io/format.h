/* The formats of examples. A new one is a file with a parser and a line in the table of format.c. */
#ifndef SL_FORMAT_H
#define SL_FORMAT_H

#include "io/input.h"
#include "io/origins.h"

typedef struct sl_format {
    const char *name, *summary;
    const char *const *endings; /* ended by NULL */
    const char *magic;          /* the first bytes of every such file, or NULL */
    size_t magic_n;
    sl_fetch *fetch;
    sl_parse *parse;
    sl_find_id *find_id; /* NULL: rows have no ids */
} sl_format;

extern const sl_format sl_formats[]; /* ended by one without a name; the first is for unknown endings */

sl_parse sl_parse_libsvm;
sl_parse sl_parse_vw;
sl_parse sl_parse_jsonl;
sl_fetch sl_fetch_csv;
sl_parse sl_parse_csv;
sl_parse sl_parse_text;
sl_parse sl_parse_url;
sl_fetch sl_fetch_bin;
sl_parse sl_parse_bin;

/* By name; fails with a list of those that exist. */
const sl_format *sl_format_find(const char *name, sluice_error *err);
/* Whether the path ends as compressed files do; *n becomes the length of what stands before that. */
bool sl_compressed_ending(const char *path, size_t *n);
/* By the ending of a path, without that of a compressed file (.gz). hint: what to take where the ending says
 * nothing, or only .tsv; NULL: LIBSVM text. */
const sl_format *sl_format_by_ending(const char *path, const sl_format *hint);

#endif
