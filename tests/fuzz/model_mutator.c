/* Mutates model files section by section: heads, MODL, features, pairs, matrices, pending rows, calibrations,
 * threshold, classes, metadata, order. */
#include "model_mutator.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file/model_format.h"
#include "fuzz/chance.h"
#include "fuzz/repair.h"

enum { MAX_SECTIONS = 64, MAX_LINES = 1100, MAX_FEATURES = 400, MAX_COLUMNS = 12, MAX_CONTENT = 1 << 18 };

typedef struct section {
    char tag[SL_TAG];
    uint32_t flags;
    uint8_t *content;
    size_t n, room;
} section;

typedef struct model_file {
    uint8_t head[SL_HEAD];
    section s[MAX_SECTIONS];
    size_t n;
    size_t cut, extra; /* bytes to leave out at the end, and to add */
} model_file;

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void put(section *s, const void *bytes, size_t n) {
    if (s->n + n > MAX_CONTENT) return;
    if (s->n + n > s->room) {
        s->room = (s->n + n) * 2;
        s->content = realloc(s->content, s->room);
        if (!s->content) abort();
    }
    if (n) memcpy(s->content + s->n, bytes, n);
    s->n += n;
}

static void put_le(section *s, uint64_t value, size_t n) {
    uint8_t bytes[8];
    sl_put_le(bytes, value, n);
    put(s, bytes, n);
}

static void put_varint(section *s, uint64_t value) {
    for (; value >= 0x80; value >>= 7) put_le(s, (value & 0x7f) | 0x80, 1);
    put_le(s, value, 1);
}

static bool get_varint(const section *s, size_t *at, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < s->n; shift += 7) {
        uint8_t byte = s->content[(*at)++];
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

static section *insert(model_file *f, size_t at, const char *tag, uint32_t flags) {
    if (f->n == MAX_SECTIONS) return NULL;
    memmove(&f->s[at + 1], &f->s[at], (f->n - at) * sizeof *f->s);
    f->n++;
    f->s[at] = (section){.flags = flags};
    memcpy(f->s[at].tag, tag, SL_TAG);
    return &f->s[at];
}

static void drop(model_file *f, size_t at) {
    free(f->s[at].content);
    memmove(&f->s[at], &f->s[at + 1], (f->n - at - 1) * sizeof *f->s);
    f->n--;
}

static bool is(const section *s, const char *tag) { return memcmp(s->tag, tag, SL_TAG) == 0; }

/* A section with this tag, chosen at random; NULL: there is none. */
static section *any_with(model_file *f, chance *c, const char *tag) {
    size_t found[MAX_SECTIONS], n = 0;
    for (size_t i = 0; i < f->n; i++)
        if (is(&f->s[i], tag)) found[n++] = i;
    return n ? &f->s[found[below(c, n)]] : NULL;
}

static bool parse_file(model_file *f, const uint8_t *bytes, size_t n) {
    if (n < SL_HEAD) return false;
    memcpy(f->head, bytes, SL_HEAD);
    for (size_t at = SL_HEAD; n - at >= SL_SECTION_HEAD + SL_CHECKSUM && f->n < MAX_SECTIONS - 8;) {
        uint64_t length = sl_get_le(bytes + at + 8, 8);
        if (length > n - at - SL_SECTION_HEAD - SL_CHECKSUM || length > MAX_CONTENT) break;
        section *s = &f->s[f->n++];
        memcpy(s->tag, bytes + at, SL_TAG);
        s->flags = (uint32_t)sl_get_le(bytes + at + 4, 4);
        put(s, bytes + at + SL_SECTION_HEAD, (size_t)length);
        at += SL_SECTION_HEAD + (size_t)length + SL_CHECKSUM;
    }
    return f->n > 0;
}

/* As it was where the result does not fit. */
static size_t write_file(const model_file *f, chance *c, uint8_t *bytes, size_t n, size_t room) {
    size_t size = SL_HEAD + f->extra;
    for (size_t i = 0; i < f->n; i++) size += SL_SECTION_HEAD + f->s[i].n + SL_CHECKSUM;
    if (size > room) return n;
    memcpy(bytes, f->head, SL_HEAD);
    uint8_t *to = bytes + SL_HEAD;
    for (size_t i = 0; i < f->n; i++) {
        const section *s = &f->s[i];
        memcpy(to, s->tag, SL_TAG);
        sl_put_le(to + 4, s->flags, 4);
        sl_put_le(to + 8, s->n, 8);
        if (s->n) memcpy(to + SL_SECTION_HEAD, s->content, s->n);
        to += SL_SECTION_HEAD + s->n;
        sl_put_le(to, sl_xxh64(to - s->n - SL_SECTION_HEAD, SL_SECTION_HEAD + s->n, 0), SL_CHECKSUM);
        to += SL_CHECKSUM;
    }
    for (size_t i = 0; i < f->extra; i++) *to++ = (uint8_t)draw(c);
    size = (size_t)(to - bytes);
    return f->cut < size ? size - f->cut : 0;
}

/* ---- MODL -------------------------------------------------------------------------------------------------------- */

typedef struct lines {
    char *line[MAX_LINES]; /* without LF, ended by NUL */
    size_t n;
} lines;

static char *copy_text(const char *text, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy) abort();
    memcpy(copy, text, n);
    copy[n] = 0;
    return copy;
}

