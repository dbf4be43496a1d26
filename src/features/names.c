/* The dictionary of names: linear probing from the top bits of the hash, so that growing is one pass in order. */
#include "features/names.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/pages.h"
#include "base/system.h"

enum { START_BITS = 8, MAX_BITS = 32, SHORT = 7, PLACE_BITS = 40, LONG = 0xFF };
#define PLACE_MASK (((uint64_t)1 << PLACE_BITS) - 1)
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

static size_t home(const sl_names *d, uint32_t tag) { return tag >> (32 - d->bits); }
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

/* A short name as one number; its length is in it, so equal numbers are equal names. */
static uint64_t short_text(const char *name, size_t n) { return sl_name_words_of(name, n).first | (uint64_t)n << 56; }

static bool is_long(uint64_t text) { return text >> 56 == LONG; }
static uint64_t long_text(size_t place, size_t n) { return (uint64_t)LONG << 56 | (uint64_t)n << PLACE_BITS | place; }
static size_t long_length(uint64_t text) { return text >> PLACE_BITS & 0xFFFF; }

/* Where the name's entry is, or the free one where it would go. */
static sl_name_entry *place(const sl_names *d, uint64_t hash, const char *name, size_t n) {
    uint32_t tag = (uint32_t)(hash >> 32);
    uint64_t text = n <= SHORT ? short_text(name, n) : 0;
    for (size_t i = home(d, tag);; i = (i + 1) & mask(d)) {
        sl_name_entry *e = &d->table[i];
        if (!e->number) return e;
        if (e->tag != tag) continue;
        if (n <= SHORT ? e->text == text
                       : is_long(e->text) && long_length(e->text) == n &&
                             memcmp(d->bytes + (e->text & PLACE_MASK), name, n) == 0)
            return e;
    }
}

uint32_t sl_names_find(const sl_names *d, uint64_t hash, const char *name, size_t n) {
    return d->table ? place(d, hash, name, n)->number - 1 : SL_NO_NAME;
}

/* ---- growing ----------------------------------------------------------------------------------------------------- */

static bool grow_table(sl_names *d) {
    unsigned bits = d->table ? d->bits + 1 : START_BITS;
    if (bits > MAX_BITS) return false;
    sl_name_entry *table = sl_pages_new(sizeof *table << bits, true), *old = d->table;
    if (!table) return false;
    size_t n = old ? (size_t)1 << d->bits : 0;
    d->table = table;
    d->bits = bits;
    for (size_t i = 0; i < n; i++) {
        if (!old[i].number) continue;
        size_t j = home(d, old[i].tag);
        while (table[j].number) j = (j + 1) & mask(d);
        table[j] = old[i];
    }
    if (old) sl_pages_free(old, sizeof *old * n);
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
        size_t n = d->where[i] >> PLACE_BITS;
        memcpy(bytes + at, d->bytes + (d->where[i] & PLACE_MASK), n);
        d->where[i] = (uint64_t)n << PLACE_BITS | at;
        at += n;
    }
    for (size_t i = 0; d->table && i <= mask(d); i++) {
        sl_name_entry *e = &d->table[i];
        if (e->number && is_long(e->text))
            e->text = long_text(d->where[e->number - 1] & PLACE_MASK, long_length(e->text));
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

/* The free entry where a name belongs that is not there. */
static sl_name_entry *free_place(const sl_names *d, uint32_t tag) {
    size_t i = home(d, tag);
    while (d->table[i].number) i = (i + 1) & mask(d);
    return &d->table[i];
}

uint32_t sl_names_add_new(sl_names *d, uint64_t hash, const char *name, size_t n) {
    if (n > SL_MAX_NAME || !grow_numbers(d) || !grow_arena(d, n)) return SL_NO_NAME;
    if ((!d->table || d->used + 1 > ((size_t)3 << d->bits) / 4) && !grow_table(d)) return SL_NO_NAME;
    uint32_t number = next_number(d);
    if (n) memcpy(d->bytes + d->bytes_n, name, n);
    d->where[number] = (uint64_t)n << PLACE_BITS | d->bytes_n;
    *free_place(d, (uint32_t)(hash >> 32)) = (sl_name_entry){
        .tag = (uint32_t)(hash >> 32),
        .number = number + 1,
        .text = n <= SHORT ? short_text(name, n) : long_text(d->bytes_n, n),
    };
    d->bytes_n += n;
    d->used++;
    return number;
}

/* Closes the gap at entry i: moves up the entries that could not be found across it. */
static void close_gap(sl_names *d, size_t i) {
    for (size_t j = (i + 1) & mask(d); d->table[j].number; j = (j + 1) & mask(d)) {
        size_t from_home = (j - home(d, d->table[j].tag)) & mask(d), to_gap = (j - i) & mask(d);
        if (from_home < to_gap) continue;
        d->table[i] = d->table[j];
        i = j;
    }
    d->table[i] = (sl_name_entry){0};
}

void sl_names_remove(sl_names *d, uint32_t number) {
    size_t n;
    const char *name = sl_names_text(d, number, &n);
    sl_name_entry *e = place(d, sl_name_hash(name, n), name, n);
    close_gap(d, (size_t)(e - d->table));
    d->used--;
    d->garbage += n;
    d->where[number] = NOWHERE | d->free;
    d->free = number + 1;
}

bool sl_names_has(const sl_names *d, uint32_t number) { return number < d->n && !(d->where[number] & NOWHERE); }

const char *sl_names_text(const sl_names *d, uint32_t number, size_t *n) {
    *n = d->where[number] >> PLACE_BITS;
    return d->bytes + (d->where[number] & PLACE_MASK);
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
