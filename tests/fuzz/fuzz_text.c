/* Fuzz target: any bytes as lines of text. */
#include "raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const sluice_reader_options kinds[] = {
        {.format = "text", .max_line = 300},
        {.format = "text", .max_line = 300, .ngrams = 3, .tf = SLUICE_TF_COUNT},
        {.format = "text", .max_line = 300, .ngrams = 2, .chars = "1-5", .min_length = 2, .stop_words = "the a b of"},
        {.format = "text", .max_line = 9000, .no_words = 1, .chars = "3-8"},
    };
    check_reading(bytes, n, kinds[n % (sizeof kinds / sizeof *kinds)], look_at_row);
    return 0;
}
