/* Rounding a decimal of any length exactly, with whole numbers of a fixed largest size. */
#ifndef SL_EXACT_H
#define SL_EXACT_H

#include <stdbool.h>
#include <stdint.h>

/* A halfway point between two doubles has at most 768 significant digits, between two floats 113: digits behind the
 * 800th can only tell "exactly that" from "a little more". The longest product here is 10^1124, 3734 bits. */
enum { SL_BIG_DIGITS = 800, SL_BIG_LIMBS = 136 };

typedef struct sl_big {
    int n; /* limbs in use; the highest is not 0 */
    uint32_t limb[SL_BIG_LIMBS];
} sl_big;

void sl_big_from_u64(sl_big *b, uint64_t w);
/* The digits of text ('.' among them) as a whole number b; returns e so that the text means b * 10^e. *more says that
 * digits other than 0 were left away. */
int64_t sl_big_from_text(sl_big *b, const char *text, const char *end, bool *more);
/* b * 10^e10 (and a little, where `more`), b > 0, to the nearest number of so many mantissa bits, ties to even, whose
 * lowest bit is worth at least 2^lowest_bit; too large ones become infinite or exceed the format. Overwrites b. The
 * caller makes sure that the number lies between 10^-324 and 10^309. */
double sl_exact_round(sl_big *b, int e10, bool more, int mantissa_bits, int lowest_bit);

#endif
