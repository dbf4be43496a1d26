/* Random numbers that are the same on every machine: xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64. */
#include "sluice.h"

#include <math.h>

/* One step of splitmix64. */
static uint64_t splitmix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void sluice_random_seed(sluice_random *r, uint64_t seed) {
    *r = (sluice_random){.has_spare = 0};
    for (int i = 0; i < 4; i++) r->state[i] = splitmix(seed + (uint64_t)i * 0x9e3779b97f4a7c15u);
}

static uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

uint64_t sluice_random_next(sluice_random *r) {
    uint64_t *s = r->state, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double sluice_random_uniform(sluice_random *r) { return (double)(sluice_random_next(r) >> 11) * 0x1p-53; }

uint64_t sluice_random_below(sluice_random *r, uint64_t bound) {
    /* values past the last whole multiple of bound would favour small results */
    uint64_t excess = (UINT64_MAX % bound + 1) % bound, x;
    do x = sluice_random_next(r);
    while (x > UINT64_MAX - excess);
    return x % bound;
}

/* Marsaglia's polar method: two deviates from one point in the unit disc. */
double sluice_random_normal(sluice_random *r) {
    if (r->has_spare) {
        r->has_spare = 0;
        return r->spare;
    }
    double u, v, q;
    do {
        u = 2 * sluice_random_uniform(r) - 1;
        v = 2 * sluice_random_uniform(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    double scale = sqrt(-2 * log(q) / q);
    r->spare = v * scale;
    r->has_spare = 1;
    return u * scale;
}
