/* Crossing the features of a row. The name of a crossed feature is the names of its two, in the order of their bytes,
 * with a star between them. So that no other feature has such a name, a star within a name becomes `\*`, and in the
 * names that are crossed a backslash `\\`. */
#include "io/named/quadratic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "features/names.h"

/* A feature that some side takes. */
typedef struct part {
    uint64_t sides;
    uint64_t begin;   /* the first eight bytes of its name, so that most comparisons are of these */
    const char *text; /* as it stands in crossed names, n bytes */
    size_t n;
    size_t at; /* of the text in sl_crossed.text, or that of a feature whose name is its text: */
    uint32_t feature;
    bool escaped;
    float value;
} part;

struct sl_crossed {
    part *part;
    size_t parts, part_room;
    uint32_t *list; /* those that each side of a crossing takes */
    size_t list_room;
    char *text;
    size_t text_n, text_room;
    sl_reason reason;
    char message[256];
};

void sl_crossed_free(sl_crossed *c) {
    if (!c) return;
    free(c->part);
    free(c->list);
    free(c->text);
    free(c);
}

size_t sl_crossed_memory(const sl_crossed *c) {
    return c ? c->part_room * sizeof *c->part + c->list_room * sizeof *c->list + c->text_room : 0;
}

const char *sl_crossed_why(const sl_named_rows *r, sl_reason *reason) {
    *reason = r->block->crossed->reason;
    return r->block->crossed->message;
}

static bool grow(void *array, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) return true;
    const size_t larger = needed + needed / 2 + 64;
    void **to = array, *grown = realloc(*to, larger * size);
    if (!grown) return false;
    *to = grown;
    *room = larger;
    return true;
}

/* ---- the features that are crossed ------------------------------------------------------------------------------- */

static size_t count_of(const char *text, size_t n, char c) {
    size_t count = 0;
    for (const char *p = text, *end = text + n; (p = memchr(p, c, (size_t)(end - p))); p++) count++;
    return count;
}

/* A copy of the text with a backslash before every star and backslash. */
static size_t escape(char *to, const char *text, size_t n) {
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '*' || text[i] == '\\') to[length++] = '\\';
        to[length++] = text[i];
    }
    return length;
}

static bool add_part(sl_crossed *c, const sluice_batch *b, size_t k, uint64_t sides) {
    const char *name = b->text + b->name[k].at;
    const size_t n = b->name[k].n, marks = count_of(name, n, '*') + count_of(name, n, '\\');
    if (!grow(&c->part, &c->part_room, c->parts + 1, sizeof *c->part)) return false;
    part *p = &c->part[c->parts++];
    *p = (part){.sides = sides, .feature = (uint32_t)k, .n = n + marks, .value = b->value[k], .escaped = marks > 0};
    if (!marks) return true;
    if (!grow(&c->text, &c->text_room, c->text_n + p->n, 1)) return false;
    p->at = c->text_n;
    c->text_n += escape(c->text + c->text_n, name, n);
    return true;
}

/* Finds the features that sides take. Names of one group mostly stand side by side. */
static bool find_parts(sl_crossed *c, const sl_named_rows *r) {
    const sluice_batch *b = r->batch;
    sl_quadratic *q = r->block->rules->quadratic;
    const bool noting = sl_quadratic_is_noting(q);
    sluice_name last = {"", 0};
    uint64_t sides = 0, taken = 0;
    c->parts = c->text_n = 0;
    for (size_t k = r->first; k < b->nonzeros; k++) {
        const sluice_name group = sl_group_of(b->text + b->name[k].at, b->name[k].n, r->block->group_end);
        if (k == r->first || group.n != last.n || memcmp(group.text, last.text, group.n) != 0) {
            sides = sl_quadratic_sides(q, group.text, group.n);
            if (noting) sl_quadratic_note_group(q, group.text, group.n);
        }
        last = group;
        if (!sides || b->value[k] == 0) continue;
        taken |= sides;
        if (!add_part(c, b, k, sides)) return false;
    }
    if (noting) sl_quadratic_note_sides(q, taken);
    return grow(&c->list, &c->list_room, 2 * c->parts, sizeof *c->list);
}

/* When the batch has room, so that its text stays where it is. */
static void place_parts(sl_crossed *c, const sluice_batch *b) {
    for (size_t i = 0; i < c->parts; i++) {
        part *p = &c->part[i];
        p->text = p->escaped ? c->text + p->at : b->text + b->name[p->feature].at;
        for (size_t k = 0; k < sizeof p->begin; k++)
            p->begin = p->begin << 8 | (k < p->n ? (unsigned char)p->text[k] : 0);
    }
}

