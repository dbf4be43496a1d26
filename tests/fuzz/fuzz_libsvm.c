/* Fuzz target: any bytes as LIBSVM text. They must read the same in all ways, and every row must keep the promises of
 * rows/batch.h. */
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

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    check_reading(bytes, n, (sluice_reader_options){.format = "libsvm", .max_line = 400}, look_at_row);
    return 0;
}
