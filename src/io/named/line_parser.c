/* Lines of text: their troubles, and the walk over them. */
#include "io/named/line_parser.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "features/names.h"
#include "base/number.h"

bool sl_bad(sl_trouble *t, sl_reason reason, const char *at, const char *format, const char *text, size_t n) {
    char quoted[128];
    t->reason = reason, t->at = at;
    snprintf(t->message, sizeof t->message, format, sl_quote(quoted, text, n));
    return false;
}

bool sl_number_between(const char *p, const char *end, float *value, sl_reason reason, const char *what, const char *of,
                       sl_trouble *t) {
    static const struct {
        const char *text;
        sl_reason reason; /* SL_REASONS: the caller's */
    } cause[] = {
        [SL_NUMBER_OK] = {"not a number", SL_REASONS},
        [SL_NUMBER_SYNTAX] = {"not a number", SL_REASONS},
        [SL_NUMBER_RANGE] = {"beyond the range of a float, about 3.4e38", SL_OUT_OF_RANGE},
        [SL_NUMBER_NAN] = {"not finite", SL_NOT_FINITE},
    };
    const char *q = p;
    sl_number_status status = sl_parse_float(&q, value);
    if (status == SL_NUMBER_OK && q == end) return true;
    char quoted[128];
    t->reason = cause[status].reason == SL_REASONS ? reason : cause[status].reason;
    t->at = p;
    snprintf(t->message, sizeof t->message, "%s %s%s is %s", what, sl_quote(quoted, p, (size_t)(end - p)), of,
             cause[status].text);
    return false;
}

bool sl_weight_between(const char *p, const char *end, float *weight, sl_trouble *t) {
    if (!sl_number_between(p, end, weight, SL_BAD_WEIGHT, "importance", "", t)) return false;
    return *weight >= 0 || sl_bad(t, SL_BAD_WEIGHT, p, "importance %s is negative", p, (size_t)(end - p));
}

bool sl_no_nul(const char *p, const char *end, sl_trouble *t) {
    const char *nul = memchr(p, 0, (size_t)(end - p));
    return !nul || sl_bad(t, SL_NUL_BYTE, nul, "a NUL byte in the text", p, 0);
}

bool sl_length_is_fine(const char *line, const char *newline, size_t max_line, sl_trouble *t) {
    if ((size_t)(newline - line) <= max_line) return true;
    t->reason = SL_LONG_LINE, t->at = line;
    snprintf(t->message, sizeof t->message, SL_LONG_LINE_MESSAGE, max_line);
    return false;
}

bool sl_named_is_fine(sl_named_status status, const char *at, const char *name, size_t n, sl_trouble *t) {
    switch (status) {
    case SL_NAMED_OK:
        return true;
    case SL_NAMED_LONG:
        return sl_bad(t, SL_BAD_NAME, at, "the name %s is longer than 65535 bytes", name, n);
    case SL_NAMED_RANGE:
        return sl_bad(t, SL_OUT_OF_RANGE, at, "the values of %s add up to more than a float holds", name, n);
    case SL_NAMED_MUCH:
        return sl_bad(t, SL_BAD_NAME, at, "up to %s the names of this line are over 64 times as long as it is", name,
                      n);
    case SL_NAMED_MEMORY:
        break;
    }
    t->reason = SL_REASONS;
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* One line; a blank one makes no row. */
static bool one_line(sl_block *b, sl_named_rows *rows, sl_parse_line *parse, const char *p, const char *newline,
                     sl_trouble *t) {
    const char *end = newline;
    if (!sl_length_is_fine(p, newline, b->rules->max_line, t) || !sl_no_nul(p, newline, t)) return false;
    sl_named_budget(rows, (size_t)(newline - p));
    if (end > p && end[-1] == '\r') end--;
    while (end > p && is_blank(end[-1])) end--;
    while (p < end && is_blank(*p)) p++;
    return p == end || parse(rows, b->rules, p, end, b->lines, t);
}

void sl_parse_named_lines(sl_block *b, sl_parse_line *parse) {
    sl_named_rows rows;
    sl_trouble t;
    sl_named_begin(&rows, b);
    for (const char *p = b->text, *end = p + b->n, *newline; p < end; p = newline + 1) {
        newline = memchr(p, '\n', (size_t)(end - p));
        b->lines++;
        if (one_line(b, &rows, parse, p, newline, &t)) continue;
        sl_named_drop(&rows);
        if (t.reason == SL_REASONS)
            sl_block_no_memory(b, p);
        else if (sl_bad_line(b, t.reason, b->lines, (size_t)(t.at - p) + 1, t.message))
            continue;
        sl_stop_at(b, p);
        break;
    }
}
