/* Eight decimal digits at a time, and the short way from a decimal to a float: what the hot loops of the text readers
 * and number.c share. Everything here is exact or says that it is not sure. */
#ifndef SL_DIGITS_H
#define SL_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/number.h"

/* 10^e as the nearest double, for SL_POW10_MIN <= e <= SL_POW10_MAX: all that a float can need. */
#define SL_POW10_MIN (-64)
#define SL_POW10_MAX 38
extern const double sl_pow10_table[SL_POW10_MAX - SL_POW10_MIN + 1];
static inline double sl_pow10(int e) { return sl_pow10_table[e - SL_POW10_MIN]; }

/* 10^e exactly, for e <= 15. */
extern const uint64_t sl_pow10_int[16];

/* w * 10^e10 as the nearest float; SL_NUMBER_OK or SL_NUMBER_RANGE. */
sl_number_status sl_decimal_to_float(uint64_t w, int e10, float *value);

static inline bool sl_is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* Eight bytes of text; the first is the lowest. */
static inline uint64_t sl_load8(const char *p) {
    uint64_t v;
    memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

#define SL_ZEROS 0x3030303030303030u /* '0' in every byte */

/* High bits where a byte of text xor '0' is above 9, so no digit. What it carries may set those of later bytes too:
 * whether there is one, and which is the first, is right. */
static inline uint64_t sl_not_digits(uint64_t t) { return ((t + 0x7676767676767676u) | t) & 0x8080808080808080u; }

/* How many of the eight bytes of text xor '0', from the first on, are digits. */
static inline unsigned sl_digit_run(uint64_t t) {
    uint64_t other = sl_not_digits(t);
    return other ? (unsigned)__builtin_ctzll(other) >> 3 : 8;
}

/* The number that eight digits (values, not characters; first digit lowest) stand for: pairs, then fours, then all. */
static inline uint64_t sl_eight_digits(uint64_t t) {
    t = t * 10 + (t >> 8);
    t = ((t & 0x000000FF000000FFu) * 0x000F424000000064u + ((t >> 16) & 0x000000FF000000FFu) * 0x0000271000000001u) >>
        32;
    return t & 0xFFFFFFFFu;
}

/* The number that the first n digits (1..7) stand for: shifting puts zeros in front. */
static inline uint64_t sl_few_digits(uint64_t t, unsigned n) { return sl_eight_digits(t << (64 - 8 * n)); }

/* w / 10^places to the nearest float, for w below 10^17 and places <= 17; false when the double is too close to a
 * halfway point to be sure. The double is within 3 units of its last place of the truth (three roundings); the 29 bits
 * that a float drops must therefore be farther than that from the middle. Such values are never outside the normal
 * floats. */
static inline bool sl_short_float(uint64_t w, unsigned places, float *value) {
    double d = (double)(int64_t)w * sl_pow10(-(int)places);
    uint64_t bits;
    memcpy(&bits, &d, 8);
    *value = (float)d;
    return ((bits - (0x10000000u - 8)) & 0x1FFFFFFFu) > 16;
}

/* The numbers that nearly all data consists of: up to 7 digits and perhaps a point and up to 7 more, or one digit, a
 * point and up to 15. False, and nothing has happened, for every other; then sl_parse_float() decides, and so it must
 * where what follows shows that the number goes on. There must be 24 readable bytes from *at on. */
static inline __attribute__((always_inline)) bool sl_quick_float(const char **at, float *value) {
    const char *p = *at;
    uint64_t t, w;
    unsigned n, places = 0;
    bool negative = *p == '-';
    p += negative;
    w = (unsigned char)(*p - '0');
    if (w > 9) return false;
    if (p[1] == '.') { /* one digit and a point: the next load does not wait for a count */
        t = sl_load8(p + 2) ^ SL_ZEROS;
        places = sl_digit_run(t);
        if (places - 1 < 7) {
            w = w * sl_pow10_int[places] + sl_few_digits(t, places);
        } else {
            if (places == 0) return false;
            uint64_t t2 = sl_load8(p + 10) ^ SL_ZEROS;
            unsigned n2 = sl_digit_run(t2);
            if (n2 == 8) return false;
            w = (w * 100000000 + sl_eight_digits(t)) * sl_pow10_int[n2] + (n2 ? sl_few_digits(t2, n2) : 0);
            places = 8 + n2;
        }
        p += 2 + places;
    } else if (sl_is_digit(p[1])) {
        t = sl_load8(p) ^ SL_ZEROS;
        n = sl_digit_run(t);
        if (n == 8) return false;
        w = sl_few_digits(t, n);
        p += n;
        if (*p == '.') {
            t = sl_load8(p + 1) ^ SL_ZEROS;
            places = sl_digit_run(t);
            if (places == 0 || places == 8) return false;
            w = w * sl_pow10_int[places] + sl_few_digits(t, places);
            p += 1 + places;
        }
    } else {
        p++;
    }
    float f;
    if (!sl_short_float(w, places, &f)) return false;
    *value = negative ? -f : f;
    *at = p;
    return true;
}

/* A number of up to 8 characters, its sign not counted, that fills [v, stop): digits, and perhaps a point behind the
 * first of them. Where it ends is known, so nothing waits for its length. False, and nothing has happened, for every
 * other text; then sl_quick_float() and sl_parse_float() decide. There must be 8 readable bytes before `stop`. */
static inline __attribute__((always_inline)) bool sl_ended_float(const char *v, const char *stop, float *value) {
    const uint64_t each = 0x0101010101010101u;
    const bool negative = *v == '-';
    v += negative;
    const size_t n = (size_t)(stop - v);
    if (n - 1 >= 8) return false;
    uint64_t t = (sl_load8(stop - 8) ^ SL_ZEROS) & ~(uint64_t)0 << (64 - 8 * n); /* zeros in front */
    const uint64_t y = t ^ each * ('.' ^ '0');
    const uint64_t point = ~(((y & each * 0x7F) + each * 0x7F) | y) & each * 0x80;
    unsigned places = 0;
    if (point) { /* closed up: what stands before it moves over it */
        const unsigned below = (unsigned)__builtin_ctzll(point) - 7;
        places = 7 - below / 8;
        if (places + 1 == n) return false; /* .5 */
        t = t >> below >> 8 << below << 8 | (t & (((uint64_t)1 << below) - 1)) << 8;
    }
    float f;
    if (sl_not_digits(t) || !sl_short_float(sl_eight_digits(t), places, &f)) return false;
    *value = negative ? -f : f;
    return true;
}

#endif
