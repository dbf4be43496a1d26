/* Rows of named features. A small table over the row finds names that come again. */
#include "io/named/named_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features/names.h"

enum {
    SEEN_START_BITS = 8,
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

void sl_named_begin(sl_named_rows *r, sl_block *b) {
    *r = (sl_named_rows){.batch = &b->batch, .budget = SIZE_MAX, .block = b};
    b->batch.has_names = true;
    b->batch.has_lines = true;
    begin_row(r);
    if (!b->seen) return;
    r->seen = b->seen; /* of the memory that it has, only as much as a new table would have */
    r->seen_bits = SEEN_START_BITS;
    memset(r->seen, 0, sizeof *r->seen << SEEN_START_BITS);
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

static bool same_name(const sluice_batch *b, size_t k, uint64_t hash, const char *name, size_t n) {
    return b->hash[k] == hash && b->name[k].n == n && memcmp(b->text + b->name[k].at, name, n) == 0;
}

/* The table's place for a name: its own, or a free one. Entries are features of the batch, plus 1; those of rows before
 * this one count as free, so that nothing has to be cleared from row to row. */
static inline uint32_t *place(const sl_named_rows *r, uint64_t hash, const char *name, size_t n) {
    size_t mask = ((size_t)1 << r->seen_bits) - 1, i = hash & mask;
    while (r->seen[i] > r->first && !same_name(r->batch, r->seen[i] - 1, hash, name, n)) i = (i + 1) & mask;
    return &r->seen[i];
}

/* A larger table, with the features that the row has. */
static bool grow_table(sl_named_rows *r, size_t count) {
    unsigned bits = r->seen ? r->seen_bits : SEEN_START_BITS;
    while ((size_t)1 << bits < 2 * (count + 1)) bits++;
    if (bits > r->block->seen_bits) {
        uint32_t *larger = realloc(r->block->seen, sizeof *larger << bits);
        if (!larger) return false;
        r->block->seen = larger;
        r->block->seen_bits = bits;
    }
    r->seen = r->block->seen;
    r->seen_bits = bits;
    memset(r->seen, 0, sizeof *r->seen << bits);
    const sluice_batch *b = r->batch;
    for (size_t k = r->first; k < b->nonzeros; k++)
        *place(r, b->hash[k], b->text + b->name[k].at, b->name[k].n) = (uint32_t)k + 1;
    return true;
}

/* Makes room for one more feature and its bytes, and keeps the table at most half full. */
static inline sl_named_status ready(sl_named_rows *r, size_t bytes) {
    const sluice_batch *b = r->batch;
    size_t count = sl_named_count(r);
    if ((!r->seen || 2 * (count + 1) > (size_t)1 << r->seen_bits) && !grow_table(r, count))
        return fail(r, SL_NAMED_MEMORY);
    if (b->nonzeros < r->feature_stop && b->text_n + bytes < r->text_stop) return SL_NAMED_OK;
    return more_room(r, 1, bytes + 1);
}

/* Adds a feature whose name is in the batch's text at `at`, or will be: `bytes` of it are copied there unless the row
 * has the name. There is room. */
static inline sl_named_status add(sl_named_rows *r, const char *name, size_t n, size_t at, size_t bytes, float value) {
    sluice_batch *b = r->batch;
    uint64_t hash = sl_name_hash(name, n);
    uint32_t *slot = place(r, hash, name, n);
    if (*slot > r->first) {
        float *sum = &b->value[*slot - 1];
        *sum += value;
        return isfinite(*sum) ? SL_NAMED_OK : SL_NAMED_RANGE;
    }
    if (bytes) memcpy(b->text + b->text_n, name, bytes);
    b->text_n += bytes;
    *slot = (uint32_t)b->nonzeros + 1;
    b->name[b->nonzeros] = (sl_name){.at = (uint32_t)at, .n = (uint32_t)n};
    b->hash[b->nonzeros] = hash;
    b->value[b->nonzeros++] = value;
    return SL_NAMED_OK;
}

/* Takes a feature whose name lies behind those of the batch (bytes = 0) or elsewhere: then its n = bytes are copied,
 * unless the row has the name. */
static sl_named_status take(sl_named_rows *r, const char *name, size_t n, size_t bytes, float value) {
    sluice_batch *b = r->batch;
    if (n > SL_MAX_NAME || n > r->budget) {
        sl_named_forget(r);
        return n > SL_MAX_NAME ? SL_NAMED_LONG : SL_NAMED_MUCH;
    }
    r->budget -= n;
    sl_named_status status = ready(r, bytes);
    if (status != SL_NAMED_OK) return status;
    if (!bytes) name = b->text + r->name_first; /* making room may have moved it */
    size_t before = b->nonzeros;
    status = add(r, name, n, r->name_first, bytes, value);
    if (b->nonzeros == before) sl_named_forget(r);
    r->name_first = b->text_n;
    return status;
}

sl_named_status sl_named_text(sl_named_rows *r, const char *bytes, size_t n, size_t *at) {
    *at = r->batch->text_n;
    sl_named_status status = sl_named_piece(r, bytes, n);
    r->name_first = r->batch->text_n;
    return status;
}

sl_named_status sl_named_within(sl_named_rows *r, size_t at, size_t n, float value) {
    if (n > SL_MAX_NAME) return SL_NAMED_LONG;
    sl_named_status status = ready(r, 0);
    return status != SL_NAMED_OK ? status : add(r, r->batch->text + at, n, at, 0, value);
}

sl_named_status sl_named_end(sl_named_rows *r, float value) {
    const sluice_batch *b = r->batch;
    return take(r, b->text + r->name_first, b->text_n - r->name_first, 0, value);
}

sl_named_status sl_named_feature(sl_named_rows *r, const char *name, size_t n, float value) {
    if (r->name_first == r->batch->text_n) return take(r, name, n, n, value);
    sl_named_status status = sl_named_piece(r, name, n); /* pieces stand before it */
    return status == SL_NAMED_OK ? sl_named_end(r, value) : status;
}

sl_named_status sl_named_row(sl_named_rows *r, const sl_label *label, float weight, uint64_t line) {
    sluice_batch *b = r->batch;
    if (r->failed != SL_NAMED_OK) return r->failed;
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
    for (size_t k = b->nonzeros; r->seen && k-- > r->first;)
        *place(r, b->hash[k], b->text + b->name[k].at, b->name[k].n) = 0;
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
    sl_named_known(r, name, sl_name_hash(b->text + name.at, n), value);
    r->name_first = b->text_n;
    return SL_NAMED_OK;
}
