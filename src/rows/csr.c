/* Compressed sparse rows from outside: checks them and hands them on as batches, without a copy where types allow. */
#include "rows/csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "features/names.h"

enum { MOST_ROWS = 1024, MANY_VALUES = 1 << 12 }; /* in a batch: few enough to stay in the cache between passes */

/* ---- elements of any type ---------------------------------------------------------------------------------------- */

static bool is_whole(unsigned type) { return type >= SLUICE_INT32 && type <= SLUICE_UINT64; }
static bool is_real(unsigned type) { return type == SLUICE_FLOAT32 || type == SLUICE_FLOAT64; }

/* A whole number; false where it is negative. */
static inline bool whole_at(const void *array, unsigned type, size_t i, uint64_t *value) {
    switch (type) {
    case SLUICE_INT32:
        *value = (uint64_t)((const int32_t *)array)[i];
        return ((const int32_t *)array)[i] >= 0;
    case SLUICE_INT64:
        *value = (uint64_t)((const int64_t *)array)[i];
        return ((const int64_t *)array)[i] >= 0;
    case SLUICE_UINT32:
        *value = ((const uint32_t *)array)[i];
        return true;
    default:
        *value = ((const uint64_t *)array)[i];
        return true;
    }
}

static inline double real_at(const void *array, unsigned type, size_t i) {
    return type == SLUICE_FLOAT32 ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static sluice_status check_types(const sluice_csr *c, sluice_error *err) {
    if (c->kind > SLUICE_CSR_NAMES)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "a kind of sluice_csr that this version does not have");
    if (!is_whole(c->indptr_type) || !is_whole(c->ids_type))
        return sl_fail(err, SLUICE_E_USAGE,
                       "indptr and ids of a sluice_csr are whole numbers: set indptr_type, ids_type");
    if (c->labels && c->words && !is_whole(c->labels_type))
        return sl_fail(err, SLUICE_E_USAGE, "labels of a sluice_csr with words are whole numbers: set labels_type");
    if (!is_real(c->values_type) || (c->labels && !c->words && !is_real(c->labels_type)) ||
        (c->weights && !is_real(c->weights_type)))
        return sl_fail(err, SLUICE_E_USAGE,
                       "values, labels and weights of a sluice_csr are floating point: set values_type and so on");
    if (c->kind == SLUICE_CSR_NAMES && !c->names && c->nonzeros)
        return sl_fail(err, SLUICE_E_USAGE, "a sluice_csr of names without its names");
    if (!c->indptr || (c->nonzeros && (!c->ids || !c->values)))
        return sl_fail(err, SLUICE_E_USAGE, "a sluice_csr without indptr, ids or values");
    return SLUICE_OK;
}

/* Row pointers never fall and stay within the arrays. */
static sluice_status check_pointers(const sluice_csr *c, sluice_error *err) {
    uint64_t last = 0;
    for (size_t i = 0; i <= c->rows; i++) {
        uint64_t at;
        if (!whole_at(c->indptr, c->indptr_type, i, &at) || at < last || at > c->nonzeros)
            return sl_fail_at(err, SLUICE_E_USAGE, "", i ? i : 1, 0,
                              "indptr of a sluice_csr must not fall and stay between 0 and nonzeros");
        last = at;
    }
    return SLUICE_OK;
}

static sluice_status no_memory(sluice_error *err) {
    return sl_fail(err, SLUICE_E_MEMORY, "no memory for rows of a sluice_csr");
}

/* Copies texts one behind the other. False: no memory, or more than 32 bits can count. */
static bool copy_texts(const sluice_name *from, size_t n, char **text, sl_name **places) {
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += from[i].n;
    *text = malloc(bytes + SL_NAME_PAD);
    *places = malloc((n + 1) * sizeof **places);
    if (!*text || !*places || bytes > UINT32_MAX) return false;
    memset(*text + bytes, 0, SL_NAME_PAD);
    for (size_t i = 0, at = 0; i < n; at += from[i++].n) {
        (*places)[i] = (sl_name){(uint32_t)at, (uint32_t)from[i].n};
        if (from[i].n) memcpy(*text + at, from[i].text, from[i].n);
    }
    return true;
}

