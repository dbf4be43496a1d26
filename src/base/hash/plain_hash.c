/* XXH64 and XXH3 (64 bits) in plain C, from their specification: for systems that do not have xxhash.h. */
#include "base/hash/hash.h"

#include <string.h>

#define P32_1 0x9E3779B1u
#define P32_2 0x85EBCA77u
#define P32_3 0xC2B2AE3Du
#define P64_1 0x9E3779B185EBCA87u
#define P64_2 0xC2B2AE3D27D4EB4Fu
#define P64_3 0x165667B19E3779F9u
#define P64_4 0x85EBCA77C2B2AE63u
#define P64_5 0x27D4EB2F165667C5u

static uint64_t rotate(uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

/* little endian, whatever the machine's order */
static uint64_t read64(const unsigned char *at) {
    uint64_t x = 0;
    for (unsigned i = 0; i < 8; i++) x |= (uint64_t)at[i] << 8 * i;
    return x;
}

static uint32_t read32(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* ---- XXH64
 * ----------------------------------------------------------------------------------------------------------- */

static uint64_t avalanche64(uint64_t h) {
    h = (h ^ h >> 33) * P64_2;
    h = (h ^ h >> 29) * P64_3;
    return h ^ h >> 32;
}

static uint64_t round64(uint64_t lane, uint64_t input) { return rotate(lane + input * P64_2, 31) * P64_1; }

uint64_t sl_plain_xxh64(const void *bytes, size_t n, uint64_t seed) {
    const unsigned char *at = bytes, *end = at + n;
    uint64_t h = seed + P64_5;
    if (n >= 32) {
        uint64_t lanes[4] = {seed + P64_1 + P64_2, seed + P64_2, seed, seed - P64_1};
        for (; end - at >= 32; at += 32)
            for (int i = 0; i < 4; i++) lanes[i] = round64(lanes[i], read64(at + 8 * i));
        h = rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
        for (int i = 0; i < 4; i++) h = (h ^ round64(0, lanes[i])) * P64_1 + P64_4;
    }
    h += n;
    for (; end - at >= 8; at += 8) h = rotate(h ^ round64(0, read64(at)), 27) * P64_1 + P64_4;
    if (end - at >= 4) {
        h = rotate(h ^ read32(at) * P64_1, 23) * P64_2 + P64_3;
        at += 4;
    }
    for (; at < end; at++) h = rotate(h ^ *at * P64_5, 11) * P64_1;
    return avalanche64(h);
}

/* ---- XXH3
 * ------------------------------------------------------------------------------------------------------------ */

enum { SECRET = 192, STRIPE = 64, BLOCK = (SECRET - STRIPE) / 8 * STRIPE };

/* the default secret of the specification */
static const unsigned char default_secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
    0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
    0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
    0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
    0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16,
    0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static uint64_t avalanche3(uint64_t h) {
    h = (h ^ h >> 37) * 0x165667919E3779F9u;
    return h ^ h >> 32;
}

/* The halves of the 128-bit product, one over the other. */
static uint64_t fold(uint64_t a, uint64_t b) {
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32), cross = a0 * b1 + (uint32_t)middle;
    const uint64_t high = a1 * b1 + (middle >> 32) + (cross >> 32);
    return high ^ a * b;
}

static uint64_t reversed(uint64_t x) {
    uint64_t back = 0;
    for (unsigned i = 0; i < 8; i++) back = back << 8 | (x >> 8 * i & 0xFF);
    return back;
}

static uint64_t up_to_16(const unsigned char *in, size_t n, const unsigned char *s, uint64_t seed) {
    if (n > 8) {
        const uint64_t low = read64(in) ^ ((read64(s + 24) ^ read64(s + 32)) + seed);
        const uint64_t high = read64(in + n - 8) ^ ((read64(s + 40) ^ read64(s + 48)) - seed);
        return avalanche3(n + reversed(low) + high + fold(low, high));
    }
    if (n >= 4) {
        seed ^= reversed((uint32_t)seed); /* the lower half, reversed, over the upper one */
        uint64_t h = (read32(in + n - 4) + ((uint64_t)read32(in) << 32)) ^ ((read64(s + 8) ^ read64(s + 16)) - seed);
        h = (h ^ rotate(h, 49) ^ rotate(h, 24)) * 0x9FB21C651E98DF25u;
        h = (h ^ ((h >> 35) + n)) * 0x9FB21C651E98DF25u;
        return h ^ h >> 28;
    }
    if (n) {
        const uint32_t all = (uint32_t)in[0] << 16 | (uint32_t)in[n >> 1] << 24 | in[n - 1] | (uint32_t)n << 8;
        return avalanche64(all ^ ((read32(s) ^ read32(s + 4)) + seed));
    }
    return avalanche64(seed ^ read64(s + 56) ^ read64(s + 64));
}

static uint64_t mix16(const unsigned char *in, const unsigned char *s, uint64_t seed) {
    return fold(read64(in) ^ (read64(s) + seed), read64(in + 8) ^ (read64(s + 8) - seed));
}

static uint64_t up_to_240(const unsigned char *in, size_t n, const unsigned char *s, uint64_t seed) {
    uint64_t h = n * P64_1;
    if (n <= 128) { /* pairs of 16 bytes, from both ends towards the middle */
        for (size_t i = (n - 1) / 32 + 1; i-- > 0;)
            h += mix16(in + 16 * i, s + 32 * i, seed) + mix16(in + n - 16 * (i + 1), s + 32 * i + 16, seed);
        return avalanche3(h);
    }
    for (size_t i = 0; i < 8; i++) h += mix16(in + 16 * i, s + 16 * i, seed);
    h = avalanche3(h);
    for (size_t i = 8; i < n / 16; i++) h += mix16(in + 16 * i, s + 16 * (i - 8) + 3, seed);
    return avalanche3(h + mix16(in + n - 16, s + 136 - 17, seed));
}

static void add_stripe(uint64_t lanes[8], const unsigned char *in, const unsigned char *s) {
    for (int i = 0; i < 8; i++) {
        const uint64_t value = read64(in + 8 * i), key = value ^ read64(s + 8 * i);
        lanes[i ^ 1] += value;
        lanes[i] += (uint32_t)key * (key >> 32);
    }
}

static void add_stripes(uint64_t lanes[8], const unsigned char *in, size_t stripes, const unsigned char *s) {
    for (size_t k = 0; k < stripes; k++) add_stripe(lanes, in + STRIPE * k, s + 8 * k);
}

static uint64_t longer(const unsigned char *in, size_t n, uint64_t seed) {
    unsigned char s[SECRET];
    for (int i = 0; i < SECRET; i += 8) {
        const uint64_t part = i % 16 ? read64(default_secret + i) - seed : read64(default_secret + i) + seed;
        for (unsigned k = 0; k < 8; k++) s[i + (int)k] = (unsigned char)(part >> 8 * k);
    }
    uint64_t lanes[8] = {P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1};
    const size_t blocks = (n - 1) / BLOCK;
    for (size_t b = 0; b < blocks; b++) {
        add_stripes(lanes, in + b * BLOCK, BLOCK / STRIPE, s);
        for (int i = 0; i < 8; i++)
            lanes[i] = (lanes[i] ^ lanes[i] >> 47 ^ read64(s + SECRET - STRIPE + 8 * i)) * P32_1;
    }
    add_stripes(lanes, in + blocks * BLOCK, (n - 1 - blocks * BLOCK) / STRIPE, s);
    add_stripe(lanes, in + n - STRIPE, s + SECRET - STRIPE - 7);
    uint64_t h = n * P64_1;
    for (int i = 0; i < 8; i += 2) h += fold(lanes[i] ^ read64(s + 11 + 8 * i), lanes[i + 1] ^ read64(s + 19 + 8 * i));
    return avalanche3(h);
}

uint64_t sl_plain_xxh3(const void *bytes, size_t n, uint64_t seed) {
    if (n <= 16) return up_to_16(bytes, n, default_secret, seed);
    if (n <= 240) return up_to_240(bytes, n, default_secret, seed);
    return longer(bytes, n, seed);
}