static void split_lines(lines *l, const section *s) {
    l->n = 0;
    for (size_t at = 0; at < s->n && l->n < MAX_LINES / 2;) {
        const uint8_t *end = memchr(s->content + at, '\n', s->n - at);
        size_t n = end ? (size_t)(end - s->content) - at : s->n - at;
        l->line[l->n++] = copy_text((const char *)s->content + at, n);
        at += n + 1;
    }
}

static void join_lines(lines *l, section *s) {
    s->n = 0;
    for (size_t i = 0; i < l->n; i++) {
        put(s, l->line[i], strlen(l->line[i]));
        put(s, "\n", 1);
        free(l->line[i]);
    }
}

static void add_line(lines *l, size_t at, const char *text) {
    if (l->n == MAX_LINES) return;
    memmove(&l->line[at + 1], &l->line[at], (l->n - at) * sizeof *l->line);
    l->line[at] = copy_text(text, strlen(text));
    l->n++;
}

static void set_value(lines *l, size_t i, const char *value) {
    size_t key = strcspn(l->line[i], "=");
    char *with = malloc(key + 1 + strlen(value) + 1);
    if (!with) abort();
    sprintf(with, "%.*s=%s", (int)key, l->line[i], value);
    free(l->line[i]);
    l->line[i] = with;
}

static bool key_is(const char *line, const char *key) {
    return strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == '=';
}

/* The value of a key of MODL, or "". */
static const char *value_of(const lines *l, const char *key) {
    for (size_t i = 0; i < l->n; i++)
        if (key_is(l->line[i], key)) return l->line[i] + strlen(key) + 1;
    return "";
}

static void set_key(lines *l, const char *key, const char *value) {
    for (size_t i = 0; i < l->n; i++)
        if (key_is(l->line[i], key)) set_value(l, i, value);
}

/* One number among the words of a value becomes another; or a word is added or taken out. */
static void change_word(chance *c, const char *value, char *out, size_t room) {
    size_t words = 1, n = 0;
    for (const char *t = value; *t; t++) words += *t == ' ';
    size_t target = below(c, words), how = below(c, 6);
    char with[64];
    const char *t = value;
    for (size_t i = 0; i < words && n + 80 < room; i++) {
        size_t length = strcspn(t, " ");
        snprintf(with, sizeof with, "%.*s", (int)(length < 60 ? length : 60), t);
        if (i == target && how < 4) number_text(c, with, sizeof with, with);
        if (i != target || how != 4) n += (size_t)snprintf(out + n, room - n, "%s%s", n ? " " : "", with);
        if (i == target && how == 5) n += (size_t)snprintf(out + n, room - n, " %s", with);
        t += length + (t[length] == ' ');
    }
    out[n] = 0;
}

