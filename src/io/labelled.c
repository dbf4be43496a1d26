/* Lines of the form `label<TAB>raw data`. The data is never wrong, unless there is a NUL byte in it; so errors are
 * about labels. */
#include "io/labelled.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/error.h"
#include "core/number.h"

typedef struct trouble {
    sl_reason reason;
    const char *at;
    char message[240];
} trouble;

static bool is_space(char c) { return c == ' ' || c == '\t'; }

static bool is_word(const char *p, const char *end, const char *word) {
    return (size_t)(end - p) == strlen(word) && strncasecmp(p, word, strlen(word)) == 0;
}

static bool no_nul(const char *p, const char *end, trouble *t) {
    const char *nul = memchr(p, 0, (size_t)(end - p));
    if (!nul) return true;
    t->reason = SL_NUL_BYTE, t->at = nul;
    snprintf(t->message, sizeof t->message, "a NUL byte in the text");
    return false;
}

static bool bad_label(const char *p, const char *end, sl_number_status status, const char *data, trouble *t) {
    char quoted[128];
    sl_quote(quoted, p, (size_t)(end - p));
    t->at = p;
    if (p == end) {
        t->reason = SL_BAD_LABEL;
        snprintf(t->message, sizeof t->message, "there is no label; a line is label<TAB>%s", data);
    } else if (status == SL_NUMBER_RANGE) {
        t->reason = SL_OUT_OF_RANGE;
        snprintf(t->message, sizeof t->message, "label %s is beyond the range of a float, about 3.4e38", quoted);
    } else if (status == SL_NUMBER_NAN) {
        t->reason = SL_NOT_FINITE;
        snprintf(t->message, sizeof t->message, "label %s is not finite", quoted);
    } else {
        t->reason = SL_BAD_LABEL;
        snprintf(t->message, sizeof t->message, "label %s is not a number; a line is label<TAB>%s", quoted, data);
    }
    return false;
}

/* Reads [p, end), all of it, as a label. */
static bool label(const char *p, const char *end, float *value, const char *data, trouble *t) {
    while (end > p && is_space(end[-1])) end--;
    if (!no_nul(p, end, t)) return false;
    if (is_word(p, end, "true") || is_word(p, end, "false")) {
        *value = is_word(p, end, "true");
        return true;
    }
    const char *q = p;
    sl_number_status status = sl_parse_float(&q, value);
    return (status == SL_NUMBER_OK && q == end) || bad_label(p, end, status, data, t);
}

/* The end of what counts of a line: a carriage return before its newline does not. */
static const char *content_end(const char *line, const char *newline) {
    return newline > line && newline[-1] == '\r' ? newline - 1 : newline;
}

/* What stands in front of the line's data: *p moves there, or to the end when the line makes no row (*blank). */
static bool head(const char **p, const char *end, bool unlabelled, float *y, float *weight, bool *blank,
                 const char *data, trouble *t) {
    const char *q = *p;
    while (q < end && *q == ' ') q++;
    const char *tab = q, *rest = q;
    while (tab < end && *tab != '\t') tab++;
    while (rest < end && is_space(*rest)) rest++;
    *blank = rest == end || *q == '#';
    *weight = 1;
    if (unlabelled && !*blank && (tab == end || tab == q)) { /* no label: predicted, but as if absent when learning */
        *p = tab == q ? tab + 1 : q;
        *weight = 0;
        return no_nul(*p, end, t);
    }
    *p = tab < end ? tab + 1 : end;
    if (!*blank) return label(q, tab, y, data, t) && no_nul(*p, end, t);
    *p = end;
    return no_nul(rest, end, t);
}

static bool length_is_fine(const char *line, const char *newline, size_t max_line, trouble *t) {
    if ((size_t)(newline - line) <= max_line) return true;
    t->reason = SL_LONG_LINE, t->at = line;
    snprintf(t->message, sizeof t->message, SL_LONG_LINE_MESSAGE, max_line);
    return false;
}

void sl_parse_labelled(sl_block *b, const char *data, sl_raw_features *features) {
    sl_named_rows rows;
    trouble t;
    sl_named_begin(&rows, b);
    for (const char *line = b->text, *const stop = line + b->n, *newline; line < stop; line = newline + 1) {
        newline = memchr(line, '\n', (size_t)(stop - line));
        const char *p = line, *end = content_end(line, newline);
        float y = 0, weight;
        bool blank;
        b->lines++;
        if (length_is_fine(line, newline, b->rules->max_line, &t) &&
            head(&p, end, b->rules->unlabelled, &y, &weight, &blank, data, &t)) {
            if (blank || (features(&rows, b->rules, p, end) && sl_named_row(&rows, y, weight, b->lines) == SL_NAMED_OK))
                continue;
            b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, b->source, b->lines, 0, "no memory for this line");
            break;
        }
        if (!sl_bad_line(b, t.reason, b->lines, (size_t)(t.at - line) + 1, t.message)) break;
    }
    if (b->status != SLUICE_OK) sl_named_drop(&rows);
    sl_named_finish(&rows);
}
