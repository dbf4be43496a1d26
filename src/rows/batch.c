/* Batches: the arrays behind them and the public view of their rows. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "base/error.h"
#include "base/number.h"
#include "base/sized_struct.h"
#include "rows/csr.h"
#include "rows/example.h"
#include "rows/label_text.h"
#include "features/names.h"

void sl_batch_clear(sluice_batch *b) {
    b->origins = b->id_text_n = 0;
    b->rows = b->nonzeros = b->wides = b->text_n = b->weighted = b->marked = b->worded = b->word_text_n = 0;
    b->n_unlabelled = 0;
    b->list = NULL;
    b->lines_kept = b->has_words = b->has_names = b->has_weights = b->has_zeros = b->has_lines = false;
    if (b->start) b->start[0] = 0;
}

/* Makes an array hold n elements; what it held stays. */
static bool grow(void *array, size_t n, size_t element) {
    void *old, *grown;
    __builtin_memcpy(&old, array, sizeof old); /* array is a pointer to some pointer */
    if (n > SIZE_MAX / element || !(grown = realloc(old, n * element))) return false;
    __builtin_memcpy(array, &grown, sizeof grown);
    return true;
}

/* The new size of an array that must hold used + more elements: at least half as large again, so that growing stays
 * linear. 0: there is no such size. */
static size_t room_for(size_t room, size_t used, size_t more) {
    if (more > SIZE_MAX / 2 - used) return 0;
    size_t need = used + more;
    return room >= need ? room : need < room + room / 2 ? room + room / 2 : need;
}

bool sl_batch_reserve(sluice_batch *b, size_t rows, size_t nonzeros, size_t wides) {
    size_t row_room = room_for(b->row_room, b->rows, rows),
           nonzero_room = room_for(b->nonzero_room, b->nonzeros, nonzeros),
           wide_room = room_for(b->wide_room, b->wides, wides);
    if (b->rows + rows && !row_room) return false;
    if (b->nonzeros + nonzeros && !nonzero_room) return false;
    if (b->wides + wides && !wide_room) return false;
    if (!b->start || row_room > b->row_room) {
        bool fresh = !b->start;
        if (!grow(&b->start, row_room + 1, sizeof *b->start) || !grow(&b->label, row_room + 1, sizeof *b->label) ||
            !grow(&b->weight, row_room + 1, sizeof *b->weight) || !grow(&b->line, row_room + 1, sizeof *b->line))
            return false;
        if (fresh) b->start[0] = 0;
        b->row_room = row_room;
    }
    if (nonzero_room > b->nonzero_room) {
        if (!grow(&b->id, nonzero_room, sizeof *b->id) || !grow(&b->value, nonzero_room, sizeof *b->value))
            return false;
        b->nonzero_room = nonzero_room;
    }
    if (wide_room > b->wide_room) {
        if (!grow(&b->wide, wide_room, sizeof *b->wide)) return false;
        b->wide_room = wide_room;
    }
    return true;
}

bool sl_batch_reserve_names(sluice_batch *b, size_t nonzeros, size_t bytes) {
    size_t room = room_for(b->name_room, b->nonzeros, nonzeros), text_room = room_for(b->text_room, b->text_n, bytes);
    if (text_room > UINT32_MAX || !sl_batch_reserve(b, 0, nonzeros, 0)) return false;
    if (room > b->name_room) {
        if (!grow(&b->name, room, sizeof *b->name) || !grow(&b->hash, room, sizeof *b->hash)) return false;
        b->name_room = room;
    }
    if (text_room > b->text_room) {
        if (!grow(&b->text, text_room + SL_NAME_PAD, 1)) return false;
        b->text_room = text_room;
    }
    return b->text_room >= b->text_n + bytes && b->name_room >= b->nonzeros + nonzeros;
}

void sl_batch_free_arrays(sluice_batch *b) {
    free(b->start);
    free(b->label);
    free(b->weight);
    free(b->word);
    free(b->word_text);
    free(b->left_out);
    free(b->unlabelled);
    free(b->origin);
    free(b->id_text);
    free(b->line);
    free(b->id);
    free(b->value);
    free(b->wide);
    free(b->name);
    free(b->hash);
    free(b->text);
    sl_duplicates_free(&b->repeat);
    *b = (sluice_batch){0};
}

