/* Characters: UTF-8 in and out, what they do to words, lower case. The tables are made by
 * scripts/make_unicode_table.py. */
#ifndef SL_UNICODE_H
#define SL_UNICODE_H

#include <stddef.h>
#include <stdint.h>

typedef enum sl_char_kind {
    SL_CHAR_SPLITS,  /* stands between words */
    SL_CHAR_WORD,    /* a letter, mark or digit */
    SL_CHAR_ALONE,   /* a word of its own: ideographs, kana, pictures */
    SL_CHAR_SKIPPED, /* as if it were not there: soft hyphens, joiners, marks of direction, variation selectors */
} sl_char_kind;

/* Characters from first on, every step-th, change by delta when they are folded. */
typedef struct sl_char_fold {
    uint32_t first, last;
    int32_t step, delta;
} sl_char_fold;

extern const uint32_t sl_char_kinds[];
extern const size_t sl_char_kinds_n;
extern const sl_char_fold sl_char_folds[];
extern const size_t sl_char_folds_n;

/* The ranges that the last character was in: the next one is mostly in the same. Begins as zeros. */
typedef struct sl_char_memory {
    uint32_t first, end; /* of one kind */
    sl_char_kind kind;
    sl_char_fold fold; /* all of these change, or with delta 0 none */
} sl_char_memory;

/* Both for c from 0x80 on. */
sl_char_kind sl_char_kind_of(sl_char_memory *m, uint32_t c);
uint32_t sl_char_folded(sl_char_memory *m, uint32_t c);

/* The character at p, which is not ASCII, and how many bytes it has. A byte that is no part of UTF-8 is a character of
 * Latin-1 by itself. Reads no further than the first byte below 0x80. */
unsigned sl_utf8_decode(const char *p, uint32_t *c);

#endif
