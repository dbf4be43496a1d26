/* Characters: binary search in the tables, and no search while they stay in one range. */
#include "io/text/unicode.h"

#include <stdbool.h>

static uint32_t kind_start(size_t i) { return i < sl_char_kinds_n ? sl_char_kinds[i] >> 2 : UINT32_MAX; }

sl_char_kind sl_char_kind_of(sl_char_memory *m, uint32_t c) {
    if (c >= m->first && c < m->end) return m->kind;
    size_t low = 0, high = sl_char_kinds_n; /* it is in one of [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (kind_start(middle) <= c)
            low = middle;
        else
            high = middle;
    }
    m->first = kind_start(low);
    m->end = kind_start(low + 1);
    m->kind = (sl_char_kind)(sl_char_kinds[low] & 3);
    return m->kind;
}

/* Finds the range that c is in, or the gap between two. */
static void find_fold(sl_char_fold *f, uint32_t c) {
    size_t low = 0, high = sl_char_folds_n; /* the first range that ends at c or behind it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sl_char_folds[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < sl_char_folds_n && sl_char_folds[low].first <= c) {
        *f = sl_char_folds[low];
        return;
    }
    f->first = low ? sl_char_folds[low - 1].last + 1 : 0;
    f->last = low < sl_char_folds_n ? sl_char_folds[low].first - 1 : UINT32_MAX;
    f->step = 1, f->delta = 0;
}

uint32_t sl_char_folded(sl_char_memory *m, uint32_t c) {
    sl_char_fold *f = &m->fold;
    if (c < f->first || c > f->last || !f->step) find_fold(f, c);
    bool changes = f->step == 1 || (c - f->first) % 2 == 0;
    return changes ? c + (uint32_t)f->delta : c;
}

static bool continues(const char *p) { return ((unsigned char)*p & 0xC0) == 0x80; }
static uint32_t low_bits(const char *p) { return (unsigned char)*p & 0x3F; }

unsigned sl_utf8_decode(const char *p, uint32_t *c) {
    unsigned char first = (unsigned char)*p;
    *c = first;
    if (first < 0xC2 || first > 0xF4 || !continues(p + 1)) return 1;
    if (first < 0xE0) {
        *c = (uint32_t)(first & 0x1F) << 6 | low_bits(p + 1);
        return 2;
    }
    if (!continues(p + 2)) return 1;
    if (first < 0xF0) {
        uint32_t v = (uint32_t)(first & 0xF) << 12 | low_bits(p + 1) << 6 | low_bits(p + 2);
        bool fine = v >= 0x800 && (v < 0xD800 || v > 0xDFFF); /* not longer than it must be, no surrogate */
        if (fine) *c = v;
        return fine ? 3 : 1;
    }
    if (!continues(p + 3)) return 1;
    uint32_t v = (uint32_t)(first & 7) << 18 | low_bits(p + 1) << 12 | low_bits(p + 2) << 6 | low_bits(p + 3);
    bool fine = v >= 0x10000 && v <= 0x10FFFF;
    if (fine) *c = v;
    return fine ? 4 : 1;
}