/* ---- how much that is ---------------------------------------------------------------------------------------------*/

typedef struct sums {
    uint64_t parts, bytes;
} sums;

/* What a crossing adds at most, no pair of features counted twice. */
static sums size_of(const sl_crossed *c, size_t crossing) {
    const uint64_t first = (uint64_t)1 << crossing, second = first << 32;
    sums a = {0, 0}, b = {0, 0}, both = {0, 0};
    for (size_t i = 0; i < c->parts; i++) {
        const part *p = &c->part[i];
        if (p->sides & first) a.parts++, a.bytes += p->n;
        if (p->sides & second) b.parts++, b.bytes += p->n;
        if ((p->sides & first) && (p->sides & second)) both.parts++, both.bytes += p->n;
    }
    sums all = {a.parts * b.parts, a.parts * b.bytes + b.parts * a.bytes + a.parts * b.parts};
    if (both.parts > 1) {
        const uint64_t twice = both.parts * (both.parts - 1) / 2;
        all.parts -= twice;
        all.bytes -= (both.parts - 1) * both.bytes + twice;
    }
    return all;
}

/* Stars in names that are not those of crossed features become bytes more. */
static uint64_t renamed_bytes(const sl_named_rows *r) {
    const sluice_batch *b = r->batch;
    uint64_t bytes = 0;
    for (size_t k = r->first; k < b->nonzeros; k++) {
        const char *name = b->text + b->name[k].at;
        const size_t n = b->name[k].n, stars = count_of(name, n, '*');
        if (stars) bytes += n + stars + count_of(name, n, '\\');
    }
    return bytes;
}

static sl_named_status refuse(sl_named_rows *r, sl_reason reason) {
    r->block->crossed->reason = reason;
    return r->failed = SL_NAMED_CROSSED;
}

static sl_named_status make_room(sl_named_rows *r, sl_crossed *c, uint64_t renamed) {
    const uint64_t features = sl_named_count(r);
    sums all = {0, renamed};
    for (size_t i = 0; i < sl_quadratic_crossings(r->block->rules->quadratic); i++) {
        const sums more = size_of(c, i);
        all.parts += more.parts, all.bytes += more.bytes;
    }
    /* no row has so many features and bytes that these sums could overflow */
    if (all.parts <= SL_ROW_FEATURES && all.bytes <= SL_ROW_TEXT) {
        const sl_named_status status = sl_named_reserve(r, (size_t)all.parts, (size_t)all.bytes + 1);
        if (status != SL_NAMED_LARGE) return status;
    } else if (r->block->limited) { /* the caller will see the rest of the block, and say so */
        return r->failed = SL_NAMED_LATER;
    }
    snprintf(
        c->message, sizeof c->message,
        "a row of %llu features makes %llu crossed ones with %llu bytes of names; it may have %zu features and %zu "
        "bytes",
        (unsigned long long)features, (unsigned long long)all.parts, (unsigned long long)all.bytes, SL_ROW_FEATURES,
        SL_ROW_TEXT);
    return refuse(r, SL_LARGE_ROW);
}

/* ---- crossing ---------------------------------------------------------------------------------------------------- */

static bool is_before(const part *x, const part *y) {
    if (x->begin != y->begin) return x->begin < y->begin;
    const int order = memcmp(x->text, y->text, x->n < y->n ? x->n : y->n);
    return order ? order < 0 : x->n < y->n;
}

/* Adds a name that is written behind the text. */
static void put_feature(sluice_batch *b, size_t n, float value) {
    const char *text = b->text + b->text_n;
    b->name[b->nonzeros] = (sl_name){.at = (uint32_t)b->text_n, .n = (uint32_t)n};
    b->hash[b->nonzeros] = sl_name_hash(text, n);
    b->value[b->nonzeros++] = value;
    b->text_n += n;
}

static __attribute__((noinline)) sl_named_status bad_product(sl_named_rows *r, const part *x, const part *y) {
    sl_crossed *c = r->block->crossed;
    char one[128], other[128];
    sl_quote(one, x->text, x->n);
    sl_quote(other, y->text, y->n);
    if (x->n + y->n + 1 > SL_MAX_NAME) {
        snprintf(c->message, sizeof c->message, "%.96s crossed with %.96s: a name longer than %zu bytes", one, other,
                 SL_MAX_NAME);
        return refuse(r, SL_BAD_NAME);
    }
    snprintf(c->message, sizeof c->message, "%.96s times %.96s is beyond the range of a float, about 3.4e38", one,
             other);
    return refuse(r, SL_OUT_OF_RANGE);
}

