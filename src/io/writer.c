/* Writers: examples to lines of text or the binary format, in a file that appears when it is complete. Every example
 * becomes a row of a batch first: full batches become blocks, but lines are written at once, so that a row that the
 * format cannot express is refused at once. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "base/error.h"
#include "features/names.h"
#include "rows/duplicate_ids.h"
#include "base/atomic_file.h"
#include "io/bin/bin.h"
#include "io/format.h"
#include "io/text_write.h"
#include "rows/label_text.h"

enum {
    FLUSH_BYTES = 1 << 18,
    FLUSH_ROWS = 1 << 15,
    LARGE_ROW = 1 << 20, /* features of a row that is not copied */
};

static const struct written_format {
    const char *name;
    sl_put_line *put_line; /* NULL: bin */
} written_formats[] = {{"libsvm", sl_put_libsvm}, {"vw", sl_put_vw}, {"jsonl", sl_put_jsonl}, {"bin", NULL}};

struct sluice_writer {
    sl_atomic *file;
    sl_put_line *put_line; /* NULL: bin */
    bool committed;
    bool begun; /* some bytes are written */
    uint64_t rows;
    sluice_batch pending;
    sl_names file_names; /* of a bin file: all that it has */
    sl_text_out out;
    sl_duplicates repeat;
    uint64_t *ids; /* of the row of a batch that is being put; or hashes of names */
    sluice_name *names;
    size_t row_room;
    sluice_status broken; /* a failure to write is final */
    sluice_error error;
};

static const struct written_format *find_written(const sl_format *f, sluice_error *err) {
    for (size_t i = 0; i < sizeof written_formats / sizeof *written_formats; i++)
        if (strcmp(written_formats[i].name, f->name) == 0) return &written_formats[i];
    sl_fail(err, SLUICE_E_USAGE, "%s is read but not written; libsvm, vw, jsonl and bin are", f->name);
    return NULL;
}

sluice_writer *sluice_writer_open(const char *path, const char *format, sluice_error *err) {
    const sl_format *f = format ? sl_format_find(format, err) : sl_format_by_ending(path, NULL);
    const struct written_format *written = f ? find_written(f, err) : NULL;
    if (!written) return NULL;
    size_t n;
    if (sl_compressed_ending(path, &n)) {
        sl_fail_at(err, SLUICE_E_USAGE, path, 0, 0,
                   "files are not written compressed; write to - and pipe it to the packer");
        return NULL;
    }
    sluice_writer *w = calloc(1, sizeof *w);
    if (!w) {
        sl_fail(err, SLUICE_E_MEMORY, "no memory");
        return NULL;
    }
    w->put_line = written->put_line;
    if (!w->put_line && !sl_bin_put_header(&w->out.bytes))
        sl_fail(err, SLUICE_E_MEMORY, "no memory");
    else if ((w->file = sl_atomic_open(path, err)))
        return w;
    sluice_writer_close(w);
    return NULL;
}

static sluice_status no_memory(sluice_writer *w) {
    return w->broken = sl_fail(&w->error, SLUICE_E_MEMORY, "no memory for the examples to be written");
}

static sluice_status write_out(sluice_writer *w) {
    w->begun = true;
    sluice_status status = sl_atomic_write(w->file, w->out.bytes.data, w->out.bytes.n, &w->error);
    if (status != SLUICE_OK) w->broken = status;
    w->out.bytes.n = 0;
    return status;
}

static sluice_status write_line(sluice_writer *w, const sluice_batch *b, size_t row) {
    sluice_status status = w->put_line(&w->out, b, row, &w->error);
    if (status != SLUICE_OK) return status == SLUICE_E_MEMORY ? w->broken = status : status;
    return w->out.bytes.n >= FLUSH_BYTES ? write_out(w) : SLUICE_OK;
}

static sluice_status write_block(sluice_writer *w, const sluice_batch *b) {
    if (!w->begun) sl_bin_set_version(&w->out.bytes, b);
    return sl_bin_put_block(&w->out.bytes, b, &w->file_names) ? write_out(w) : no_memory(w);
}

