/* The index of a feature in Vowpal Wabbit. */
#include "models/export/vw_hash.h"

#include <string.h>

static uint32_t rotated(uint32_t x, unsigned by) { return x << by | x >> (32 - by); }

static uint32_t word_at(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t mixed(uint32_t k) { return rotated(k * 0xcc9e2d51u, 15) * 0x1b873593u; }

uint32_t vw_hash_bytes(const void *bytes, size_t n, uint32_t seed) {
    const unsigned char *p = bytes;
    uint32_t h = seed, rest = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) h = rotated(h ^ mixed(word_at(p + i)), 13) * 5 + 0xe6546b64u;
    for (size_t k = n % 4; k; k--) rest = rest << 8 | p[n / 4 * 4 + k - 1];
    if (n % 4) h ^= mixed(rest);
    h ^= (uint32_t)n;
    h = (h ^ h >> 16) * 0x85ebca6bu;
    h = (h ^ h >> 13) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

uint64_t vw_index(sluice_name name) {
    const char *hat = memchr(name.text, '^', name.n);
    const size_t space = hat && hat + 1 < name.text + name.n ? (size_t)(hat - name.text) : 0;
    const size_t skip = space ? space + 1 : 0;
    return vw_hash_bytes(name.text + skip, name.n - skip, space ? vw_hash_bytes(name.text, space, 0) : 0);
}

int vw_fits(sluice_name name) {
    for (size_t i = 0; i < name.n; i++)
        if (!name.text[i] || strchr(" \t:|\n\r", name.text[i])) return 0;
    return name.n > 0;
}
