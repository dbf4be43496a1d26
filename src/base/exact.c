/* The exact method of number.c: b * 10^e is a fraction of two whole numbers; long division gives as many bits as the
 * mantissa has, and what is left over is compared with a half. */
#include <math.h>

#include "base/digits.h"
#include "base/exact.h"

static void multiply_add(sl_big *b, uint32_t factor, uint32_t add) {
    uint64_t carry = add;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * factor;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && b->n < SL_BIG_LIMBS) b->limb[b->n++] = (uint32_t)carry; /* always fits; GCOVR_EXCL_BR_LINE */
}

static void multiply_pow10(sl_big *b, int e) {
    for (; e >= 9; e -= 9) multiply_add(b, 1000000000, 0);
    for (; e > 0; e--) multiply_add(b, 10, 0);
}

static void shift_left(sl_big *b, int bits) {
    int limbs = bits / 32, rest = bits % 32;
    if (b->n == 0 || bits == 0) return;
    if (b->n + limbs + 1 > SL_BIG_LIMBS) return; /* always fits; GCOVR_EXCL_BR_LINE */
    b->limb[b->n] = 0;
    for (int i = b->n; i >= 0; i--) {
        uint64_t pair = (uint64_t)b->limb[i] << 32 | (i ? b->limb[i - 1] : 0);
        b->limb[i + limbs] = (uint32_t)(pair >> (32 - rest));
    }
    for (int i = 0; i < limbs; i++) b->limb[i] = 0;
    b->n += limbs + 1;
    if (b->limb[b->n - 1] == 0) b->n--;
}

static int compare(const sl_big *a, const sl_big *b) {
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* a -= b, where a >= b */
static void subtract(sl_big *a, const sl_big *b) {
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        int64_t d = (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0) + borrow;
        a->limb[i] = (uint32_t)d;
        borrow = d < 0 ? -1 : 0;
    }
    while (a->n && a->limb[a->n - 1] == 0) a->n--;
}

static int bit_length(const sl_big *b) { return 32 * b->n - __builtin_clz(b->limb[b->n - 1]); }

void sl_big_from_u64(sl_big *b, uint64_t w) {
    b->n = 0;
    for (; w; w >>= 32) b->limb[b->n++] = (uint32_t)w;
}

int64_t sl_big_from_text(sl_big *b, const char *text, const char *end, bool *more) {
    int64_t e10 = 0;
    int digits = 0;
    bool behind_point = false;
    uint32_t chunk = 0, scale = 1; /* nine digits make one multiplication */
    b->n = 0;
    *more = false;
    for (; text < end; text++) {
        if (*text == '.') {
            behind_point = true;
        } else if (digits < SL_BIG_DIGITS) {
            chunk = chunk * 10 + (uint32_t)(*text - '0');
            scale *= 10;
            digits += digits || *text != '0';
            e10 -= behind_point;
            if (scale == 1000000000) {
                multiply_add(b, scale, chunk);
                chunk = 0, scale = 1;
            }
        } else {
            *more |= *text != '0';
            e10 += !behind_point;
        }
    }
    multiply_add(b, scale, chunk);
    return e10;
}

double sl_exact_round(sl_big *b, int e10, bool more, int mantissa_bits, int lowest_bit) {
    sl_big divisor;
    sl_big_from_u64(&divisor, 1);
    multiply_pow10(b, e10);
    multiply_pow10(&divisor, -e10);

    /* the lowest bit of a mantissa that is full, or one more; the loop below then gets a first bit of 0 and we try
     * again */
    int lowest = bit_length(b) - bit_length(&divisor) - mantissa_bits + 1;
    for (;; lowest--) {
        if (lowest < lowest_bit) lowest = lowest_bit;
        sl_big rest = *b, unit = divisor;
        if (lowest < 0) shift_left(&rest, -lowest);
        shift_left(&unit, (lowest > 0 ? lowest : 0) + mantissa_bits - 1);
        uint64_t m = 0;
        for (int i = 0; i < mantissa_bits; i++) {
            m <<= 1;
            if (compare(&rest, &unit) >= 0) {
                subtract(&rest, &unit);
                m |= 1;
            }
            shift_left(&rest, 1);
        }
        if (m >> (mantissa_bits - 1) == 0 && lowest > lowest_bit) continue;
        int half = compare(&rest, &unit); /* rest was doubled once more than there were bits */
        m += half > 0 || (half == 0 && (more || (m & 1)));
        return ldexp((double)m, lowest);
    }
}