/* Writes the pending rows. */
static sluice_status flush(sluice_writer *w) {
    sluice_status status = SLUICE_OK;
    if (w->put_line) {
        for (size_t i = 0; i < w->pending.rows && status == SLUICE_OK; i++) status = write_line(w, &w->pending, i);
    } else if (w->pending.rows) {
        status = write_block(w, &w->pending);
    }
    sl_batch_clear(&w->pending);
    return status;
}

/* The features of an example behind those that are pending. */
static bool append_ids(sluice_batch *b, const sluice_example *x) {
    if (!sl_batch_reserve(b, 1, x->n, x->n)) return false;
    for (size_t k = 0; k < x->n; k++) {
        if (x->ids[k] < SL_WIDE) {
            b->id[b->nonzeros + k] = (uint32_t)x->ids[k];
        } else {
            b->id[b->nonzeros + k] = SL_WIDE + (uint32_t)b->wides;
            b->wide[b->wides++] = x->ids[k];
        }
    }
    return true;
}

static bool append_names(sluice_batch *b, const sluice_example *x, const uint64_t *hashes) {
    size_t bytes = 0;
    for (size_t k = 0; k < x->n; k++) bytes += x->names[k].n;
    if (!sl_batch_reserve(b, 1, 0, 0) || !sl_batch_reserve_names(b, x->n, bytes)) return false;
    for (size_t k = 0; k < x->n; k++) {
        const sluice_name *name = &x->names[k];
        if (name->n) memcpy(b->text + b->text_n, name->text, name->n);
        b->name[b->nonzeros + k] = (sl_name){(uint32_t)b->text_n, (uint32_t)name->n};
        b->hash[b->nonzeros + k] = hashes[k];
        b->text_n += name->n;
    }
    b->has_names = true;
    return true;
}

/* Adds a row to the pending ones, which all have ids or all have names; check() has left the hashes of names. */
static sluice_status append(sluice_writer *w, const sluice_example *x, const sl_label *label) {
    sluice_batch *b = &w->pending;
    float weight = (float)x->weight;
    if (b->rows && b->has_names != (x->names != NULL)) {
        sluice_status status = flush(w);
        if (status != SLUICE_OK) return status;
    }
    if (x->names ? !append_names(b, x, w->ids) : !append_ids(b, x)) return no_memory(w);
    if (x->n) memcpy(b->value + b->nonzeros, x->values, x->n * sizeof *x->values);
    b->nonzeros += x->n;
    if (weight != 1 && !b->has_weights) {
        for (size_t i = 0; i < b->rows; i++) b->weight[i] = 1;
        b->has_weights = true;
    }
    if (label->word.n && !sl_batch_word_next(b, label->word.text, label->word.n)) return no_memory(w);
    b->weight[b->rows] = weight;
    b->label[b->rows++] = label->value;
    b->start[b->rows] = b->nonzeros;
    if (w->put_line) {
        sluice_status status = flush(w);
        w->rows += status == SLUICE_OK;
        return status;
    }
    w->rows++;
    bool full = b->nonzeros >= SL_BIN_NONZEROS || b->rows >= FLUSH_ROWS || b->text_n >= SL_BIN_MAX_TEXT ||
                b->word_text_n >= SL_BIN_MAX_TEXT;
    return full ? flush(w) : SLUICE_OK;
}

static bool room_for_row(sluice_writer *w, size_t n) {
    if (n <= w->row_room) return true;
    uint64_t *ids = realloc(w->ids, 2 * n * sizeof *ids);
    if (ids) w->ids = ids;
    sluice_name *names = realloc(w->names, 2 * n * sizeof *names);
    if (names) w->names = names;
    if (!ids || !names) return false;
    w->row_room = 2 * n;
    return true;
}

static const char *kind_of(const sluice_example *x) { return x->names ? "" : "id "; }

