/* What must hold for any bytes in a format of named features: they read the same in one block and in small ones, with
 * one thread and with two, and by a parser in pieces; every row keeps the promises of rows/batch.h; and what a writer
 * makes of a row reads back as that row. */
#ifndef FUZZ_NAMED_H
#define FUZZ_NAMED_H

#include "fuzz/fuzz_outcome.h"
#include "features/names.h"
#include "io/text_write.h"

static float weight_of(const sluice_batch *b, size_t i) { return b->has_weights ? b->weight[i] : 1; }

static bool same_name(const sluice_batch *a, size_t j, const sluice_batch *b, size_t k) {
    return a->name[j].n == b->name[k].n && memcmp(a->text + a->name[j].at, b->text + b->name[k].at, a->name[j].n) == 0;
}

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    REQUIRE(b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros && isfinite(b->label[i]));
    REQUIRE(isfinite(weight_of(b, i)) && weight_of(b, i) >= 0);
    mix_float(&o->hash, b->label[i]);
    mix_float(&o->hash, weight_of(b, i));
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        const sl_name *name = &b->name[k];
        REQUIRE(name->n <= SL_MAX_NAME && name->at <= b->text_n && name->n <= b->text_n - name->at);
        REQUIRE(b->hash[k] == sl_name_hash(b->text + name->at, name->n));
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        mix(&o->hash, b->hash[k]);
        mix_float(&o->hash, b->value[k]);
        for (size_t j = b->start[i]; j < k; j++) REQUIRE(!same_name(b, j, b, k));
    }
}

static sluice_reader *open_named(const void *bytes, size_t n, const char *format, const char *weight, int skip,
                                 unsigned threads, size_t max_line, size_t block_bytes) {
    sluice_reader_options options = {.size = sizeof options,
                                     .format = format,
                                     .threads = threads,
                                     .skip_errors = skip,
                                     .max_line = max_line,
                                     .weight = weight};
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "fuzz", &options, block_bytes, &err);
    REQUIRE(r);
    return r;
}

/* A line that was written from a row is that row; the key of weights is named where there is one. */
static void reads_back(const sl_text_out *line, const char *format, const sluice_batch *b, size_t row) {
    sluice_reader *r =
        open_named(line->bytes.data, line->bytes.n, format, line->weights ? "weight" : NULL, 0, 1, 0, 1 << 19);
    const sluice_batch *back;
    REQUIRE(sluice_reader_next(r, &back) == SLUICE_OK && back->rows == 1);
    REQUIRE(back->nonzeros == b->start[row + 1] - b->start[row]);
    REQUIRE(memcmp(&back->label[0], &b->label[row], sizeof(float)) == 0 && weight_of(back, 0) == weight_of(b, row));
    for (size_t k = 0; k < back->nonzeros; k++) {
        REQUIRE(same_name(back, k, b, b->start[row] + k));
        REQUIRE(memcmp(&back->value[k], &b->value[b->start[row] + k], sizeof(float)) == 0);
    }
    sluice_reader_close(r);
}

static void write_row(const sluice_batch *b, size_t row) {
    static const struct {
        const char *format;
        sl_put_line *put;
    } writers[] = {{"vw", sl_put_vw}, {"jsonl", sl_put_jsonl}, {"libsvm", sl_put_libsvm}};
    for (size_t i = 0; i < 3; i++) {
        sl_text_out out = {0};
        sluice_error err;
        sluice_status status = writers[i].put(&out, b, row, &err);
        REQUIRE(status == SLUICE_OK ? out.bytes.n > 0 : status == SLUICE_E_UNSUPPORTED && out.bytes.n == 0);
        if (status == SLUICE_OK && i < 2) reads_back(&out, writers[i].format, b, row);
        free(out.bytes.data);
    }
}

static outcome run(const uint8_t *bytes, size_t n, const char *format, int skip, unsigned threads, size_t block_bytes,
                   bool write) {
    outcome o = {0};
    sluice_reader *r = open_named(bytes, n, format, "weight", skip, threads, 400, block_bytes);
    const sluice_batch *b;
    while ((o.status = (uint64_t)sluice_reader_next(r, &b)) == SLUICE_OK) {
        REQUIRE(b->has_names && b->rows > 0 && b->start[0] == 0 && b->start[b->rows] == b->nonzeros);
        for (size_t i = 0; i < b->rows; i++) {
            look_at_row(b, i, &o);
            if (write) write_row(b, i);
        }
        o.rows += b->rows, o.nonzeros += b->nonzeros;
    }
    if (o.status != SLUICE_END) {
        const sluice_error *e = sluice_reader_error(r);
        o.line = e->line, o.column = e->column;
        REQUIRE(e->message[0] && (uint64_t)e->status == o.status);
    }
    uint64_t count;
    for (size_t i = 0; sluice_reader_skipped(r, i, &count); i++) o.skipped += count;
    sluice_reader_close(r);
    return o;
}

static void check_named(const uint8_t *bytes, size_t n, const char *format) {
    for (int skip = 0; skip < 2; skip++) {
        outcome whole = run(bytes, n, format, skip, 1, 1 << 19, skip == 1), other;
        size_t blocks[] = {1, 13, 100};
        for (size_t i = 0; i < 3; i++) {
            other = run(bytes, n, format, skip, 1, blocks[i], false);
            REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        }
        other = run(bytes, n, format, skip, 2, 37, false);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        sluice_reader_options o = {
            .size = sizeof o, .format = format, .skip_errors = skip, .max_line = 400, .weight = "weight"};
        other = push(bytes, n, &o, 11, look_at_row);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        REQUIRE(skip || whole.skipped == 0);
    }
}

#endif
