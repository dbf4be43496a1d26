/* What the fuzz targets of readers share: what must hold, and a digest of what was read, so that two ways of reading
 * the same bytes can be compared. */
#ifndef FUZZ_OUTCOME_H
#define FUZZ_OUTCOME_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows/batch.h"
#include "io/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) abort();                                                                                     \
    } while (0)

typedef struct outcome {
    uint64_t rows, nonzeros, hash; /* of everything that was delivered */
    uint64_t status, line, column, skipped;
} outcome; /* without gaps: outcomes are compared as bytes */

static inline void mix(uint64_t *h, uint64_t v) { *h = (*h ^ v) * 0x9E3779B97F4A7C15u + (*h >> 29); }

static inline void mix_float(uint64_t *h, float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    mix(h, bits);
}

#endif
