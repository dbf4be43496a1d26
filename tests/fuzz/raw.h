/* For fuzz targets of raw data: any bytes must read the same in one block and in small ones, with one thread and with
 * two, and by a parser in pieces, and every row must keep the promises of rows/batch.h. */
#ifndef RAW_H
#define RAW_H

#include "fuzz/fuzz_outcome.h"
#include "features/names.h"

static inline void look_at_feature(const sluice_batch *b, size_t k, outcome *o) {
    uint32_t bits;
    const sl_name name = b->name[k];
    REQUIRE(name.n > 0 && name.n <= SL_MAX_NAME && (size_t)name.at + name.n <= b->text_n);
    REQUIRE(b->hash[k] == sl_name_hash(b->text + name.at, name.n));
    REQUIRE(b->value[k] > 0 && b->value[k] <= 1);
    memcpy(&bits, &b->value[k], 4);
    mix(&o->hash, bits);
    for (uint32_t i = 0; i < name.n; i++) mix(&o->hash, (unsigned char)b->text[name.at + i]);
}

static inline void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    REQUIRE(b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros && isfinite(b->label[i]));
    double squares = 0;
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        look_at_feature(b, k, o);
        squares += (double)b->value[k] * (double)b->value[k];
        for (size_t j = b->start[i]; j < k; j++)
            REQUIRE(b->hash[j] != b->hash[k]); /* no two with one hash, in practice */
    }
    REQUIRE(b->start[i] == b->start[i + 1] || fabs(squares - 1) < 1e-4);
}

static inline outcome run(const uint8_t *bytes, size_t n, const sluice_reader_options *options, size_t block_bytes) {
    outcome o = {0};
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "fuzz", options, block_bytes, &err);
    REQUIRE(r);
    const sluice_batch *b;
    while ((o.status = (uint64_t)sluice_reader_next(r, &b)) == SLUICE_OK) {
        REQUIRE(b->rows > 0 && b->start[0] == 0 && b->start[b->rows] == b->nonzeros && b->has_names && !b->has_zeros);
        for (size_t i = 0; i < b->rows; i++) look_at_row(b, i, &o);
        o.rows += b->rows, o.nonzeros += b->nonzeros;
    }
    if (o.status != SLUICE_END) {
        const sluice_error *e = sluice_reader_error(r);
        o.line = e->line, o.column = e->column;
        REQUIRE(e->message[0]); /* damaged compressed data has no line */
    }
    uint64_t count;
    for (size_t i = 0; sluice_reader_skipped(r, i, &count); i++) o.skipped += count;
    sluice_reader_close(r);
    return o;
}

/* Reads the bytes in all ways that must not matter. */
static inline void read_all_ways(const uint8_t *bytes, size_t n, sluice_reader_options o) {
    o.size = sizeof o, o.max_line = 300, o.threads = 1;
    outcome whole = run(bytes, n, &o, 1 << 19), other;
    size_t blocks[] = {1, 13, 100};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        other = run(bytes, n, &o, blocks[i]);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    }
    o.threads = 2;
    other = run(bytes, n, &o, 37);
    REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    other = push(bytes, n, &o, 11, look_at_row);
    REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
    REQUIRE(o.skip_errors || whole.skipped == 0);
}

#endif
