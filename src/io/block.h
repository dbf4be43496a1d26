/* A block: a piece of an input and the rows that were parsed from it. A format is a function that fetches blocks of
 * bytes from an input (io/input.h) and one that parses them. */
#ifndef SL_BLOCK_H
#define SL_BLOCK_H

#include <stdbool.h>

#include "rows/batch.h"
#include "rows/duplicate_ids.h"
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
    SL_LARGE_ROW,
    SL_REASONS,
    SL_LATER, /* no reason: the row takes much memory and is put off (sl_block.limited) */
} sl_reason;
extern const char *const sl_reason_names[SL_REASONS];
#define SL_LONG_LINE_MESSAGE "line is longer than %zu bytes"

enum {
    SL_BLOCK_BYTES = 512 << 10, /* of text in one block, if no line is longer */
    SL_BLOCK_PAD = 64,          /* readable bytes behind a text: parsers look ahead */
};
/* What one row of named features may have: more is an error. */
#define SL_ROW_FEATURES ((size_t)1 << 22)
#define SL_ROW_TEXT ((size_t)64 << 20)
#define SL_LARGE_ROW_MESSAGE "a row of more than 4194304 features, or with more than 67108864 bytes of names"

/* What a reader's options come to; the same for all its inputs. */
typedef struct sl_rules {
    unsigned threads; /* 0: as many as there are cores */
    size_t block_bytes, max_line;
    size_t part_rows,
        part_text; /* rows, or features, and bytes of names and labels in a batch after which a part of a block ends */
    bool skip_errors;
    bool only_counted;                 /* malformed lines are left out and counted; no messages are made */
    sluice_bad_line_function bad_line; /* NULL, or who asks */
    void *bad_line_context;
    bool every_line;      /* blank and malformed lines are rows too */
    bool keep_lines;      /* rows have the text of their lines */
    char *id;             /* what identifies rows; a copy, or NULL: that is not asked for */
    bool drop_id;         /* and is no feature */
    char *label, *weight; /* as in sluice_reader_options; copies, or NULL */
    bool no_header;
    char separator;                         /* of csv; 0: by the ending, or guessed */
    struct sl_choice *choice;               /* of columns and keys (named/name_patterns.h); NULL: all are features */
    bool as_is;                             /* the first bytes are not looked at */
    bool unlabelled;                        /* examples need no label */
    bool missing_labels;                    /* a label may be empty or ?; never with `unlabelled` */
    bool words;                             /* labels may be any text; never with `unlabelled` */
    struct sl_label_costs *costs;           /* of labels (label_costs.h); NULL: there are none */
    struct sl_quadratic *quadratic;         /* which features are crossed (named/quadratic.h); NULL: none */
    unsigned ngrams, tf;                    /* never 0 */
    unsigned chars_min, chars_max;          /* characters of n-grams; 0: there are none */
    bool no_words;                          /* only with those */
    unsigned min_length;                    /* characters of a word; 0 and 1: any */
    struct sl_names *stop_words;            /* which words are left out; NULL: none */
    const struct sl_format *format;         /* NULL: chosen for each input */
    const struct sl_format *hint;           /* for inputs whose ending says nothing; NULL: libsvm */
    const struct sl_parse_kernels *kernels; /* NULL: text row by row by the careful parser, portable ids */
} sl_rules;

/* Checks options (NULL: the defaults) and settles what they leave open. Free the rules also after a failure. */
sluice_status sl_rules_set(sl_rules *rules, const sluice_reader_options *given, sluice_error *err);
/* Sets the size of blocks, and those of their parts in proportion to it. */
void sl_rules_set_blocks(sl_rules *rules, size_t block_bytes);
void sl_rules_free(sl_rules *rules);

