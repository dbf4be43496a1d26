/* Lines of LIBSVM text, VW text and JSON Lines, in the shortest digits that read back. */
#include "io/text_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "base/number.h"
#include "features/names.h"
#include "base/utf8.h"

enum {
    NUMBER_ROOM = 40, /* for any float or id */
    GROWTH = 1 << 18,
};

/* Every byte 1; every byte 0x7F. */
#define EACH 0x0101010101010101u
#define LOW 0x7F7F7F7F7F7F7F7Fu

#define LABEL_KEY "label"
#define WEIGHT_KEY "weight"

typedef struct feature_name {
    const char *text;
    size_t n;
    char digits[NUMBER_ROOM]; /* what text points to where the feature has an id */
} feature_name;

/* ---- appending -------------------------------------------------------------------------------------------------- */

static bool room(sl_text_out *out, size_t n) {
    sl_bytes *b = &out->bytes;
    if (b->room - b->n >= n) return true;
    uint8_t *grown = realloc(b->data, b->n + n + GROWTH);
    if (!grown) return false;
    b->data = grown, b->room = b->n + n + GROWTH;
    return true;
}

/* Room for these was made before. */
static void put(sl_text_out *out, const char *text, size_t n) {
    if (n) memcpy(out->bytes.data + out->bytes.n, text, n);
    out->bytes.n += n;
}

static void put_byte(sl_text_out *out, char c) { out->bytes.data[out->bytes.n++] = (uint8_t)c; }

static void put_float(sl_text_out *out, float v) {
    out->bytes.n += sluice_format_float((char *)out->bytes.data + out->bytes.n, v);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void name_of(const sluice_batch *b, size_t k, feature_name *name) {
    if (b->has_names) {
        const sl_feature_name of_batch = sl_batch_name(b, k);
        name->text = of_batch.text;
        name->n = of_batch.n;
        return;
    }
    name->text = name->digits;
    name->n = sl_name_of_id(sl_batch_id(b, k), name->digits);
}

static bool is_id(const feature_name *name) {
    uint64_t id;
    return sl_id_of_name(name->text, name->n, &id);
}

static float weight_of(const sluice_batch *b, size_t row) { return b->has_weights ? b->weight[row] : 1; }

/* Whether the row has no label, in the form in which readers deliver such rows. */
static bool has_no_label(const sluice_batch *b, size_t row) {
    return weight_of(b, row) == 0 && b->label[row] == 0 && !signbit(b->label[row]) && !sl_batch_word(b, row).n;
}

/* ---- failing ---------------------------------------------------------------------------------------------------- */

static sluice_status no_memory(sluice_error *err) {
    return sl_fail(err, SLUICE_E_MEMORY, "no memory for the examples to be written");
}

static void at_row(const sluice_batch *b, size_t row, sluice_error *err) {
    if (err) sl_place(err, b->source ? b->source : "", b->has_lines ? b->first_line + b->line[row] : 0, 0);
}

static sluice_status cannot_name(const feature_name *name, const char *why, sluice_error *err) {
    char quoted[128];
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "the feature %s %s", sl_quote(quoted, name->text, name->n), why);
}

/* A label, as it was written if it is not -1, 0 or 1; `why` is what is said of one that does not fit. */
static sluice_status put_label(sl_text_out *out, const sluice_batch *b, size_t row, bool (*fits)(sluice_name word),
                               const char *why, sluice_error *err) {
    char quoted[128];
    const sluice_name word = sl_batch_word(b, row);
    if (!word.n) {
        put_float(out, b->label[row]);
        return SLUICE_OK;
    }
    if (!fits(word))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "the label %s %s", sl_quote(quoted, word.text, word.n), why);
    if (!room(out, word.n + 2 * NUMBER_ROOM)) return no_memory(err);
    put(out, word.text, word.n);
    return SLUICE_OK;
}

