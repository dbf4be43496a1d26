/* Fuzz target: any bytes as JSON Lines. */
#include "fuzz/named.h"
#include "fuzz/table_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    check_named(bytes, n, "jsonl");
    static const char *const columns[] = {NULL, "a,b.*", NULL, "*"}, *const ignore[] = {"a", NULL, "*.b", "a.[0-9]"},
                             *const text[] = {NULL, "a", "*", "a.*,b"};
    const unsigned choice = n ? bytes[n / 2] & 3 : 0;
    check_reading(bytes, n,
                  (sluice_reader_options){.format = "jsonl",
                                          .max_line = 400,
                                          .columns = columns[choice],
                                          .ignore = ignore[choice],
                                          .text_columns = text[choice],
                                          .ngrams = 2},
                  look_at_row);
    for (int words = 0; words < 2; words++) {
        const sluice_reader_options options = {
            .format = "jsonl", .max_line = 400, .skip_errors = 1, .words = words, .unlabelled = !words};
        REQUIRE(table_reads_alike((const char *)bytes, n, &options, n + 1));
    }
    check_origins(bytes, n, "jsonl", n % 3 ? "a" : "a.b");
    return 0;
}