/* There is room. */
static inline bool cross(sluice_batch *b, const part *x, const part *y) {
    const float value = x->value * y->value;
    const size_t n = x->n + y->n + 1;
    if (!isfinite(value) || n > SL_MAX_NAME) return false;
    if (value == 0) return true; /* too small for a float */
    if (is_before(y, x)) {
        const part *z = x;
        x = y, y = z;
    }
    char *to = b->text + b->text_n;
    memcpy(to, x->text, x->n);
    to[x->n] = '*';
    memcpy(to + x->n + 1, y->text, y->n);
    put_feature(b, n, value);
    return true;
}

/* Whether this crossing, as the first one, makes the product of parts i and j: i of its first side, j of its second. */
static inline bool is_new(const sl_crossed *c, size_t i, size_t j, size_t crossing) {
    const uint64_t x = c->part[i].sides, y = c->part[j].sides;
    const uint32_t there = (uint32_t)(x & y >> 32), back = (uint32_t)(y & x >> 32);
    if (((there | back) & (((uint32_t)1 << crossing) - 1)) != 0) return false;
    return i <= j || !(back >> crossing & 1);
}

static sl_named_status cross_all(sl_named_rows *r, sl_crossed *c, size_t crossing) {
    uint32_t *first = c->list, *second = c->list + c->parts;
    size_t firsts = 0, seconds = 0;
    for (size_t i = 0; i < c->parts; i++) {
        if (c->part[i].sides >> crossing & 1) first[firsts++] = (uint32_t)i;
        if (c->part[i].sides >> (32 + crossing) & 1) second[seconds++] = (uint32_t)i;
    }
    for (size_t i = 0; i < firsts; i++)
        for (size_t j = 0; j < seconds; j++)
            if (is_new(c, first[i], second[j], crossing) && !cross(r->batch, &c->part[first[i]], &c->part[second[j]]))
                return bad_product(r, &c->part[first[i]], &c->part[second[j]]);
    return SL_NAMED_OK;
}

/* Gives the features that the row had a name with `\*` where there is a star. */
static sl_named_status rename_all(sl_named_rows *r, size_t stop) {
    sluice_batch *b = r->batch;
    for (size_t k = r->first; k < stop; k++) {
        const char *name = b->text + b->name[k].at;
        if (!memchr(name, '*', b->name[k].n)) continue;
        const size_t n = escape(b->text + b->text_n, name, b->name[k].n);
        if (n > SL_MAX_NAME) {
            sl_crossed *c = r->block->crossed;
            snprintf(c->message, sizeof c->message, "a name is longer than %zu bytes with its stars written \\*",
                     SL_MAX_NAME);
            return refuse(r, SL_BAD_NAME);
        }
    }
    for (size_t k = r->first; k < stop; k++) {
        const char *name = b->text + b->name[k].at;
        if (!memchr(name, '*', b->name[k].n)) continue;
        const size_t n = escape(b->text + b->text_n, name, b->name[k].n);
        b->hash[k] = sl_name_hash(b->text + b->text_n, n);
        b->name[k] = (sl_name){.at = (uint32_t)b->text_n, .n = (uint32_t)n};
        b->text_n += n;
    }
    return SL_NAMED_OK;
}

sl_named_status sl_cross_row(sl_named_rows *r) {
    sl_block *block = r->block;
    if (!block->crossed && !(block->crossed = calloc(1, sizeof *block->crossed))) return r->failed = SL_NAMED_MEMORY;
    sl_crossed *c = block->crossed;
    const size_t stop = r->batch->nonzeros;
    const uint64_t renamed = renamed_bytes(r);
    if (!find_parts(c, r)) return r->failed = SL_NAMED_MEMORY;
    sl_named_status status = make_room(r, c, renamed);
    if (status != SL_NAMED_OK) return status;
    place_parts(c, r->batch);
    for (size_t i = 0; i < sl_quadratic_crossings(block->rules->quadratic) && status == SL_NAMED_OK; i++)
        status = cross_all(r, c, i);
    /* last, since a row that is dropped must have the names that it was built with */
    return status == SL_NAMED_OK && renamed ? rename_all(r, stop) : status;
}
