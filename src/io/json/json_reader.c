/* Reads JSON one token after the other, and leaves strings decoded where they stand. */
#include <string.h>

#include "base/error.h"
#include "io/json/json_tokens.h"

/* What may come. */
enum {
    VALUE,        /* a value */
    VALUE_OR_END, /* or ], just behind [ */
    KEY,          /* a key */
    KEY_OR_END,   /* or }, just behind { */
    COMMA_OR_END, /* behind a value */
    NOTHING,      /* behind the whole value */
    ENDED,        /* the last token was SLUICE_JSON_END or SLUICE_JSON_WRONG */
};

enum { NUMBER_PAD = 24, NUMBER_MOST = 1000 }; /* readable bytes behind a number for sl_quick_float() */

void sluice_json_begin(sluice_json *j, char *text, size_t n) {
    *j = (sluice_json){.text = text, .at = text, .end = text + n, .line = 1, .line_begin = text, .next = VALUE};
}

static sluice_json_token wrong(sluice_json *j, const char *said, const char *place, size_t n) {
    j->said = said;
    j->place = place;
    j->place_n = n < (size_t)(j->end - place) ? n : (size_t)(j->end - place);
    j->column = (uint64_t)(place - j->line_begin) + 1;
    j->next = ENDED;
    return j->token = SLUICE_JSON_WRONG;
}

/* The text is no JSON: something else should stand here. */
static sluice_json_token expected(sluice_json *j, const char *there, const char *at_end) {
    if (j->at >= j->end) return wrong(j, at_end, j->end, 0);
    return wrong(j, there, j->at, (size_t)(j->end - j->at));
}
#define EXPECTED(j, what) expected(j, "%s where " what " should stand", "the text ends where " what " should stand")

