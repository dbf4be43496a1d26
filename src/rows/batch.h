/* A batch: the rows a reader hands to a learner, in arrays that are used again and again.
 *
 * Ids are 64-bit, but nearly all are small: `id` holds those below SL_WIDE as they are, and for the others SL_WIDE plus
 * a position in `wide`. So the common row is a plain array of 32-bit indices that a learner can use without copying.
 *
 * Or the features have names (has_names): then `name` says where each one's bytes lie in `text` and `hash` is
 * sl_name_hash() of them, computed where the text was parsed; there are no ids.
 * Names of a bin file are listed once for the whole file (`list`): then `id` is a feature's number in that list, and
 * `name`, `hash` and `text` mean nothing. sl_batch_name() is right for both.
 *
 * What a reader promises: values and labels are finite, weights finite and >= 0, no feature twice in a row, names of at
 * most SL_MAX_NAME bytes. */
#ifndef SL_BATCH_H
#define SL_BATCH_H

#include <stdbool.h>

#include "features/space.h"
#include "rows/duplicate_ids.h"
#include "rows/file_names.h"
#include "sluice.h"

/* A row without a label: `weight` of the batch is 0 there, so that it counts as absent; this is its own. */
typedef struct sl_unlabelled {
    size_t row;
    float weight;
} sl_unlabelled;

/* Where a row comes from, if the reader is asked for it. */
typedef struct sl_origin {
    const char *line; /* in the text of the reader's block; NULL: it is not there, or not kept */
    size_t line_n;
    size_t id_at, id_n; /* in id_text */
    int id_kind;        /* SLUICE_ID_ */
} sl_origin;

struct sluice_batch {
    size_t rows, nonzeros, wides;
    size_t *start;      /* rows + 1: row i is the elements start[i] .. start[i+1]-1 of id and value */
    float *label;       /* as in the data: > 0 means +1 */
    uint32_t *line;     /* the row's line in the input, counted from first_line; only where has_lines */
    const char *source; /* and in which input; NULL: none */
    uint64_t first_line;
    float *weight;   /* importance; meaningful only where has_weights */
    size_t weighted; /* rows whose weight is set, for sl_batch_add_empty() */
    /* Labels other than the numbers -1, 0 and 1: where the text of a row's label lies in word_text; n is 0 for all
     * other labels. Of the first `worded` rows; none has one where has_words is false. */
    sl_name *word;
    char *word_text;
    size_t worded, word_text_n, word_room, word_text_room;
    uint8_t *left_out; /* 1: the row stands for a malformed line; of the first `marked` rows, 0 for all others */
    size_t marked, mark_room;
    sl_unlabelled *unlabelled; /* by ascending row */
    size_t n_unlabelled, unlabelled_room;
    sl_origin *origin; /* of the first `origins` rows: all, or none */
    char *id_text;
    size_t origins, origin_room, id_text_n, id_text_room;
    bool lines_kept; /* `line` of the origins means something */
    uint32_t *id;
    float *value;
    uint64_t *wide;
    const sl_file_names *list; /* where has_names, if not NULL: features are numbers of it; it is the reader's */
    sl_name *name;             /* as id, where has_names and there is no list */
    uint64_t *hash;
    char *text; /* of the names */
    size_t text_n;
    bool has_names;      /* else features have ids */
    bool has_words;      /* some label is not -1, 0 or 1 */
    bool may_have_words; /* batches of the same stream may, even if this one has none */
    bool has_weights;    /* else all weights are 1 */
    bool has_lines;      /* the format has lines */
    bool has_zeros;      /* some value is 0 */
    size_t row_room, nonzero_room, wide_room, name_room, text_room;
    sl_duplicates repeat; /* for checking what sluice_batch_add() is given */
};

/* Empties a batch for the next rows. */
void sl_batch_clear(sluice_batch *b);
/* Reserves room for more rows, nonzeros and wide ids. False: no memory. */
bool sl_batch_reserve(sluice_batch *b, size_t rows, size_t nonzeros, size_t wides);
/* The same for named features and the bytes of their names. */
bool sl_batch_reserve_names(sluice_batch *b, size_t nonzeros, size_t bytes);
void sl_batch_free_arrays(sluice_batch *b);
/* Adds a row without label and features, of importance 0: for a line that is blank, or (left_out) malformed. False: no
 * memory. */