typedef struct sl_block {
    const sl_rules *rules;
    const char *source; /* the input's name */
    const char *format_name;
    size_t input;         /* which input it is from */
    uint64_t offset, end; /* of the text in that input, after decompression; a parser that fails sets `end` to where
                             the line begins that it failed at */
    char *text;           /* n bytes and SL_BLOCK_PAD newlines behind them */
    size_t n, room;
    int (*find_id)(const struct sl_block *b, const char *p, const char *end, char *id,
                   size_t *n);    /* the format's sl_find_id (origins.h); NULL: it has no ids */
    char group_end;               /* of the format, for crossed features (named/quadratic.h) */
    struct sl_csv_header *header; /* csv: shared with the input; NULL: the block is blank lines */
    size_t head;                  /* csv: bytes of the header, which the block begins with */
    size_t kept;                  /* csv: bytes of the header's names, which the batch's text begins with */
    size_t at;                    /* how far the text is parsed; n: all of it, or something is wrong with it */
    bool limited;                 /* rows that take much memory are put off: parsing stops before them */

    sluice_batch batch; /* of the part that was parsed last */
    bool numbered;      /* bin: features are numbers of the names of the input (bin.h); this part adds new_names, which
                           have the numbers from first_name on and lie in the batch's text, name and hash */
    uint64_t first_name;
    size_t new_names;
    uint64_t lines; /* in the text of that part */
    uint64_t skipped[SL_REASONS];
    sluice_status status; /* what goes wrong after the rows; error.line counts from the part's first line */
    sluice_error error;
    sl_duplicates repeat;
    char *scratch; /* csv, jsonl: a text as it is cut into words, scratch_room bytes */
    size_t scratch_room;
    uint32_t *seen; /* scratch of named_rows.c */
    size_t seen_entries;
    struct sl_crossed *crossed;  /* scratch of quadratic_rows.c */
    struct sl_json_common *json; /* jsonl: the keys of its lines so far; NULL: none are known */
} sl_block;

/* Empties a block; it keeps its memory. */
void sl_block_clear(sl_block *b);
/* Frees the memory of a block that a very long line has made large. */
void sl_block_shrink(sl_block *b);
void sl_block_free(sl_block *b);
/* Makes room for n bytes and the pad, keeping the text. */
bool sl_block_room(sl_block *b, size_t n);

/* The scratch with room for n bytes; what it had is lost. NULL: there is no memory. */
char *sl_block_scratch(sl_block *b, size_t n);

/* Empties the batch for the rows of the block's next part. */
void sl_block_begin_part(sl_block *b);
/* Whether a part of the text is still to be parsed. */
static inline bool sl_block_has_more(const sl_block *b) { return b->at < b->n; }
/* Whether the batch has as many rows as a part may have. */
static inline bool sl_part_is_full(const sl_block *b) {
    const sluice_batch *batch = &b->batch;
    return batch->rows >= b->rules->part_rows || batch->nonzeros >= b->rules->part_rows ||
           batch->text_n - b->kept + batch->word_text_n >= b->rules->part_text;
}
/* Whether the text is so long that the rows in it are put off. */
static inline bool sl_block_is_put_off(const sl_block *b) { return b->limited && b->n > 8 * b->rules->block_bytes; }

/* Notes that the line (in csv: the record) that begins at `start` is bad, at line (counted from 1 in the part) and
 * column: counts it or fails. Returns whether to go on. */
bool sl_bad_line(sl_block *b, sl_reason reason, const char *start, uint64_t line, size_t column, const char *message);
/* Notes that parsing stops at this place in the text, where a line begins: no row from there on is delivered. */
void sl_stop_at(sl_block *b, const char *line);
/* Fails for want of memory at this line. */
void sl_block_no_memory(sl_block *b, const char *line);

/* Adds the rows of b->text from b->at on to b->batch, which is empty, and moves b->at behind them. Stops where the part
 * is full or a row is put off, so that the memory of a batch is limited whatever the text is. Leaves b->status alone
 * unless something is wrong with these bytes; then b->at becomes b->n. */
typedef void sl_parse(sl_block *b);

#endif
