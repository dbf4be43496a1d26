/* Finds what identifies a row: a csv cell, the value of a JSON key, a VW tag. Looks at the text of one line again, and
 * only where a reader is asked for ids. */
#include <string.h>

#include "base/utf8.h"
#include "io/csv/csv.h"
#include "io/origins.h"

int sl_find_csv_id(const sl_block *b, const char *p, const char *end, char *id, size_t *n) {
    const sl_csv_header *h = b->header;
    sl_csv_trouble t;
    sl_csv_cell cell;
    t.counted = true;
    *n = 0;
    if (!h) return SLUICE_ID_NONE;
    for (size_t i = 0; i <= h->id; i++) {
        if (i && (p >= end || *p++ != h->separator)) return SLUICE_ID_NONE;
        if (!sl_csv_take(p, b->text + b->n, h->separator, &cell, &t)) return SLUICE_ID_NONE;
        p = cell.end;
    }
    for (size_t i = 0; i < cell.n; i++) {
        id[(*n)++] = cell.text[i];
        if (cell.doubled && cell.text[i] == '"') i++;
    }
    return *n ? SLUICE_ID_TEXT : SLUICE_ID_NONE;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* The tag touches the bar, or is the last word before it and begins with a quote, which does not belong to it. */
int sl_find_vw_id(const sl_block *b, const char *p, const char *end, char *id, size_t *n) {
    (void)b;
    const char *bar = memchr(p, '|', (size_t)(end - p)), *last = bar;
    *n = 0;
    if (!bar) return SLUICE_ID_NONE;
    while (last > p && is_blank(last[-1])) last--;
    const char *first = last;
    while (first > p && !is_blank(first[-1])) first--;
    if (first == last || (last < bar && *first != '\'')) return SLUICE_ID_NONE;
    first += *first == '\'';
    *n = (size_t)(last - first);
    if (*n) memcpy(id, first, *n);
    return *n ? SLUICE_ID_TEXT : SLUICE_ID_NONE;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && (is_blank(*p) || *p == '\r')) p++;
    return p;
}

/* Behind the string that begins here; NULL: it has no end. */
static const char *past_string(const char *p, const char *end) {
    for (p++; p < end; p++) {
        if (*p == '"') return p + 1;
        if (*p == '\\') p++;
    }
    return NULL;
}

/* Behind the value that begins here; NULL: it has no end. Brackets are counted, not matched. */
static const char *past_value(const char *p, const char *end) {
    size_t depth = 0;
    while (p < end) {
        if (*p == '"') {
            if (!(p = past_string(p, end))) return NULL;
        } else if (*p == '{' || *p == '[') {
            depth++, p++;
        } else if (*p == '}' || *p == ']') {
            if (depth == 0) return p;
            depth--, p++;
        } else if (depth == 0 && (*p == ',' || is_blank(*p))) {
            return p;
        } else {
            p++;
            continue;
        }
        if (depth == 0) return p;
    }
    return depth ? NULL : p;
}

static bool hex(const char *p, const char *end, uint32_t *c) {
    if (end - p < 4) return false;
    *c = 0;
    for (int i = 0; i < 4; i++) {
        char lower = (char)(p[i] | 0x20);
        bool digit = p[i] >= '0' && p[i] <= '9';
        if (!digit && !(lower >= 'a' && lower <= 'f')) return false;
        *c = *c << 4 | (uint32_t)(digit ? p[i] - '0' : lower - 'a' + 10);
    }
    return true;
}

/* What a string says, [p, end) between its quotes: never more bytes than it has. False: it is malformed. */
static bool decode(const char *p, const char *end, char *out, size_t *n) {
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    *n = 0;
    while (p < end) {
        uint32_t c, second;
        if (*p != '\\') {
            out[(*n)++] = *p++;
            continue;
        }
        p++; /* a byte follows: past_string() has seen to that */
        const char *letter = *p ? strchr(letters, *p) : NULL;
        if (letter) {
            out[(*n)++] = meanings[letter - letters];
            p++;
            continue;
        }
        if (*p != 'u' || !hex(p + 1, end, &c)) return false;
        p += 5;
        if (c >= 0xD800 && c < 0xE000) {
            if (c >= 0xDC00 || end - p < 6 || p[0] != '\\' || p[1] != 'u' || !hex(p + 2, end, &second) ||
                second < 0xDC00 || second >= 0xE000)
                return false;
            c = 0x10000 + ((c - 0xD800) << 10) + (second - 0xDC00);
            p += 6;
        }
        *n += sl_utf8_put(out + *n, c);
    }
    return true;
}

/* The value of a key in the object that begins at p: its beginning, or NULL. Keys of objects within are joined by
 * points, as in names of features. `room` is for decoding keys. */
static const char *find_key(const char *p, const char *end, const char *wanted, size_t wanted_n, char *room) {
    p = skip_blanks(p, end);
    if (p == end || *p != '{') return NULL;
    do {
        size_t n;
        const char *key = skip_blanks(p + 1, end), *past;
        if (key == end || *key != '"' || !(past = past_string(key, end))) return NULL;
        if (!decode(key + 1, past - 1, room, &n)) return NULL;
        const bool same = n == wanted_n && memcmp(room, wanted, n) == 0;
        const bool outer = n < wanted_n && wanted[n] == '.' && memcmp(room, wanted, n) == 0;
        p = skip_blanks(past, end);
        if (p == end || *p != ':') return NULL;
        p = skip_blanks(p + 1, end);
        if (same) return p;
        if (outer) {
            const char *inner = find_key(p, end, wanted + n + 1, wanted_n - n - 1, room);
            if (inner) return inner;
        }
        if (!(p = past_value(p, end))) return NULL;
        p = skip_blanks(p, end);
    } while (p < end && *p == ',');
    return NULL;
}

int sl_find_jsonl_id(const sl_block *b, const char *p, const char *end, char *id, size_t *n) {
    const char *wanted = b->rules->id, *value = find_key(p, end, wanted, strlen(wanted), id), *past;
    *n = 0;
    if (!value || !(past = past_value(value, end)) || past == value) return SLUICE_ID_NONE;
    if (*value == '"') return decode(value + 1, past - 1, id, n) ? SLUICE_ID_TEXT : SLUICE_ID_NONE;
    *n = (size_t)(past - value);
    memcpy(id, value, *n);
    return *n == 4 && memcmp(id, "null", 4) == 0 ? SLUICE_ID_NONE : SLUICE_ID_JSON;
}
