/* Batches to blocks of the binary format (docs/bin-format.md). */
#include <stdlib.h>

#include "base/hash/hash.h"
#include "base/number.h"
#include "features/names.h"
#include "io/bin/bin.h"

enum { AHEAD = 24 }; /* names whose place in the table is prefetched */

uint64_t sl_bin_checksum(const void *header, const void *payload, size_t n) {
    return sl_xxh3(payload, n, sl_xxh3(header, 16, 0));
}

/* Room for n more bytes, or NULL; out->n is left to the caller. */
static uint8_t *more(sl_bytes *out, size_t n) {
    if (n > out->room - out->n) {
        if (n > SIZE_MAX / 4 - out->n) return NULL;
        size_t room = (out->n + n) * 2;
        uint8_t *grown = realloc(out->data, room);
        if (!grown) return NULL;
        out->data = grown, out->room = room;
    }
    return out->data + out->n;
}

static uint8_t *put_varint(uint8_t *p, uint64_t v) {
    for (; v >= 0x80; v >>= 7) *p++ = (uint8_t)(v | 0x80);
    *p++ = (uint8_t)v;
    return p;
}

bool sl_bin_needs_word(sluice_name word, float label) {
    char text[40], digits[64];
    double value, stored;
    if (!word.n) return false;
    if (!sl_spells_number(word.text, word.text + word.n) || word.n >= sizeof digits) return true;
    memcpy(digits, word.text, word.n);
    digits[word.n] = 0;
    sluice_format_float(text, label);
    return !sluice_parse_number(digits, &value) || !sluice_parse_number(text, &stored) || value != stored;
}

static bool needs_word(const sluice_batch *b, size_t row) {
    return sl_bin_needs_word(sl_batch_word(b, row), b->label[row]);
}

bool sl_bin_needs_words(const sluice_batch *b) {
    for (size_t i = 0; b->has_words && i < b->rows; i++)
        if (needs_word(b, i)) return true;
    return false;
}

enum { PLACES = 1024 };

/* The different values of a row, by their bits and in the order of first sight. */
typedef struct value_list {
    uint32_t bits[SL_BIN_LISTED_VALUES];
    size_t n;
    uint16_t place[PLACES]; /* a hash table of positions, plus 1 */
} value_list;

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

/* The position of a value, which is added if it is new; SL_BIN_LISTED_VALUES: there is no room for it. */
static size_t list_value(value_list *list, uint32_t bits) {
    size_t i = bits * 0x9E3779B1u >> 22;
    for (; list->place[i]; i = (i + 1) % PLACES)
        if (list->bits[list->place[i] - 1] == bits) return list->place[i] - 1u;
    if (list->n == SL_BIN_LISTED_VALUES) return list->n;
    list->bits[list->n] = bits;
    list->place[i] = (uint16_t)++list->n;
    return list->n - 1;
}

/* Lists the values of a row. Whether there was room for all. */
static bool list_row(value_list *list, const sluice_batch *b, size_t row) {
    *list = (value_list){.n = 0};
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++)
        if (list_value(list, bits_of(b->value[k])) == SL_BIN_LISTED_VALUES) return false;
    return true;
}

/* Whether a list of values for each row takes less than the values themselves. */
static bool lists_pay(const sluice_batch *b) {
    value_list list;
    size_t bytes = b->rows + b->nonzeros;
    for (size_t i = 0; i < b->rows && bytes < 4 * b->nonzeros; i++) {
        if (!list_row(&list, b, i)) return false;
        bytes += 4 * list.n;
    }
    return bytes < 4 * b->nonzeros;
}

