/* What both ways of reading URLs share: limits, bytes, escapes, numbers, registries. */
#ifndef SL_URL_TEXT_H
#define SL_URL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum {
    SL_URL_WORD_BYTES = 64,  /* of a value; what it has beyond them does not count */
    SL_URL_HOST_BYTES = 255, /* the same for whole hosts: more than the DNS allows */
    SL_URL_LABELS = 128,     /* of a host; it has more in no DNS */
};

static inline char sl_url_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static inline bool sl_url_is_digit(char c) { return c >= '0' && c <= '9'; }
static inline bool sl_url_is_alnum(char c) {
    return sl_url_is_digit(c) || (sl_url_lower(c) >= 'a' && sl_url_lower(c) <= 'z');
}
/* Words are made of these: what is not ASCII is most likely a letter. */
static inline bool sl_url_in_word(char c) { return sl_url_is_alnum(c) || (unsigned char)c >= 0x80; }
/* Schemes are. */
static inline bool sl_url_in_scheme(char c) { return sl_url_is_alnum(c) || c == '+' || c == '.' || c == '-'; }

static inline int sl_url_hex_digit(char c) {
    const char low = sl_url_lower(c);
    return sl_url_is_digit(c) ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* The next byte, escapes (%41) undone. */
static inline char sl_url_next_byte(const char **p, const char *end) {
    const char *q = *p;
    if (*q == '%' && end - q >= 3 && sl_url_hex_digit(q[1]) >= 0 && sl_url_hex_digit(q[2]) >= 0) {
        *p += 3;
        return (char)(sl_url_hex_digit(q[1]) * 16 + sl_url_hex_digit(q[2]));
    }
    ++*p;
    return *q;
}

/* Whether a label is a number as inet_aton() takes it: decimal, octal or hexadecimal. *decimal becomes false where it
 * is none of 0 to 999 without zeros before it. */
static inline bool sl_url_is_number(const char *p, const char *end, bool *decimal) {
    const size_t n = (size_t)(end - p);
    if (n > 2 && p[0] == '0' && sl_url_lower(p[1]) == 'x') {
        *decimal = false;
        for (p += 2; p < end && sl_url_hex_digit(*p) >= 0;) p++;
        return p == end;
    }
    *decimal &= n <= 3 && (n == 1 || *p != '0');
    while (p < end && sl_url_is_digit(*p)) p++;
    return p == end;
}

/* Whether second-level names are given out under this label of a country: co.uk, com.au. */
static inline bool sl_url_is_registry(const char *label, size_t n) {
    static const char names[][4] = {"ac", "co", "com", "edu", "go", "gob", "gov", "ne", "net", "or", "org"};
    if (n < 2 || n > 3) return false;
    const char low[4] = {sl_url_lower(label[0]), sl_url_lower(label[1]), n == 3 ? sl_url_lower(label[2]) : '\0'};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (memcmp(low, names[i], sizeof low) == 0) return true;
    return false;
}

#endif
