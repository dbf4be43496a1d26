/* JSON Lines: one object a line, as RFC 8259 has it. Keys become names of features (docs/names.md); one key holds the
 * label, another may hold the importance weight. The name of what is being read, its keys joined by points, is put
 * together in `path`. */
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "features/names.h"
#include "base/utf8.h"
#include "io/format.h"
#include "io/named/line_parser.h"

enum { MAX_DEPTH = 64, PATH_PAD = 16 };

typedef struct key {
    const char *text; /* NULL: there is none */
    size_t n;
    bool seen;
} key;

typedef struct json {
    const char *p, *end; /* what is left of the line */
    sl_named_rows *rows;
    sl_trouble *t;
    const sl_rules *rules;
    key label_key, weight_key, dropped_key;
    sl_label label;
    const char *label_string; /* where the label's string begins, to be read when all others are; NULL: it is none */
    float weight;
    bool labelled;
    bool dropping; /* what is read makes no features */
    unsigned depth;
    size_t path_n;
    char path[SL_MAX_NAME + PATH_PAD];
} json;

static bool value(json *j);

static void skip_blanks(json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\r')) j->p++;
}

/* The line is no JSON: something else should stand here. */
static bool expected(json *j, const char *what) {
    char format[96] = "";
    bool over = j->p >= j->end;
    if (!j->t->counted)
        snprintf(format, sizeof format, over ? "the line ends where %s should stand" : "%%s where %s should stand",
                 what);
    return sl_bad(j->t, SL_BAD_FIELD, over ? j->end : j->p, format, j->p, over ? 0 : (size_t)(j->end - j->p));
}

static bool take(json *j, char c, const char *what) {
    skip_blanks(j);
    if (j->p >= j->end || *j->p != c) return expected(j, what);
    j->p++;
    return true;
}

/* ---- the name --------------------------------------------------------------------------------------------------- */

static bool append(json *j, const char *bytes, size_t n, const char *at) {
    if (n > SL_MAX_NAME - j->path_n)
        return sl_bad(j->t, SL_BAD_NAME, at, "the name %s is longer than 65535 bytes", j->path, j->path_n);
    memcpy(j->path + j->path_n, bytes, n);
    j->path_n += n;
    return true;
}

static bool add_feature(json *j, float v, const char *at) {
    if (j->dropping) return true;
    return sl_named_is_fine(sl_named_feature(j->rows, j->path, j->path_n, v), at, j->path, j->path_n, j->t);
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* The first byte from p on that is not plain: a quote, a backslash, a control byte, or one beyond ASCII. */
static inline const char *plain_end(const char *p) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, each = 0x0101010101010101u;
    for (;; p += 8) {
        uint64_t x = sl_load8(p), y = x ^ each * '"', z = x ^ each * '\\';
        uint64_t plain = ((x & low) + each * (0x80 - ' ')) & ((y & low) + low) & ((z & low) + low) & ~x;
        uint64_t found = ~plain & ~low;
        if (found) return p + (__builtin_ctzll(found) >> 3);
    }
}

/* The four digits behind \u; false if they are not. */
static bool hex(const char *p, uint32_t *c) {
    *c = 0;
    for (int i = 0; i < 4; i++) {
        char lower = (char)(p[i] | 0x20);
        if (!sl_is_digit(p[i]) && !(lower >= 'a' && lower <= 'f')) return false;
        *c = *c << 4 | (uint32_t)(sl_is_digit(p[i]) ? p[i] - '0' : lower - 'a' + 10);
    }
    return true;
}

/* \uXXXX, or two of them that are one character; p is behind the backslash. */
static bool unicode_escape(json *j) {
    const char *escape = j->p - 1;
    uint32_t c, second;
    char utf8[4];
    if (!hex(j->p + 1, &c)) return sl_bad(j->t, SL_BAD_FIELD, escape, "%s is not \\u and four digits", escape, 6);
    j->p += 5;
    if (c >= 0xD800 && c < 0xE000) {
        if (c >= 0xDC00 || j->p[0] != '\\' || j->p[1] != 'u' || !hex(j->p + 2, &second) || second < 0xDC00 ||
            second >= 0xE000)
            return sl_bad(j->t, SL_BAD_FIELD, escape, "%s is half of a surrogate pair", escape, 6);
        c = 0x10000 + ((c - 0xD800) << 10) + (second - 0xDC00);
        j->p += 6;
    }
    return append(j, utf8, sl_utf8_put(utf8, c), escape);
}

