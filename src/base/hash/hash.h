/* Hashes of bytes: XXH64 and XXH3 (64 bits), which model files and .bin files carry as checksums. xxHash computes them
 * where its header was found, else plain_hash.c does, with the same results. SLUICE_PLAIN_HASH leaves xxHash out. */
#ifndef SL_HASH_H
#define SL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The plain ones: correct everywhere, a few times slower. */
uint64_t sl_plain_xxh64(const void *bytes, size_t n, uint64_t seed);
uint64_t sl_plain_xxh3(const void *bytes, size_t n, uint64_t seed);

#ifndef SLUICE_PLAIN_HASH
#if !__has_include(<xxhash.h>)
#define SLUICE_PLAIN_HASH
#endif
#endif

#ifdef SLUICE_PLAIN_HASH
static inline uint64_t sl_xxh64(const void *bytes, size_t n, uint64_t seed) { return sl_plain_xxh64(bytes, n, seed); }
static inline uint64_t sl_xxh3(const void *bytes, size_t n, uint64_t seed) { return sl_plain_xxh3(bytes, n, seed); }
#else
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL /* the header is all of xxHash: nothing to link */
#endif
#include <xxhash.h>
static inline uint64_t sl_xxh64(const void *bytes, size_t n, uint64_t seed) { return XXH64(bytes, n, seed); }
static inline uint64_t sl_xxh3(const void *bytes, size_t n, uint64_t seed) {
    return XXH3_64bits_withSeed(bytes, n, seed);
}
#endif

#endif