/* Ends a line, or removes it if it failed. */
static sluice_status complete(sl_text_out *out, size_t start, sluice_status status, const sluice_batch *b, size_t row,
                              sluice_error *err) {
    if (status == SLUICE_OK) {
        put_byte(out, '\n');
    } else {
        out->bytes.n = start;
        if (status == SLUICE_E_UNSUPPORTED) at_row(b, row, err);
    }
    return status;
}

/* ---- LIBSVM text ------------------------------------------------------------------------------------------------ */

static sluice_status put_id_value(sl_text_out *out, const sluice_batch *b, size_t k, sluice_error *err) {
    feature_name name;
    name_of(b, k, &name);
    if (b->has_names && !is_id(&name))
        return cannot_name(&name, "is not called by a whole number, as LIBSVM text needs it; write .vw or .jsonl", err);
    if (!room(out, name.n + NUMBER_ROOM)) return no_memory(err);
    put_byte(out, ' ');
    put(out, name.text, name.n);
    put_byte(out, ':');
    put_float(out, b->value[k]);
    return SLUICE_OK;
}

/* Where it comes first in a file, readers pass over it. */
static bool begins_with_mark(sluice_name word) { return word.n >= 3 && memcmp(word.text, "\xef\xbb\xbf", 3) == 0; }

/* A first field without a colon, and no comment. */
static bool fits_libsvm(sluice_name word) {
    for (size_t i = 0; i < word.n; i++)
        if ((unsigned char)word.text[i] <= ' ' || word.text[i] == ':' || word.text[i] == '#') return false;
    return !begins_with_mark(word);
}

sluice_status sl_put_libsvm(sl_text_out *out, const sluice_batch *b, size_t row, sluice_error *err) {
    const size_t start = out->bytes.n;
    sluice_status status = SLUICE_OK;
    if (!room(out, 2 * NUMBER_ROOM)) return no_memory(err);
    if (weight_of(b, row) != 1) status = sl_fail(err, SLUICE_E_UNSUPPORTED, SL_LIBSVM_HAS_NO_WEIGHTS);
    if (status == SLUICE_OK)
        status = put_label(out, b, row, fits_libsvm,
                           "has a blank, colon, # or control byte, or a byte order mark in front, which a label in "
                           "LIBSVM text cannot have; write .jsonl",
                           err);
    for (size_t k = b->start[row]; k < b->start[row + 1] && status == SLUICE_OK; k++)
        status = put_id_value(out, b, k, err);
    if (status == SLUICE_OK && !room(out, 1)) status = no_memory(err);
    return complete(out, start, status, b, row, err);
}

/* ---- VW text ---------------------------------------------------------------------------------------------------- */

/* High bits of the eight bytes that VW text can have in a name: above the space, no colon and no bar. */
static inline uint64_t fit_vw(uint64_t x) {
    uint64_t y = x ^ EACH * ':', z = x ^ EACH * '|';
    return (((x & LOW) + EACH * (0x7F - ' ')) | x) & (((y & LOW) + LOW) | y) & (((z & LOW) + LOW) | z) & ~LOW;
}

static bool fits_vw(const feature_name *name) {
    size_t i = 0;
    while (i + 8 <= name->n && fit_vw(sl_load8(name->text + i)) == ~LOW) i += 8;
    for (; i < name->n; i++) {
        char c = name->text[i];
        if (c == ' ' || c == '\t' || c == ':' || c == '|' || c == '\n' || c == '\r' || c == 0) return false;
    }
    return name->n > 0;
}

/* How many bytes of a name are its namespace: up to the first ^, if something stands on both sides of it. Wherever it
 * is divided, it reads back as the same name. */
static size_t namespace_of(const feature_name *name) {
    const char *hat = memchr(name->text, '^', name->n);
    return hat && hat + 1 < name->text + name->n ? (size_t)(hat - name->text) : 0;
}