bool sl_batch_reserve_words(sluice_batch *b, size_t rows, size_t bytes) {
    size_t room = room_for(b->word_room, b->rows, rows), text_room = room_for(b->word_text_room, b->word_text_n, bytes);
    if (!room || text_room > UINT32_MAX) return false;
    if (room > b->word_room) {
        if (!grow(&b->word, room, sizeof *b->word)) return false;
        b->word_room = room;
    }
    if (text_room > b->word_text_room) {
        if (!grow(&b->word_text, text_room, 1)) return false;
        b->word_text_room = text_room;
    }
    return true;
}

bool sl_batch_word_next(sluice_batch *b, const char *text, size_t n) {
    if (!sl_batch_reserve_words(b, 1, n)) return false;
    while (b->worded < b->rows) b->word[b->worded++] = (sl_name){0, 0};
    b->worded = b->rows; /* a label that was set for a row that was then not added is forgotten */
    b->word[b->worded++] = (sl_name){(uint32_t)b->word_text_n, (uint32_t)n};
    if (n) memcpy(b->word_text + b->word_text_n, text, n);
    b->word_text_n += n;
    b->has_words |= n > 0;
    return true;
}

char *sl_batch_id_room(sluice_batch *b, size_t n) {
    size_t room = room_for(b->id_text_room, b->id_text_n, n + 1); /* a text even for ids without bytes */
    if (!room) return NULL;
    if (room > b->id_text_room) {
        if (!grow(&b->id_text, room, 1)) return NULL;
        b->id_text_room = room;
    }
    return b->id_text + b->id_text_n;
}

bool sl_batch_add_origin(sluice_batch *b, sl_origin origin) {
    size_t room = room_for(b->origin_room, b->origins, 1);
    if (!room) return false;
    if (room > b->origin_room) {
        if (!grow(&b->origin, room, sizeof *b->origin)) return false;
        b->origin_room = room;
    }
    origin.id_at = b->id_text_n;
    b->id_text_n += origin.id_n;
    b->origin[b->origins++] = origin;
    return true;
}

void sl_batch_fill_weights(sluice_batch *b) {
    if (!b->has_weights) return;
    while (b->weighted < b->rows) b->weight[b->weighted++] = 1;
}

void sl_batch_weigh_next(sluice_batch *b, float weight) {
    b->has_weights = true;
    sl_batch_fill_weights(b);
    b->weight[b->weighted++] = weight;
}

static bool mark_left_out(sluice_batch *b, size_t row) {
    if (row >= b->mark_room) {
        size_t room = b->row_room + 1;
        if (!grow(&b->left_out, room, sizeof *b->left_out)) return false;
        b->mark_room = room;
    }
    while (b->marked < row) b->left_out[b->marked++] = 0;
    b->left_out[b->marked++] = 1;
    return true;
}

bool sl_batch_reserve_unlabelled(sluice_batch *b) {
    const size_t room = room_for(b->unlabelled_room, b->n_unlabelled, 1);
    if (!room) return false;
    if (room > b->unlabelled_room) {
        if (!grow(&b->unlabelled, room, sizeof *b->unlabelled)) return false;
        b->unlabelled_room = room;
    }
    return true;
}