static void mutate_modl(model_file *f, chance *c) {
    static const char *const words[] = {"learner=ssol",
                                        "learner=olsf",
                                        "learner=sbcw",
                                        "learner=fgm",
                                        "learner=ftrl",
                                        "learner=arow-full",
                                        "learner=nobody",
                                        "kind=full",
                                        "kind=predict-only",
                                        "kind=final",
                                        "fields=w:f32",
                                        "fields=pairs:u32",
                                        "pair_fields=w:f32",
                                        "classes=matrix",
                                        "classes=ovr",
                                        "named=0",
                                        "named=1",
                                        "hash_bits=0",
                                        "hash_bits=8",
                                        "hash_bits=30",
                                        "max_features=0",
                                        "max_features=1",
                                        "max_features=64",
                                        "bias=0",
                                        "bias=1",
                                        "bias=-1e30",
                                        "normalize=1",
                                        "scale=1",
                                        "scale=2",
                                        "scale=3",
                                        "idf_rows=0",
                                        "idf_rows=7",
                                        "transform=1",
                                        "transform=3",
                                        "?note=1",
                                        "note=1",
                                        "param batch=0",
                                        "param batch=2",
                                        "newest=",
                                        "growth=",
                                        "next_scan=0",
                                        "=",
                                        "x"};
    section *s = any_with(f, c, "MODL");
    lines l;
    char text[4096];
    if (!s || s->n == 0) return;
    split_lines(&l, s);
    size_t i = l.n ? below(c, l.n) : 0, j = l.n ? below(c, l.n) : 0;
    switch (l.n ? below(c, 16) : 0) {
    case 0: { /* a line of the list above, in the place of the one with its key */
        const char *word = words[below(c, sizeof words / sizeof *words)];
        size_t key = strcspn(word, "=");
        for (i = 0; i < l.n && (strncmp(l.line[i], word, key) != 0 || l.line[i][key] != '='); i++) {
        }
        if (i < l.n)
            set_value(&l, i, word + key + (word[key] == '='));
        else
            add_line(&l, below(c, l.n + 1), word);
        break;
    }
    case 1:
        free(l.line[i]);
        memmove(&l.line[i], &l.line[i + 1], (--l.n - i) * sizeof *l.line);
        break;
    case 2:
        add_line(&l, j, l.line[i]);
        break;
    case 3: {
        char *t = l.line[i];
        l.line[i] = l.line[j], l.line[j] = t;
        break;
    }
    case 4: /* very many lines */
        for (size_t k = 0; l.n < MAX_LINES && below(c, 40); k++) {
            snprintf(text, sizeof text, "?%zu=", k);
            for (size_t m = 0; m < 30 && l.n < MAX_LINES; m++)
                snprintf(text, sizeof text, "?%zu=", k * 30 + m), add_line(&l, l.n, text);
        }
        break;
    case 5: /* bytes of a line */
        if (*l.line[i]) l.line[i][below(c, strlen(l.line[i]))] = (char)(1 + below(c, 255));
        break;
    default:
        change_word(c, l.line[i] + strcspn(l.line[i], "=") + (strchr(l.line[i], '=') != NULL), text, sizeof text);
        set_value(&l, i, text);
    }
    join_lines(&l, s);
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

typedef struct feature {
    uint64_t id;
    const uint8_t *name;
    size_t name_n;
    uint64_t value[MAX_COLUMNS];
} feature;

typedef struct features {
    unsigned keys;
    size_t n, columns;
    size_t size[MAX_COLUMNS];
    bool is_float[MAX_COLUMNS];
    feature f[MAX_FEATURES];
} features;

/* The columns that a section of features has, as MODL says. */
static void read_layout(const lines *l, unsigned keys, features *to) {
    to->columns = 0;
    const char *limit = value_of(l, "max_features"), *t = value_of(l, "fields");
    if (*limit && strcmp(limit, "0") != 0 && keys != SL_KEYS_BIAS) {
        to->size[to->columns] = 8;
        to->is_float[to->columns++] = false;
    }
    while ((t = strchr(t, ':')) && to->columns < MAX_COLUMNS) {
        to->size[to->columns] = t[1] == 'f' && t[2] == '6' ? 8 : 4;
        to->is_float[to->columns++] = t[1] == 'f';
        t++;
    }
}

static bool decode_features(const section *s, const lines *l, features *to) {
    if (s->n < 5) return false;
    to->keys = s->content[0];
    to->n = (size_t)sl_get_le(s->content + 1, 4);
    read_layout(l, to->keys, to);
    if (to->n == 0 || to->n > MAX_FEATURES || to->keys > SL_KEYS_NAMES) return false;
    size_t at = 5, record = 0;
    uint64_t last = 0, number;
    for (size_t k = 0; k < to->n; k++) {
        to->f[k] = (feature){0};
        if (to->keys == SL_KEYS_BIAS) continue;
        if (!get_varint(s, &at, &number)) return false;
        to->f[k].id = last += number;
        if (to->keys != SL_KEYS_NAMES) continue;
        if (number > s->n - at) return false;
        to->f[k].name = s->content + at;
        to->f[k].name_n = (size_t)number;
        at += (size_t)number;
    }
    for (size_t i = 0; i < to->columns; i++) record += to->size[i];
    if (s->n - at != record * to->n) return false;
    for (size_t i = 0; i < to->columns; i++)
        for (size_t k = 0; k < to->n; k++, at += to->size[i])
            to->f[k].value[i] = sl_get_le(s->content + at, to->size[i]);
    return true;
}

static void encode_features(const features *from, section *s) {
    section to = {.flags = s->flags};
    memcpy(to.tag, s->tag, SL_TAG);
    put_le(&to, from->keys, 1);
    put_le(&to, from->n, 4);
    uint64_t last = 0;
    for (size_t k = 0; k < from->n && from->keys != SL_KEYS_BIAS; k++) {
        if (from->keys == SL_KEYS_IDS) {
            put_varint(&to, from->f[k].id - last);
            last = from->f[k].id;
        } else {
            put_varint(&to, from->f[k].name_n);
            put(&to, from->f[k].name, from->f[k].name_n);
        }
    }
    for (size_t i = 0; i < from->columns; i++)
        for (size_t k = 0; k < from->n; k++) put_le(&to, from->f[k].value[i], from->size[i]);
    free(s->content);
    *s = to;
}

static int by_id(const void *a, const void *b) {
    uint64_t x = ((const feature *)a)->id, y = ((const feature *)b)->id;
    return (x > y) - (x < y);
}

static void change_name(chance *c, feature *f) {
    static const uint8_t zeros[70000];
    static const char *const names[] = {
        "",    "a",   "5",        "05",       "18446744073709551615", "18446744073709551616",
        "a=b", "f^a", "\xff\xfe", "\x1b[31m", "\xe2\x80\xae",         " "};
    if (below(c, 12) == 0) {
        static const size_t lengths[] = {1, 127, 128, 65535, 65536};
        f->name = zeros, f->name_n = lengths[below(c, 5)];
        return;
    }
    const char *name = names[below(c, sizeof names / sizeof *names)];
    f->name = (const uint8_t *)name, f->name_n = strlen(name);
}

static void change_feature(chance *c, features *all) {
    size_t k = below(c, all->n), j = below(c, all->n), column = all->columns ? below(c, all->columns) : 0;
    bool sort = all->keys == SL_KEYS_IDS;
    switch (below(c, 12)) {
    case 0:
        memmove(&all->f[k], &all->f[k + 1], (--all->n - k) * sizeof *all->f);
        break;
    case 1: /* once more, as it is or as another */
        if (all->n == MAX_FEATURES) return;
        all->f[all->n++] = all->f[k];
        all->f[all->n - 1].id += below(c, 3);
        if (below(c, 2)) change_name(c, &all->f[all->n - 1]);
        break;
    case 2: { /* out of order */
        feature t = all->f[k];
        all->f[k] = all->f[j], all->f[j] = t;
        sort = false;
        break;
    }
    case 3:
        all->f[k].id = special_number(c, all->f[k].id);
        break;
    case 4:
        change_name(c, &all->f[k]);
        break;
    case 5:
        all->keys = (unsigned)below(c, 4);
        break;
    case 6:
        if (all->columns) all->f[k].value[column] = all->f[j].value[below(c, all->columns)];
        break;
    default:
        if (!all->columns) return;
        all->f[k].value[column] = !all->is_float[column]   ? special_number(c, all->f[k].value[column])
                                  : all->size[column] == 8 ? special_double(c)
                                                           : special_float(c);
    }
    if (sort && below(c, 8)) qsort(all->f, all->n, sizeof *all->f, by_id);
}

static void mutate_features(model_file *f, chance *c) {
    section *s = any_with(f, c, "FEAT"), *modl = any_with(f, c, "MODL");
    if (!s || !modl) return;
    lines l;
    split_lines(&l, modl);
    features all = {0};
    if (decode_features(s, &l, &all)) {
        size_t at = (size_t)(s - f->s);
        if (all.n > 1 && below(c, 10) == 0) { /* two sections of what was one */
            section *second = insert(f, at + 1, "FEAT", 0);
            static features rest; /* large */
            rest = all;
            size_t cut = 1 + below(c, all.n - 1);
            rest.n = all.n - cut;
            memmove(rest.f, rest.f + cut, rest.n * sizeof *rest.f);
            all.n = cut;
            if (second) encode_features(&rest, second);
            encode_features(&all, &f->s[at]);
        } else {
            for (size_t changes = 1 + below(c, 3); changes && all.n; changes--) change_feature(c, &all);
            encode_features(&all, s);
            if (below(c, 20) == 0 && s->n >= 5) sl_put_le(s->content + 1, special_number(c, all.n), 4);
        }
    } else if (s->n) {
        s->content[below(c, s->n)] = (uint8_t)draw(c);
    }
    for (size_t i = 0; i < l.n; i++) free(l.line[i]);
}

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

/* The widths of a pair's columns, the class first, as MODL says; returns how many there are. */
static size_t pair_columns(model_file *f, size_t width[MAX_COLUMNS]) {
    size_t n = 0;
    width[n++] = 4;
    for (size_t i = 0; i < f->n; i++) {
        if (!is(&f->s[i], "MODL")) continue;
        lines l;
        split_lines(&l, &f->s[i]);
        for (const char *t = value_of(&l, "pair_fields"); (t = strchr(t, ':')) && n < MAX_COLUMNS; t++)
            width[n++] = t[1] == 'f' && t[2] == '6' ? 8 : 4;
        for (size_t k = 0; k < l.n; k++) free(l.line[k]);
        break;
    }
    return n;
}

static size_t pairs_in(const section *s, const size_t *width, size_t columns) {
    size_t record = 0;
    for (size_t i = 0; i < columns; i++) record += width[i];
    const size_t n = s->n >= 4 ? (size_t)sl_get_le(s->content, 4) : 0;
    return n && n <= s->n && s->n - 4 == n * record ? n : 0;
}

/* The section with n pairs: the first of it, and pairs of zeros of classes 0, 1, 2 behind them. */
static void resize_pairs(section *s, size_t before, size_t n, const size_t *width, size_t columns) {
    section to = {.flags = s->flags};
    memcpy(to.tag, s->tag, SL_TAG);
    put_le(&to, n, 4);
    const uint8_t *column = s->content + 4;
    for (size_t i = 0; i < columns; i++) {
        for (size_t k = 0; k < n; k++)
            put_le(&to, k < before ? sl_get_le(column + k * width[i], width[i]) : i == 0 ? k % 3 : 0, width[i]);
        column += before * width[i];
    }
    free(s->content);
    *s = to;
}

static void mutate_pairs(model_file *f, chance *c) {
    size_t width[MAX_COLUMNS];
    const size_t columns = pair_columns(f, width);
    section *s = below(c, 12) ? any_with(f, c, "PAIR") : NULL;
    if (!s) s = insert(f, 1 + below(c, f->n), "PAIR", 0);
    if (!s) return;
    const size_t n = pairs_in(s, width, columns), k = n ? below(c, n) : 0;
    uint8_t *classes = s->content + 4;
    switch (n ? below(c, 8) : 7) {
    case 0:
        sl_put_le(classes + 4 * k, special_number(c, sl_get_le(classes + 4 * k, 4)), 4);
        break;
    case 1: /* twice in a list, perhaps */
        sl_put_le(classes + 4 * k, sl_get_le(classes + 4 * below(c, n), 4), 4);
        break;
    case 2:
        sl_put_le(classes + 4 * k, below(c, 4), 4);
        break;
    case 3: { /* two sections of what was one */
        const size_t at = (size_t)(s - f->s);
        section *second = n > 1 ? insert(f, at + 1, "PAIR", 0) : NULL;
        if (!second) return;
        section *first = &f->s[at];
        const uint8_t *column = first->content + 4;
        put_le(second, n - k, 4);
        for (size_t i = 0; i < columns; column += n * width[i++])
            put(second, column + k * width[i], (n - k) * width[i]);
        resize_pairs(first, n, k, width, columns);
        break;
    }
    case 4:
        resize_pairs(s, n, n - 1 + below(c, 3), width, columns);
        break;
    case 5:
        sl_put_le(s->content, special_number(c, n), 4);
        break;
    case 6: { /* a value */
        size_t column = columns > 1 ? 1 + below(c, columns - 1) : 0, at = 4;
        for (size_t i = 0; i < column; i++) at += n * width[i];
        sl_put_le(s->content + at + k * width[column], width[column] == 8 ? special_double(c) : special_float(c),
                  width[column]);
        break;
    }
    default:
        put_le(s, draw(c), 1 + below(c, 8));
    }
}

/* Makes the pairs as many as the features say, so that a file is not refused for that alone. */
static void agree_on_pairs(model_file *f, chance *c) {
    size_t width[MAX_COLUMNS], last = 0;
    const size_t columns = pair_columns(f, width);
    uint64_t wanted = 0, there = 0;
    section *modl = any_with(f, c, "MODL");
    lines l;
    if (!modl || !any_with(f, c, "PAIR")) return;
    split_lines(&l, modl);
    static features all; /* large */
    for (size_t i = 0; i < f->n; i++) {
        if (is(&f->s[i], "FEAT") && decode_features(&f->s[i], &l, &all) && all.columns)
            for (size_t k = 0; k < all.n; k++) wanted += all.f[k].value[all.columns - 1];
        if (is(&f->s[i], "PAIR")) last = i, there += pairs_in(&f->s[i], width, columns);
    }
    for (size_t i = 0; i < l.n; i++) free(l.line[i]);
    const uint64_t in_last = pairs_in(&f->s[last], width, columns), others = there - in_last;
    if (wanted != there && in_last && wanted > others && wanted - others < 1000)
        resize_pairs(&f->s[last], (size_t)in_last, (size_t)(wanted - others), width, columns);
}

/* ---- matrices, pending rows, calibration, metadata --------------------------------------------------------------- */

/* Sections of numbers of one width: a number changes, is added, or goes. */
static void mutate_numbers(model_file *f, chance *c, const char *tag, size_t width) {
    section *s = any_with(f, c, tag);
    if (!s && below(c, 8) == 0) s = insert(f, 1 + below(c, f->n), tag, 0);
    if (!s) return;
    size_t count = s->n / width, at = count ? below(c, count) * width : 0;
    switch (count ? below(c, 8) : 0) {
    case 0:
        put_le(s, special_double(c), 8);
        if (width == 16) put_le(s, below(c, 4), 8);
        break;
    case 1:
        s->n -= width;
        break;
    case 2:
        s->n -= 1 + below(c, width);
        break;
    case 3:
        memcpy(s->content + at, s->content + below(c, count) * width, width);
        break;
    default:
        if (width == 16 && below(c, 2)) /* the length of a pending row */
            sl_put_le(s->content + at + 8, special_number(c, sl_get_le(s->content + at + 8, 8)), 8);
        else
            sl_put_le(s->content + at, special_double(c), 8);
    }
}

static void mutate_values(model_file *f, chance *c) {
    section *s = any_with(f, c, "VALS");
    if (!s || s->n < 8) return;
    size_t at = below(c, s->n / 8) * 8;
    switch (below(c, 4)) {
    case 0:
        s->n -= 8;
        break;
    case 1:
        sl_put_le(s->content + at, special_number(c, sl_get_le(s->content + at, 4)), 4);
        break;
    default:
        sl_put_le(s->content + at + 4, special_float(c), 4);
    }
}

static void mutate_calibration(model_file *f, chance *c) {
    section *s = any_with(f, c, "CALI");
    if (!s) {
        s = insert(f, 1 + below(c, f->n), "CALI", 0);
        if (!s) return;
        put_le(s, 3 + below(c, 2), 1);
        double pair[] = {0.5, 0.5};
        for (size_t pairs = 1 + below(c, 3); pairs; pairs--, pair[0]++)
            for (size_t k = 0; k < 2; k++) put(s, &pair[k], 8);
        return;
    }
    size_t pairs = s->n / 16;
    switch (below(c, 6)) {
    case 0:
        if (s->n) s->content[0] = (uint8_t)below(c, 6);
        break;
    case 1:
        put_le(s, special_double(c), 8);
        put_le(s, special_double(c), 8);
        break;
    case 2:
        s->n -= s->n >= 16 ? 16 : 0;
        break;
    case 3:
        for (size_t k = 0; k < 300; k++) put_le(s, special_double(c), 8);
        break;
    default:
        if (pairs) sl_put_le(s->content + 1 + 8 * below(c, 2 * pairs), special_double(c), 8);
    }
}

static void mutate_threshold(model_file *f, chance *c) {
    section *s = below(c, 8) ? any_with(f, c, "THRE") : NULL;
    if (!s) {
        double margin = 0.25;
        s = insert(f, 1 + below(c, f->n), "THRE", below(c, 8) ? 0 : SL_SKIPPABLE);
        if (s) put(s, &margin, 8);
        return;
    }
    if (below(c, 4) == 0)
        put_le(s, draw(c), below(c, 9));
    else if (below(c, 4) == 0 || s->n < 8)
        s->n -= s->n ? 1 + below(c, s->n) : 0;
    else
        sl_put_le(s->content, special_double(c), 8);
}

static void mutate_metadata(model_file *f, chance *c) {
    static const char *const keys[] = {"", "a", "b", "reader.format", "reader.ngrams", "reader.tf", "zz", "\xff"};
    section *s = below(c, 2) ? any_with(f, c, "META") : NULL;
    if (!s) s = insert(f, 1 + below(c, f->n), "META", below(c, 4) ? SL_SKIPPABLE : 0);
    if (!s) return;
    if (s->n && below(c, 3) == 0) {
        s->content[below(c, s->n)] = (uint8_t)draw(c);
        return;
    }
    for (size_t pairs = 1 + below(c, 3), k = below(c, 8); pairs; pairs--, k += 1 + below(c, 3)) {
        const char *key = keys[k % 8];
        put_varint(s, strlen(key));
        put(s, key, strlen(key));
        size_t n = below(c, 20) ? below(c, 6) : 100000;
        put_varint(s, below(c, 30) ? n : special_number(c, n));
        for (size_t i = 0; i < n; i++) put_le(s, '0' + i % 10, 1);
    }
}

/* Whether MODL says that the model is of several classes. */
static bool is_of_many(model_file *f) {
    for (size_t i = 0; i < f->n; i++) {
        if (!is(&f->s[i], "MODL")) continue;
        lines l;
        split_lines(&l, &f->s[i]);
        const bool many = *value_of(&l, "classes");
        for (size_t k = 0; k < l.n; k++) free(l.line[k]);
        return many;
    }
    return false;
}

/* A CLAS of several classes: kind, zero, how many, and each its label and count. */
static void mutate_many_classes(model_file *f, chance *c) {
    section *s = below(c, 4) ? any_with(f, c, "CLAS") : NULL;
    size_t n = 1 + below(c, 3);
    if (s && s->n >= 6) {
        switch (below(c, 4)) {
        case 0:
            s->content[below(c, 2)] = (uint8_t)below(c, 4);
            break;
        case 1:
            sl_put_le(s->content + 2, special_number(c, sl_get_le(s->content + 2, 4)), 4);
            break;
        case 2:
            s->content[6 + below(c, s->n - 5) - (s->n == 6)] = (uint8_t)(below(c, 2) ? below(c, 4) : draw(c));
            break;
        default: /* one more */
            sl_put_le(s->content + 2, sl_get_le(s->content + 2, 4) + 1, 4);
            put_varint(s, 1);
            put_le(s, 'a' + below(c, 26), 1);
            put_varint(s, below(c, 2));
        }
        return;
    }
    if (!s) s = insert(f, 1 + below(c, f->n), "CLAS", 0);
    if (!s) return;
    put_le(s, below(c, 8) ? 2 : below(c, 4), 1);
    put_le(s, below(c, 8) ? 0 : 1, 1);
    put_le(s, below(c, 8) ? n : special_number(c, n), 4);
    for (size_t i = 0; i < n; i++) {
        put_varint(s, 2);
        put_le(s, 'A' + below(c, 26), 1);
        put_le(s, '0' + i, 1);
        put_varint(s, below(c, 4) ? 0 : special_number(c, 1));
    }
}

static void mutate_classes(model_file *f, chance *c) {
    static const char *const labels[] = {"", "ham", "spam", "1", "1.0", "-1", "0", "2"};
    if (is_of_many(f) && below(c, 8)) {
        mutate_many_classes(f, c);
        return;
    }
    section *s = below(c, 3) ? any_with(f, c, "CLAS") : NULL;
    if (s && s->n) {
        s->content[below(c, below(c, 2) && s->n > 3 ? 3 : s->n)] = (uint8_t)(below(c, 2) ? below(c, 4) : draw(c));
        return;
    }
    if (!s) s = insert(f, 1 + below(c, f->n), "CLAS", 0);
    if (!s) return;
    size_t flags = below(c, 5), n = below(c, 10) ? below(c, 3) : 3, k = below(c, 8);
    put_le(s, below(c, 10) ? 1 : below(c, 3), 1);
    put_le(s, flags, 1);
    put_le(s, n, 1);
    for (size_t i = flags & 2 ? 0 : 1; i <= n; i++, k += below(c, 4)) {
        const char *label = labels[k % 8];
        put_varint(s, below(c, 30) ? strlen(label) : special_number(c, strlen(label)));
        put(s, label, strlen(label));
        if (i) put_varint(s, below(c, 4) ? below(c, 3) : special_number(c, 1));
    }
}

/* ---- the file as a whole ----------------------------------------------------------------------------------------- */

static void mutate_order(model_file *f, chance *c) {
    static const char *const tags[] = {"MODL", "FEAT", "VECT", "MATR", "ROWS", "VALS", "CALI", "PAIR",
                                       "PCAL", "VECS", "THRE", "META", "END ", "CLAS", "XXXX", "\0\0\0\0"};
    size_t i = below(c, f->n), j = below(c, f->n);
    section t = f->s[i];
    switch (below(c, 8)) {
    case 0:
        if (f->n > 1) drop(f, i);
        break;
    case 1: {
        section *copy = insert(f, j, t.tag, t.flags);
        if (copy) put(copy, t.content, t.n);
        break;
    }
    case 2:
        f->s[i] = f->s[j], f->s[j] = t;
        break;
    case 3: {
        section *unknown =
            insert(f, below(c, f->n + 1), tags[below(c, sizeof tags / sizeof *tags)], (uint32_t)below(c, 3));
        for (size_t n = below(c, 30); unknown && n; n--) put_le(unknown, draw(c), 1);
        break;
    }
    case 4:
        f->s[i].flags = (uint32_t)(below(c, 3) ? below(c, 3) : draw(c));
        break;
    case 5:
        memcpy(f->s[i].tag, tags[below(c, sizeof tags / sizeof *tags)], SL_TAG);
        break;
    case 6:
        f->s[i].n -= f->s[i].n ? 1 + below(c, f->s[i].n) : 0;
        break;
    default:
        put_le(&f->s[i], draw(c), 1 + below(c, 8));
    }
}

static void mutate_head(model_file *f, chance *c) {
    switch (below(c, 5)) {
    case 0:
    case 1:
        sl_put_le(f->head + 8, below(c, 6), 4);
        break;
    case 2:
        f->head[below(c, SL_HEAD)] ^= (uint8_t)(1u << below(c, 8));
        break;
    case 3:
        f->cut = 1 + below(c, 40);
        break;
    default:
        f->extra = 1 + below(c, 20);
    }
}

/* Makes END and the count of features agree with what the file has, so that it is not refused for them alone. */
static void agree(model_file *f, chance *c) {
    uint64_t total = 0, vectors = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (is(&f->s[i], "FEAT") && f->s[i].n >= 5) total += sl_get_le(f->s[i].content + 1, 4);
        if (is(&f->s[i], "VECT")) vectors += f->s[i].n / 8;
    }
    section *end = any_with(f, c, "END "), *modl = any_with(f, c, "MODL");
    if (end && end->n == 16) {
        sl_put_le(end->content, total, 8);
        sl_put_le(end->content + 8, vectors, 8);
    }
    if (!modl) return;
    lines l;
    char text[32];
    split_lines(&l, modl);
    if (strcmp(value_of(&l, "kind"), "full") == 0 && l.n < MAX_LINES / 2) {
        snprintf(text, sizeof text, "%" PRIu64, total);
        uint64_t added = strtoull(value_of(&l, "features_added"), NULL, 10);
        set_key(&l, "features_seen", text);
        set_key(&l, "seen", text);
        if (added < total) set_key(&l, "features_added", text), set_key(&l, "births", text);
        join_lines(&l, modl);
    } else {
        for (size_t i = 0; i < l.n; i++) free(l.line[i]);
    }
}