/* The names of the columns, hashed once for all rows. */
static sluice_status take_names(sl_csr_reader *r, sluice_error *err) {
    const sluice_csr *c = &r->csr;
    for (size_t i = 0; i < c->n_names; i++)
        if (c->names[i].n > SL_MAX_NAME)
            return sl_fail(err, SLUICE_E_DATA, "the name of column %zu is longer than %zu bytes", i, SL_MAX_NAME);
    uint64_t *seen = sl_duplicates_room(&r->repeat, c->n_names + 1);
    r->hashes = malloc((c->n_names + 1) * sizeof *r->hashes);
    if (!seen || !r->hashes || !copy_texts(c->names, c->n_names, &r->batch.text, &r->columns)) return no_memory(err);
    for (size_t i = 0; i < c->n_names; i++)
        seen[i] = r->hashes[i] = sl_name_hash(r->batch.text + r->columns[i].at, r->columns[i].n);
    const size_t twice = sl_duplicates_find(&r->repeat, c->n_names); /* of equal hashes only: 2^-64 */
    if (twice != SL_NO_DUPLICATE)
        return sl_fail(err, SLUICE_E_DATA, "two columns have the same name: that of column %zu came before", twice);
    r->batch.has_names = true;
    return SLUICE_OK;
}

/* The labels that the words are, read once for all rows. */
static sluice_status take_words(sl_csr_reader *r, size_t rows, sluice_error *err) {
    const sluice_csr *c = &r->csr;
    sluice_batch *b = &r->batch;
    r->labels = malloc((c->n_words + 1) * sizeof *r->labels);
    b->label = malloc((rows + 1) * sizeof *b->label);
    b->word = malloc((rows + 1) * sizeof *b->word);
    if (!r->labels || !b->label || !b->word || !copy_texts(c->words, c->n_words, &b->word_text, &r->places))
        return no_memory(err);
    for (size_t i = 0; i < c->n_words; i++) {
        const sluice_example x = {.word = c->words[i]};
        if (!x.word.n) return sl_fail(err, SLUICE_E_DATA, "a label has no text");
        if (sl_label_of_example(&x, &r->labels[i], err) != SLUICE_OK) return SLUICE_E_DATA;
        if (!r->labels[i].word.n) r->places[i].n = 0; /* a plain number */
    }
    b->may_have_words = true;
    return SLUICE_OK;
}

sluice_status sl_csr_open(sl_csr_reader *r, const sluice_csr *csr, bool learning, sluice_error *err) {
    *r = (sl_csr_reader){.csr.size = sizeof r->csr, .learning = learning};
    sluice_status status = csr ? sl_sized_read(&r->csr, sizeof r->csr, csr, "sluice_csr", err)
                               : sl_fail(err, SLUICE_E_USAGE, "no sluice_csr");
    if (!learning) r->csr.labels = NULL;
    if (status == SLUICE_OK) status = check_types(&r->csr, err);
    if (status == SLUICE_OK) status = check_pointers(&r->csr, err);
    if (status != SLUICE_OK) {
        r->csr.rows = 0;
        return status;
    }
    size_t rows = r->csr.rows < MOST_ROWS ? r->csr.rows : MOST_ROWS;
    sluice_batch *b = &r->batch;
    b->start = malloc((rows + 1) * sizeof *b->start);
    b->line = malloc((rows + 1) * sizeof *b->line);
    const bool has_words = r->csr.labels && r->csr.words, has_numbers = r->csr.labels && !has_words;
    if (has_numbers) r->label = malloc((rows + 1) * sizeof *r->label);
    if (r->csr.weights) r->weight = malloc((rows + 1) * sizeof *r->weight);
    if (!b->start || !b->line || (has_numbers && !r->label) || (r->csr.weights && !r->weight)) return no_memory(err);
    for (size_t i = 0; i < rows; i++) b->line[i] = (uint32_t)i + 1;
    b->has_lines = true;
    if (has_words) status = take_words(r, rows, err);
    if (status == SLUICE_OK && r->csr.kind == SLUICE_CSR_NAMES) status = take_names(r, err);
    return status;
}

void sl_csr_close(sl_csr_reader *r) {
    free(r->batch.start);
    free(r->batch.line);
    free(r->batch.label);
    free(r->batch.word);
    free(r->batch.word_text);
    free(r->batch.text);
    free(r->batch.name);
    free(r->batch.hash);
    free(r->labels);
    free(r->places);
    free(r->columns);
    free(r->hashes);
    free(r->label);
    free(r->weight);
    free(r->ids);
    free(r->values);
    free(r->wide);
    sl_duplicates_free(&r->repeat);
    *r = (sl_csr_reader){.csr.rows = 0};
}

/* ---- some rows at a time ----------------------------------------------------------------------------------------- */