/* The flags of the smallest encoding that gives back every bit. */
static uint32_t choose_flags(const sluice_batch *b) {
    uint32_t flags = b->has_weights ? SL_BIN_WEIGHTS : 0, values = SL_BIN_VALUES_ONE;
    if (sl_bin_needs_words(b)) flags |= SL_BIN_WORDS;
    for (size_t i = 0; i < b->rows; i++)
        if (b->label[i] != 1 && b->label[i] != -1) flags |= SL_BIN_LABELS_FLOAT;
    for (size_t k = 0; k < b->nonzeros && values != SL_BIN_VALUES_F32; k++) {
        float v = b->value[k];
        const uint32_t bits = bits_of(v);
        uint32_t need = SL_BIN_VALUES_F32;
        if (v == 1)
            need = values;
        else if (v >= 0 && v <= 65535 && v == (float)(uint32_t)v && bits >> 31 == 0) /* -0 is no whole number here */
            need = v <= 255 ? SL_BIN_VALUES_U8 : SL_BIN_VALUES_U16;
        if (need > values) values = need;
    }
    flags |= values;
    if (b->has_names)
        return flags | SL_BIN_NAMES | (values == SL_BIN_VALUES_F32 && lists_pay(b) ? SL_BIN_VALUE_LISTS : 0);
    for (size_t i = 0; i < b->rows && !(flags & SL_BIN_IDS_ANY); i++)
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
            if (b->id[k] >= SL_WIDE || (k > b->start[i] && b->id[k] <= b->id[k - 1])) flags |= SL_BIN_IDS_ANY;
    return flags;
}

static bool put_labels(sl_bytes *out, const sluice_batch *b, uint32_t flags) {
    uint8_t *p = more(out, 4 * b->rows + 1);
    if (!p) return false;
    if (flags & SL_BIN_LABELS_FLOAT) {
        for (size_t i = 0; i < b->rows; i++) sl_put_f32(p + 4 * i, b->label[i]);
        out->n += 4 * b->rows;
    } else {
        size_t n = (b->rows + 7) / 8;
        memset(p, 0, n);
        for (size_t i = 0; i < b->rows; i++)
            if (b->label[i] > 0) p[i / 8] = (uint8_t)(p[i / 8] | 1u << i % 8);
        out->n += n;
    }
    return true;
}

static bool put_weights(sl_bytes *out, const sluice_batch *b) {
    uint8_t *p = more(out, 4 * b->rows);
    if (!p) return false;
    for (size_t i = 0; i < b->rows; i++) sl_put_f32(p + 4 * i, b->weight[i]);
    out->n += 4 * b->rows;
    return true;
}

static bool put_lengths(sl_bytes *out, const sluice_batch *b) {
    uint8_t *p = more(out, 10 * b->rows);
    if (!p) return false;
    for (size_t i = 0; i < b->rows; i++) p = put_varint(p, b->start[i + 1] - b->start[i]);
    out->n = (size_t)(p - out->data);
    return true;
}

/* Four ids share a byte that says how long each is; their bytes follow behind all of those. Puts id k, whose bytes go
 * to p, and returns where the next one's do. */
static inline uint8_t *put_id(uint8_t *control, size_t k, uint8_t *p, uint32_t id) {
    const unsigned length = id < 1u << 8 ? 1 : id < 1u << 16 ? 2 : id < 1u << 24 ? 3 : 4;
    control[k / 4] = (uint8_t)(control[k / 4] | (length - 1) << k % 4 * 2);
    for (unsigned j = 0; j < length; j++) *p++ = (uint8_t)(id >> 8 * j);
    return p;
}

static bool put_ascending_ids(sl_bytes *out, const sluice_batch *b) {
    size_t controls = (b->nonzeros + 3) / 4;
    uint8_t *control = more(out, controls + 4 * b->nonzeros), *p = control + controls;
    if (!control) return false;
    memset(control, 0, controls);
    for (size_t i = 0; i < b->rows; i++) {
        uint32_t last = 0;
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            p = put_id(control, k, p, b->id[k] - last);
            last = b->id[k];
        }
    }
    out->n = (size_t)(p - out->data);
    return true;
}

/* A list of texts: how many, and the length and bytes of each. */
static bool put_list(sl_bytes *out, const sl_names *list) {
    uint8_t *p = more(out, 10 + list->bytes_n + (size_t)3 * list->n);
    if (!p) return false;
    p = put_varint(p, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        size_t n;
        const char *name = sl_names_text(list, i, &n);
        p = put_varint(p, n);
        if (n) memcpy(p, name, n);
        p += n;
    }
    out->n = (size_t)(p - out->data);
    return true;
}

