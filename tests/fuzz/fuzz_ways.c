/* Any bytes as LIBSVM text, as raw text and as URLs: every way of parsing gives the same. */
#include "fuzz/differential.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    for (int skip = 0; skip < 2; skip++)
        if (any_difference(sl_parse_libsvm, (const char *)data, size, skip) ||
            any_difference(sl_parse_text, (const char *)data, size, skip) ||
            any_difference(sl_parse_url, (const char *)data, size, skip))
            abort();
    return 0;
}