static bool reserve(sl_csr_reader *r, size_t n) {
    if (n <= r->room) return true;
    free(r->ids), free(r->values), free(r->wide), free(r->batch.name), free(r->batch.hash);
    r->batch.name = NULL;
    r->batch.hash = NULL;
    r->room = 0;
    r->ids = malloc(n * sizeof *r->ids);
    r->values = malloc(n * sizeof *r->values);
    r->wide = malloc(n * sizeof *r->wide);
    if (r->columns) {
        r->batch.name = malloc(n * sizeof *r->batch.name);
        r->batch.hash = malloc(n * sizeof *r->batch.hash);
    }
    if (!r->ids || !r->values || !r->wide || (r->columns && (!r->batch.name || !r->batch.hash))) return false;
    r->room = n;
    return true;
}

/* The names of columns as batches have them; the numbers of the columns serve to find duplicates. Returns how many come
 * before the first that is no column: n where none is. */
static size_t take_columns(sl_csr_reader *r, size_t at, size_t n) {
    const sluice_csr *c = &r->csr;
    sluice_batch *b = &r->batch;
    b->id = r->ids;
    b->wides = 0;
    for (size_t k = 0; k < n; k++) {
        uint64_t column;
        if (!whole_at(c->ids, c->ids_type, at + k, &column) || column >= c->n_names) return k;
        r->ids[k] = (uint32_t)column;
        b->name[k] = r->columns[column];
        b->hash[k] = r->hashes[column];
    }
    return n;
}

/* Ids as batches have them. Returns how many come before the first negative one: n where none is. */
static size_t take_ids(sl_csr_reader *r, size_t at, size_t n) {
    if (r->columns) return take_columns(r, at, n);
    const uint32_t first = r->csr.kind == SLUICE_CSR_COLUMNS; /* the id of column 0 */
    const sluice_csr *c = &r->csr;
    sluice_batch *b = &r->batch;
    bool is_32 = c->ids_type == SLUICE_INT32 || c->ids_type == SLUICE_UINT32;
    b->wides = 0;
    b->wide = r->wide;
    if (is_32) {
        const uint32_t *ids = (const uint32_t *)c->ids + at;
        uint32_t any = 0;
        for (size_t k = 0; k < n; k++) any |= ids[k];
        if (any < SL_WIDE && !first) {
            b->id = (uint32_t *)(uintptr_t)ids; /* only read */
            return n;
        }
        if (any < SL_WIDE - 1) {
            for (size_t k = 0; k < n; k++) r->ids[k] = ids[k] + 1;
            b->id = r->ids;
            return n;
        }
    }
    b->id = r->ids;
    for (size_t k = 0; k < n; k++) {
        uint64_t id;
        if (!whole_at(c->ids, c->ids_type, at + k, &id) || id + first < id) return k;
        id += first;
        if (id >= SL_WIDE) r->wide[b->wides] = id;
        r->ids[k] = id < SL_WIDE ? (uint32_t)id : SL_WIDE + (uint32_t)b->wides++;
    }
    return n;
}

/* Values as batches have them. False: one is not finite as a float. */
static bool take_values(sl_csr_reader *r, size_t at, size_t n) {
    const sluice_csr *c = &r->csr;
    sluice_batch *b = &r->batch;
    if (c->values_type == SLUICE_FLOAT64) {
        const double *values = (const double *)c->values + at;
        for (size_t k = 0; k < n; k++) r->values[k] = (float)values[k];
        b->value = r->values;
    } else {
        b->value = (float *)(uintptr_t)((const float *)c->values + at); /* only read */
    }
    uint32_t large = 0,
             zero = 0; /* the top bit says: some value is not finite, is 0; a loop that compilers vectorise */
    for (size_t k = 0; k < n; k++) {
        uint32_t bits;
        memcpy(&bits, &b->value[k], sizeof bits);
        bits &= 0x7fffffffu;
        large |= bits + 0x00800000u;
        zero |= bits - 1;
    }
    b->has_zeros = zero >> 31;
    return !(large >> 31);
}

/* Whether the ids of a row, which are small, ascend: of such ids no one comes twice. */
static bool ascends(const uint32_t *id, size_t n) {
    uint32_t falls = 0; /* the top bit: some id is not above the one before it */
    for (size_t k = 1; k < n; k++) falls |= id[k] - id[k - 1] - 1;
    return !(falls >> 31);
}

/* Whether a feature comes twice in a row of the batch. *memory: there was none to find out. */
static bool has_duplicate(sl_csr_reader *r, size_t row, bool *memory) {
    const sluice_batch *b = &r->batch;
    size_t at = b->start[row], n = b->start[row + 1] - at;
    if (n < 2 || (b->wides == 0 && ascends(b->id + at, n))) return false;
    uint64_t *ids = sl_duplicates_room(&r->repeat, n);
    if (!ids) return *memory = true;
    for (size_t k = 0; k < n; k++) ids[k] = sl_batch_id(b, at + k);
    return sl_duplicates_find(&r->repeat, n) != SL_NO_DUPLICATE;
}