/* The list of the block's words, in the order of first sight, and for each row its word's place in it from 1, or 0. */
static bool put_words(sl_bytes *out, const sluice_batch *b) {
    sl_names list = {0};
    uint32_t *place = malloc((b->rows + 1) * sizeof *place);
    bool fine = place != NULL;
    for (size_t i = 0; i < b->rows && fine; i++) {
        const sluice_name word = sl_batch_word(b, i);
        place[i] = needs_word(b, i) ? sl_names_add(&list, sl_name_hash(word.text, word.n), word.text, word.n) + 1 : 0;
        fine = place[i] != SL_NO_NAME + 1u || !needs_word(b, i);
    }
    fine = fine && put_list(out, &list);
    uint8_t *p = fine ? more(out, 5 * b->rows) : NULL;
    for (size_t i = 0; p && i < b->rows; i++) p = put_varint(p, place[i]);
    if (p) out->n = (size_t)(p - out->data);
    sl_names_free(&list);
    free(place);
    return p != NULL;
}

/* Numbers the features of a batch by the names of the file, to which those that are new are added. */
static bool number_features(const sluice_batch *b, sl_names *names, uint32_t *number) {
    for (size_t k = 0; k < b->nonzeros; k++) {
        if (!b->list && k + AHEAD < b->nonzeros) __builtin_prefetch(sl_names_entry(names, b->hash[k + AHEAD]));
        const sl_feature_name name = sl_batch_name(b, k);
        if ((number[k] = sl_names_add(names, name.hash, name.text, name.n)) == SL_NO_NAME) return false;
    }
    return true;
}

/* The names of the file from number `first` on. */
static bool put_names(sl_bytes *out, const sl_names *names, uint32_t first) {
    size_t bytes = 0, n;
    for (uint32_t i = first; i < names->n; i++) {
        sl_names_text(names, i, &n);
        bytes += n + 3;
    }
    uint8_t *p = more(out, 10 + bytes);
    if (!p) return false;
    p = put_varint(p, first);
    p = put_varint(p, names->n - first);
    for (uint32_t i = first; i < names->n; i++) {
        const char *name = sl_names_text(names, i, &n);
        p = put_varint(p, n);
        if (n) memcpy(p, name, n);
        p += n;
    }
    out->n = (size_t)(p - out->data);
    return true;
}

/* The features of a block as numbers of the file's names, behind those that are new. */
static bool put_numbers(sl_bytes *out, const sluice_batch *b, sl_names *names) {
    const uint32_t first = names->n;
    const size_t controls = (b->nonzeros + 3) / 4;
    uint32_t *number = malloc((b->nonzeros + 1) * sizeof *number);
    const bool fine = number && number_features(b, names, number) && put_names(out, names, first);
    uint8_t *control = fine ? more(out, controls + 4 * b->nonzeros + 1) : NULL;
    if (control) {
        uint8_t *p = control + controls;
        memset(control, 0, controls);
        for (size_t k = 0; k < b->nonzeros; k++) p = put_id(control, k, p, number[k]);
        out->n = (size_t)(p - out->data);
    }
    free(number);
    return control != NULL;
}

static bool put_any_ids(sl_bytes *out, const sluice_batch *b) {
    uint8_t *p = more(out, 10 * b->nonzeros);
    if (!p) return false;
    for (size_t i = 0; i < b->rows; i++) {
        uint64_t last = 0;
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++) {
            uint64_t id = sl_batch_id(b, k), d = id - last;
            p = put_varint(p, d << 1 ^ (0 - (d >> 63))); /* zigzag: small steps down are small numbers too */
            last = id;
        }
    }
    out->n = (size_t)(p - out->data);
    return true;
}

static bool put_listed_values(sl_bytes *out, const sluice_batch *b) {
    size_t all = 0;
    value_list list;
    uint8_t *count = more(out, b->rows + 5 * b->nonzeros);
    if (!count) return false;
    for (size_t i = 0; i < b->rows; i++) {
        list_row(&list, b, i);
        count[i] = (uint8_t)list.n;
        all += list.n;
    }
    uint8_t *value = count + b->rows, *position = value + 4 * all;
    for (size_t i = 0; i < b->rows; i++) {
        list_row(&list, b, i);
        for (size_t j = 0; j < list.n; j++, value += 4) sl_put_u32(value, list.bits[j]);
        for (size_t k = b->start[i]; k < b->start[i + 1]; k++)
            *position++ = (uint8_t)list_value(&list, bits_of(b->value[k]));
    }
    out->n = (size_t)(position - out->data);
    return true;
}

