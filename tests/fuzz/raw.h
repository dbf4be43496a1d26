/* For fuzz targets of raw data: what must hold for every row. */
#ifndef RAW_H
#define RAW_H

#include "fuzz/fuzz_outcome.h"
#include "features/names.h"

static inline void look_at_feature(const sluice_batch *b, size_t k, outcome *o) {
    uint32_t bits;
    const sl_name name = b->name[k];
    REQUIRE(name.n > 0 && name.n <= SL_MAX_NAME && (size_t)name.at + name.n <= b->text_n);
    REQUIRE(b->hash[k] == sl_name_hash(b->text + name.at, name.n));
    REQUIRE(b->value[k] > 0 && b->value[k] <= 1);
    memcpy(&bits, &b->value[k], 4);
    mix(&o->hash, bits);
    for (uint32_t i = 0; i < name.n; i++) mix(&o->hash, (unsigned char)b->text[name.at + i]);
}

static inline void look_at_row(const sluice_batch *b, size_t i, outcome *o) {
    mix(&o->hash, 0x5u + b->start[i + 1] - b->start[i]);
    REQUIRE(b->has_names && !b->has_zeros && b->start[i] <= b->start[i + 1] && b->start[i + 1] <= b->nonzeros &&
            isfinite(b->label[i]));
    double squares = 0;
    for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
        look_at_feature(b, k, o);
        squares += (double)b->value[k] * (double)b->value[k];
        for (size_t j = b->start[i]; j < k; j++)
            REQUIRE(b->hash[j] != b->hash[k]); /* no two with one hash, in practice */
    }
    REQUIRE(b->start[i] == b->start[i + 1] || fabs(squares - 1) < 1e-4);
}

#endif
