/* Writers: examples to LIBSVM text or the binary format, in a file that appears when it is complete. Every example
 * becomes a row of a batch first; full batches become blocks or lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/batch.h"
#include "core/error.h"
#include "core/repeat.h"
#include "file/atomic.h"
#include "io/bin.h"
#include "io/format.h"

enum {
    FLUSH_BYTES = 1 << 18,
    FLUSH_ROWS = 1 << 15,
    LABEL_ROOM = 40,
    FEATURE_ROOM = 64, /* a space, 20 digits, a colon, a float */
};

struct sluice_writer {
    sl_atomic *file;
    bool text, committed;
    uint64_t rows;
    sluice_batch pending;
    sl_bytes out;
    sl_repeat repeat;
    uint64_t *ids; /* of the row of a batch that is being put */
    size_t ids_room;
    sluice_status broken; /* after a failure to write there is no going on */
    sluice_error error;
};

sluice_writer *sluice_writer_open(const char *path, const char *format, sluice_error *err) {
    const sl_format *f = format ? sl_format_find(format, err) : sl_format_by_ending(path);
    if (!f) return NULL;
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
    w->text = strcmp(f->name, "bin") != 0;
    if (!w->text && !sl_bin_put_header(&w->out))
        sl_fail(err, SLUICE_E_MEMORY, "no memory");
    else if ((w->file = sl_atomic_open(path, err)))
        return w;
    sluice_writer_close(w);
    return NULL;
}

static sluice_status no_memory(sluice_writer *w) {
    return w->broken = sl_fail(&w->error, SLUICE_E_MEMORY, "no memory for the examples to be written");
}

static size_t put_id(uint8_t *out, uint64_t id) {
    uint8_t reversed[20];
    size_t n = 0;
    do reversed[n++] = (uint8_t)('0' + id % 10);
    while (id /= 10);
    for (size_t i = 0; i < n; i++) out[i] = reversed[n - 1 - i];
    return n;
}

static sluice_status write_out(sluice_writer *w) {
    sluice_status status = sl_atomic_write(w->file, w->out.data, w->out.n, &w->error);
    if (status != SLUICE_OK) w->broken = status;
    w->out.n = 0;
    return status;
}

static sluice_status write_line(sluice_writer *w, const sluice_batch *b, size_t row) {
    size_t need = LABEL_ROOM + FEATURE_ROOM * (b->start[row + 1] - b->start[row]);
    if (w->out.room - w->out.n < need) {
        uint8_t *grown = realloc(w->out.data, w->out.n + need + FLUSH_BYTES);
        if (!grown) return no_memory(w);
        w->out.data = grown, w->out.room = w->out.n + need + FLUSH_BYTES;
    }
    uint8_t *p = w->out.data + w->out.n;
    p += sluice_format_float((char *)p, b->label[row]);
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        *p++ = ' ';
        p += put_id(p, sl_batch_id(b, k));
        *p++ = ':';
        p += sluice_format_float((char *)p, b->value[k]);
    }
    *p++ = '\n';
    w->out.n = (size_t)(p - w->out.data);
    return w->out.n >= FLUSH_BYTES ? write_out(w) : SLUICE_OK;
}

/* Writes the pending rows. */
static sluice_status flush(sluice_writer *w) {
    sluice_status status = SLUICE_OK;
    if (w->text) {
        for (size_t i = 0; i < w->pending.rows && status == SLUICE_OK; i++) status = write_line(w, &w->pending, i);
    } else if (w->pending.rows) {
        status = sl_bin_put_block(&w->out, &w->pending) ? write_out(w) : no_memory(w);
    }
    sl_batch_clear(&w->pending);
    return status;
}

