/* Fuzz target: any bytes as lines of text. */
#include "raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    read_all_ways(bytes, n, (sluice_reader_options){.format = "text", .skip_errors = 1});
    read_all_ways(bytes, n, (sluice_reader_options){.format = "text", .ngrams = 3, .tf = SLUICE_TF_COUNT});
    return 0;
}
