/* Mutates bin files: heads, blocks, and the labels, lengths, names, ids and values of their rows. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/chance.h"
#include "fuzz/model_mutator.h"
#include "io/bin/bin.h"

enum { MAX_BLOCKS = 16, MAX_ROWS = 64, MAX_NONZEROS = 512, MAX_NAMES = 512, MAX_PAYLOAD = 1 << 17 };

typedef struct block {
    uint32_t rows, nonzeros, flags;
    uint8_t *payload;
    size_t n;
} block;

typedef struct bin_file {
    uint8_t head[SL_BIN_FILE_HEADER];
    block b[MAX_BLOCKS];
    size_t n, cut;
} bin_file;

/* The rows of a block. */
typedef struct rows {
    size_t n, nonzeros, names;
    uint32_t flags;
    uint32_t label[MAX_ROWS], weight[MAX_ROWS]; /* bits of floats */
    uint64_t length[MAX_ROWS];
    struct {
        const uint8_t *at;
        size_t n;
    } name[MAX_NAMES];
    uint64_t first, names_said; /* what the block says: how many names came before, and how many it adds */
    uint64_t id[MAX_NONZEROS];
    uint32_t value[MAX_NONZEROS]; /* bits of a float */
} rows;

typedef struct cursor {
    const uint8_t *at, *end;
} cursor;

static bool take(cursor *c, size_t n, const uint8_t **bytes) {
    if ((size_t)(c->end - c->at) < n) return false;
    *bytes = c->at;
    c->at += n;
    return true;
}

