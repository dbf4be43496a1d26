/* Fuzz target: any bytes as LIBSVM text. They must read the same in one block and in small ones, with one thread and
 * with two, and by a parser that gets them in pieces; every row must keep the promises of rows/batch.h; leaving bad
 * lines out must leave the good ones as they are. */
#include "fuzz/fuzz_outcome.h"

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    REQUIRE(b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros && isfinite(b->label[i]));
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        uint32_t bits;
        REQUIRE(b->id[k] < SL_WIDE || b->id[k] - SL_WIDE < b->wides);
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        memcpy(&bits, &b->value[k], 4);
        mix(&o->hash, sl_batch_id(b, k));
        mix(&o->hash, bits);
        for (size_t j = k > 50 ? k - 50 : 0; j < k; j++) /* near ones suffice: the unit tests look at all */
            REQUIRE(j < b->start[i] || sl_batch_id(b, j) != sl_batch_id(b, k));
    }
}

static outcome run(const uint8_t *bytes, size_t n, int skip, unsigned threads, size_t block_bytes) {
    sluice_reader_options options = {
        .size = sizeof options, .format = "libsvm", .threads = threads, .skip_errors = skip, .max_line = 400};
    outcome o = {0};
    sluice_error err;
    sluice_reader *r = sl_reader_open_memory(bytes, n, "fuzz", &options, block_bytes, &err);
    REQUIRE(r);
    const sluice_batch *b;
    while ((o.status = (uint64_t)sluice_reader_next(r, &b)) == SLUICE_OK) {
        REQUIRE(b->rows > 0 && b->start[0] == 0 && b->start[b->rows] == b->nonzeros);
        for (size_t i = 0; i < b->rows; i++) look_at_row(b, i, &o);
        o.rows += b->rows, o.nonzeros += b->nonzeros;
    }
    if (o.status != SLUICE_END) {
        const sluice_error *e = sluice_reader_error(r);
        o.line = e->line, o.column = e->column;
        REQUIRE(e->message[0]);
        REQUIRE((uint64_t)e->status == o.status);
    }
    uint64_t count;
    for (size_t i = 0; sluice_reader_skipped(r, i, &count); i++) o.skipped += count;
    sluice_reader_close(r);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    for (int skip = 0; skip < 2; skip++) {
        outcome whole = run(bytes, n, skip, 1, 1 << 19), other;
        size_t blocks[] = {1, 13, 100};
        for (size_t i = 0; i < 3; i++) {
            other = run(bytes, n, skip, 1, blocks[i]);
            REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        }
        other = run(bytes, n, skip, 2, 37);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .skip_errors = skip, .max_line = 400};
        other = push(bytes, n, &o, 11, look_at_row);
        REQUIRE(memcmp(&whole, &other, sizeof whole) == 0);
        REQUIRE(skip || whole.skipped == 0);
    }
    return 0;
}
