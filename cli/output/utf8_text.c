/* Recognises UTF-8 characters. */
#include "output/utf8_text.h"

size_t utf8_character(const unsigned char *text, size_t n) {
    unsigned char c = *text;
    size_t k = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (k == 0 || k > n) return 0;
    for (size_t i = 1; i < k; i++)
        if ((text[i] & 0xc0) != 0x80) return 0;
    /* overlong forms, surrogates, beyond the last one */
    int bad = (c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f) || (c == 0xf0 && text[1] < 0x90) ||
              (c == 0xf4 && text[1] > 0x8f);
    return bad ? 0 : k;
}
