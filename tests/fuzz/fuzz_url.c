/* Fuzz target: any bytes as lines of URLs. */
#include "raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    for (int skip = 0; skip < 2; skip++)
        read_all_ways(bytes, n, (sluice_reader_options){.format = "url", .skip_errors = skip});
    return 0;
}
