/* Fuzz target: any bytes as JSON Lines. */
#include "fuzz/named.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    check_named(bytes, n, "jsonl");
    check_origins(bytes, n, "jsonl", n % 3 ? "a" : "a.b");
    return 0;
}
