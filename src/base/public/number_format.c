/* Numbers as decimal text with the fewest digits that read back as the same number.
 *
 * A decimal of up to 6 digits converted to a float and back is the same, and one of up to 15 digits through a double.
 * So if the number printed with 6 (15) digits reads back, that print without its trailing zeros is the shortest text
 * there is; if not, one to three digits more are needed. Just above a power of two the floats lie twice as dense below
 * as above: there the decimal next above may read back where the nearest does not, and is tried too. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"

/* Plain notation for 10^LOWEST <= number < 10^HIGHEST with at most ZEROS zeros at its end: 1000000, but 1e12. */
enum { LOWEST = -5, HIGHEST = 17, ZEROS = 6 };

static size_t put_digits(char *out, uint64_t w) {
    char reversed[20];
    size_t n = 0;
    do reversed[n++] = (char)('0' + w % 10);
    while (w /= 10);
    for (size_t i = 0; i < n; i++) out[i] = reversed[n - 1 - i];
    return n;
}

/* w * 10^e10 as text. */
static size_t put_decimal(char *out, bool negative, uint64_t w, int e10) {
    char digits[20], *p = out;
    for (; w && w % 10 == 0; w /= 10) e10++;
    size_t n = put_digits(digits, w);
    int point = (int)n + e10; /* the number is 0.digits * 10^point */
    if (negative) *p++ = '-';
    if (w == 0) {
        *p++ = '0';
    } else if (point > HIGHEST || point <= LOWEST || e10 > ZEROS) {
        *p++ = digits[0];
        if (n > 1) *p++ = '.';
        memcpy(p, digits + 1, n - 1);
        p += n - 1;
        *p++ = 'e';
        if (point - 1 < 0) *p++ = '-';
        p += put_digits(p, (uint64_t)(point - 1 < 0 ? 1 - point : point - 1));
    } else if (point <= 0) {
        *p++ = '0', *p++ = '.';
        for (int i = point; i < 0; i++) *p++ = '0';
        memcpy(p, digits, n);
        p += n;
    } else {
        for (int i = 0; i < point || i < (int)n; i++) {
            if (i == point) *p++ = '.';
            *p++ = i < (int)n ? digits[i] : '0';
        }
    }
    *p = 0;
    return (size_t)(p - out);
}

static size_t put_not_finite(char *out, double value) {
    const char *word = isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    strcpy(out, word);
    return strlen(word);
}

static bool reads_back(uint64_t w, int e10, float f) {
    float back;
    return sl_decimal_to_float(w, e10, &back) == SL_NUMBER_OK && back == f;
}

size_t sluice_format_float(char *text, float value) {
    if (!isfinite(value)) return put_not_finite(text, value);
    float f = fabsf(value);
    bool negative = signbit(value) != 0;
    if (f < 0x1p24f && f == (float)(uint32_t)f) return put_decimal(text, negative, (uint32_t)f, 0);

    int size; /* 10^(size-1) <= f < 10^size, or one too small */
    (void)frexpf(f, &size);
    size = (size * 1233) >> 12;
    if ((double)f >= sl_pow10(size)) size++;
    bool power_of_two = false;
    {
        uint32_t bits;
        memcpy(&bits, &f, 4);
        power_of_two = (bits & 0x7FFFFF) == 0;
    }
    /* a float below the normal ones has fewer than 6 safe digits: begin with one */
    for (int digits = f < FLT_MIN ? 1 : FLT_DIG;; digits++) {
        int e10 = size - digits;
        double scaled = -e10 > SL_POW10_MAX ? (double)f * sl_pow10(SL_POW10_MAX) * sl_pow10(-e10 - SL_POW10_MAX)
                                            : (double)f * sl_pow10(-e10);
        uint64_t w = (uint64_t)(scaled + 0.5);
        if (reads_back(w, e10, f)) return put_decimal(text, negative, w, e10);
        if (power_of_two && reads_back(w + 1, e10, f)) return put_decimal(text, negative, w + 1, e10);
        /* 9 digits always read back: this only bounds the loop */
        if (digits >= 12) return put_decimal(text, negative, w, e10); /* GCOVR_EXCL_BR_LINE */
    }
}