/* Lines are counted here: once strings are decoded, the text does not tell any more. */
static void skip_blanks(sluice_json *j) {
    for (; j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'); j->at++)
        if (*j->at == '\n') {
            j->line++;
            j->line_begin = j->at + 1;
        }
}

static int in_object(const sluice_json *j) { return (int)(j->objects >> (j->depth - 1) & 1); }

/* A value has been read. */
static void value_done(sluice_json *j) { j->next = j->depth ? COMMA_OR_END : NOTHING; }

/* ---- strings ---------------------------------------------------------------------------------------------------- */

/* The first byte from p on that is not plain, or the end. */
static char *plain_end(char *p, const char *end) {
    for (; end - p >= 8; p += 8) {
        uint64_t found = sl_json_not_plain(sl_load8(p));
        if (found) return p + (__builtin_ctzll(found) >> 3);
    }
    while (p < end && (unsigned char)*p >= ' ' && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\') p++;
    return p;
}

/* A string whose quote is next: its text, decoded where it stands, or only checked. */
static sluice_json_token string(sluice_json *j, sluice_json_token token, bool decode) {
    char *open = j->at, *p = open + 1, *to = p, *stop;
    char bytes[SL_UTF8_MAX];
    for (;; p = stop) {
        stop = plain_end(p, j->end);
        if (stop > p) {
            if (decode && to < p) memmove(to, p, (size_t)(stop - p));
            to += stop - p;
        }
        if (stop >= j->end) return wrong(j, "a string without an end", open, 0);
        if (*stop == '"') break;
        size_t n;
        if (*stop == '\\') {
            const char *q = stop;
            switch (sl_json_escape(&q, j->end, bytes, &n)) {
            case SL_ESCAPE_OK:
                break;
            case SL_ESCAPE_DIGITS:
                return wrong(j, "%s is not \\u and four digits", stop, 6);
            case SL_ESCAPE_HALF:
                return wrong(j, "%s is half of a surrogate pair", stop, 6);
            default:
                return wrong(j, "there is no escape %s", stop, 2);
            }
            if (decode) memcpy(to, bytes, n); /* shorter than the escape */
            stop += q - stop;
        } else if ((unsigned char)*stop < ' ') {
            return wrong(j, "%s in a string must be escaped", stop, 1);
        } else {
            n = sl_utf8_length(stop, (size_t)(j->end - stop));
            if (!n) return wrong(j, "%s is not UTF-8", stop, 1);
            if (decode) memmove(to, stop, n);
            stop += n;
        }
        to += n;
    }
    j->text = open + 1;
    j->n = (size_t)(to - j->text);
    j->at = stop + 1;
    return j->token = token;
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static sluice_json_token number(sluice_json *j) {
    char *p = j->at, *end = p;
    bool whole = false;
    while (end < j->end && !sl_json_ends_number(*end)) end++;
    const size_t n = (size_t)(end - p);
    if (!sl_json_is_number(p, end, &whole)) return wrong(j, "%s is not a number as JSON has them", p, n);
    if (n > NUMBER_MOST) return wrong(j, "%s is longer than 1000 characters", p, n);
    j->text = p;
    j->n = n;
    j->whole = whole;
    j->at = end;
    return j->token = SLUICE_JSON_NUMBER;
}

/* A number's text, followed by bytes that end it and may be read: where it stands or, at the end of the text, a copy.
 */
static const char *padded(const sluice_json *j, char copy[NUMBER_MOST + NUMBER_PAD]) {
    if (j->end - j->text >= (ptrdiff_t)(j->n + NUMBER_PAD)) return j->text;
    const size_t n = j->n < NUMBER_MOST ? j->n : NUMBER_MOST;
    memcpy(copy, j->text, n);
    memset(copy + n, '\n', NUMBER_PAD);
    return copy;
}

int sluice_json_double(const sluice_json *j, double *value) {
    char copy[NUMBER_MOST + NUMBER_PAD];
    if (j->token != SLUICE_JSON_NUMBER) return 0;
    const char *p = padded(j, copy);
    return sl_parse_double(&p, value) == SL_NUMBER_OK;
}

int sluice_json_float(const sluice_json *j, float *value) {
    char copy[NUMBER_MOST + NUMBER_PAD];
    if (j->token != SLUICE_JSON_NUMBER) return 0;
    const char *text = padded(j, copy), *p = text;
    if (sl_quick_float(&p, value) && p == text + j->n) return 1;
    p = text;
    return sl_parse_float(&p, value) == SL_NUMBER_OK;
}

int sluice_json_uint64(const sluice_json *j, uint64_t *value) {
    if (j->token != SLUICE_JSON_NUMBER || !j->whole) return 0;
    uint64_t x = 0;
    size_t i = *j->text == '-';
    if (i && !(j->n == 2 && j->text[1] == '0')) return 0;
    for (; i < j->n; i++) {
        const uint64_t digit = (uint64_t)(j->text[i] - '0');
        if (x > (UINT64_MAX - digit) / 10) return 0;
        x = x * 10 + digit;
    }
    *value = x;
    return 1;
}

int sluice_json_int64(const sluice_json *j, int64_t *value) {
    if (j->token != SLUICE_JSON_NUMBER || !j->whole) return 0;
    const int negative = *j->text == '-';
    uint64_t x = 0;
    for (size_t i = (size_t)negative; i < j->n; i++) {
        const uint64_t digit = (uint64_t)(j->text[i] - '0');
        if (x > ((uint64_t)INT64_MAX + (uint64_t)negative - digit) / 10) return 0;
        x = x * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - x) : (int64_t)x;
    return 1;
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

static sluice_json_token word(sluice_json *j, const char *text, size_t n, sluice_json_token token) {
    if ((size_t)(j->end - j->at) < n || memcmp(j->at, text, n) != 0) return EXPECTED(j, "a value");
    j->text = j->at;
    j->n = n;
    j->at += n;
    return j->token = token;
}

static sluice_json_token open_bracket(sluice_json *j, int object) {
    if (j->depth == SL_JSON_DEPTH) return wrong(j, "objects and arrays deeper than 64", j->at, 0);
    const uint64_t bit = (uint64_t)1 << j->depth++;
    j->objects = object ? j->objects | bit : j->objects & ~bit;
    j->next = object ? KEY_OR_END : VALUE_OR_END;
    j->text = j->at++;
    j->n = 1;
    return j->token = object ? SLUICE_JSON_OBJECT : SLUICE_JSON_ARRAY;
}

static sluice_json_token close_bracket(sluice_json *j) {
    const int object = in_object(j);
    j->text = j->at++;
    j->n = 1;
    j->depth--;
    value_done(j);
    return j->token = object ? SLUICE_JSON_OBJECT_END : SLUICE_JSON_ARRAY_END;
}

static sluice_json_token value(sluice_json *j, bool decode) {
    const char c = *j->at;
    sluice_json_token token;
    if (c == '{' || c == '[') return open_bracket(j, c == '{');
    if (c == '"')
        token = string(j, SLUICE_JSON_STRING, decode);
    else if (sl_json_begins_number(c))
        token = number(j);
    else if (c == 't')
        token = word(j, "true", 4, SLUICE_JSON_TRUE);
    else if (c == 'f')
        token = word(j, "false", 5, SLUICE_JSON_FALSE);
    else if (c == 'n')
        token = word(j, "null", 4, SLUICE_JSON_NULL);
    else
        return EXPECTED(j, "a value");
    if (token) value_done(j);
    return token;
}

static sluice_json_token key(sluice_json *j, bool decode) {
    if (!string(j, SLUICE_JSON_KEY, decode)) return SLUICE_JSON_WRONG;
    skip_blanks(j);
    if (j->at >= j->end || *j->at != ':') return EXPECTED(j, "a colon");
    j->at++;
    j->next = VALUE;
    return SLUICE_JSON_KEY;
}

static sluice_json_token next(sluice_json *j, bool decode) {
    skip_blanks(j);
    const char c = j->at < j->end ? *j->at : 0;
    switch (j->next) {
    case COMMA_OR_END:
        if (c == (in_object(j) ? '}' : ']')) return close_bracket(j);
        if (c != ',') return in_object(j) ? EXPECTED(j, "a comma or }") : EXPECTED(j, "a comma or ]");
        j->at++;
        skip_blanks(j);
        if (!in_object(j)) break;
        if (j->at >= j->end || *j->at != '"') return EXPECTED(j, "a key");
        return key(j, decode);
    case KEY_OR_END:
        if (c == '}') return close_bracket(j);
        if (c != '"') return EXPECTED(j, "a key");
        return key(j, decode);
    case VALUE_OR_END:
        if (c == ']') return close_bracket(j);
        break;
    case VALUE:
        break;
    case NOTHING:
        if (j->at < j->end) return wrong(j, "%s behind the value", j->at, (size_t)(j->end - j->at));
        j->next = ENDED;
        return j->token = SLUICE_JSON_END;
    default:
        return j->token;
    }
    if (j->at >= j->end) return EXPECTED(j, "a value");
    return value(j, decode);
}

sluice_json_token sluice_json_next(sluice_json *j) { return next(j, true); }

int sluice_json_skip(sluice_json *j) {
    if (j->token == SLUICE_JSON_KEY) {
        if (!next(j, false)) return 0;
        if (j->token == SLUICE_JSON_STRING) {
            j->text--;
            j->n = (size_t)(j->at - j->text);
        }
    }
    if (j->token != SLUICE_JSON_OBJECT && j->token != SLUICE_JSON_ARRAY) return j->token != SLUICE_JSON_WRONG;
    char *from = j->text;
    for (const unsigned outer = j->depth - 1; j->depth > outer;)
        if (!next(j, false)) return 0;
    j->text = from;
    j->n = (size_t)(j->at - from);
    return 1;
}

sluice_status sluice_json_problem(const sluice_json *j, sluice_error *err) {
    if (j->token != SLUICE_JSON_WRONG || !j->said)
        return sl_fail(err, SLUICE_E_USAGE, "nothing is wrong with the text");
    char quoted[128];
    const char *hole = strstr(j->said, "%s");
    if (!hole) return sl_fail_at(err, SLUICE_E_DATA, "", j->line, j->column, "%s", j->said);
    sl_quote(quoted, j->place, j->place_n);
    return sl_fail_at(err, SLUICE_E_DATA, "", j->line, j->column, "%.*s%s%s", (int)(hole - j->said), j->said, quoted,
                      hole + 2);
}
