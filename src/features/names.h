/* The dictionary: names (any bytes) to small numbers, exactly and in the order of first sight.
 *
 * The table consists of buckets of a cache line, with five entries each. An entry is 12 bytes: the number of a name,
 * and the name itself if it has up to seven bytes, else where its bytes lie and a part of its hash. So a short name is
 * found within one line, a longer one in two. All bytes lie in one arena. Numbers of names that were removed are given
 * out again. */
#ifndef SL_NAMES_H
#define SL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash/hash.h"
#include "sluice.h"

#define SL_NO_NAME UINT32_MAX
#define SL_MAX_NAME ((size_t)SLUICE_MAX_NAME)

enum { SL_BUCKET_NAMES = 5 };
typedef struct sl_name_bucket {
    uint64_t text[SL_BUCKET_NAMES]; /* sl_short_text(); or 0xF (4 bits), hash (12), length (12), place (36); 0: free */
    uint32_t number[SL_BUCKET_NAMES]; /* those that are used come first */
    uint32_t passed;                  /* names that belong here or before, and are in a later bucket */
} sl_name_bucket;

typedef struct sl_names {
    sl_name_bucket *table; /* 2^bits buckets, at most 4/5 of their entries used */
    unsigned bits;
    size_t used;
    char *bytes; /* the arena */
    size_t bytes_n, bytes_room, garbage;
    uint64_t *where;  /* by number: length << 40 | place in the arena; or free */
    uint32_t n, room; /* numbers below n were given out */
    uint32_t free;    /* the first that can be given out again, plus 1 */
} sl_names;

/* Drawn when the library is loaded and constant afterwards: readers hash in many threads what models look up. */
extern uint64_t sl_name_secret[3];

/* The bytes of a name of up to 15, zeros behind them: with its length in the last byte, equal words are equal names. */
typedef struct sl_name_words {
    uint64_t first, last;
} sl_name_words;

/* Of a name behind which SL_NAME_PAD bytes can be read: without a branch on its length, which nothing predicts. */
enum { SL_WORDS_NAME = 15, SL_NAME_PAD = 16 };
extern const sl_name_words sl_name_masks[SL_WORDS_NAME + 1];
static inline sl_name_words sl_padded_words(const char *name, size_t n) {
    sl_name_words words;
    memcpy(&words, name, sizeof words);
    words.first &= sl_name_masks[n].first;
    words.last &= sl_name_masks[n].last;
    return words;
}
/* Of any. */
sl_name_words sl_name_words_of(const char *name, size_t n);

__extension__ typedef unsigned __int128 sl_name_product;

/* The hash that names are looked up by: keyed by the secret, so that no input can be made to collide. That of a short
 * name is one multiplication. */
static inline uint64_t sl_words_hash(sl_name_words words, size_t n) {
    const sl_name_product product =
        (sl_name_product)(words.first ^ sl_name_secret[1]) * (words.last ^ n << 56 ^ sl_name_secret[2]);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}
static inline uint64_t sl_long_name_hash(const char *name, size_t n) { return sl_xxh3(name, n, sl_name_secret[0]); }
static inline uint64_t sl_name_hash(const char *name, size_t n) {
    return n > SL_WORDS_NAME ? sl_long_name_hash(name, n) : sl_words_hash(sl_name_words_of(name, n), n);
}
static inline uint64_t sl_padded_hash(const char *name, size_t n) {
    return n > SL_WORDS_NAME ? sl_long_name_hash(name, n) : sl_words_hash(sl_padded_words(name, n), n);
}

/* Whether two names of the same length are equal, behind both of which SL_NAME_PAD bytes can be read. */
static inline bool sl_padded_equal(const char *a, const char *b, size_t n) {
    if (n > SL_WORDS_NAME) return memcmp(a, b, n) == 0;
    const sl_name_words x = sl_padded_words(a, n), y = sl_padded_words(b, n);
    return ((x.first ^ y.first) | (x.last ^ y.last)) == 0;
}

void sl_names_free(sl_names *d);

/* The number of a name, or SL_NO_NAME. */
uint32_t sl_names_find(const sl_names *d, uint64_t hash, const char *name, size_t n);
/* The same, and a name that is not there gets a number: SL_NO_NAME only when there is no memory; then nothing has
 * changed. */
uint32_t sl_names_add(sl_names *d, uint64_t hash, const char *name, size_t n);
/* The same for a name that is known not to be there. */
uint32_t sl_names_add_new(sl_names *d, uint64_t hash, const char *name, size_t n);
/* Takes a name out. */
void sl_names_remove(sl_names *d, uint32_t number);
/* The bytes of a name that is there: good until the next add. */
const char *sl_names_text(const sl_names *d, uint32_t number, size_t *n);
/* Whether the number is in use. */
bool sl_names_has(const sl_names *d, uint32_t number);

/* A name of up to SL_SHORT_NAME bytes as one number, which has its length too: equal numbers are equal names. */
enum { SL_SHORT_NAME = 7 };
static inline uint64_t sl_short_text(uint64_t bytes, size_t n) { return bytes | (uint64_t)(n + 1) << 56; }

/* The bucket that a name belongs into. */
static inline sl_name_bucket *sl_names_bucket(const sl_names *d, uint64_t hash) {
    return &d->table[hash >> (64 - d->bits)];
}

/* Which entries of a bucket have this text: a bit each, found without a branch, which nothing would predict. */
static inline unsigned sl_bucket_with(const sl_name_bucket *b, uint64_t text) {
    unsigned found = 0;
    for (unsigned i = 0; i < SL_BUCKET_NAMES; i++) found |= (unsigned)(b->text[i] == text) << i;
    return found;
}

/* The same as sl_names_find() for a name behind which SL_NAME_PAD bytes can be read: the loop that every named nonzero
 * takes. Only a name longer than seven bytes costs a call. */
static inline uint32_t sl_names_find_quick(const sl_names *d, uint64_t hash, const char *name, size_t n) {
    if (n > SL_SHORT_NAME || !d->table || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        return sl_names_find(d, hash, name, n);
    const uint64_t text = sl_short_text(sl_padded_words(name, n).first, n);
    const sl_name_bucket *b = sl_names_bucket(d, hash);
    const unsigned found = sl_bucket_with(b, text);
    if (found) return b->number[__builtin_ctz(found)];
    return b->passed ? sl_names_find(d, hash, name, n) : SL_NO_NAME;
}

/* Writes a whole number as a name (at most 20 bytes) and returns its length. */
size_t sl_name_of_id(uint64_t id, char *name);
/* Whether a name is a whole number as sl_name_of_id() writes it, and which. */
bool sl_id_of_name(const char *name, size_t n, uint64_t *id);

/* The address that a lookup reads first, to be prefetched by the caller. */
static inline const void *sl_names_entry(const sl_names *d, uint64_t hash) {
    return d->table ? sl_names_bucket(d, hash) : NULL;
}

/* The address that it reads next, once the bucket is in the cache: the bytes of a long name; NULL: none. */
const void *sl_names_bytes(const sl_names *d, uint64_t hash, size_t n);

#endif