/* The digits of printf's "%.*e" and their exponent, whatever the locale writes for the point. */
static uint64_t print_digits(double d, int digits, int *e10) {
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, d);
    uint64_t w = 0;
    char *p = text;
    for (; *p != 'e'; p++)
        if (sl_is_digit(*p)) w = w * 10 + (uint64_t)(*p - '0');
    bool down = *++p == '-';
    int x = 0;
    for (p++; sl_is_digit(*p); p++) x = x * 10 + (*p - '0');
    *e10 = (down ? -x : x) - (digits - 1);
    return w;
}

static bool try_double(char *text, bool negative, uint64_t w, int e10, double d, size_t *n) {
    const char *p = text + negative;
    double back;
    *n = put_decimal(text, negative, w, e10);
    return sl_parse_double(&p, &back) == SL_NUMBER_OK && back == d;
}

__extension__ typedef unsigned __int128 u128;

/* The fewest digits for the doubles that occur, in whole numbers alone. With d = m 2^e and 10^p large enough that d
 * 10^p has 17 digits, everything fits in 128 bits: d 10^p = 4m 10^p / 2^s, and what lies between d and its neighbours
 * ends at (4m + 2) 10^p and (4m - 2) 10^p (4m - 1 above a power of two), the ends included where m is even. 17 digits
 * always read back; as long as the nearest multiple of the next power of ten lies between the ends too, a digit can go.
 */
static bool few_digits(double d, uint64_t *w, int *e10) {
    if (!(d >= 1e-5 && d < 1e15)) return false;
    static const uint64_t ten[] = {1, 10, 100, 1000, 10000, 100000};
    uint64_t bits;
    memcpy(&bits, &d, 8);
    uint64_t m = (bits & 0xFFFFFFFFFFFFFu) | (uint64_t)1 << 52;
    unsigned s = (unsigned)(1075 - (int)(bits >> 52)) + 2;
    int size = -4; /* 10^(size-1) <= d < 10^size */
    for (double top = 1e-4; top <= d; top = sl_pow10(size)) size++;
    int p = 17 - size;
    u128 power = p > 17 ? (u128)100000000000000000u * ten[p - 17] : (u128)(uint64_t)sl_pow10(p);
    u128 here = 4 * m * power, high = here + 2 * power, low = here - (bits << 12 ? 2 : 1) * power;
    bool closed = m % 2 == 0;
    uint64_t whole = (uint64_t)(here >> s), best = (uint64_t)((here + ((u128)1 << (s - 1))) >> s);
    bool and_more = here << (128 - s) != 0;
    for (uint64_t next = 10; next < 100000000000000000u; next *= 10) {
        /* rounded from the number itself: rounding twice may give a wrong digit */
        uint64_t rest = whole % next, near = whole - rest + (rest + and_more > next / 2 ? next : 0);
        bool fits = false;
        for (int up = 0; up < 2 && !fits; up++, near += next) {
            u128 there = (u128)near << s;
            fits = closed ? there >= low && there <= high : there > low && there < high;
            if (fits || bits << 12) break; /* only above a power of two are the ends uneven */
        }
        if (!fits) break;
        best = near;
    }
    *w = best;
    *e10 = -p;
    return true;
}

size_t sluice_format_double(char *text, double value) {
    if (!isfinite(value)) return put_not_finite(text, value);
    double d = fabs(value);
    bool negative = signbit(value) != 0;
    if (d < 0x1p53 && d == (double)(uint64_t)d) return put_decimal(text, negative, (uint64_t)d, 0);
    uint64_t bits;
    int exponent;
    if (few_digits(d, &bits, &exponent)) return put_decimal(text, negative, bits, exponent);
    memcpy(&bits, &d, 8);
    bool power_of_two = (bits & 0xFFFFFFFFFFFFFu) == 0;
    for (int digits = d < DBL_MIN ? 1 : DBL_DIG;; digits++) {
        int e10;
        size_t n;
        uint64_t w = print_digits(d, digits, &e10);
        if (try_double(text, negative, w, e10, d, &n) || digits >= 17) return n;
        if (power_of_two && try_double(text, negative, w + 1, e10, d, &n)) return n;
    }
}