size_t mutate_model(uint8_t *bytes, size_t n, size_t room, uint64_t seed) {
    chance c = chance_from(seed);
    model_file *f = calloc(1, sizeof *f);
    if (!f) abort();
    if (parse_file(f, bytes, n)) {
        for (size_t changes = 1 + below(&c, 3); changes; changes--) {
            switch (f->n ? below(&c, 25) : 24) {
            case 0:
            case 1:
            case 2:
            case 3:
            case 4:
            case 5:
                mutate_modl(f, &c);
                break;
            case 6:
            case 7:
            case 8:
            case 9:
            case 10:
                mutate_features(f, &c);
                break;
            case 11:
                mutate_numbers(f, &c, "VECT", 8);
                break;
            case 12:
                mutate_numbers(f, &c, "MATR", 8);
                break;
            case 13:
                mutate_numbers(f, &c, "ROWS", 16);
                break;
            case 14:
                mutate_values(f, &c);
                break;
            case 15:
                mutate_calibration(f, &c);
                break;
            case 16:
                mutate_metadata(f, &c);
                break;
            case 17:
                mutate_classes(f, &c);
                break;
            case 18:
                mutate_threshold(f, &c);
                break;
            case 19:
            case 20:
                mutate_order(f, &c);
                break;
            case 21:
            case 22:
                if (is_of_many(f) || below(&c, 16) == 0) mutate_pairs(f, &c);
                break;
            case 23:
                if (is_of_many(f) || below(&c, 16) == 0) mutate_numbers(f, &c, below(&c, 2) ? "PCAL" : "VECS", 8);
                break;
            default:
                mutate_head(f, &c);
            }
        }
        if (below(&c, 8)) agree(f, &c);
        if (below(&c, 8)) agree_on_pairs(f, &c);
        n = write_file(f, &c, bytes, n, room);
    }
    for (size_t i = 0; i < f->n; i++) free(f->s[i].content);
    free(f);
    return n;
}