/* A feature, behind the bar and name of its namespace where that is another than the last one's. */
static sluice_status put_vw_feature(sl_text_out *out, const sluice_batch *b, size_t k, feature_name *space, bool first,
                                    sluice_error *err) {
    feature_name name;
    name_of(b, k, &name);
    if (!fits_vw(&name))
        return cannot_name(&name,
                           name.n ? "has a blank, colon, bar, line end or NUL in its name, which VW text cannot have; "
                                    "write .jsonl"
                                  : "has no name, which VW text needs; write .jsonl",
                           err);
    if (!room(out, name.n + NUMBER_ROOM)) return no_memory(err);
    size_t n = namespace_of(&name);
    if (first || n != space->n || memcmp(space->text, name.text, n) != 0) {
        if (!first) put_byte(out, ' ');
        put_byte(out, '|');
        put(out, name.text, n);
        space->text = b->has_names ? name.text : "";
        space->n = n;
    }
    size_t skip = n ? n + 1 : 0;
    put_byte(out, ' ');
    put(out, name.text + skip, name.n - skip);
    if (b->value[k] == 1) return SLUICE_OK;
    put_byte(out, ':');
    put_float(out, b->value[k]);
    return SLUICE_OK;
}

/* A word that is neither a tag nor one of VW's labels of costs. */
static bool fits_vw_label(sluice_name word) {
    for (size_t i = 0; i < word.n; i++)
        if ((unsigned char)word.text[i] <= ' ' || word.text[i] == ':' || word.text[i] == '|') return false;
    return *word.text != '\'' && !begins_with_mark(word);
}

sluice_status sl_put_vw(sl_text_out *out, const sluice_batch *b, size_t row, sluice_error *err) {
    const size_t start = out->bytes.n;
    sluice_status status = SLUICE_OK;
    feature_name space = {.n = 0};
    if (!room(out, 2 * NUMBER_ROOM)) return no_memory(err);
    if (!has_no_label(b, row)) {
        status = put_label(out, b, row, fits_vw_label,
                           "has a blank, colon, bar or control byte, or a quote or byte order mark in front, which a "
                           "label in VW text cannot have; write .jsonl",
                           err);
        if (status != SLUICE_OK) return complete(out, start, status, b, row, err);
        put_byte(out, ' ');
        if (weight_of(b, row) != 1) {
            put_float(out, weight_of(b, row));
            put_byte(out, ' ');
        }
    }
    for (size_t k = b->start[row]; k < b->start[row + 1] && status == SLUICE_OK; k++)
        status = put_vw_feature(out, b, k, &space, k == b->start[row], err);
    if (status == SLUICE_OK && !room(out, 2)) status = no_memory(err);
    if (status == SLUICE_OK && b->start[row] == b->start[row + 1]) put_byte(out, '|');
    return complete(out, start, status, b, row, err);
}

/* ---- JSON Lines ------------------------------------------------------------------------------------------------- */

static bool is_utf8(const char *text, size_t all) {
    for (size_t i = 0, n; i < all; i += n) {
        bool ascii = i + 8 <= all && (sl_load8(text + i) & ~LOW) == 0;
        if (!(n = ascii ? 8 : sl_utf8_length(text + i, all - i))) return false;
    }
    return true;
}

/* High bits of the eight bytes that are ASCII and need no escape. */
static inline uint64_t plain(uint64_t x) {
    uint64_t y = x ^ EACH * '"', z = x ^ EACH * '\\';
    return ((x & LOW) + EACH * (0x80 - ' ')) & ((y & LOW) + LOW) & ((z & LOW) + LOW) & ~x & ~LOW;
}

/* A string in quotes. */
static void put_string(sl_text_out *out, const char *text, size_t n) {
    static const char digits[] = "0123456789abcdef";
    put_byte(out, '"');
    for (size_t i = 0; i < n; i++) {
        size_t run = i;
        while (run + 8 <= n && plain(sl_load8(text + run)) == ~LOW) run += 8;
        put(out, text + i, run - i);
        if ((i = run) == n) break;
        char c = text[i];
        if (c == '"' || c == '\\') {
            put_byte(out, '\\');
        } else if ((unsigned char)c < ' ') {
            put(out, "\\u00", 4);
            put_byte(out, digits[c >> 4]);
            c = digits[c & 15];
        }
        put_byte(out, c);
    }
    put_byte(out, '"');
}