/* Whether no feature stands twice; leaves the hashes of names in w->ids. */
static sluice_status check_distinct(sluice_writer *w, const sluice_example *x) {
    uint64_t *room = sl_duplicates_room(&w->repeat, x->n);
    if (!room || !room_for_row(w, x->n)) return sl_fail(&w->error, SLUICE_E_MEMORY, "no memory");
    for (size_t k = 0; k < x->n; k++) {
        room[k] = x->names ? sl_name_hash(x->names[k].text, x->names[k].n) : x->ids[k];
        if (x->names) w->ids[k] = room[k];
    }
    size_t at = sl_duplicates_find(&w->repeat, x->n);
    char text[128];
    if (at != SL_NO_DUPLICATE)
        return sl_fail(&w->error, SLUICE_E_DATA, "%s%s stands twice in an example", kind_of(x),
                       sl_feature_shown(x, at, text));
    return SLUICE_OK;
}

/* How many features a row may have that is written. */
static size_t most_features(const sluice_writer *w, bool names) {
    return names && !w->put_line ? SL_ROW_FEATURES : SL_MAX_ROW;
}

/* The rules every reader enforces hold for what is written too. */
static sluice_status check(sluice_writer *w, const sluice_example *x) {
    sluice_error *err = &w->error;
    char text[128];
    if (w->committed) return sl_fail(err, SLUICE_E_USAGE, "the file is already complete");
    const size_t most = most_features(w, x->names != NULL);
    if (x->n > most) return sl_fail(err, SLUICE_E_LIMIT, "an example of %zu features; there may be %zu", x->n, most);
    if (!isfinite((float)x->label)) return sl_fail(err, SLUICE_E_DATA, "the label of an example is not a finite float");
    if (!isfinite((float)x->weight) || x->weight < 0 || (x->weight > 0 && (float)x->weight == 0))
        return sl_fail(err, SLUICE_E_DATA, "the weight of an example is negative or beyond the range of floats");
    size_t bytes = 0;
    for (size_t k = 0; x->names && k < x->n; k++) bytes += x->names[k].n;
    if (!w->put_line && bytes > SL_BIN_MAX_ROW_TEXT)
        return sl_fail(err, SLUICE_E_LIMIT, "the names of an example have %zu bytes; bin has room for %zu", bytes,
                       (size_t)SL_BIN_MAX_ROW_TEXT);
    if (w->put_line == sl_put_libsvm && x->weight != 1)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, SL_LIBSVM_HAS_NO_WEIGHTS);
    for (size_t k = 0; k < x->n; k++) {
        if (!isfinite(x->values[k]))
            return sl_fail(err, SLUICE_E_DATA, "the value of %s%s is not finite", kind_of(x),
                           sl_feature_shown(x, k, text));
        if (x->names && x->names[k].n > SL_MAX_NAME)
            return sl_fail(err, SLUICE_E_DATA, "the name %s is longer than %zu bytes", sl_feature_shown(x, k, text),
                           SL_MAX_NAME);
    }
    return check_distinct(w, x);
}

sluice_status sluice_writer_put(sluice_writer *w, const sluice_example *x) {
    if (w->broken) return w->broken;
    sl_label label;
    sluice_status status = check(w, x);
    if (status == SLUICE_OK) status = sl_label_of_example(x, &label, &w->error);
    return status == SLUICE_OK ? append(w, x, &label) : status;
}

/* ---- rows of batches, which were checked when they were added -------------------------------------------------- */

static size_t name_bytes(const sluice_batch *b, size_t row) {
    size_t bytes = 0;
    for (size_t k = b->start[row]; b->has_names && k < b->start[row + 1]; k++) bytes += sl_batch_name(b, k).n;
    return bytes;
}

/* Appends a row to the pending ones. */
static sluice_status append_row(sluice_writer *w, const sluice_batch *b, size_t row) {
    const size_t first = b->start[row], n = b->start[row + 1] - first;
    sluice_example x;
    if (!room_for_row(w, n)) return no_memory(w);
    sluice_batch_row(b, row, w->ids, w->names, &x);
    for (size_t k = 0; b->has_names && k < n; k++)
        w->ids[k] = b->list ? b->list->hash[b->id[first + k]] : b->hash[first + k];
    const sl_label label = {b->label[row], x.word};
    return append(w, &x, &label);
}

