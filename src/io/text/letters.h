/* Which bytes of a text are ASCII letters and digits, and the text in lower case, 64 bytes at a time. */
#ifndef SL_LETTERS_H
#define SL_LETTERS_H

#include <stddef.h>
#include <stdint.h>

enum { SL_LETTERS_WINDOW = 64 };

/* A bit for each byte of a window, the first byte's the lowest. */
typedef struct sl_letter_bits {
    uint64_t letters; /* an ASCII letter or digit */
    uint64_t high;    /* above 127 */
} sl_letter_bits;

/* Reads a window, and writes it to `lower` with A to Z as a to z. */
typedef sl_letter_bits sl_find_letters(const char *text, char *lower);

#if defined(__x86_64__)
sl_find_letters sl_letters_avx2;
sl_find_letters sl_letters_avx512;
#endif

#endif
