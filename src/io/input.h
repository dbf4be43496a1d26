/* An input: a source of bytes, its format, and what is carried over from block to block. */
#ifndef SL_INPUT_H
#define SL_INPUT_H

#include "io/block.h"
#include "io/records.h"
#include "io/source/source.h"

/* To be closed even if it was never opened (all zeros). */
typedef struct sl_input {
    const sl_rules *rules;
    const char *name;
    sl_source *source;
    const struct sl_format *format; /* NULL: not yet chosen */
    bool started, ended;
    bool looked;  /* at the first text */
    bool is_last; /* of a reader's inputs */
    char *carry;  /* bytes behind the last block's last record */
    size_t carry_n, carry_room;
    size_t target;        /* bytes of a block; 0: as the rules say */
    uint64_t rows;        /* of bin: so far */
    uint32_t version;     /* of bin: the file's */
    bool skipping;        /* text: in the middle of a record that is too long, */
    sl_cut skip;          /* up to here, */
    uint64_t skip_offset; /* which begins there */
    uint64_t lines;       /* lines of the input before this point */
    struct sl_csv_header *header;
} sl_input;

/* Fetches the next block of bytes into b, which is empty. False at the end of the input (in->ended), and when bytes
 * are missing that may still come or the source was woken: then b->status is SLUICE_END, and the same call goes on
 * later. Failures are left in the block, which then still holds what came before them. */
typedef bool sl_fetch(sl_input *in, sl_block *b);

/* For lines of text, whatever they mean (lines.c): a block ends behind a newline; the last line of an input gets one.
 */
sl_fetch sl_fetch_lines;
/* The same for records that end where `cut` (fresh, and not kept) says. */
bool sl_fetch_records(sl_input *in, sl_block *b, sl_cut *cut);

/* Empties b, chooses the format, if that is still to be done, and fetches. */
sl_fetch sl_input_fetch;
/* Keeps bytes for the next block; false when there is no memory. */
bool sl_input_keep(sl_input *in, const char *bytes, size_t n);
/* Closes its source too. */
void sl_input_close(sl_input *in);

#endif
