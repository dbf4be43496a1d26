/* A block: a piece of an input and the rows that were parsed from it. Blocks go round in a ring (reader.c): one thread
 * at a time fetches bytes into a block, any thread parses it, the caller gets the rows in the order of the bytes. */
#ifndef SL_BLOCK_H
#define SL_BLOCK_H

#include <stdbool.h>

#include "rows/batch.h"
#include "rows/duplicate_ids.h"
#include "io/source/source.h"
#include "sluice.h"

/* Why a line is left out; sl_reason_names has the words. */
typedef enum sl_reason {
    SL_BAD_LABEL,
    SL_BAD_FIELD,
    SL_BAD_ID,
    SL_BAD_VALUE,
    SL_BAD_QID,
    SL_NOT_FINITE,
    SL_OUT_OF_RANGE,
    SL_REPEATED_ID,
    SL_BAD_WEIGHT,
    SL_BAD_NAME,
    SL_NUL_BYTE,
    SL_LONG_LINE,
    SL_REASONS,
} sl_reason;
extern const char *const sl_reason_names[SL_REASONS];
#define SL_LONG_LINE_MESSAGE "line is longer than %zu bytes"

enum {
    SL_BLOCK_BYTES = 512 << 10, /* of text in one block, if no line is longer */
    SL_BLOCK_PAD = 64,          /* readable bytes behind a text: parsers look ahead */
};

/* What holds for all inputs of a reader. */
typedef struct sl_rules {
    size_t block_bytes, max_line;
    bool skip_errors;
    const char *label, *weight; /* as in sluice_reader_options */
    bool no_header;
    bool unlabelled;                        /* examples need no label */
    unsigned ngrams, tf;                    /* settled: never 0 */
    const struct sl_parse_kernels *kernels; /* NULL: text row by row by the careful parser, portable ids */
} sl_rules;

typedef struct sl_block {
    const sl_rules *rules;
    const char *source; /* the input's name */
    const char *format_name;
    size_t input;    /* which input it is from */
    uint64_t offset; /* of its first byte in that input (after decompression) */
    char *text;      /* n bytes and SL_BLOCK_PAD newlines behind them */
    size_t n, room;
    struct sl_csv_header *header; /* csv: held; NULL: the block is blank lines */
    size_t head;                  /* csv: so many bytes at the beginning are the header, not rows */

    sluice_batch batch;
    uint64_t lines; /* that these bytes are */
    uint64_t skipped[SL_REASONS];
    sluice_status status; /* what goes wrong after the rows; error.line counts from the block's first line */
    sluice_error error;
    sl_duplicates repeat;
} sl_block;

/* Makes room for n bytes and the pad, keeping the text. */
bool sl_block_room(sl_block *b, size_t n);

struct sl_format;

/* The input that is being read. */
typedef struct sl_input {
    const sl_rules *rules;
    const char *name;
    sl_source *source;
    const struct sl_format *format;
    bool started, ended;
    char *carry; /* text behind the last block's last line */
    size_t carry_n, carry_room;
    uint64_t rows; /* of bin: so far */
    struct sl_csv_header *header;
} sl_input;

/* Fetches the next block of bytes. False at the end of the input or when woken; failures are left in the block, which
 * then still holds what came before them. */
typedef bool sl_fetch(sl_input *in, sl_block *b);
/* Turns b->text into b->batch. Leaves b->status alone unless something is wrong with these bytes. */
typedef void sl_parse(sl_block *b);

/* For lines of text, whatever they mean (lines.c): a block ends behind a newline; the last line of an input gets one.
 */
sl_fetch sl_fetch_lines;
/* The same for records that end where `cut` (fresh, and not kept) says. */
struct sl_cut;
bool sl_fetch_records(sl_input *in, sl_block *b, struct sl_cut *cut);

/* Notes that a line (counted from 1 in the block) is bad: counts it or fails. Returns whether to go on. */
bool sl_bad_line(sl_block *b, sl_reason reason, uint64_t line, size_t column, const char *message);

#endif
