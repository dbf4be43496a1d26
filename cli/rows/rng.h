/* Random numbers that are the same everywhere: xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64. */
#ifndef CLI_RNG_H
#define CLI_RNG_H

#include <stdint.h>

typedef struct rng {
    uint64_t s[4];
    double spare; /* the second normal deviate of a pair */
    int has_spare;
} rng;

rng rng_seed(uint64_t seed);
uint64_t rng_next(rng *r);
double rng_uniform(rng *r);                 /* in [0, 1) */
uint64_t rng_below(rng *r, uint64_t bound); /* in 0..bound-1, without bias; bound > 0 */
double rng_normal(rng *r);                  /* mean 0, variance 1 */

/* A good 64-bit hash of a number: one step of splitmix64. */
uint64_t mix64(uint64_t x);

#endif
