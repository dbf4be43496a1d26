/* Makes the checksums of a model file fit again, so that a changed file reaches the code behind them. */
#ifndef REPAIR_H
#define REPAIR_H

#include <string.h>

#include "base/hash/hash.h"

#include "file/model_format.h"

static inline void repair(unsigned char *bytes, size_t n) {
    if (n >= 16) memcpy(bytes, SL_MAGIC, 8);
    for (size_t at = 16; at + SL_SECTION_HEAD + 8 <= n;) {
        uint64_t length = sl_get_le(bytes + at + 8, 8);
        if (length > n - at - SL_SECTION_HEAD - 8) return;
        size_t end = at + SL_SECTION_HEAD + (size_t)length;
        sl_put_le(bytes + end, sl_xxh64(bytes + at, end - at, 0), 8);
        at = end + 8;
    }
}

#endif