static bool escape(json *j) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    j->p++;
    if (*j->p == 'u') return unicode_escape(j);
    const char *letter = *j->p ? strchr(letters, *j->p) : NULL;
    if (!letter || j->p >= j->end)
        return sl_bad(j->t, SL_BAD_FIELD, j->p - 1, "there is no escape %s", j->p - 1, j->p < j->end ? 2 : 1);
    j->p++;
    return append(j, &meanings[letter - letters], 1, j->p - 2);
}

/* A string, appended to the name. */
static bool string(json *j) {
    const char *open = j->p++;
    for (;;) {
        const char *run = j->p, *stop = plain_end(run);
        size_t n = (size_t)(stop - run), length;
        if (stop >= j->end) return sl_bad(j->t, SL_BAD_FIELD, open, "a string without an end", open, 0);
        if (!append(j, run, n, open)) return false;
        j->p = stop;
        if (*stop == '"') {
            j->p++;
            return true;
        }
        if (*stop == '\\') {
            if (!escape(j)) return false;
        } else if ((unsigned char)*stop < ' ') {
            return sl_bad(j->t, SL_BAD_FIELD, stop, "%s in a string must be escaped", stop, 1);
        } else {
            length = sl_utf8_length(stop, (size_t)(j->end - stop));
            if (!length) return sl_bad(j->t, SL_BAD_FIELD, stop, "%s is not UTF-8", stop, 1);
            if (!append(j, stop, length, open)) return false;
            j->p += length;
        }
    }
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool ends_number(char c) { return c == ',' || c == '}' || c == ']' || c == ' ' || (c >= '\t' && c <= '\r'); }

static const char *digits_end(const char *p) {
    while (sl_is_digit(*p)) p++;
    return p;
}

/* Whether [p, end) is -digits.digits e+-digits without zeros in front: stricter than what other formats take. */
static bool is_json_number(const char *p, const char *end) {
    p += *p == '-';
    const char *q = digits_end(p);
    if (q == p || (*p == '0' && q > p + 1)) return false;
    if (*q == '.') {
        p = q + 1;
        if ((q = digits_end(p)) == p) return false;
    }
    if (*q == 'e' || *q == 'E') {
        p = q + 1;
        p += *p == '-' || *p == '+';
        if ((q = digits_end(p)) == p) return false;
    }
    return q == end;
}

static bool careful_number(json *j, float *v, sl_reason reason, const char *what) {
    const char *p = j->p, *end = p, *q = p;
    while (end < j->end && !ends_number(*end)) end++;
    j->p = end;
    if (sl_parse_float(&q, v) == SL_NUMBER_OK && q == end && is_json_number(p, end)) return true;
    char of[160] = "", quoted[128];
    if (reason == SL_BAD_VALUE && !j->t->counted)
        snprintf(of, sizeof of, " of %s", sl_quote(quoted, j->path, j->path_n));
    if (!sl_number_between(p, end, v, reason, what, of, j->t)) return false;
    return is_json_number(p, end) ||
           sl_bad(j->t, reason, p, "%s is not a number as JSON has them", p, (size_t)(end - p));
}

/* A number; messages call it `what`. */
static inline bool number(json *j, float *v, sl_reason reason, const char *what) {
    const char *q = j->p, *first = q + (*q == '-');
    if (!(*first == '0' && sl_is_digit(first[1])) && sl_quick_float(&q, v) && ends_number(*q)) {
        j->p = q;
        return true;
    }
    return careful_number(j, v, reason, what);
}

/* Whether what stands here is meant as a number: words for what is not finite are, as some programs write them. */
static bool begins_number(char c) { return sl_is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'N' || c == 'I'; }

/* ---- label and weight ------------------------------------------------------------------------------------------- */

static bool word(json *j, const char *text) {
    size_t n = strlen(text);
    if (strncmp(j->p, text, n) != 0) return false;
    j->p += n;
    return true;
}

static bool is_key(const json *j, const key *k) {
    return k->text && k->n == j->path_n && memcmp(k->text, j->path, k->n) == 0;
}

static bool first_time(json *j, key *k, sl_reason reason, const char *at) {
    if (k->seen) return sl_bad(j->t, reason, at, "the key %s stands twice", k->text, k->n);
    return k->seen = true;
}

/* Moves behind a string without reading it. */
static bool pass_string(json *j) {
    const char *open = j->p, *p = open + 1;
    while (p < j->end && *p != '"') p += *p == '\\' ? 2 : 1;
    j->p = p + 1;
    return p < j->end || sl_bad(j->t, SL_BAD_FIELD, open, "a string without an end", open, 0);
}

/* A number as a label; its text counts where it is not -1, 0 or 1. */
static bool number_label(json *j) {
    const char *p = j->p;
    if (!number(j, &j->label.value, SL_BAD_LABEL, "label")) return false;
    const size_t n = (size_t)(j->p - p);
    if (!j->rules->words || (n == 1 && *p <= '1')) return true;
    const sl_label_kind kind = sl_label_read(p, n, &j->label);
    if (kind == SL_LABEL_LONG) return sl_bad(j->t, SL_BAD_LABEL, p, "label %s is longer than 65535 bytes", p, n);
    return true;
}

static bool label(json *j) {
    const char *at = j->p;
    j->labelled = true;
    if (begins_number(*at)) return number_label(j);
    if (word(j, "true")) {
        j->label.value = 1;
    } else if (word(j, "null")) {
        j->labelled = false;
    } else if (*at == '"' && (j->rules->words || j->rules->missing_labels)) {
        j->label_string = at;
        return pass_string(j);
    } else if (*at == '"' && j->rules->unlabelled) { /* whatever it is, it is not needed */
        j->labelled = false;
        return string(j);
    } else if (!word(j, "false")) {
        return sl_bad(j->t, SL_BAD_LABEL, at,
                      j->rules->words ? "label %s is not a string, a number, true, false or null"
                                      : "label %s is not a number, true, false or null",
                      at, (size_t)(j->end - at));
    }
    if (j->rules->words && j->labelled) j->label = (sl_label){.word = {at, (size_t)(j->p - at)}};
    return true;
}

/* Reads the label's string into the path, which nothing else needs any more. */
static bool string_label(json *j) {
    const char *at = j->label_string;
    j->p = at;
    j->path_n = 0;
    if (!string(j)) {
        if (j->t->reason != SL_BAD_NAME) return false;
        return sl_bad(j->t, SL_BAD_LABEL, at, "label %s is longer than 65535 bytes", at + 1, (size_t)(j->end - at) - 1);
    }
    if (sl_label_is_missing(j->path, j->path + j->path_n, j->rules)) {
        j->labelled = false;
        return true;
    }
    memset(j->path + j->path_n, '\n', PATH_PAD);
    return sl_label_between(j->path, j->path + j->path_n, j->rules, &j->label, j->t) || (j->t->at = at, false);
}

static bool weight(json *j) {
    const char *p = j->p;
    if (!begins_number(*p))
        return sl_bad(j->t, SL_BAD_WEIGHT, p, "importance %s is not a number", p, (size_t)(j->end - p));
    if (!number(j, &j->weight, SL_BAD_WEIGHT, "importance")) return false;
    return j->weight >= 0 || sl_bad(j->t, SL_BAD_WEIGHT, p, "importance %s is negative", p, (size_t)(j->p - p));
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* A value that makes no features. */
static bool drop(json *j) {
    const bool within = j->dropping;
    j->dropping = true;
    bool good = value(j);
    j->dropping = within;
    return good;
}

static bool member(json *j) {
    const size_t outer = j->path_n;
    skip_blanks(j);
    const char *at = j->p;
    if (at >= j->end || *at != '"') return expected(j, "a key");
    if ((j->depth > 1 && !append(j, ".", 1, at)) || !string(j) || !take(j, ':', "a colon")) return false;
    skip_blanks(j);
    bool good;
    if (is_key(j, &j->label_key))
        good = first_time(j, &j->label_key, SL_BAD_LABEL, at) && label(j);
    else if (is_key(j, &j->weight_key))
        good = first_time(j, &j->weight_key, SL_BAD_WEIGHT, at) && weight(j);
    else if (is_key(j, &j->dropped_key))
        good = drop(j);
    else
        good = value(j);
    j->path_n = outer;
    return good;
}

/* Strings are told apart by what they say, everything else in an array by its place. */
static bool element(json *j, size_t place) {
    const size_t outer = j->path_n;
    char index[24];
    skip_blanks(j);
    if (*j->p != '"' && !append(j, index, (size_t)snprintf(index, sizeof index, ".%zu", place), j->p)) return false;
    bool good = value(j);
    j->path_n = outer;
    return good;
}

/* The members of an object or the elements of an array; p is at the bracket. */
static bool members(json *j, bool object) {
    const char close = object ? '}' : ']';
    if (++j->depth > MAX_DEPTH) return sl_bad(j->t, SL_BAD_FIELD, j->p, "objects and arrays deeper than 64", j->p, 0);
    j->p++;
    skip_blanks(j);
    bool empty = j->p < j->end && *j->p == close;
    for (size_t i = 0; !empty; i++) {
        if (!(object ? member(j) : element(j, i))) return false;
        skip_blanks(j);
        if (j->p >= j->end || *j->p != ',') break;
        j->p++;
    }
    j->depth--;
    return take(j, close, object ? "a comma or }" : "a comma or ]");
}

static bool value(json *j) {
    const char *at = j->p;
    float v = 1;
    if (at >= j->end) return expected(j, "a value");
    if (begins_number(*at)) return number(j, &v, SL_BAD_VALUE, "value") && add_feature(j, v, at);
    if (*at == '"') return append(j, "=", 1, at) && string(j) && add_feature(j, v, at);
    if (*at == '{' || *at == '[') return members(j, *at == '{');
    if (word(j, "true")) return add_feature(j, v, at);
    return word(j, "false") || word(j, "null") || expected(j, "a value");
}

static key key_of(const char *text) { return (key){.text = text, .n = text ? strlen(text) : 0}; }

static bool line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, uint64_t number_of_line,
                 sl_trouble *t) {
    json j; /* not filled with zeros: the path is large */
    j.p = p, j.end = end, j.rows = rows, j.t = t;
    j.label_key = key_of(rules->label ? rules->label : "label");
    j.weight_key = key_of(rules->weight);
    j.dropped_key = key_of(rules->drop_id ? rules->id : NULL);
    j.dropping = false;
    j.rules = rules;
    j.label = (sl_label){.value = 0}, j.label_string = NULL, j.weight = 1, j.labelled = false;
    j.depth = 0, j.path_n = 0;
    skip_blanks(&j);
    p = j.p;
    if (p == end || *p != '{') return sl_bad(t, SL_BAD_FIELD, p, "%s is not a JSON object", p, (size_t)(end - p));
    if (!members(&j, true)) return false;
    skip_blanks(&j);
    if (j.p < end) return sl_bad(t, SL_BAD_FIELD, j.p, "%s behind the object", j.p, (size_t)(end - j.p));
    if (!j.label_key.seen && !rules->unlabelled && !rules->missing_labels)
        return sl_bad(t, SL_BAD_LABEL, p, "there is no key %s for the label", j.label_key.text, j.label_key.n);
    if (j.label_string && !string_label(&j)) return false;
    sl_named_status status = j.labelled ? sl_named_row(rows, &j.label, j.weight, number_of_line)
                                        : sl_named_unlabelled_row(rows, j.weight, number_of_line);
    return sl_named_is_fine(status, p, p, 0, t);
}

void sl_parse_jsonl(sl_block *b) { sl_parse_named_lines(b, line); }
