/* Rows of named features. A small table over the row finds names that come again. */
#include "io/named/named_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/names.h"
#include "io/named/quadratic.h"

enum {
    SEEN_START = 1 << 8,
    SPARSE_NAMES = 2048,  /* the table is kept sparse for rows with fewer names, while it fits the first caches */
    SPREAD = 64,          /* limit on the bytes of a row's names: this times its text, */
    SPREAD_MIN = 1 << 20, /* or this, if more */
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void set_stops(sl_named_rows *r) {
    const sluice_batch *b = r->batch;
    r->feature_stop = least(least(b->name_room, b->nonzero_room), r->most_features);
    r->text_stop = least(b->text_room, r->most_text);
}

static void begin_row(sl_named_rows *r) {
    const sl_rules *rules = r->block->rules;
    r->first = r->batch->nonzeros;
    r->text_first = r->name_first = r->batch->text_n;
    r->failed = SL_NAMED_OK;
    r->most_features = r->block->limited ? 2 * rules->part_rows : r->first + SL_ROW_FEATURES;
    r->most_text = r->block->limited ? r->block->kept + 2 * rules->part_text : r->text_first + SL_ROW_TEXT;
    set_stops(r);
}

/* How many names the table may have: for most rows few, so that they seldom meet in it. */
static size_t most_names(size_t entries) { return entries / 8 < SPARSE_NAMES ? entries / 8 : entries / 2; }

/* Empties the table, and takes so much of its memory. */
static void use_table(sl_named_rows *r, size_t entries) {
    r->seen = r->block->seen;
    r->seen_mask = entries - 1;
    r->seen_most = most_names(entries);
    memset(r->seen, 0, entries * sizeof *r->seen);
}

void sl_named_begin(sl_named_rows *r, sl_block *b) {
    *r = (sl_named_rows){.batch = &b->batch, .budget = SIZE_MAX, .block = b};
    b->batch.has_names = true;
    b->batch.has_lines = true;
    begin_row(r);
    if (!b->seen) return;
    use_table(r, SEEN_START); /* of the memory that it has, only as much as a new table would have */
}

void sl_named_budget(sl_named_rows *r, size_t text_bytes) {
    r->budget = text_bytes > SPREAD_MIN / SPREAD ? text_bytes * SPREAD : SPREAD_MIN;
}

size_t sl_named_count(const sl_named_rows *r) { return r->batch->nonzeros - r->first; }
float *sl_named_values(const sl_named_rows *r) { return r->batch->value ? r->batch->value + r->first : NULL; }

static sl_named_status fail(sl_named_rows *r, sl_named_status why) {
    r->feature_stop = r->text_stop = 0; /* so that what follows fails too, at once */
    return r->failed = why;
}

/* Makes room for more features and bytes, as far as the row may have them. */
static sl_named_status more_room(sl_named_rows *r, size_t features, size_t bytes) {
    sluice_batch *b = r->batch;
    if (r->failed != SL_NAMED_OK) return r->failed;
    if (b->nonzeros + features > r->most_features || b->text_n + bytes > r->most_text)
        return fail(r, r->block->limited ? SL_NAMED_LATER : SL_NAMED_LARGE);
    if (!sl_batch_reserve_names(b, features, bytes)) return fail(r, SL_NAMED_MEMORY);
    set_stops(r);
    return SL_NAMED_OK;
}

sl_named_status sl_named_room(sl_named_rows *r, size_t n) {
    return r->batch->nonzeros + n <= r->feature_stop ? SL_NAMED_OK : more_room(r, n, 0);
}

sl_named_status sl_named_reserve(sl_named_rows *r, size_t n, size_t bytes) {
    return r->batch->nonzeros + n <= r->feature_stop && r->batch->text_n + bytes < r->text_stop
               ? SL_NAMED_OK
               : more_room(r, n, bytes);
}

sl_named_status sl_named_piece(sl_named_rows *r, const char *bytes, size_t n) {
    sluice_batch *b = r->batch;
    /* one byte more than needed: then there is a text even for names without bytes */
    if (b->text_n + n >= r->text_stop) {
        sl_named_status status = more_room(r, 0, n + 1);
        if (status != SL_NAMED_OK) return status;
    }
    if (n) memcpy(b->text + b->text_n, bytes, n);
    b->text_n += n;
    return SL_NAMED_OK;
}

void sl_named_forget(sl_named_rows *r) { r->batch->text_n = r->name_first; }

/* The table's place for the name at `at` in the batch's text: its own, or a free one. Entries are features of the
 * batch, plus 1; those of rows before this one count as free, so that nothing has to be cleared from row to row. */
static inline uint32_t *place(const sl_named_rows *r, uint64_t hash, size_t at, size_t n) {
    const sluice_batch *b = r->batch;
    size_t i = hash & r->seen_mask;
    for (;; i = (i + 1) & r->seen_mask) {
        if (r->seen[i] <= r->first) break;
        const size_t k = r->seen[i] - 1;
        if (b->hash[k] == hash && b->name[k].n == n && sl_padded_equal(b->text + b->name[k].at, b->text + at, n)) break;
    }
    return &r->seen[i];
}

/* A larger table, with the features that the row has. */
static bool grow_table(sl_named_rows *r, size_t count) {
    size_t entries = r->seen ? r->seen_mask + 1 : SEEN_START;
    while (most_names(entries) <= count) entries *= 2;
    if (entries > r->block->seen_entries) {
        uint32_t *larger = realloc(r->block->seen, entries * sizeof *larger);
        if (!larger) return false;
        r->block->seen = larger;
        r->block->seen_entries = entries;
    }
    use_table(r, entries);
    const sluice_batch *b = r->batch;
    for (size_t k = r->first; k < b->nonzeros; k++)
        *place(r, b->hash[k], b->name[k].at, b->name[k].n) = (uint32_t)k + 1;
    return true;
}

/* Makes room for one more feature and its bytes, in the table too. */
static inline sl_named_status ready(sl_named_rows *r, size_t bytes) {
    const sluice_batch *b = r->batch;
    const size_t count = sl_named_count(r);
    if (count >= r->seen_most && !grow_table(r, count)) return fail(r, SL_NAMED_MEMORY);
    if (b->nonzeros < r->feature_stop && b->text_n + bytes < r->text_stop) return SL_NAMED_OK;
    return more_room(r, 1, bytes + 1);
}

/* Adds a feature whose name is at `at` in the batch's text. There is room. */
static inline sl_named_status add(sl_named_rows *r, size_t at, size_t n, float value) {
    sluice_batch *b = r->batch;
    const uint64_t hash = sl_padded_hash(b->text + at, n);
    uint32_t *slot = place(r, hash, at, n);
    if (*slot > r->first) {
        float *sum = &b->value[*slot - 1];
        *sum += value;
        return isfinite(*sum) ? SL_NAMED_OK : SL_NAMED_RANGE;
    }
    *slot = (uint32_t)b->nonzeros + 1;
    b->name[b->nonzeros] = (sl_name){.at = (uint32_t)at, .n = (uint32_t)n};
    b->hash[b->nonzeros] = hash;
    b->value[b->nonzeros++] = value;
    return SL_NAMED_OK;
}

sl_named_status sl_named_text(sl_named_rows *r, const char *bytes, size_t n, size_t *at) {
    *at = r->batch->text_n;
    sl_named_status status = sl_named_piece(r, bytes, n);
    r->name_first = r->batch->text_n;
    return status;
}

sl_named_status sl_named_text_room(sl_named_rows *r, size_t n, size_t *at) {
    sluice_batch *b = r->batch;
    if (b->text_n + n + SL_TEXT_PAD >= r->text_stop) {
        sl_named_status status = more_room(r, 0, n + SL_TEXT_PAD + 1);
        if (status != SL_NAMED_OK) return status;
    }
    *at = b->text_n;
    r->name_first = b->text_n += n + SL_TEXT_PAD;
    return SL_NAMED_OK;
}

sl_named_status sl_named_within(sl_named_rows *r, size_t at, size_t n, float value) {
    if (n > SL_MAX_NAME) return SL_NAMED_LONG;
    sl_named_status status = ready(r, 0);
    return status != SL_NAMED_OK ? status : add(r, at, n, value);
}

static bool is_too_long(const sl_named_rows *r, size_t n) { return n > SL_MAX_NAME || n > r->budget; }

static sl_named_status too_long(sl_named_rows *r, size_t n) {
    sl_named_forget(r);
    return n > SL_MAX_NAME ? SL_NAMED_LONG : SL_NAMED_MUCH;
}

sl_named_status sl_named_end(sl_named_rows *r, float value) {
    const sluice_batch *b = r->batch;
    const size_t n = b->text_n - r->name_first;
    if (is_too_long(r, n)) return too_long(r, n);
    r->budget -= n;
    sl_named_status status = ready(r, 0);
    if (status != SL_NAMED_OK) return status;
    const size_t before = b->nonzeros;
    status = add(r, r->name_first, n, value);
    if (b->nonzeros == before) sl_named_forget(r); /* the row has it */
    r->name_first = b->text_n;
    return status;
}

sl_named_status sl_named_feature(sl_named_rows *r, const char *name, size_t n, float value) {
    if (is_too_long(r, n)) return too_long(r, n);        /* before it is copied */
    sl_named_status status = sl_named_piece(r, name, n); /* perhaps behind others */
    return status == SL_NAMED_OK ? sl_named_end(r, value) : status;
}

sl_named_status sl_named_row(sl_named_rows *r, const sl_label *label, float weight, uint64_t line) {
    sluice_batch *b = r->batch;
    if (r->failed != SL_NAMED_OK) return r->failed;
    if (r->block->rules->quadratic && sl_cross_row(r) != SL_NAMED_OK) return r->failed;
    if (!sl_batch_reserve(b, 1, 0, 0)) return fail(r, SL_NAMED_MEMORY);
    if (label->word.n && !sl_batch_word_next(b, label->word.text, label->word.n)) return fail(r, SL_NAMED_MEMORY);
    for (size_t k = r->first; k < b->nonzeros; k++) b->has_zeros |= b->value[k] == 0;
    if (weight != 1 && !b->has_weights) {
        for (size_t i = 0; i < b->rows; i++) b->weight[i] = 1;
        b->has_weights = true;
    }
    b->weight[b->rows] = weight;
    b->weighted = b->rows + 1;
    b->line[b->rows] = (uint32_t)line;
    b->label[b->rows++] = label->value;
    b->start[b->rows] = b->nonzeros;
    begin_row(r);
    return SL_NAMED_OK;
}

sl_named_status sl_named_unlabelled_row(sl_named_rows *r, float weight, uint64_t line) {
    const bool marked = !r->block->rules->unlabelled; /* for predictions no row needs a label */
    if (r->failed == SL_NAMED_OK && marked && !sl_batch_reserve_unlabelled(r->batch)) return fail(r, SL_NAMED_MEMORY);
    const sl_named_status status = sl_named_row(r, &(sl_label){.value = 0}, 0, line);
    if (status == SL_NAMED_OK && marked) sl_batch_mark_unlabelled(r->batch, weight);
    return status;
}

void sl_named_drop(sl_named_rows *r) {
    /* its entries leave the table, since their numbers will be used again; in reverse order, so that probing for one
     * never stops at a removed one */
    const sluice_batch *b = r->batch;
    for (size_t k = b->nonzeros; r->seen && k-- > r->first;) *place(r, b->hash[k], b->name[k].at, b->name[k].n) = 0;
    r->batch->nonzeros = r->first;
    r->batch->text_n = r->text_first;
    begin_row(r);
}

sl_named_status sl_named_keep(sl_named_rows *r, const char *bytes, size_t n) {
    sluice_batch *b = r->batch;
    if (r->block->limited && n > r->block->rules->part_text) return SL_NAMED_LATER;
    if (!sl_batch_reserve_names(b, 0, n + 1)) return SL_NAMED_MEMORY;
    memcpy(b->text + b->text_n, bytes, n);
    r->block->kept = b->text_n += n;
    begin_row(r);
    return SL_NAMED_OK;
}

sl_named_status sl_named_end_once(sl_named_rows *r, float value) {
    sluice_batch *b = r->batch;
    size_t n = b->text_n - r->name_first;
    if (n > SL_MAX_NAME) {
        sl_named_forget(r);
        return SL_NAMED_LONG;
    }
    sl_name name = {.at = (uint32_t)r->name_first, .n = (uint32_t)n};
    sl_named_known(r, name, sl_padded_hash(b->text + name.at, n), value);
    r->name_first = b->text_n;
    return SL_NAMED_OK;
}