/* The label of a row with words. False: there is no such word. */
static bool take_word(sl_csr_reader *r, size_t row) {
    uint64_t word;
    if (!whole_at(r->csr.labels, r->csr.labels_type, r->first + row, &word) || word >= r->csr.n_words) return false;
    r->batch.label[row] = r->labels[word].value;
    r->batch.word[row] = r->places[word];
    r->batch.has_words |= r->places[word].n > 0;
    return true;
}

static bool good_values(const sluice_batch *b, size_t row) {
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++)
        if (!isfinite(b->value[k])) return false;
    return true;
}

/* What is wrong with a row, or NULL. */
static const char *fault_of(sl_csr_reader *r, size_t row, bool values_good) {
    bool memory = false;
    if (!values_good && !good_values(&r->batch, row)) return "a value is not finite";
    if (r->label && !isfinite(r->label[row])) return "the label is not finite";
    if (r->labels && !take_word(r, row)) return "the label is none of the words";
    if (r->weight && !(r->weight[row] >= 0 && isfinite(r->weight[row])))
        return "the importance weight must be a number >= 0";
    if (r->learning && has_duplicate(r, row, &memory)) return memory ? "" : "a feature appears twice";
    return NULL;
}

/* Cuts the batch before a bad row; "": there was no memory to check it. */
static void cut(sl_csr_reader *r, size_t row, const char *fault) {
    r->bad = true;
    sl_fail_at(&r->why, *fault ? SLUICE_E_DATA : SLUICE_E_MEMORY, "", r->first + row + 1, 0, "%s",
               *fault ? fault : "no memory for a row");
    r->batch.rows = row;
    r->batch.nonzeros = r->batch.start[row];
}

/* Cuts the batch before its first bad row. */
static void check_rows(sl_csr_reader *r, bool values_good) {
    for (size_t i = 0; i < r->batch.rows; i++) {
        const char *fault = fault_of(r, i, values_good);
        if (!fault) continue;
        cut(r, i, fault);
        return;
    }
}

/* Takes the ids and cuts the batch before the first row with a negative one. */
static void check_ids(sl_csr_reader *r, size_t at) {
    size_t good = take_ids(r, at, r->batch.nonzeros), row = 0;
    if (good == r->batch.nonzeros) return;
    while (r->batch.start[row + 1] <= good) row++;
    cut(r, row, r->columns ? "a feature is none of the columns that have names" : "an id is negative or too large");
}

/* How many rows come next, and where their values begin: at least one row. */
static size_t next_rows(const sl_csr_reader *r, size_t *at, size_t *start) {
    const sluice_csr *c = &r->csr;
    uint64_t first, end;
    whole_at(c->indptr, c->indptr_type, r->next, &first);
    size_t n = 0;
    start[0] = 0;
    while (n < MOST_ROWS && r->next + n < c->rows && start[n] < MANY_VALUES) {
        whole_at(c->indptr, c->indptr_type, r->next + n + 1, &end);
        start[++n] = (size_t)(end - first);
    }
    *at = (size_t)first;
    return n;
}

sluice_status sl_csr_next(sl_csr_reader *r, sluice_error *err) {
    const sluice_csr *c = &r->csr;
    sluice_batch *b = &r->batch;
    if (r->bad) {
        if (err) *err = r->why;
        return r->why.status;
    }
    if (r->next == c->rows) return SLUICE_END;
    size_t at;
    b->rows = next_rows(r, &at, b->start);
    b->nonzeros = b->start[b->rows];
    b->first_line = r->first = r->next;
    if (!reserve(r, b->nonzeros)) return no_memory(err);
    b->has_words = false;
    b->worded = r->labels ? b->rows : 0;
    check_ids(r, at);
    bool values_good = take_values(r, at, b->nonzeros);
    for (size_t i = 0; i < b->rows && r->label; i++) r->label[i] = real_at(c->labels, c->labels_type, r->first + i);
    for (size_t i = 0; i < b->rows && r->weight; i++) r->weight[i] = real_at(c->weights, c->weights_type, r->first + i);
    check_rows(r, values_good);
    r->next += b->rows;
    if (b->rows == 0) return sl_csr_next(r, err); /* the first row is bad */
    return SLUICE_OK;
}