static bool put_values(sl_bytes *out, const sluice_batch *b, uint32_t flags) {
    if (flags & SL_BIN_VALUE_LISTS) return put_listed_values(out, b);
    size_t n = b->nonzeros, width = 0;
    uint8_t *p = more(out, 4 * n);
    if (!p) return false;
    switch (flags & SL_BIN_VALUES) {
    case SL_BIN_VALUES_U8:
        width = 1;
        for (size_t k = 0; k < n; k++) p[k] = (uint8_t)b->value[k];
        break;
    case SL_BIN_VALUES_U16:
        width = 2;
        for (size_t k = 0; k < n; k++) {
            uint16_t v = (uint16_t)b->value[k];
            p[2 * k] = (uint8_t)v, p[2 * k + 1] = (uint8_t)(v >> 8);
        }
        break;
    case SL_BIN_VALUES_F32:
        width = 4;
        for (size_t k = 0; k < n; k++) sl_put_f32(p + 4 * k, b->value[k]);
        break;
    default:
        break;
    }
    out->n += width * n;
    return true;
}

/* Fills in the header of the block that begins at `start`, now that its payload is there. */
static void finish(sl_bytes *out, size_t start, size_t rows, size_t nonzeros, uint32_t flags) {
    uint8_t *header = out->data + start, *payload = header + SL_BIN_BLOCK_HEADER;
    size_t n = out->n - start - SL_BIN_BLOCK_HEADER;
    sl_put_u32(header, (uint32_t)n);
    sl_put_u32(header + 4, (uint32_t)rows);
    sl_put_u32(header + 8, (uint32_t)nonzeros);
    sl_put_u32(header + 12, flags);
    sl_put_u64(header + 16, sl_bin_checksum(header, payload, n));
}

bool sl_bin_put_header(sl_bytes *out) {
    uint8_t *p = more(out, SL_BIN_FILE_HEADER);
    if (!p) return false;
    memcpy(p, SL_BIN_MAGIC, SL_BIN_MAGIC_BYTES);
    sl_put_u32(p + 8, SL_BIN_VERSION);
    sl_put_u32(p + 12, 0);
    out->n += SL_BIN_FILE_HEADER;
    return true;
}

void sl_bin_set_version(sl_bytes *out, const sluice_batch *first) {
    const uint32_t words = sl_bin_needs_words(first) ? SL_BIN_WORDS : 0;
    sl_put_u32(out->data + 8, sl_bin_version(words | (first->has_names ? SL_BIN_NAMES : 0)));
}

static bool put_ids(sl_bytes *out, const sluice_batch *b, uint32_t flags, sl_names *names) {
    if (flags & SL_BIN_NAMES) return put_numbers(out, b, names);
    return flags & SL_BIN_IDS_ANY ? put_any_ids(out, b) : put_ascending_ids(out, b);
}

bool sl_bin_put_block(sl_bytes *out, const sluice_batch *b, sl_names *names) {
    size_t start = out->n;
    uint32_t flags = choose_flags(b);
    if (!more(out, SL_BIN_BLOCK_HEADER)) return false;
    out->n += SL_BIN_BLOCK_HEADER;
    bool fine = put_labels(out, b, flags) && (!(flags & SL_BIN_WORDS) || put_words(out, b)) &&
                (!b->has_weights || put_weights(out, b)) && put_lengths(out, b) && put_ids(out, b, flags, names) &&
                put_values(out, b, flags);
    if (!fine) {
        out->n = start;
        return false;
    }
    finish(out, start, b->rows, b->nonzeros, flags);
    return true;
}

bool sl_bin_put_end(sl_bytes *out, uint64_t rows) {
    size_t start = out->n;
    uint8_t *p = more(out, SL_BIN_BLOCK_HEADER + 8);
    if (!p) return false;
    sl_put_u64(p + SL_BIN_BLOCK_HEADER, rows);
    out->n += SL_BIN_BLOCK_HEADER + 8;
    finish(out, start, 0, 0, SL_BIN_END);
    return true;
}