/* Adds a row to the pending ones; wide ids come in `ids`. */
static sluice_status append(sluice_writer *w, const uint64_t *ids, const float *values, size_t n, float label,
                            float weight) {
    sluice_batch *b = &w->pending;
    if (!sl_batch_reserve(b, 1, n, n)) return no_memory(w);
    for (size_t k = 0; k < n; k++) {
        if (ids[k] < SL_WIDE) {
            b->id[b->nonzeros + k] = (uint32_t)ids[k];
        } else {
            b->id[b->nonzeros + k] = SL_WIDE + (uint32_t)b->wides;
            b->wide[b->wides++] = ids[k];
        }
        b->value[b->nonzeros + k] = values[k];
    }
    b->nonzeros += n;
    if (weight != 1 && !b->has_weights) {
        for (size_t i = 0; i < b->rows; i++) b->weight[i] = 1;
        b->has_weights = true;
    }
    b->weight[b->rows] = weight;
    b->label[b->rows++] = label;
    b->start[b->rows] = b->nonzeros;
    w->rows++;
    return b->nonzeros >= SL_BIN_NONZEROS || b->rows >= FLUSH_ROWS ? flush(w) : SLUICE_OK;
}

/* The rules every reader enforces hold for what is written too. */
static sluice_status check(sluice_writer *w, const uint64_t *ids, const float *values, size_t n, double label,
                           double weight) {
    sluice_error *err = &w->error;
    if (w->committed) return sl_fail(err, SLUICE_E_USAGE, "the file is already complete");
    if (n > SL_MAX_ROW)
        return sl_fail(err, SLUICE_E_LIMIT, "an example of %zu features; there may be %zu", n, SL_MAX_ROW);
    if (!isfinite((float)label)) return sl_fail(err, SLUICE_E_DATA, "the label of an example is not a finite float");
    if (!isfinite((float)weight) || weight < 0 || (weight > 0 && (float)weight == 0))
        return sl_fail(err, SLUICE_E_DATA, "the weight of an example is negative or beyond the range of floats");
    if (w->text && weight != 1)
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "LIBSVM text has no place for importance weights; bin has");
    for (size_t k = 0; k < n; k++)
        if (!isfinite(values[k]))
            return sl_fail(err, SLUICE_E_DATA, "the value of id %llu is not finite", (unsigned long long)ids[k]);
    uint64_t *room = sl_repeat_room(&w->repeat, n);
    if (!room) return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    if (n) memcpy(room, ids, n * sizeof *room);
    size_t at = sl_repeat_find(&w->repeat, n);
    if (at != SL_REPEAT_NONE)
        return sl_fail(err, SLUICE_E_DATA, "id %llu stands twice in an example", (unsigned long long)ids[at]);
    return SLUICE_OK;
}

sluice_status sluice_writer_put(sluice_writer *w, const sluice_example *x) {
    if (w->broken) return w->broken;
    sluice_status status = check(w, x->ids, x->values, x->n, x->label, x->weight);
    return status == SLUICE_OK ? append(w, x->ids, x->values, x->n, (float)x->label, (float)x->weight) : status;
}

sluice_status sluice_writer_put_batch(sluice_writer *w, const sluice_batch *batch) {
    if (w->broken) return w->broken;
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < batch->rows && status == SLUICE_OK; i++) {
        size_t n = sluice_batch_nonzeros(batch, i);
        if (n > w->ids_room) {
            uint64_t *grown = realloc(w->ids, 2 * n * sizeof *grown);
            if (!grown) return no_memory(w);
            w->ids = grown, w->ids_room = 2 * n;
        }
        sluice_example x;
        sluice_batch_row(batch, i, w->ids, &x);
        status = sluice_writer_put(w, &x);
    }
    return status;
}

sluice_status sluice_writer_commit(sluice_writer *w) {
    if (w->broken) return w->broken;
    if (w->committed) return SLUICE_OK;
    sluice_status status = flush(w);
    if (status == SLUICE_OK && !w->text && !sl_bin_put_end(&w->out, w->rows)) status = no_memory(w);
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
    sl_repeat_free(&w->repeat);
    free(w->ids);
    free(w->out.data);
    free(w);
}

const sluice_error *sluice_writer_error(const sluice_writer *w) { return &w->error; }
