/* The tokens of JSON (RFC 8259), as JSON Lines and the reader of requests share them: what a string, an escape and a
 * number are, and how deep objects and arrays may go. */
#ifndef SL_JSON_TOKENS_H
#define SL_JSON_TOKENS_H

#include <stddef.h>
#include <stdbool.h>

#include "base/digits.h"
#include "base/utf8.h"

enum { SL_JSON_DEPTH = 64 };

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* Which of eight bytes of a string are not plain: a quote, a backslash, a control byte, or one beyond ASCII. 0: all
 * are; the lowest bit that is set tells of the first. */
static inline uint64_t sl_json_not_plain(uint64_t x) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, each = 0x0101010101010101u;
    uint64_t y = x ^ each * '"', z = x ^ each * '\\';
    uint64_t plain = ((x & low) + each * (0x80 - ' ')) & ((y & low) + low) & ((z & low) + low) & ~x;
    return ~plain & ~low;
}

/* The first byte from p on that is not plain; eight bytes behind it are readable. */
static inline const char *sl_json_plain_end(const char *p) {
    for (;; p += 8) {
        uint64_t found = sl_json_not_plain(sl_load8(p));
        if (found) return p + (__builtin_ctzll(found) >> 3);
    }
}

/* The four digits behind \u; false if they are not. */
static inline bool sl_json_hex(const char *p, const char *end, uint32_t *c) {
    *c = 0;
    if (end - p < 4) return false;
    for (int i = 0; i < 4; i++) {
        char lower = (char)(p[i] | 0x20);
        if (!sl_is_digit(p[i]) && !(lower >= 'a' && lower <= 'f')) return false;
        *c = *c << 4 | (uint32_t)(sl_is_digit(p[i]) ? p[i] - '0' : lower - 'a' + 10);
    }
    return true;
}

typedef enum sl_json_escape_status {
    SL_ESCAPE_OK,
    SL_ESCAPE_UNKNOWN, /* no such letter */
    SL_ESCAPE_DIGITS,  /* not \u and four digits */
    SL_ESCAPE_HALF,    /* half of a surrogate pair */
} sl_json_escape_status;

/* Reads the escape at *p, a backslash, and moves *p behind it: the n bytes that it stands for. \uXXXX, or two of them
 * that are one character, become UTF-8. On failure *p is unchanged. */
static inline sl_json_escape_status sl_json_escape(const char **p, const char *end, char out[SL_UTF8_MAX], size_t *n) {
    static const char meaning[128] = {
        ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'};
    const char *q = *p + 1;
    if (q >= end) return SL_ESCAPE_UNKNOWN;
    if (*q != 'u') {
        *out = meaning[*q & 127];
        if (!*out || *q & 128) return SL_ESCAPE_UNKNOWN;
        *n = 1;
        *p = q + 1;
        return SL_ESCAPE_OK;
    }
    uint32_t c, second;
    if (!sl_json_hex(q + 1, end, &c)) return SL_ESCAPE_DIGITS;
    q += 5;
    if (c >= 0xD800 && c < 0xE000) {
        if (c >= 0xDC00 || end - q < 6 || q[0] != '\\' || q[1] != 'u' || !sl_json_hex(q + 2, end, &second) ||
            second < 0xDC00 || second >= 0xE000)
            return SL_ESCAPE_HALF;
        c = 0x10000 + ((c - 0xD800) << 10) + (second - 0xDC00);
        q += 6;
    }
    *n = sl_utf8_put(out, c);
    *p = q;
    return SL_ESCAPE_OK;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Whether what begins so is meant as a number: words for what is not finite are, as some programs write them. */
static inline bool sl_json_begins_number(char c) {
    return sl_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'N' || c == 'I';
}

static inline bool sl_json_ends_number(char c) {
    return c == ',' || c == '}' || c == ']' || c == ' ' || (c >= '\t' && c <= '\r');
}

static inline const char *sl_json_digits_end(const char *p, const char *end) {
    while (p < end && sl_is_digit(*p)) p++;
    return p;
}

/* Whether [p, end) is -digits.digits e+-digits without zeros in front: stricter than what other formats take. *whole
 * (may be NULL): it has neither point nor exponent. */
static inline bool sl_json_is_number(const char *p, const char *end, bool *whole) {
    p += p < end && *p == '-';
    const char *q = sl_json_digits_end(p, end);
    if (q == p || (*p == '0' && q > p + 1)) return false;
    if (whole) *whole = q == end;
    if (q < end && *q == '.') {
        p = q + 1;
        if ((q = sl_json_digits_end(p, end)) == p) return false;
    }
    if (q < end && (*q == 'e' || *q == 'E')) {
        p = q + 1;
        p += p < end && (*p == '-' || *p == '+');
        if ((q = sl_json_digits_end(p, end)) == p) return false;
    }
    return q == end;
}

#endif
