/* The dictionary of names: buckets of five by the top bits of the hash; what a full bucket has no room for is in the
 * next one that has. */
#include "features/names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pages.h"
#include "base/system.h"

enum {
    START_BITS = 5,
    MAX_BITS = 30,
    WHERE_BITS = 40,  /* of a place in sl_names.where */
    PLACE_BITS = 36,  /* of a place in an entry, */
    LENGTH_BITS = 12, /* of a length; all bits: that, or more */
    HASH_BITS = 12,
    LONG = 0xF,
};
#define WHERE_MASK (((uint64_t)1 << WHERE_BITS) - 1)
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
#define LONGEST (((size_t)1 << LENGTH_BITS) - 1)
#define NOWHERE ((uint64_t)1 << 63) /* in sl_names.where: the number is free */

uint64_t sl_name_secret[3];

__attribute__((constructor)) static void draw_secret(void) {
    if (sl_random(sl_name_secret, sizeof sl_name_secret)) return;
    sl_name_secret[0] = (uint64_t)(uintptr_t)&sl_name_secret ^ (uint64_t)time(NULL) << 20;
    for (size_t i = 1; i < 3; i++) sl_name_secret[i] = sl_xxh3(sl_name_secret, 8, i);
}

void sl_names_free(sl_names *d) {
    if (d->table) sl_pages_free(d->table, sizeof *d->table << d->bits);
    free(d->bytes);
    free(d->where);
    *d = (sl_names){0};
}

static size_t mask(const sl_names *d) { return ((size_t)1 << d->bits) - 1; }

/* The first bytes of a word in memory: n of them, less than eight. */
#define PART(n)                                                                                                        \
    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ((uint64_t)1 << 8 * ((n) % 8)) - 1 : ~(UINT64_MAX >> 8 * ((n) % 8)))
#define MASKS(n)                                                                                                       \
    { (n) >= 8 ? UINT64_MAX : PART(n), (n) >= 16 ? UINT64_MAX : (n) > 8 ? PART(n) : 0 }
const sl_name_words sl_name_masks[SL_WORDS_NAME + 1] = {
    MASKS(0), MASKS(1), MASKS(2),  MASKS(3),  MASKS(4),  MASKS(5),  MASKS(6),  MASKS(7),
    MASKS(8), MASKS(9), MASKS(10), MASKS(11), MASKS(12), MASKS(13), MASKS(14), MASKS(15),
};

sl_name_words sl_name_words_of(const char *name, size_t n) {
    const unsigned char *p = (const unsigned char *)name;
    sl_name_words words = {0, 0};
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
        if (n) memcpy(&words, name, n);
    } else if (n > 8) { /* pieces that overlap, since a copy of n bytes would be a call */
        memcpy(&words.first, p, 8);
        memcpy(&words.last, p + n - 8, 8);
        words.last >>= 8 * (16 - n);
    } else if (n >= 4) {
        uint32_t head, tail;
        memcpy(&head, p, 4);
        memcpy(&tail, p + n - 4, 4);
        words.first = head | (uint64_t)tail << 8 * (n - 4);
    } else if (n) {
        words.first = p[0] | (uint64_t)p[n / 2] << 8 * (n / 2) | (uint64_t)p[n - 1] << 8 * (n - 1);
    }
    return words;
}

/* The upper bits of the entry of a name of more than SL_SHORT_NAME bytes: all but its place. */
static uint64_t long_head(uint64_t hash, size_t n) {
    const uint64_t part = hash & (((uint64_t)1 << HASH_BITS) - 1); /* its bucket is found by the upper bits */
    return (uint64_t)LONG << 60 | part << (PLACE_BITS + LENGTH_BITS) |
           (uint64_t)(n < LONGEST ? n : LONGEST) << PLACE_BITS;
}

static uint64_t text_of(uint64_t hash, const char *name, size_t n, size_t at) {
    return n <= SL_SHORT_NAME ? sl_short_text(sl_name_words_of(name, n).first, n) : long_head(hash, n) | at;
}

static bool has_bytes(const sl_names *d, const sl_name_bucket *b, unsigned i, const char *name, size_t n) {
    if (n >= LONGEST && d->where[b->number[i]] >> WHERE_BITS != n) return false;
    return memcmp(d->bytes + (b->text[i] & PLACE_MASK), name, n) == 0;
}

/* The entry of the name in its bucket; SL_BUCKET_NAMES: there is none. `text` is text_of() it at place 0. */
static unsigned entry_of(const sl_names *d, const sl_name_bucket *b, uint64_t text, const char *name, size_t n) {
    if (n <= SL_SHORT_NAME) {
        const unsigned found = sl_bucket_with(b, text);
        return found ? (unsigned)__builtin_ctz(found) : SL_BUCKET_NAMES;
    }
    for (unsigned i = 0; i < SL_BUCKET_NAMES; i++)
        if ((b->text[i] & ~PLACE_MASK) == text && has_bytes(d, b, i, name, n)) return i;
    return SL_BUCKET_NAMES;
}

