/* G^k for a number of rounds k, with the same bits at every width: libm has no vectors, and differs between machines.
 */
#ifndef SL_POWER_H
#define SL_POWER_H

#include "algo/shared/num.h"

#if SL_WIDTH == 1
typedef uint64_t whole; /* the bits of a num */
RULE whole bits_of(num v) {
    whole bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
RULE num num_of(whole bits) {
    num v;
    memcpy(&v, &bits, sizeof v);
    return v;
}
RULE num exponent_of(whole bits) { return (double)((int64_t)bits >> 52); }
#else
typedef uint64_t whole __attribute__((vector_size(8 * SL_WIDTH)));
RULE whole bits_of(num v) { return (whole)v; }
RULE num num_of(whole bits) { return (num)bits; }
RULE num exponent_of(whole bits) { return __builtin_convertvector((mask)bits >> 52, num); }
#endif

/* log2(G) of a normal G > 0: with G = 2^e u and s = (u - 1)/(u + 1), ln u = 2 (s + s^3/3 + s^5/5 + ...). */
RULE num log2_of(num G) {
    const double two_over_ln2 = 2.8853900817779268;
    /* u in [0.7, 1.4): near 1 the exponent is 0, and no digit of a G near 1 is lost */
    const whole offset = bits_of(all(0x1.6666666666666p-1)), bits = bits_of(G) - offset;
    const num u = num_of((bits & 0xFFFFFFFFFFFFFu) + offset), s = (u - 1) / (u + 1), q = s * s;
    num sum = all(1.0 / 23);
    for (int n = 21; n > 0; n -= 2) sum = sum * q + 1.0 / n;
    return exponent_of(bits) + two_over_ln2 * s * sum;
}

/* 2^(k log2_G), log2_G <= 0; 0 where it is below 2^-1000. */
RULE num power(num log2_G, count k) {
    static const double c[] = {/* of 2^f: ln(2)^i/i! */
                               1.0,
                               0.69314718055994529,
                               0.24022650695910072,
                               0.055504108664821579,
                               0.0096181291076284769,
                               0.0013333558146428443,
                               0.00015403530393381608,
                               1.5252733804059841e-05,
                               1.3215486790144307e-06,
                               1.0178086009239699e-07,
                               7.0549116208011234e-09,
                               4.4455382718708116e-10,
                               2.5678435993488202e-11};
    const double shift = 0x1.8p52; /* added, it leaves the nearest whole number in the last bits */
    const num y = log2_G * of_count(k), within = larger(y, all(-1000)), shifted = within + shift,
              f = within - (shifted - shift);
    num sum = all(c[12]);
    for (int i = 11; i >= 0; i--) sum = sum * f + c[i];
    const num scale = num_of((bits_of(shifted) + 1023) << 52);
    return if_positive(y + 1000, sum * scale);
}

#endif
