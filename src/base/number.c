/* Decimal text to the nearest float or double, without locales, allocation or libc.
 *
 * A number is scanned into its first 19 digits and a power of ten. That and one multiplication give a double whose
 * error is known; where both ends of the error interval round to the same float, that float is the answer. Otherwise,
 * which is rare, exact.c decides with whole numbers of any length. */
#include <float.h>
#include <math.h>

#include "base/digits.h"
#include "base/exact.h"

const uint64_t sl_pow10_int[16] = {
    1,         10,         100,         1000,         10000,         100000,         1000000,         10000000,
    100000000, 1000000000, 10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
};

const double sl_pow10_table[SL_POW10_MAX - SL_POW10_MIN + 1] = {
    1e-64, 1e-63, 1e-62, 1e-61, 1e-60, 1e-59, 1e-58, 1e-57, 1e-56, 1e-55, 1e-54, 1e-53, 1e-52, 1e-51, 1e-50,
    1e-49, 1e-48, 1e-47, 1e-46, 1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35,
    1e-34, 1e-33, 1e-32, 1e-31, 1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20,
    1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,
    1e-4,  1e-3,  1e-2,  1e-1,  1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,
    1e11,  1e12,  1e13,  1e14,  1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23,  1e24,  1e25,
    1e26,  1e27,  1e28,  1e29,  1e30,  1e31,  1e32,  1e33,  1e34,  1e35,  1e36,  1e37,  1e38,
};

enum { KEPT = 19 }; /* digits that always fit in 64 bits */

/* Exponents beyond this are all the same; far above the length of any line, so that zeros and exponent may cancel. */
#define FAR_EXPONENT 1000000000000

typedef struct decimal {
    bool negative;
    bool cut;   /* digits other than 0 were dropped: the number is w and a little more */
    int digits; /* of w */
    uint64_t w; /* the number is w * 10^e10 */
    int64_t e10;
    const char *text; /* the digits, for the exact method */
    const char *text_end;
    int64_t text_e10; /* the exponent behind them */
    const char *end;
} decimal;

static bool word(const char *p, const char *lower, const char **end) {
    for (; *lower; p++, lower++)
        if ((*p | 0x20) != *lower) return false;
    *end = p;
    return true;
}

static bool is_word_byte(char c) {
    return sl_is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 || c == '_' || c == '.';
}

/* What stands where a number should: one of the words for what is not finite, or nothing we know. */
static sl_number_status not_a_number(const char *p) {
    const char *end;
    bool known = word(p, "nan", &end) || word(p, "infinity", &end) || word(p, "inf", &end);
    return known && !is_word_byte(*end) ? SL_NUMBER_NAN : SL_NUMBER_SYNTAX;
}

static sl_number_status scan(const char *p, decimal *d) {
    uint64_t w = 0;
    int digits = 0;
    int64_t e10 = 0;
    bool any = false, cut = false;
    d->negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    d->text = p;
    for (; sl_is_digit(*p); p++) {
        any = true;
        if (digits < KEPT) {
            w = w * 10 + (uint64_t)(*p - '0');
            digits += w != 0; /* zeros in front do not count */
        } else {
            e10++;
            cut |= *p != '0';
        }
    }
    if (*p == '.') {
        for (p++; sl_is_digit(*p); p++) {
            any = true;
            if (digits < KEPT) {
                w = w * 10 + (uint64_t)(*p - '0');
                digits += w != 0;
                e10--;
            } else {
                cut |= *p != '0';
            }
        }
    }
    if (!any) return not_a_number(d->text);
    d->text_end = p;
    d->text_e10 = 0;
    if ((*p | 0x20) == 'e') {
        p++;
        bool down = *p == '-';
        if (*p == '-' || *p == '+') p++;
        if (!sl_is_digit(*p)) return SL_NUMBER_SYNTAX;
        int64_t x = 0;
        for (; sl_is_digit(*p); p++)
            if (x < FAR_EXPONENT) x = x * 10 + (*p - '0');
        d->text_e10 = down ? -x : x;
    }
    d->w = w;
    d->digits = digits;
    d->e10 = e10 + d->text_e10;
    d->cut = cut;
    d->end = p;
    return SL_NUMBER_OK;
}

/* The exact method, for a number whose size is already known to lie between the format's smallest and largest. */
static double exact(const decimal *d, int mantissa_bits, int lowest_bit) {
    sl_big big;
    bool more;
    int64_t e10 = d->text_e10 + sl_big_from_text(&big, d->text, d->text_end, &more);
    return sl_exact_round(&big, (int)e10, more, mantissa_bits, lowest_bit);
}