static bool is_called(const feature_name *name, const char *text) {
    return name->n == strlen(text) && memcmp(name->text, text, name->n) == 0;
}

static sluice_status put_json_member(sl_text_out *out, const sluice_batch *b, size_t k, sluice_error *err) {
    feature_name name;
    name_of(b, k, &name);
    if (!is_utf8(name.text, name.n))
        return cannot_name(&name, "has a name that is not UTF-8, as JSON needs it; write .vw", err);
    if (is_called(&name, LABEL_KEY)) return cannot_name(&name, "is called as the label is in JSON; write .vw", err);
    if (is_called(&name, WEIGHT_KEY)) out->weight_feature = true;
    if (!room(out, 6 * name.n + NUMBER_ROOM)) return no_memory(err);
    put_byte(out, ',');
    put_string(out, name.text, name.n);
    put_byte(out, ':');
    put_float(out, b->value[k]);
    return SLUICE_OK;
}

/* Whether a word is written as it is: true, false, and numbers that JSON has. Others become strings. */
static bool is_json_literal(sluice_name word) {
    if ((word.n == 4 && memcmp(word.text, "true", 4) == 0) || (word.n == 5 && memcmp(word.text, "false", 5) == 0))
        return true;
    const char *p = word.text, *end = p + word.n;
    p += *p == '-';
    if (p == end || !sl_is_digit(*p) || (*p == '0' && p + 1 < end && sl_is_digit(p[1]))) return false;
    const char *point = memchr(p, '.', (size_t)(end - p));
    return sl_spells_number(word.text, end) && (!point || (point + 1 < end && sl_is_digit(point[1])));
}

static sluice_status put_json_label(sl_text_out *out, const sluice_batch *b, size_t row, sluice_error *err) {
    char quoted[128];
    const sluice_name word = sl_batch_word(b, row);
    if (!word.n) {
        put_float(out, b->label[row]);
        return SLUICE_OK;
    }
    if (!is_utf8(word.text, word.n))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "the label %s is not UTF-8, as JSON needs it; write .vw",
                       sl_quote(quoted, word.text, word.n));
    if (!room(out, 6 * word.n + 3 * NUMBER_ROOM)) return no_memory(err);
    if (is_json_literal(word))
        put(out, word.text, word.n);
    else
        put_string(out, word.text, word.n);
    return SLUICE_OK;
}

sluice_status sl_put_jsonl(sl_text_out *out, const sluice_batch *b, size_t row, sluice_error *err) {
    const sl_text_out before = *out;
    sluice_status status = SLUICE_OK;
    if (!room(out, 3 * NUMBER_ROOM)) return no_memory(err);
    put(out, "{\"" LABEL_KEY "\":", sizeof "{\"" LABEL_KEY "\":" - 1);
    if (has_no_label(b, row))
        put(out, "null", 4);
    else
        status = put_json_label(out, b, row, err);
    if (status == SLUICE_OK && weight_of(b, row) != 1 && !has_no_label(b, row)) {
        out->weights = true;
        put(out, ",\"" WEIGHT_KEY "\":", sizeof ",\"" WEIGHT_KEY "\":" - 1);
        put_float(out, weight_of(b, row));
    }
    for (size_t k = b->start[row]; k < b->start[row + 1] && status == SLUICE_OK; k++)
        status = put_json_member(out, b, k, err);
    if (status == SLUICE_OK && out->weights && out->weight_feature)
        status =
            sl_fail(err, SLUICE_E_UNSUPPORTED,
                    "there are importance weights and a feature 'weight', and JSON has one key for both; write .vw");
    if (status == SLUICE_OK && !room(out, 2)) status = no_memory(err);
    if (status == SLUICE_OK) put_byte(out, '}');
    if (status != SLUICE_OK) out->weights = before.weights, out->weight_feature = before.weight_feature;
    return complete(out, before.bytes.n, status, b, row, err);
}
