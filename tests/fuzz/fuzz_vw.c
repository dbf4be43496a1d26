/* Fuzz target: any bytes as VW text. */
#include "fuzz/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    check_named(bytes, n, "vw");
    check_origins(bytes, n, "vw", "tag");
    return 0;
}
