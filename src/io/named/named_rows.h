/* Building rows of named features: what the parsers of VW text, CSV, JSON Lines, plain text and URLs share.
 *
 *     sl_named_rows rows;
 *     sl_named_begin(&rows, block);                   once per block
 *     sl_named_feature(&rows, name, n, value)         the features of a row, or the pieces of a name one by one:
 *         sl_named_piece(&rows, "words=", 6), sl_named_piece(...), sl_named_end(&rows, value)
 *     sl_named_row(&rows, &label, weight, line)       the row is complete; or
 *     sl_named_drop(&rows)                            it was bad: as if it had not begun
 *
 * A name that comes again in its row adds to the value it has. Calls fail only for want of
 * memory (SL_NAMED_MEMORY), because a name is too long (SL_NAMED_LONG), because the values of a name that repeats add
 * up to more than a float holds (SL_NAMED_RANGE), because the names of a row are out of proportion to its text
 * (SL_NAMED_MUCH), because the row is larger than a row may be (SL_NAMED_LARGE), or because it is to be put off
 * (SL_NAMED_LATER: sl_block.limited), and leave it to the parser to say where. */
#ifndef SL_NAMED_ROWS_H
#define SL_NAMED_ROWS_H

#include "io/block.h"
#include "rows/label_text.h"

typedef enum sl_named_status {
    SL_NAMED_OK,
    SL_NAMED_MEMORY,
    SL_NAMED_LONG,
    SL_NAMED_RANGE,
    SL_NAMED_MUCH,
    SL_NAMED_LARGE,
    SL_NAMED_LATER,
    SL_NAMED_CROSSED, /* the row's crossed features cannot be: quadratic.h */
} sl_named_status;

typedef struct sl_named_rows {
    sluice_batch *batch;
    size_t first;                    /* feature of the row that is being built */
    size_t text_first;               /* where the text of its names begins */
    size_t name_first;               /* where the name that is being put together begins */
    size_t budget;                   /* bytes of names that the row may still have */
    size_t feature_stop, text_stop;  /* up to here there is room, and the row may have it */
    size_t most_features, most_text; /* of the batch, with this row */
    sl_named_status
        failed;     /* for want of memory, or since the row is too large or put off: so does every further call */
    uint32_t *seen; /* hash table over the row, of seen_mask + 1 entries; its memory is the block's */
    size_t seen_mask, seen_most; /* seen_most: names that it may have, before it grows */
    sl_block *block;
} sl_named_rows;

void sl_named_begin(sl_named_rows *r, sl_block *b);
/* For formats where one name stands before many (a namespace, an outer key): limits the names of the row that begins,
 * those that repeat too, in proportion to the bytes of its text. Without it a short text could need any amount of
 * memory and time. */
void sl_named_budget(sl_named_rows *r, size_t text_bytes);

sl_named_status sl_named_piece(sl_named_rows *r, const char *bytes, size_t n);
sl_named_status sl_named_end(sl_named_rows *r, float value);
sl_named_status sl_named_feature(sl_named_rows *r, const char *name, size_t n, float value);
/* Names that stand in a piece of text, such as a line: the text goes to the batch at *at, and the names in it are where
 * they are. */
sl_named_status sl_named_text(sl_named_rows *r, const char *bytes, size_t n, size_t *at);
/* The same for text that the caller writes to r->batch->text + *at, where SL_TEXT_PAD bytes behind it may be written
 * too. */
enum { SL_TEXT_PAD = 64 };
sl_named_status sl_named_text_room(sl_named_rows *r, size_t n, size_t *at);
sl_named_status sl_named_within(sl_named_rows *r, size_t at, size_t n, float value);
/* Makes room for n more features of the row. */
sl_named_status sl_named_room(sl_named_rows *r, size_t n);
/* The same with this many bytes of names. */
sl_named_status sl_named_reserve(sl_named_rows *r, size_t n, size_t bytes);
/* Gives up the pieces of a name. */
void sl_named_forget(sl_named_rows *r);

/* How many features the row has, and their values, for scaling before it is complete. */
size_t sl_named_count(const sl_named_rows *r);
float *sl_named_values(const sl_named_rows *r);

sl_named_status sl_named_row(sl_named_rows *r, const sl_label *label, float weight, uint64_t line);
/* The same for a row without a label, of this weight: it has weight 0 in the batch, and a mark. */
sl_named_status sl_named_unlabelled_row(sl_named_rows *r, float weight, uint64_t line);
void sl_named_drop(sl_named_rows *r);

/* For a parser that knows that no name comes twice in its rows: all features of a row are then added by these alone,
 * and names are not compared. There must be room for the features (sl_batch_reserve_names). */

/* Puts text before the first row's, for names that many rows have: they can all refer to it. All parts of the block
 * keep it. */
sl_named_status sl_named_keep(sl_named_rows *r, const char *bytes, size_t n);
/* A feature with such a name. */
static inline void sl_named_known(sl_named_rows *r, sl_name name, uint64_t hash, float value) {
    sluice_batch *b = r->batch;
    b->name[b->nonzeros] = name;
    b->hash[b->nonzeros] = hash;
    b->value[b->nonzeros++] = value;
}
/* The end of a name of pieces. */
sl_named_status sl_named_end_once(sl_named_rows *r, float value);

#endif
