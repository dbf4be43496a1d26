/* Inverse document frequencies (--scale idf): counting the rows that have a feature, and the factor that makes. */
#include "model/scaling/idf.h"

#include <float.h>

/* The logarithm of x >= 1: 2 artanh((m - 1)/(m + 1)) + e log 2 of x = m 2^e, by its series. It differs from that of
 * other libraries in the last bits, but is the same on every machine: models depend on it. */
static double logarithm(double x) {
    static const double term[] = {
        1,       1. / 3,  1. / 5,  1. / 7,  1. / 9, 1. / 11,
        1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21}; /* s <= 3 - sqrt(8): the next one is below 2^-57 */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint64_t above = 0x3fe6a09e667f3bcd; /* sqrt(1/2) */
    const int64_t e = (int64_t)(bits - above) >> 52;
    bits -= (uint64_t)e << 52;
    double m, sum = term[10];
    memcpy(&m, &bits, sizeof m);
    const double s = (m - 1) / (m + 1), square = s * s;
    for (int i = 9; i >= 0; i--) sum = sum * square + term[i];
    return 2 * s * sum + (double)e * 0.693147180559945309417;
}

double sl_idf(uint64_t n, uint32_t rows) { return 1 + logarithm(((double)n + 1) / ((double)rows + 1)); }

float sl_times_idf(const sl_space *sp, float v, uint32_t slot) {
    if (v == 0) return v;
    const double changed = (double)v * sl_idf(sp->rows, slot == SL_NO_SLOT ? 0 : sp->scale[slot].rows);
    return changed > FLT_MAX ? FLT_MAX : changed < -FLT_MAX ? -FLT_MAX : (float)changed;
}

void sl_idf_count(sl_space *sp, const sl_row *x) {
    const uint32_t bias = sl_space_bias(sp);
    for (size_t k = 0; k < x->n; k++) {
        uint32_t *rows = &sp->scale[x->slot[k]].rows;
        *rows += x->slot[k] != bias && *rows < UINT32_MAX;
    }
    sp->rows++;
}
