/* Chance for mutators: numbers from a seed, and the values that programs most often get wrong. */
#ifndef CHANCE_H
#define CHANCE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chance {
    uint64_t state;
} chance;

static inline uint64_t draw(chance *c) { /* splitmix64 */
    uint64_t z = c->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline chance chance_from(uint64_t seed) { return (chance){seed}; }

static inline size_t below(chance *c, size_t n) { return (size_t)(draw(c) % n); }

/* The ends of the types, near them, near what it was. */
static inline uint64_t special_number(chance *c, uint64_t now) {
    static const unsigned bits[] = {0, 1, 7, 8, 14, 15, 16, 24, 30, 31, 32, 33, 53, 61, 62, 63};
    switch (below(c, 4)) {
    case 0:
        return now + 1;
    case 1:
        return now - 1;
    case 2:
        return ((uint64_t)1 << bits[below(c, 16)]) - 1 + below(c, 3);
    default:
        return below(c, 2) ? UINT64_MAX - below(c, 3) : below(c, 10);
    }
}

static inline uint64_t special_double(chance *c) {
    static const uint64_t bits[] = {0,
                                    0x8000000000000000u,
                                    0x3ff0000000000000u, /* 1 */
                                    0xbff0000000000000u,
                                    1, /* the smallest */
                                    0x8000000000000001u,
                                    0x000fffffffffffffu,
                                    0x7fefffffffffffffu, /* the largest */
                                    0xffefffffffffffffu,
                                    0x7ff0000000000000u, /* infinite */
                                    0xfff0000000000000u,
                                    0x7ff8000000000000u, /* no number */
                                    0x7ff0000000000001u,
                                    0x47efffffe0000000u, /* the largest float */
                                    0x47f0000000000000u,
                                    0x36a0000000000000u, /* the smallest float */
                                    0x3fe0000000000000u,
                                    0x41dfffffffc00000u, /* 2^31 - 1 */
                                    0x41f0000000000000u, /* 2^32 */
                                    0x4340000000000000u, /* 2^53 */
                                    0x43e0000000000000u, /* 2^63 */
                                    0x54b249ad2594c37du, /* 1e100 */
                                    0x7e37e43c8800759cu, /* 1e300 */
                                    0x01a56e1fc2f8f359u};
    size_t i = below(c, sizeof bits / sizeof *bits + 2);
    return i < sizeof bits / sizeof *bits ? bits[i] : 0x3f00000000000000u + (draw(c) >> 8);
}

static inline uint64_t special_float(chance *c) {
    static const uint32_t bits[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 1,          0x80000001, 0x007fffff,
                                    0x00800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
                                    0x3f000000, 0x5f000000, 0x4b800000, 0x2edbe6ff, 0x60ad78ec};
    size_t i = below(c, sizeof bits / sizeof *bits + 3);
    return i < sizeof bits / sizeof *bits ? bits[i] : 0x3f000000u + (draw(c) >> 40);
}

/* A number as text, in the place of `now`. */
static inline void number_text(chance *c, char *out, size_t room, const char *now) {
    static const char *const texts[] = {"",
                                        "0",
                                        "-0",
                                        "1",
                                        "-1",
                                        "007",
                                        "+1",
                                        "1e3",
                                        "1e308",
                                        "1e309",
                                        "-1e308",
                                        "5e-324",
                                        "1e-400",
                                        "0x10",
                                        "nan",
                                        "inf",
                                        " 1",
                                        "1 ",
                                        "0.5",
                                        "1e-3",
                                        "1e300",
                                        "1e301",
                                        "1e10",
                                        "1e20",
                                        "18446744073709551616",
                                        "99999999999999999999999"};
    char *end;
    uint64_t whole = strtoull(now, &end, 10);
    if (below(c, 3)) {
        uint64_t special = special_number(c, *end ? 1 : whole);
        snprintf(out, room, "%" PRIu64, special);
    } else {
        snprintf(out, room, "%s", texts[below(c, sizeof texts / sizeof *texts)]);
    }
}

#endif