/* Rounds w * 10^e10 (and a little more) to a float if the double arithmetic is good enough to tell. Five roundings at
 * most of 2^-53 each and the digits cut off (10^-18) are well within 2^-50. */
static bool quick_float(uint64_t w, int e10, float *value) {
    double v = (double)w * sl_pow10(e10), margin = v * 0x1p-50;
    float low = (float)(v - margin), high = (float)(v + margin);
    *value = low;
    return low == high;
}

sl_number_status sl_parse_float(const char **p, float *value) {
    decimal d;
    sl_number_status status = scan(*p, &d);
    if (status != SL_NUMBER_OK) return status;
    float f = 0;
    int64_t size = d.digits + d.e10; /* 10^(size-1) <= number < 10^size */
    if (d.w == 0 || size < -45) {
        f = 0; /* half of the smallest float is 7e-46 */
    } else if (size > 39) {
        return SL_NUMBER_RANGE;
    } else if (d.e10 == 0 && !d.cut) {
        f = (float)d.w; /* the conversion rounds correctly */
    } else if (!quick_float(d.w, (int)d.e10, &f)) {
        f = (float)exact(&d, FLT_MANT_DIG, FLT_MIN_EXP - FLT_MANT_DIG);
    }
    if (f > FLT_MAX) return SL_NUMBER_RANGE;
    *value = d.negative ? -f : f;
    *p = d.end;
    return SL_NUMBER_OK;
}

sl_number_status sl_decimal_to_float(uint64_t w, int e10, float *value) {
    if (w == 0 || e10 < SL_POW10_MIN) {
        *value = 0; /* 2^64 * 10^-65 is below half of the smallest float */
        return SL_NUMBER_OK;
    }
    if (e10 > SL_POW10_MAX) return SL_NUMBER_RANGE;
    if (!quick_float(w, e10, value)) {
        sl_big big;
        sl_big_from_u64(&big, w);
        *value = (float)sl_exact_round(&big, e10, false, FLT_MANT_DIG, FLT_MIN_EXP - FLT_MANT_DIG);
    }
    return *value > FLT_MAX ? SL_NUMBER_RANGE : SL_NUMBER_OK;
}

sl_number_status sl_parse_double(const char **p, double *value) {
    decimal d;
    sl_number_status status = scan(*p, &d);
    if (status != SL_NUMBER_OK) return status;
    double v = 0;
    int64_t size = d.digits + d.e10;
    if (d.w == 0 || size < -323) {
        v = 0;
    } else if (size > 309) {
        return SL_NUMBER_RANGE;
    } else if (!d.cut && d.w <= (uint64_t)1 << DBL_MANT_DIG && d.e10 >= -22 && d.e10 <= 22) {
        /* both are exact doubles, so that one operation rounds once */
        v = d.e10 < 0 ? (double)d.w / sl_pow10((int)-d.e10) : (double)d.w * sl_pow10((int)d.e10);
    } else {
        v = exact(&d, DBL_MANT_DIG, DBL_MIN_EXP - DBL_MANT_DIG);
    }
    if (v > DBL_MAX) return SL_NUMBER_RANGE;
    *value = d.negative ? -v : v;
    *p = d.end;
    return SL_NUMBER_OK;
}

static const char *digits_end(const char *p, const char *end) {
    while (p < end && sl_is_digit(*p)) p++;
    return p;
}

static const char *past_sign(const char *p, const char *end) { return p + (p < end && (*p == '-' || *p == '+')); }

bool sl_spells_number(const char *p, const char *end) {
    p = past_sign(p, end);
    const char *q = digits_end(p, end);
    size_t digits = (size_t)(q - p);
    if (q < end && *q == '.') {
        p = q + 1;
        q = digits_end(p, end);
        digits += (size_t)(q - p);
    }
    if (digits == 0) return false;
    if (q < end && (*q | 0x20) == 'e') {
        p = past_sign(q + 1, end);
        q = digits_end(p, end);
        if (q == p) return false;
    }
    return q == end;
}

bool sl_spells_not_finite(const char *p, const char *end) {
    p = past_sign(p, end);
    size_t n = (size_t)(end - p);
    const char *behind;
    return (n == 3 && (word(p, "nan", &behind) || word(p, "inf", &behind))) || (n == 8 && word(p, "infinity", &behind));
}

int sluice_parse_number(const char *text, double *value) {
    double v;
    if (sl_parse_double(&text, &v) != SL_NUMBER_OK || *text) return 0;
    *value = v;
    return 1;
}