uint32_t sl_names_find(const sl_names *d, uint64_t hash, const char *name, size_t n) {
    if (!d->table) return SL_NO_NAME;
    const uint64_t text = text_of(hash, name, n, 0);
    const sl_name_bucket *b = sl_names_bucket(d, hash);
    for (;; b = &d->table[(size_t)(b - d->table + 1) & mask(d)]) {
        const unsigned i = entry_of(d, b, text, name, n);
        if (i < SL_BUCKET_NAMES) return b->number[i];
        if (!b->passed) return SL_NO_NAME;
    }
}

const void *sl_names_bytes(const sl_names *d, uint64_t hash, size_t n) {
    if (!d->table) return NULL;
    const sl_name_bucket *b = sl_names_bucket(d, hash);
    const uint64_t head = long_head(hash, n);
    for (unsigned i = 0; i < SL_BUCKET_NAMES; i++)
        if ((b->text[i] & ~PLACE_MASK) == head) return d->bytes + (b->text[i] & PLACE_MASK);
    return NULL;
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

/* Puts a name that is not there into the first bucket from its own on that has room. */
static void put(sl_names *d, uint64_t hash, uint64_t text, uint32_t number) {
    sl_name_bucket *b = sl_names_bucket(d, hash);
    while (b->text[SL_BUCKET_NAMES - 1]) {
        b->passed++;
        b = &d->table[(size_t)(b - d->table + 1) & mask(d)];
    }
    unsigned i = 0;
    while (b->text[i]) i++;
    b->text[i] = text;
    b->number[i] = number;
}

/* Puts the names from number `first` on, at most SOME of them, into the table: hashed again, in the order in which
 * their bytes lie. */
enum { SOME = 64 };
static void put_some(sl_names *d, uint32_t first) {
    const uint32_t end = d->n - first < SOME ? d->n : first + SOME;
    uint64_t hash[SOME];
    size_t n;
    for (uint32_t i = first; i < end; i++) {
        if (d->where[i] & NOWHERE) continue;
        const char *name = sl_names_text(d, i, &n);
        hash[i - first] = sl_name_hash(name, n);
        __builtin_prefetch(sl_names_bucket(d, hash[i - first]), 1);
    }
    for (uint32_t i = first; i < end; i++) {
        if (d->where[i] & NOWHERE) continue;
        const char *name = sl_names_text(d, i, &n);
        put(d, hash[i - first], text_of(hash[i - first], name, n, d->where[i] & WHERE_MASK), i);
    }
}

/* A table of 2^bits buckets, with the names that there are. */
static bool set_table(sl_names *d, unsigned bits) {
    if (bits > MAX_BITS) return false;
    sl_name_bucket *table = sl_pages_new(sizeof *table << bits, true), *old = d->table;
    if (!table) return false;
    if (old) sl_pages_free(old, sizeof *old << d->bits);
    d->table = table;
    d->bits = bits;
    for (uint64_t i = 0; i < d->n; i += SOME) put_some(d, (uint32_t)i);
    return true;
}

static bool grow_numbers(sl_names *d) {
    if (d->n < d->room || d->free) return true;
    size_t room = d->room ? (size_t)d->room * 2 : 256;
    if (room >= SL_NO_NAME) room = SL_NO_NAME - 1;
    if (room == d->room) return false;
    uint64_t *where = realloc(d->where, room * sizeof *where);
    if (!where) return false;
    d->where = where;
    d->room = (uint32_t)room;
    return true;
}

/* Moves all names to the front of a new arena, without those that were removed. */
static bool renew_arena(sl_names *d, size_t room) {
    char *bytes = malloc(room);
    if (!bytes) return false;
    size_t at = 0;
    for (uint32_t i = 0; i < d->n; i++) {
        if (d->where[i] & NOWHERE) continue;
        size_t n = d->where[i] >> WHERE_BITS;
        memcpy(bytes + at, d->bytes + (d->where[i] & WHERE_MASK), n);
        d->where[i] = (uint64_t)n << WHERE_BITS | at;
        at += n;
    }
    for (size_t i = 0; d->table && i <= mask(d); i++)
        for (unsigned k = 0; k < SL_BUCKET_NAMES; k++) {
            uint64_t *text = &d->table[i].text[k];
            if (*text >> 60 == LONG) *text = (*text & ~PLACE_MASK) | (d->where[d->table[i].number[k]] & WHERE_MASK);
        }
    free(d->bytes);
    d->bytes = bytes;
    d->bytes_n = at;
    d->bytes_room = room;
    d->garbage = 0;
    return true;
}

static bool grow_arena(sl_names *d, size_t n) {
    if (d->bytes && n <= d->bytes_room - d->bytes_n) return true; /* the empty name has a place too */
    if (d->garbage > d->bytes_n / 2 && d->garbage >= n) return renew_arena(d, d->bytes_room);
    size_t room = d->bytes_room * 2 + n + 4096;
    if (room > PLACE_MASK) return false;
    char *bytes = realloc(d->bytes, room);
    if (!bytes) return false;
    d->bytes = bytes;
    d->bytes_room = room;
    return true;
}

/* ---- adding and removing ----------------------------------------------------------------------------------------- */

static uint32_t next_number(sl_names *d) {
    if (!d->free) return d->n++;
    uint32_t number = d->free - 1;
    d->free = (uint32_t)d->where[number];
    return number;
}

uint32_t sl_names_add(sl_names *d, uint64_t hash, const char *name, size_t n) {
    uint32_t number = sl_names_find(d, hash, name, n);
    return number != SL_NO_NAME ? number : sl_names_add_new(d, hash, name, n);
}

uint32_t sl_names_add_new(sl_names *d, uint64_t hash, const char *name, size_t n) {
    if (n > SL_MAX_NAME || !grow_numbers(d) || !grow_arena(d, n)) return SL_NO_NAME;
    const size_t most = d->table ? (SL_BUCKET_NAMES - 1) * (mask(d) + 1) : 0;
    if (d->used >= most && !set_table(d, d->table ? d->bits + 1 : START_BITS)) return SL_NO_NAME;
    const uint32_t number = next_number(d);
    if (n) memcpy(d->bytes + d->bytes_n, name, n);
    d->where[number] = (uint64_t)n << WHERE_BITS | d->bytes_n;
    put(d, hash, text_of(hash, name, n, d->bytes_n), number);
    d->bytes_n += n;
    d->used++;
    return number;
}

/* Takes an entry out of its bucket; the last one takes its place. */
static void take_out(sl_name_bucket *b, unsigned i) {
    unsigned last = SL_BUCKET_NAMES - 1;
    while (!b->text[last]) last--;
    b->text[i] = b->text[last];
    b->number[i] = b->number[last];
    b->text[last] = 0;
}

void sl_names_remove(sl_names *d, uint32_t number) {
    size_t n;
    const char *name = sl_names_text(d, number, &n);
    const uint64_t hash = sl_name_hash(name, n), text = text_of(hash, name, n, 0);
    sl_name_bucket *b = sl_names_bucket(d, hash);
    unsigned i;
    while ((i = entry_of(d, b, text, name, n)) == SL_BUCKET_NAMES) {
        b->passed--;
        b = &d->table[(size_t)(b - d->table + 1) & mask(d)];
    }
    take_out(b, i);
    d->used--;
    d->garbage += n;
    d->where[number] = NOWHERE | d->free;
    d->free = number + 1;
}

bool sl_names_has(const sl_names *d, uint32_t number) { return number < d->n && !(d->where[number] & NOWHERE); }

const char *sl_names_text(const sl_names *d, uint32_t number, size_t *n) {
    *n = d->where[number] >> WHERE_BITS;
    return d->bytes + (d->where[number] & WHERE_MASK);
}

/* ---- whole numbers ----------------------------------------------------------------------------------------------- */

size_t sl_name_of_id(uint64_t id, char *name) {
    char digits[20];
    size_t n = 0;
    do digits[n++] = (char)('0' + id % 10);
    while (id /= 10);
    for (size_t i = 0; i < n; i++) name[i] = digits[n - 1 - i];
    return n;
}

bool sl_id_of_name(const char *name, size_t n, uint64_t *id) {
    if (n == 0 || n > 20 || (name[0] == '0' && n > 1)) return false;
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned char)(name[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value))
            return false;
    }
    *id = value;
    return true;
}

/* ---- public functions -------------------------------------------------------------------------------------------- */

struct sluice_names {
    sl_names names;
};

sluice_names *sluice_names_new(void) { return calloc(1, sizeof(sluice_names)); }

void sluice_names_free(sluice_names *d) {
    if (d) sl_names_free(&d->names);
    free(d);
}

uint64_t sluice_names_number(sluice_names *d, sluice_name name) {
    uint32_t number = sl_names_add(&d->names, sl_name_hash(name.text, name.n), name.text, name.n);
    return number == SL_NO_NAME ? UINT64_MAX : number;
}

sluice_name sluice_names_name(const sluice_names *d, uint64_t number) {
    sluice_name name = {"", 0};
    if (number >= d->names.n) return name;
    name.text = sl_names_text(&d->names, (uint32_t)number, &name.n);
    return name;
}

uint64_t sluice_names_count(const sluice_names *d) { return d->names.n; }
