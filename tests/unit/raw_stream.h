/* For tests of the readers of raw data: what they deliver as one text. Every row has length 1, which is checked. */
#ifndef RAW_STREAM_H
#define RAW_STREAM_H

#include <math.h>

#include "stream.h"

/* ` name|name*2|...`: names, with how many times the row's smallest value each has, where that is not once. */
static inline void add_named_row(text *t, const sluice_batch *b, size_t row) {
    double squares = 0, least = INFINITY;
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        squares += (double)b->value[k] * (double)b->value[k];
        least = fmin(least, (double)b->value[k]);
    }
    CHECK(b->start[row] == b->start[row + 1] || fabs(squares - 1) < 1e-6);
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        double times = (double)b->value[k] / least;
        add(t, "%s%.*s", k > b->start[row] ? "|" : " ", (int)b->name[k].n, b->text + b->name[k].at);
        if (fabs(times - 1) > 1e-6) add(t, "*%.5g", times);
    }
}

/* Rows as `label name|name...`, one a line; then the error and the lines left out, as drain() of stream.h does. */
static inline char *drain_raw(sluice_reader *r) {
    text t = {0};
    char number[40];
    add(&t, "");
    const sluice_batch *b;
    sluice_status status;
    while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) {
        CHECK(b->rows > 0 && b->has_names && !b->has_weights && !b->has_zeros && b->has_lines);
        for (size_t i = 0; i < b->rows; i++) {
            sluice_format_float(number, b->label[i]);
            add(&t, "%s", number);
            add_named_row(&t, b, i);
            add(&t, "\n");
        }
    }
    const sluice_error *e = sluice_reader_error(r);
    if (status != SLUICE_END)
        add(&t, "%s %s:%llu:%llu: %s\n", sluice_status_name(status), e->source, (unsigned long long)e->line,
            (unsigned long long)e->column, e->message);
    uint64_t count;
    const char *name;
    for (size_t i = 0; (name = sluice_reader_skipped(r, i, &count)); i++)
        if (count) add(&t, "skipped %s=%llu\n", name, (unsigned long long)count);
    sluice_reader_close(r);
    return t.data;
}

static inline char *read_raw_once(const void *bytes, size_t n, const sluice_reader_options *o, size_t block_bytes) {
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", o, block_bytes, &err);
    CHECK(r != NULL);
    return drain_raw(r);
}

/* With one thread in one block, and checked to be the same in small blocks and with threads. */
static inline char *read_raw(const void *bytes, size_t n, sluice_reader_options o) {
    o.size = sizeof o, o.threads = 1;
    char *plain = read_raw_once(bytes, n, &o, 1 << 19);
    size_t blocks[] = {1, 7, 64, 1000};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            char *other = read_raw_once(bytes, n, &o, blocks[i]);
            CHECK_STR(other, plain);
            free(other);
        }
    return plain;
}

static inline void check_raw(const void *bytes, size_t n, sluice_reader_options o, const char *want) {
    char *got = read_raw(bytes, n, o);
    CHECK_STR(got, want);
    free(got);
}

#endif