/* Writes a row as a block of its own, without a copy. */
static sluice_status write_large_row(sluice_writer *w, const sluice_batch *b, size_t row) {
    const size_t first = b->start[row], n = b->start[row + 1] - first;
    size_t start[] = {0, n};
    const sluice_batch view = {.rows = 1,
                               .nonzeros = n,
                               .start = start,
                               .label = b->label + row,
                               .word = row < b->worded ? b->word + row : NULL,
                               .word_text = b->word_text,
                               .worded = row<b->worded, .has_words = sl_batch_word(b, row).n> 0,
                               .weight = b->weight + row,
                               .list = b->list,
                               .id = b->has_names && !b->list ? NULL : b->id + first,
                               .value = b->value + first,
                               .wide = b->wide,
                               .name = b->has_names && !b->list ? b->name + first : NULL,
                               .hash = b->has_names && !b->list ? b->hash + first : NULL,
                               .text = b->text,
                               .has_names = b->has_names,
                               .has_weights = b->has_weights && b->weight[row] != 1};
    sluice_status status = flush(w);
    if (status == SLUICE_OK) status = write_block(w, &view);
    w->rows += status == SLUICE_OK;
    return status;
}

static sluice_status put_row(sluice_writer *w, const sluice_batch *b, size_t row) {
    if (w->put_line) {
        sluice_status status = write_line(w, b, row);
        w->rows += status == SLUICE_OK;
        return status;
    }
    const size_t n = sluice_batch_nonzeros(b, row), bytes = name_bytes(b, row), most = most_features(w, b->has_names);
    if (n > most) return sl_fail(&w->error, SLUICE_E_LIMIT, "an example of %zu features; there may be %zu", n, most);
    if (bytes > SL_BIN_MAX_ROW_TEXT)
        return sl_fail(&w->error, SLUICE_E_LIMIT, "the names of an example have %zu bytes; bin has room for %zu", bytes,
                       (size_t)SL_BIN_MAX_ROW_TEXT);
    return n > LARGE_ROW || bytes > 2 * SL_BIN_MAX_TEXT ? write_large_row(w, b, row) : append_row(w, b, row);
}

sluice_status sluice_writer_put_batch(sluice_writer *w, const sluice_batch *batch) {
    if (w->broken) return w->broken;
    if (w->committed) return sl_fail(&w->error, SLUICE_E_USAGE, "the file is already complete");
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < batch->rows && status == SLUICE_OK; i++) {
        status = put_row(w, batch, i);
        if (status != SLUICE_OK && !w->broken) /* the row is at fault: say where it is from */
            sl_place(&w->error, batch->source ? batch->source : "",
                     batch->has_lines ? batch->first_line + batch->line[i] : 0, 0);
    }
    return status;
}

sluice_status sluice_writer_commit(sluice_writer *w) {
    if (w->broken) return w->broken;
    if (w->committed) return SLUICE_OK;
    sluice_status status = flush(w);
    if (status == SLUICE_OK && !w->put_line && !sl_bin_put_end(&w->out.bytes, w->rows)) status = no_memory(w);
    if (status == SLUICE_OK) status = write_out(w);
    if (status != SLUICE_OK) return status;
    status = sl_atomic_commit(w->file, &w->error);
    w->file = NULL;
    w->committed = status == SLUICE_OK;
    if (status != SLUICE_OK) w->broken = status;
    return status;
}

void sluice_writer_close(sluice_writer *w) {
    if (!w) return;
    sl_atomic_abandon(w->file);
    sl_batch_free_arrays(&w->pending);
    sl_names_free(&w->file_names);
    sl_duplicates_free(&w->repeat);
    free(w->ids);
    free(w->names);
    free(w->out.bytes.data);
    free(w);
}

const sluice_error *sluice_writer_error(const sluice_writer *w) { return &w->error; }