size_t sl_batch_find_unlabelled(const sluice_batch *b, size_t row) {
    size_t low = 0, high = b->n_unlabelled;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->unlabelled[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sl_batch_add_first_empty(sluice_batch *b, uint64_t line, bool left_out) {
    if (b->rows >= b->row_room && !sl_batch_reserve(b, 1, 0, 0)) return false;
    if (left_out && !mark_left_out(b, b->rows)) return false;
    sl_batch_weigh_next(b, 0);
    b->line[b->rows] = (uint32_t)line;
    b->label[b->rows++] = 0;
    b->start[b->rows] = b->nonzeros;
    return true;
}

/* ---- batches of programs ----------------------------------------------------------------------------------------- */

sluice_batch *sluice_batch_new(sluice_error *err) {
    sluice_batch *b = calloc(1, sizeof *b);
    if (b && sl_batch_reserve(b, 0, 0, 0)) return b;
    sluice_batch_free(b); /* some of its arrays may be there */
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a batch");
    return NULL;
}

void sluice_batch_free(sluice_batch *b) {
    if (b) sl_batch_free_arrays(b);
    free(b);
}

static bool reserve_example(sluice_batch *b, const sluice_example *x) {
    size_t wides = 0, bytes = 1; /* a text even for names without bytes */
    for (size_t k = 0; k < x->n; k++)
        if (x->names)
            bytes += x->names[k].n;
        else
            wides += x->ids[k] >= SL_WIDE;
    if (b->wides + wides > UINT32_MAX - SL_WIDE || !sl_batch_reserve(b, 1, x->n, wides)) return false;
    return !x->names || sl_batch_reserve_names(b, x->n, bytes);
}

static void put_id(sluice_batch *b, size_t at, uint64_t id) {
    if (id >= SL_WIDE) b->wide[b->wides] = id;
    b->id[at] = id < SL_WIDE ? (uint32_t)id : SL_WIDE + (uint32_t)b->wides++;
}

static void put_name(sluice_batch *b, size_t at, sluice_name name) {
    b->name[at] = (sl_name){(uint32_t)b->text_n, (uint32_t)name.n};
    b->hash[at] = sl_name_hash(name.text, name.n);
    if (name.n) memcpy(b->text + b->text_n, name.text, name.n);
    b->text_n += name.n;
}

static sluice_status check_fits(const sluice_batch *b, const sluice_example *x, sluice_error *err) {
    if (x->n && b->nonzeros && b->has_names != (x->names != NULL))
        return sl_fail(err, SLUICE_E_USAGE, "the features of a batch have either ids or names, not both");
    if (x->weight > FLT_MAX || (x->weight > 0 && (float)x->weight == 0))
        return sl_fail(err, SLUICE_E_DATA, "the importance weight is beyond the range of floats");
    return SLUICE_OK;
}

float sl_float_label(double label) {
    if (label > 0) return (float)fmin(fmax(label, (double)FLT_TRUE_MIN), (double)FLT_MAX);
    return (float)fmax(label, -(double)FLT_MAX);
}

sluice_status sluice_batch_add(sluice_batch *b, const sluice_example *x, sluice_error *err) {
    sl_label label;
    sluice_status status = sl_check_example(x, &b->repeat, err);
    if (status == SLUICE_OK) status = check_fits(b, x, err);
    if (status == SLUICE_OK) status = sl_label_of_example(x, &label, err);
    if (status != SLUICE_OK) return status;
    if (!reserve_example(b, x) || (label.word.n && !sl_batch_word_next(b, label.word.text, label.word.n)))
        return sl_fail(err, SLUICE_E_MEMORY, "no memory for %zu rows", b->rows + 1);
    if (x->n) b->has_names = x->names != NULL;
    for (size_t k = 0; k < x->n; k++) {
        size_t at = b->nonzeros++;
        b->value[at] = x->values[k];
        b->has_zeros |= x->values[k] == 0;
        if (x->names)
            put_name(b, at, x->names[k]);
        else
            put_id(b, at, x->ids[k]);
    }
    b->label[b->rows] = label.value;
    b->weight[b->rows] = (float)x->weight;
    b->has_weights |= x->weight != 1;
    b->start[++b->rows] = b->nonzeros;
    return SLUICE_OK;
}

/* Copies rows of a matrix; there is no other way for rows that are to be kept. */
static sluice_status append(sluice_batch *b, const sl_csr_reader *r, sluice_error *err) {
    const sluice_batch *from = &r->batch;
    if (b->wides + from->wides > UINT32_MAX - SL_WIDE || !sl_batch_reserve(b, from->rows, from->nonzeros, from->wides))
        return sl_fail(err, SLUICE_E_MEMORY, "no memory for %zu rows", b->rows + from->rows);
    for (size_t i = 0; i < from->rows; i++) {
        double weight = r->weight ? r->weight[i] : 1;
        if (weight > (double)FLT_MAX || (weight > 0 && (float)weight == 0))
            return sl_fail_at(err, SLUICE_E_DATA, "", r->first + i + 1, 0,
                              "the importance weight is beyond the range of floats");
        b->label[b->rows + i] = r->label ? sl_float_label(r->label[i]) : from->label[i];
        b->weight[b->rows + i] = (float)weight;
        b->has_weights |= weight != 1;
        b->start[b->rows + i + 1] = b->nonzeros + from->start[i + 1];
    }
    for (size_t i = 0; i < from->rows && from->has_words;
         i++) { /* words go by rows: as if they were added one by one */
        const sluice_name word = sl_batch_word(from, i);
        if (!word.n) continue;
        const size_t rows = b->rows;
        b->rows += i;
        const bool added = sl_batch_word_next(b, word.text, word.n);
        b->rows = rows;
        if (!added) return sl_fail(err, SLUICE_E_MEMORY, "no memory for the labels of %zu rows", from->rows);
    }
    for (size_t k = 0; k < from->nonzeros; k++) put_id(b, b->nonzeros + k, sl_batch_id(from, k));
    if (from->nonzeros) memcpy(b->value + b->nonzeros, from->value, from->nonzeros * sizeof *b->value);
    if (from->nonzeros) b->has_names = false;
    b->has_zeros |= from->has_zeros;
    b->rows += from->rows;
    b->nonzeros += from->nonzeros;
    return SLUICE_OK;
}

sluice_status sluice_batch_add_csr(sluice_batch *b, const sluice_csr *csr, sluice_error *err) {
    sl_csr_reader r;
    size_t rows = b->rows, nonzeros = b->nonzeros, wides = b->wides;
    const size_t worded = b->worded, word_text_n = b->word_text_n;
    const bool had_weights = b->has_weights, had_zeros = b->has_zeros, had_words = b->has_words;
    sluice_status status = sl_csr_open(&r, csr, true, err);
    if (status == SLUICE_OK && r.csr.kind == SLUICE_CSR_NAMES)
        status = sl_fail(err, SLUICE_E_UNSUPPORTED, "a sluice_csr of names cannot be added to a batch");
    if (status == SLUICE_OK && !r.csr.labels)
        status = sl_fail(err, SLUICE_E_USAGE, "a sluice_csr that is added to a batch needs labels");
    if (status == SLUICE_OK && b->has_names && b->nonzeros)
        status = sl_fail(err, SLUICE_E_USAGE, "the features of a batch have either ids or names, not both");
    while (status == SLUICE_OK && (status = sl_csr_next(&r, err)) == SLUICE_OK) status = append(b, &r, err);
    sl_csr_close(&r);
    if (status == SLUICE_END) return SLUICE_OK;
    b->rows = rows, b->nonzeros = nonzeros, b->wides = wides; /* none of them, where one is bad */
    b->has_weights = had_weights, b->has_zeros = had_zeros, b->has_words = had_words;
    b->worded = worded, b->word_text_n = word_text_n;
    return status;
}

uint64_t sl_row_id(const void *row_ids, size_t k) {
    const sl_row_ids *row = row_ids;
    return sl_batch_id(row->batch, row->first + k);
}

/* ---- the public view --------------------------------------------------------------------------------------------- */

size_t sluice_batch_rows(const sluice_batch *b) { return b->rows; }

size_t sluice_batch_nonzeros(const sluice_batch *b, size_t row) { return b->start[row + 1] - b->start[row]; }

double sluice_batch_label(const sluice_batch *b, size_t row) { return (double)b->label[row]; }

double sluice_batch_weight(const sluice_batch *b, size_t row) { return b->has_weights ? (double)b->weight[row] : 1; }

sluice_name sluice_batch_word(const sluice_batch *b, size_t row) { return sl_batch_word(b, row); }

int sluice_batch_has_words(const sluice_batch *b) { return b->has_words; }

int sluice_batch_left_out(const sluice_batch *b, size_t row) { return row < b->marked && b->left_out[row]; }

size_t sluice_batch_unlabelled_rows(const sluice_batch *b, size_t first, size_t n) {
    return sl_batch_find_unlabelled(b, first + n) - sl_batch_find_unlabelled(b, first);
}

int sluice_batch_unlabelled(const sluice_batch *b, size_t row) {
    const size_t at = sl_batch_find_unlabelled(b, row);
    return at < b->n_unlabelled && b->unlabelled[at].row == row;
}

sluice_status sluice_batch_origin(const sluice_batch *b, size_t row, sluice_row_origin *origin, sluice_error *err) {
    sluice_status status = sl_sized_check(origin, "sluice_row_origin", err);
    if (status != SLUICE_OK) return status;
    if (row >= b->rows) return sl_fail(err, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    sluice_row_origin own = {.input = b->source, .line = b->has_lines ? b->first_line + b->line[row] : 0};
    if (b->lines_kept) own.text = (sluice_name){"", 0};
    if (row < b->origins) {
        const sl_origin *o = &b->origin[row];
        if (b->lines_kept && o->line) own.text = (sluice_name){o->line, o->line_n};
        if (o->id_kind) own.id = (sluice_name){b->id_text + o->id_at, o->id_n};
        own.id_kind = o->id_kind;
    }
    sl_sized_write(origin, &own, sizeof own);
    return SLUICE_OK;
}

int sluice_batch_has_names(const sluice_batch *b) { return b->has_names; }

void sluice_batch_row(const sluice_batch *b, size_t row, uint64_t *ids, sluice_name *names, sluice_example *x) {
    size_t first = b->start[row], n = b->start[row + 1] - first;
    for (size_t k = 0; k < n; k++) {
        if (!b->has_names) {
            ids[k] = sl_batch_id(b, first + k);
            continue;
        }
        const sl_feature_name name = sl_batch_name(b, first + k);
        names[k] = (sluice_name){name.text, name.n};
    }
    *x = (sluice_example){
        .ids = b->has_names ? NULL : ids,
        .names = b->has_names ? names : NULL,
        .values = b->value + first,
        .n = n,
        .label = (double)b->label[row],
        .weight = b->has_weights ? (double)b->weight[row] : 1.0,
        .word = sl_batch_word(b, row),
    };
}

const char *sl_feature_shown(const sluice_example *x, size_t k, char out[128]) {
    if (x->names) return sl_quote(out, x->names[k].text, x->names[k].n);
    snprintf(out, 128, "%llu", (unsigned long long)x->ids[k]);
    return out;
}

size_t sluice_batch_total_nonzeros(const sluice_batch *b) { return b->nonzeros; }

/* Whether some label is no number: then `label` says nothing. */
static bool has_word_label(const sluice_batch *b) {
    for (size_t i = 0; b->has_words && i < b->rows; i++) {
        const sluice_name word = sl_batch_word(b, i);
        if (word.n && !sl_spells_number(word.text, word.text + word.n)) return true;
    }
    return false;
}

sluice_status sluice_batch_csr(const sluice_batch *b, sluice_csr *csr, uint64_t *ids, sluice_error *err) {
    sluice_status status = sl_sized_check(csr, "sluice_csr", err);
    if (status != SLUICE_OK) return status;
    if (b->has_names && b->nonzeros)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "the features of this batch have names, not ids");
    if (has_word_label(b)) return sl_fail(err, SLUICE_E_UNSUPPORTED, "a label of this batch is a word, not a number");
    if (b->wides && !ids)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "ids of 2^31 and more need room for %zu of them", b->nonzeros);
    for (size_t k = 0; b->wides && k < b->nonzeros; k++) ids[k] = sl_batch_id(b, k);
    const sluice_csr view = {
        .kind = SLUICE_CSR_IDS,
        .indptr_type = sizeof(size_t) == 8 ? SLUICE_UINT64 : SLUICE_UINT32,
        .ids_type = b->wides ? SLUICE_UINT64 : SLUICE_UINT32,
        .values_type = SLUICE_FLOAT32,
        .labels_type = SLUICE_FLOAT32,
        .weights_type = SLUICE_FLOAT32,
        .rows = b->rows,
        .nonzeros = b->nonzeros,
        .indptr = b->start,
        .ids = b->wides ? (const void *)ids : b->id,
        .values = b->value,
        .labels = b->label,
        .weights = b->has_weights ? b->weight : NULL,
    };
    sl_sized_write(csr, &view, sizeof view);
    return SLUICE_OK;
}

uint64_t sluice_batch_memory(const sluice_batch *b) {
    return sizeof *b + b->row_room * (sizeof *b->start + sizeof *b->label + sizeof *b->weight + sizeof *b->line) +
           b->nonzero_room * (sizeof *b->id + sizeof *b->value) + b->wide_room * sizeof *b->wide +
           b->name_room * (sizeof *b->name + sizeof *b->hash) + b->text_room + b->mark_room +
           b->origin_room * sizeof *b->origin + b->id_text_room + b->word_room * sizeof *b->word + b->word_text_room;
}
