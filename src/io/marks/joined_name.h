/* Names of a prefix and a text, `column=text`, put together with few instructions: where they have at most 15 bytes
 * they are joined and hashed in two registers. */
#ifndef SL_JOINED_NAME_H
#define SL_JOINED_NAME_H

#include "features/names.h"
#include "io/named/named_rows.h"

static inline sl_name_words sl_join_words(sl_name_words prefix, size_t n, sl_name_words text) {
    sl_name_product both = ((sl_name_product)text.last << 64 | text.first) << (8 * n);
    return (sl_name_words){(uint64_t)both | prefix.first, (uint64_t)(both >> 64) | prefix.last};
}

/* Adds the feature prefix + text, which the row has not, with value 1. There is room for a feature. Of the prefix
 * SL_NAME_PAD bytes can be read, however short it is, and behind the text SL_BLOCK_PAD. False, and nothing has
 * happened: there is no room for the bytes, or they are too many. */
static inline bool sl_add_joined(sl_named_rows *r, const char *prefix, size_t prefix_n, const char *text, size_t n) {
    sluice_batch *const b = r->batch;
    const size_t whole = prefix_n + n, at = b->text_n;
    char *const to = b->text + at;
    uint64_t hash;
    if (at + whole + SL_TEXT_PAD >= r->text_stop) return false;
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && whole <= SL_WORDS_NAME) {
        const sl_name_words words =
            sl_join_words(sl_padded_words(prefix, prefix_n), prefix_n, sl_padded_words(text, n));
        memcpy(to, &words, sizeof words);
        hash = sl_words_hash(words, whole);
    } else {
        enum { STEP = 32 };
        if (whole > SL_MAX_NAME) return false;
        if (prefix_n <= SL_NAME_PAD)
            memcpy(to, prefix, SL_NAME_PAD);
        else
            memcpy(to, prefix, prefix_n);
        for (size_t i = 0; i < n; i += STEP) memcpy(to + prefix_n + i, text + i, STEP);
        hash = sl_padded_hash(to, whole);
    }
    r->name_first = b->text_n = at + whole;
    sl_named_known(r, (sl_name){.at = (uint32_t)at, .n = (uint32_t)whole}, hash, 1);
    return true;
}

#endif
