/* Fuzz target: any bytes as lines of text. */
#include "raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    sluice_reader_options words = {.format = "text", .max_line = 300},
                          sequences = {.format = "text", .max_line = 300, .ngrams = 3, .tf = SLUICE_TF_COUNT};
    check_reading(bytes, n, n % 2 ? sequences : words, look_at_row);
    return 0;
}
