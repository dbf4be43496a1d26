#include "rows/rng.h"

#include <math.h>

uint64_t mix64(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

rng rng_seed(uint64_t seed) {
    rng r = {.has_spare = 0};
    for (int i = 0; i < 4; i++) r.s[i] = mix64(seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
    return r;
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t rng_next(rng *r) {
    uint64_t *s = r->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double rng_uniform(rng *r) { return (double)(rng_next(r) >> 11) * 0x1p-53; }

uint64_t rng_below(rng *r, uint64_t bound) {
    /* values past the last whole multiple of bound would favour small results */
    uint64_t excess = (UINT64_MAX % bound + 1) % bound, x;
    do x = rng_next(r);
    while (x > UINT64_MAX - excess);
    return x % bound;
}

/* Marsaglia's polar method: two deviates from one point in the unit disc. */
double rng_normal(rng *r) {
    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    double u, v, q;
    do {
        u = 2 * rng_uniform(r) - 1;
        v = 2 * rng_uniform(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    double scale = sqrt(-2 * log(q) / q);
    r->spare = v * scale;
    r->has_spare = 1;
    return u * scale;
}
