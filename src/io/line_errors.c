/* Messages about lines, and the checks that all text formats share. */
#include "io/line_errors.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

bool sl_bad(sl_trouble *t, sl_reason reason, const char *at, const char *format, const char *text, size_t n) {
    char quoted[128];
    t->reason = reason, t->at = at;
    if (t->counted) return false;
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
    if (t->counted) return false;
    snprintf(t->message, sizeof t->message, "%s %s%s is %s", what, sl_quote(quoted, p, (size_t)(end - p)), of,
             cause[status].text);
    return false;
}

bool sl_label_between(const char *p, const char *end, const sl_rules *rules, sl_label *label, sl_trouble *t) {
    const size_t n = (size_t)(end - p);
    sl_label_kind kind = SL_LABEL_RANGE;
    *label = (sl_label){.value = 0};
    if (rules->words && sl_label_is_fine(kind = sl_label_read(p, n, label))) return true;
    if (kind == SL_LABEL_NONE) return sl_bad(t, SL_BAD_LABEL, p, "there is no label", p, 0);
    if (kind == SL_LABEL_LONG) return sl_bad(t, SL_BAD_LABEL, p, "label %s is longer than 65535 bytes", p, n);
    return sl_number_between(p, end, &label->value, SL_BAD_LABEL, "label", "", t);
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
