/* Fuzz target: any bytes as lines of URLs. */
#include "raw.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    check_reading(bytes, n, (sluice_reader_options){.format = "url", .max_line = 300}, look_at_row);
    return 0;
}
