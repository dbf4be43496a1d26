/* Fuzz target: any bytes as a bin file. As checksums would stop a fuzzer at the door, the bytes are also tried with
 * every block's checksum made right, so that what lies behind is reached. All kernels that decode ids must give the
 * same.
 */
#include "fuzz/fuzz_outcome.h"
#include "io/bin/bin.h"
#include "io/format.h"
#include "io/parse_kernels.h"

static void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    REQUIRE(isfinite(b->label[i]) && (!b->has_weights || (isfinite(b->weight[i]) && b->weight[i] >= 0)));
    mix(&o->hash, b->start[i + 1] - b->start[i]);
    mix_float(&o->hash, b->label[i]);
    mix_float(&o->hash, b->has_weights ? b->weight[i] : 1);
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        REQUIRE(isfinite(b->value[k]) && (b->has_zeros || b->value[k] != 0));
        REQUIRE(b->id[k] < SL_WIDE || b->id[k] - SL_WIDE < b->wides);
        REQUIRE(k == b->start[i] || sl_batch_id(b, k) != sl_batch_id(b, k - 1));
        mix(&o->hash, sl_batch_id(b, k));
        if (b->has_names) {
            REQUIRE(b->list && b->id[k] < b->list->n);
            const sl_feature_name name = sl_batch_name(b, k);
            for (size_t j = 0; j < name.n; j++) mix(&o->hash, (unsigned char)name.text[j]);
        }
        mix_float(&o->hash, b->value[k]);
    }
}

static sl_block parsed(const uint8_t *bytes, size_t n, const sl_rules *rules) {
    sl_block b = {.rules = rules, .source = "fuzz", .n = n, .text = malloc(n + SL_BLOCK_PAD)};
    REQUIRE(b.text);
    memcpy(b.text, bytes, n);
    memset(b.text + n, 0, SL_BLOCK_PAD);
    sl_parse_bin(&b);
    return b;
}

static void release(sl_block *b) {
    free(b->text);
    sl_batch_free_arrays(&b->batch);
    sl_duplicates_free(&b->repeat);
}

/* A block with a sound head, decoded by the portable kernels and by the chosen ones. */
static void compare_kernels(const uint8_t *header, size_t payload) {
    size_t rows = sl_get_u32(header + 4), nonzeros = sl_get_u32(header + 8);
    if (sl_get_u32(header + 12) & SL_BIN_END || rows == 0 || rows > payload || nonzeros > payload - rows) return;
    sl_rules plain = {.kernels = sl_parse_kernels_for(SL_CPU_PORTABLE), .words = true},
             best = {.kernels = sl_parse_kernels_chosen(), .words = true};
    sl_block a = parsed(header, SL_BIN_BLOCK_HEADER + payload, &plain),
             b = parsed(header, SL_BIN_BLOCK_HEADER + payload, &best);
    REQUIRE(a.status == b.status && a.batch.rows == b.batch.rows && a.batch.nonzeros == b.batch.nonzeros);
    REQUIRE(a.status == SLUICE_OK || strcmp(a.error.message, b.error.message) == 0);
    size_t n = a.batch.nonzeros;
    REQUIRE(n == 0 || (memcmp(a.batch.id, b.batch.id, 4 * n) == 0 && memcmp(a.batch.value, b.batch.value, 4 * n) == 0));
    release(&a), release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    sluice_reader_options options = {.format = "bin"};
    check_reading(bytes, n, options, look_at_row);
    uint8_t *fixed = malloc(n + 1);
    REQUIRE(fixed);
    if (n) memcpy(fixed, bytes, n);
    if (n >= SL_BIN_FILE_HEADER) {
        memcpy(fixed, SL_BIN_MAGIC, SL_BIN_MAGIC_BYTES);
        const uint32_t flags =
            n >= SL_BIN_FILE_HEADER + SL_BIN_BLOCK_HEADER ? sl_get_u32(fixed + SL_BIN_FILE_HEADER + 12) : 0;
        sl_put_u32(fixed + 8, sl_bin_version(flags));
        sl_put_u32(fixed + 12, 0);
    }
    for (size_t at = SL_BIN_FILE_HEADER; n > at && n - at >= SL_BIN_BLOCK_HEADER;) {
        uint8_t *header = fixed + at;
        size_t payload = sl_get_u32(header), left = n - at - SL_BIN_BLOCK_HEADER;
        if (payload > left) sl_put_u32(header, (uint32_t)(payload = left));
        sl_put_u32(header + 12, sl_get_u32(header + 12) & SL_BIN_FLAGS);
        sl_put_u64(header + 16, sl_bin_checksum(header, header + SL_BIN_BLOCK_HEADER, payload));
        compare_kernels(header, payload);
        at += SL_BIN_BLOCK_HEADER + payload;
    }
    check_reading(fixed, n, options, look_at_row);
    free(fixed);
    return 0;
}
