/* Fuzz target: any bytes as a compressed input. What comes out is taken as LIBSVM text; how much comes out of damaged
 * data may depend on the way of reading, but what is delivered keeps its promises, and the rest is refused with a
 * reason. */
#include "fuzz/fuzz_outcome.h"

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    REQUIRE(b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros && isfinite(b->label[i]));
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        mix(&o->hash, sl_batch_id(b, k));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    sluice_reader_options options = {.size = sizeof options, .format = "libsvm", .skip_errors = 1, .max_line = 400};
    if (!is_packed(bytes, n)) return 0;
    outcome whole = push(bytes, n, &options, n + 1, look_at_row);
    if (digest(bytes, n) % EVERY) return 0;
    outcome small = read_blocks(bytes, n, options, 1, 13, look_at_row),
            many = read_blocks(bytes, n, options, 2, 37, look_at_row);
    if (whole.status == SLUICE_END) /* nothing is damaged */
        REQUIRE(memcmp(&whole, &small, sizeof whole) == 0 && memcmp(&whole, &many, sizeof whole) == 0);
    return 0;
}