bool sl_batch_add_first_empty(sluice_batch *b, uint64_t line, bool left_out);
static inline bool sl_batch_add_empty(sluice_batch *b, uint64_t line, bool left_out) {
    if (left_out || !b->has_weights || b->weighted < b->rows || b->rows >= b->row_room)
        return sl_batch_add_first_empty(b, line, left_out);
    b->weight[b->weighted++] = 0;
    b->line[b->rows] = (uint32_t)line;
    b->label[b->rows++] = 0;
    b->start[b->rows] = b->nonzeros;
    return true;
}
/* Gives the rows that have no weight yet the weight 1, where rows have weights. */
void sl_batch_fill_weights(sluice_batch *b);
/* The weight of the row that is added next, for which there is room. */
void sl_batch_weigh_next(sluice_batch *b, float weight);

/* Makes room for the mark of one more row without a label. False: no memory. */
bool sl_batch_reserve_unlabelled(sluice_batch *b);
/* Marks the last row, whose weight must be 0, as one without a label; there is room for the mark. */
static inline void sl_batch_mark_unlabelled(sluice_batch *b, float weight) {
    b->unlabelled[b->n_unlabelled++] = (sl_unlabelled){b->rows - 1, weight};
}
/* The place in `unlabelled` of the first row without a label from `row` on. */
size_t sl_batch_find_unlabelled(const sluice_batch *b, size_t row);

/* Reserves room for the labels of more rows, and the bytes of their texts. False: no memory. */
bool sl_batch_reserve_words(sluice_batch *b, size_t rows, size_t bytes);
/* The label, of at most SL_MAX_NAME bytes, of the row that is added next. False: no memory. */
bool sl_batch_word_next(sluice_batch *b, const char *text, size_t n);
/* The text of a row's label; n is 0: it is one of -1, 0 and 1, or there is none (then the weight is 0). */
static inline sluice_name sl_batch_word(const sluice_batch *b, size_t row) {
    if (row >= b->worded) return (sluice_name){"", 0};
    return (sluice_name){b->word_text + b->word[row].at, b->word[row].n};
}

/* Room for an id of up to n bytes, to be written before the origin of its row is added; NULL: no memory. */
char *sl_batch_id_room(sluice_batch *b, size_t n);
/* Adds the origin of the next row; its id, if there is one, is what was written to the room. False: no memory. */
bool sl_batch_add_origin(sluice_batch *b, sl_origin origin);

/* A label as batches keep it: the nearest float of the same sign; only a label of 0 becomes 0. */
float sl_float_label(double label);

/* A feature of an example as messages call it: its id, or its name in quotes. */
const char *sl_feature_shown(const sluice_example *x, size_t k, char out[128]);

/* Labels and weights to learn the rows of a batch with, instead of its own; NULL: its own. */
typedef struct sl_targets {
    const double *label, *weight; /* the first is that of row `first` of the batch */
    size_t first;
} sl_targets;

static inline bool sl_has_weights(const sluice_batch *b, const sl_targets *t) { return t->weight || b->has_weights; }
static inline double sl_weight_at(const sluice_batch *b, const sl_targets *t, size_t row) {
    return t->weight ? t->weight[row - t->first] : b->has_weights ? (double)b->weight[row] : 1;
}
static inline double sl_label_at(const sluice_batch *b, const sl_targets *t, size_t row) {
    return t->label ? t->label[row - t->first] : (double)b->label[row];
}

static inline uint64_t sl_batch_id(const sluice_batch *b, size_t k) {
    uint32_t i = b->id[k];
    return i < SL_WIDE ? i : b->wide[i - SL_WIDE];
}

/* The name of the k-th feature of a batch of names. */
typedef struct sl_feature_name {
    const char *text;
    size_t n;
    uint64_t hash;
} sl_feature_name;
static inline sl_feature_name sl_batch_name(const sluice_batch *b, size_t k) {
    sl_feature_name name;
    if (b->list) {
        name.text = sl_file_names_text(b->list, b->id[k], &name.n);
        name.hash = b->list->hash[b->id[k]];
        return name;
    }
    return (sl_feature_name){b->text + b->name[k].at, b->name[k].n, b->hash[k]};
}

/* The ids of a row, for sl_duplicates_search(). */
typedef struct sl_row_ids {
    const sluice_batch *batch;
    size_t first; /* element */
} sl_row_ids;
uint64_t sl_row_id(const void *row_ids, size_t k);

#endif