static bool take_varint(cursor *c, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        uint8_t byte = *c->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static uint32_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static bool decode_listed_values(cursor *c, rows *r) {
    const uint8_t *count, *list, *position;
    size_t all = 0;
    if (!take(c, r->n, &count)) return false;
    for (size_t i = 0; i < r->n; i++) all += count[i];
    if (!take(c, 4 * all, &list) || !take(c, r->nonzeros, &position)) return false;
    for (size_t i = 0, k = 0; i < r->n; list += 4 * (size_t)count[i++])
        for (uint64_t j = 0; j < r->length[i]; j++, k++) {
            if (position[k] >= count[i]) return false;
            r->value[k] = sl_get_u32(list + 4 * (size_t)position[k]);
        }
    return c->at == c->end;
}

static bool decode_rows(const block *b, rows *r) {
    cursor c = {b->payload, b->payload + b->n};
    const uint8_t *p, *data;
    r->n = b->rows, r->flags = b->flags, r->names = 0, r->first = 0, r->nonzeros = 0;
    if (r->n == 0 || r->n > MAX_ROWS || b->flags & (SL_BIN_END | SL_BIN_WORDS)) return false;
    if (!take(&c, b->flags & SL_BIN_LABELS_FLOAT ? 4 * r->n : (r->n + 7) / 8, &p)) return false;
    for (size_t i = 0; i < r->n; i++)
        r->label[i] =
            b->flags & SL_BIN_LABELS_FLOAT ? sl_get_u32(p + 4 * i) : float_bits(p[i / 8] >> i % 8 & 1 ? 1.0f : -1.0f);
    if (b->flags & SL_BIN_WEIGHTS && !take(&c, 4 * r->n, &p)) return false;
    for (size_t i = 0; i < r->n; i++) r->weight[i] = b->flags & SL_BIN_WEIGHTS ? sl_get_u32(p + 4 * i) : float_bits(1);
    for (size_t i = 0; i < r->n; i++) {
        if (!take_varint(&c, &r->length[i]) || r->length[i] > MAX_NONZEROS - r->nonzeros) return false;
        r->nonzeros += (size_t)r->length[i];
    }
    if (b->flags & SL_BIN_NAMES) {
        uint64_t names, n;
        if (!take_varint(&c, &r->first) || !take_varint(&c, &names) || names > MAX_NAMES) return false;
        for (r->names = 0; r->names < names; r->names++) {
            if (!take_varint(&c, &n) || n > MAX_PAYLOAD || !take(&c, (size_t)n, &r->name[r->names].at)) return false;
            r->name[r->names].n = (size_t)n;
        }
    }
    r->names_said = r->names;
    const uint8_t *control = NULL;
    if (!(b->flags & SL_BIN_IDS_ANY) && !take(&c, (r->nonzeros + 3) / 4, &control)) return false;
    for (size_t i = 0, k = 0; i < r->n; i++) {
        uint64_t last = 0, d = 0;
        for (uint64_t j = 0; j < r->length[i]; j++, k++) {
            if (control) {
                size_t length = (control[k / 4] >> k % 4 * 2 & 3) + 1u;
                if (!take(&c, length, &data)) return false;
                d = sl_get_le(data, length);
            } else {
                if (!take_varint(&c, &d)) return false;
                d = d >> 1 ^ (0 - (d & 1));
            }
            r->id[k] = last = b->flags & SL_BIN_NAMES ? d : last + d;
        }
    }
    if (b->flags & SL_BIN_VALUE_LISTS) return decode_listed_values(&c, r);
    size_t width = (size_t[]){0, 1, 2, 4}[(b->flags & SL_BIN_VALUES) >> 2];
    if (!take(&c, width * r->nonzeros, &p)) return false;
    for (size_t k = 0; k < r->nonzeros; k++)
        r->value[k] = width == 4   ? sl_get_u32(p + 4 * k)
                      : width == 0 ? float_bits(1)
                                   : float_bits((float)sl_get_le(p + width * k, width));
    return c.at == c.end;
}

static uint8_t *put_varint(uint8_t *p, uint64_t v) {
    for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

/* Each value is listed, so that a list may be longer than it has to be, and more than a count can say. */
static uint8_t *encode_listed_values(const rows *r, uint8_t *p) {
    uint8_t *count = p, *list = p + r->n;
    for (size_t i = 0, k = 0; i < r->n; i++) {
        size_t n = 0;
        for (; n < r->length[i] && k < r->nonzeros; n++, k++, list += 4) sl_put_u32(list, r->value[k]);
        count[i] = (uint8_t)n;
    }
    for (size_t i = 0, k = 0; i < r->n; i++)
        for (size_t j = 0; j < r->length[i] && k < r->nonzeros; j++, k++) *list++ = (uint8_t)j;
    return list;
}

static void encode_rows(const rows *r, block *b) {
    size_t room = 17 * r->n + 17 * r->nonzeros + 32;
    for (size_t i = 0; i < r->names; i++) room += r->name[i].n + 10;
    uint8_t *p = malloc(room), *start = p;
    if (!p) abort();
    if (r->flags & SL_BIN_LABELS_FLOAT) {
        for (size_t i = 0; i < r->n; i++, p += 4) sl_put_u32(p, r->label[i]);
    } else {
        memset(p, 0, (r->n + 7) / 8);
        for (size_t i = 0; i < r->n; i++) p[i / 8] = (uint8_t)(p[i / 8] | (r->label[i] >> 31 ? 0u : 1u) << i % 8);
        p += (r->n + 7) / 8;
    }
    for (size_t i = 0; i < r->n && r->flags & SL_BIN_WEIGHTS; i++, p += 4) sl_put_u32(p, r->weight[i]);
    for (size_t i = 0; i < r->n; i++) p = put_varint(p, r->length[i]);
    if (r->flags & SL_BIN_NAMES) p = put_varint(put_varint(p, r->first), r->names_said);
    for (size_t i = 0; i < r->names && r->flags & SL_BIN_NAMES; i++) {
        p = put_varint(p, r->name[i].n);
        if (r->name[i].n) memcpy(p, r->name[i].at, r->name[i].n);
        p += r->name[i].n;
    }
    uint8_t *control = p;
    if (!(r->flags & SL_BIN_IDS_ANY)) {
        memset(p, 0, (r->nonzeros + 3) / 4);
        p += (r->nonzeros + 3) / 4;
    }
    uint64_t left = 0, last = 0;
    for (size_t k = 0, row = 0; k < r->nonzeros; k++, left--) {
        while (left == 0 && row < r->n) left = r->length[row++], last = 0;
        uint64_t d = r->id[k] - last;
        last = r->flags & SL_BIN_NAMES ? 0 : r->id[k];
        if (r->flags & SL_BIN_IDS_ANY) {
            p = put_varint(p, d << 1 ^ (0 - (d >> 63)));
            continue;
        }
        size_t length = d < 1u << 8 ? 1 : d < 1u << 16 ? 2 : d < 1u << 24 ? 3 : 4;
        control[k / 4] = (uint8_t)(control[k / 4] | (length - 1) << k % 4 * 2);
        sl_put_le(p, d, length);
        p += length;
    }
    const bool lists = r->flags & SL_BIN_VALUE_LISTS;
    if (lists) p = encode_listed_values(r, p);
    for (size_t k = 0; k < r->nonzeros && !lists; k++) {
        float value;
        memcpy(&value, &r->value[k], 4);
        size_t width = (size_t[]){0, 1, 2, 4}[(r->flags & SL_BIN_VALUES) >> 2];
        uint64_t whole = value >= 0 && value < 70000 ? (uint64_t)value : 1;
        sl_put_le(p, width == 4 ? r->value[k] : whole, width);
        p += width;
    }
    *b = (block){(uint32_t)r->n, (uint32_t)r->nonzeros, r->flags, start, (size_t)(p - start)};
}

static void change_names(rows *r, chance *c) {
    static const uint8_t zeros[65536];
    static const char *const names[] = {"", "a", "5", "05", "18446744073709551616", "\xff", "a b", "x:y|z", "\n"};
    if (r->names == 0) return;
    size_t i = below(c, r->names);
    switch (below(c, 6)) {
    case 5:
        r->first = special_number(c, r->first);
        break;
    case 0:
        r->name[i] = r->name[below(c, r->names)];
        break;
    case 1:
        r->names_said = special_number(c, r->names_said);
        break;
    case 2:
        r->name[i].at = zeros, r->name[i].n = (size_t[]){1, 128, 65535, 65536}[below(c, 4)];
        break;
    default: {
        const char *name = names[below(c, sizeof names / sizeof *names)];
        r->name[i].at = (const uint8_t *)name, r->name[i].n = strlen(name);
    }
    }
}

static void change_rows(rows *r, chance *c) {
    size_t i = below(c, r->n), k = r->nonzeros ? below(c, r->nonzeros) : 0, j = r->nonzeros ? below(c, r->nonzeros) : 0;
    switch (below(c, 12)) {
    case 0:
        r->label[i] = (uint32_t)special_float(c);
        if (below(c, 2)) r->flags |= SL_BIN_LABELS_FLOAT;
        break;
    case 1:
        r->weight[i] = (uint32_t)special_float(c);
        if (below(c, 4)) r->flags |= SL_BIN_WEIGHTS;
        break;
    case 2:
        r->length[i] = special_number(c, r->length[i]);
        break;
    case 3: /* a value moves to another row */
        if (r->length[i]) r->length[i]--, r->length[below(c, r->n)]++;
        break;
    case 4:
        change_names(r, c);
        break;
    case 5:
    case 6:
        r->id[k] = below(c, 3) ? special_number(c, r->id[k]) : r->id[j];
        if (below(c, 2)) r->flags |= SL_BIN_IDS_ANY;
        break;
    case 7:
        r->flags ^= 1u << below(c, 10);
        break;
    case 8: /* another feature */
        if (r->nonzeros == MAX_NONZEROS) return;
        r->id[r->nonzeros] = special_number(c, r->id[k]);
        r->value[r->nonzeros++] = (uint32_t)special_float(c);
        r->length[r->n - 1]++;
        break;
    default:
        r->value[k] = (uint32_t)special_float(c);
        if (below(c, 2)) r->flags = (r->flags & ~(uint32_t)SL_BIN_VALUES) | SL_BIN_VALUES_F32;
    }
}

static void change_bytes(block *b, chance *c) {
    if (b->n == 0) return;
    size_t at = below(c, b->n);
    switch (below(c, 6)) {
    case 0:
        b->n--;
        break;
    case 1: {
        uint8_t *larger = realloc(b->payload, b->n + 1);
        if (!larger) abort();
        b->payload = larger;
        b->payload[b->n++] = (uint8_t)draw(c);
        break;
    }
    case 2:
        b->rows = (uint32_t)special_number(c, b->rows);
        break;
    case 3:
        b->nonzeros = (uint32_t)special_number(c, b->nonzeros);
        break;
    case 4:
        b->flags = (uint32_t)(below(c, 4) ? below(c, 1024) : draw(c));
        break;
    default:
        b->payload[at] = (uint8_t)(below(c, 2) ? draw(c) : b->payload[at] ^ 1u << below(c, 8));
    }
}

static void drop_block(bin_file *f, size_t at) {
    free(f->b[at].payload);
    memmove(&f->b[at], &f->b[at + 1], (--f->n - at) * sizeof *f->b);
}

static void change_order(bin_file *f, chance *c) {
    size_t i = below(c, f->n), j = below(c, f->n);
    block t = f->b[i];
    switch (below(c, 5)) {
    case 0:
        if (f->n > 1) drop_block(f, i);
        break;
    case 1:
        if (f->n == MAX_BLOCKS) return;
        t.payload = malloc(t.n + 1);
        if (!t.payload) abort();
        if (t.n) memcpy(t.payload, f->b[i].payload, t.n);
        memmove(&f->b[j + 1], &f->b[j], (f->n - j) * sizeof *f->b);
        f->b[j] = t;
        f->n++;
        break;
    case 2:
        f->b[i] = f->b[j], f->b[j] = t;
        break;
    case 3:
        f->head[below(c, SL_BIN_FILE_HEADER)] ^= (uint8_t)(1u << below(c, 8));
        break;
    default:
        f->cut = 1 + below(c, 40);
    }
}

static bool parse_file(bin_file *f, const uint8_t *bytes, size_t n) {
    if (n < SL_BIN_FILE_HEADER) return false;
    memcpy(f->head, bytes, SL_BIN_FILE_HEADER);
    for (size_t at = SL_BIN_FILE_HEADER; n - at >= SL_BIN_BLOCK_HEADER && f->n < MAX_BLOCKS - 4;) {
        size_t payload = sl_get_u32(bytes + at);
        if (payload > n - at - SL_BIN_BLOCK_HEADER || payload > MAX_PAYLOAD) break;
        block b = {sl_get_u32(bytes + at + 4), sl_get_u32(bytes + at + 8), sl_get_u32(bytes + at + 12),
                   malloc(payload + 1), payload};
        if (!b.payload) abort();
        memcpy(b.payload, bytes + at + SL_BIN_BLOCK_HEADER, payload);
        f->b[f->n++] = b;
        at += SL_BIN_BLOCK_HEADER + payload;
    }
    return f->n > 0;
}

/* Makes the count at the end agree with the rows. */
static void agree(bin_file *f) {
    uint64_t total = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (!(f->b[i].flags & SL_BIN_END))
            total += f->b[i].rows;
        else if (f->b[i].n == 8)
            sl_put_u64(f->b[i].payload, total);
    }
}

static size_t write_file(const bin_file *f, uint8_t *bytes, size_t n, size_t room) {
    size_t size = SL_BIN_FILE_HEADER;
    for (size_t i = 0; i < f->n; i++) size += SL_BIN_BLOCK_HEADER + f->b[i].n;
    if (size > room) return n;
    memcpy(bytes, f->head, SL_BIN_FILE_HEADER);
    uint8_t *to = bytes + SL_BIN_FILE_HEADER;
    for (size_t i = 0; i < f->n; i++) {
        const block *b = &f->b[i];
        sl_put_u32(to, (uint32_t)b->n);
        sl_put_u32(to + 4, b->rows);
        sl_put_u32(to + 8, b->nonzeros);
        sl_put_u32(to + 12, b->flags);
        sl_put_u64(to + 16, sl_bin_checksum(to, b->payload, b->n));
        if (b->n) memcpy(to + SL_BIN_BLOCK_HEADER, b->payload, b->n);
        to += SL_BIN_BLOCK_HEADER + b->n;
    }
    return f->cut < size ? size - f->cut : 0;
}

size_t mutate_bin(uint8_t *bytes, size_t n, size_t room, uint64_t seed) {
    chance c = chance_from(seed);
    bin_file f = {.n = 0};
    if (parse_file(&f, bytes, n)) {
        for (size_t changes = 1 + below(&c, 3); changes; changes--) {
            block *b = &f.b[below(&c, f.n)];
            size_t how = below(&c, 8);
            rows r;
            if (how > 2 && decode_rows(b, &r)) {
                uint8_t *before = b->payload; /* names lie in it */
                for (size_t k = 1 + below(&c, 3); k; k--) change_rows(&r, &c);
                encode_rows(&r, b);
                free(before);
            } else if (how > 0) {
                change_bytes(b, &c);
            } else {
                change_order(&f, &c);
            }
        }
        if (below(&c, 8)) agree(&f);
        n = write_file(&f, bytes, n, room);
    }
    for (size_t i = 0; i < f.n; i++) free(f.b[i].payload);
    return n;
}
