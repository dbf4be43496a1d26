/* UTF-8, as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef SL_UTF8_H
#define SL_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes (1 to 4) the character that begins here has, or 0 if the first n bytes do not begin with one. */
static inline size_t sl_utf8_length(const char *text, size_t n) {
    const unsigned char *s = (const unsigned char *)text;
    if (n == 0 || s[0] < 0x80) return n != 0;
    size_t length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (s[0] < 0xC2 || s[0] > 0xF4 || length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return length;
}

enum { SL_UTF8_MAX = 4 };

/* Writes a character that is no surrogate; returns its length. */
static inline size_t sl_utf8_put(char out[SL_UTF8_MAX], uint32_t c) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i; i--, c >>= 6) out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00 >> n & 0xF0) | c);
    return n;
}

#endif
