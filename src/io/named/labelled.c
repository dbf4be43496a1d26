/* Lines of the form `label<TAB>raw data`. Any data without a NUL byte is valid, so that errors are about labels. */
#include "io/named/labelled.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/number.h"
#include "io/named/line_parser.h"

static bool is_space(char c) { return c == ' ' || c == '\t'; }

/* The end without the blanks before it. */
static const char *trimmed(const char *p, const char *end) {
    while (end > p && is_space(end[-1])) end--;
    return end;
}

static bool is_word(const char *p, const char *end, const char *word) {
    return (size_t)(end - p) == strlen(word) && strncasecmp(p, word, strlen(word)) == 0;
}

/* Whether the label is 0, 1, +1 or -1 and a tab stands behind it, as in nearly all lines. */
static inline bool is_plain_label(const char *p, const char *end, sl_label *y) {
    const bool sign = *p == '-' || *p == '+';
    if (end - p < 2 + sign || p[sign + 1] != '\t' || (p[sign] != '1' && (p[sign] != '0' || sign))) return false;
    *y = (sl_label){.value = *p == '-' ? -1 : *p == '0' ? 0 : 1};
    return true;
}

/* Reads all of [p, end) as a label; if it is none, the message says what a line looks like. */
static bool label(const char *p, const char *end, const sl_rules *rules, sl_label *y, const char *data, sl_trouble *t) {
    end = trimmed(p, end);
    if (!sl_no_nul(p, end, t)) return false;
    if (!rules->words && (is_word(p, end, "true") || is_word(p, end, "false"))) {
        y->value = is_word(p, end, "true");
        return true;
    }
    if (p < end && sl_label_between(p, end, rules, y, t)) return true;
    if (p == end) sl_bad(t, SL_BAD_LABEL, p, "there is no label", p, 0);
    if (t->counted) return false; /* there is no message */
    size_t n = strlen(t->message);
    if (t->reason == SL_BAD_LABEL) snprintf(t->message + n, sizeof t->message - n, "; a line is label<TAB>%s", data);
    return false;
}

/* A line without a tab is a label alone if it is a number; else it is more likely data without a label. */
static bool is_alone(const char *p, const sl_label *y, const char *data, sl_trouble *t) {
    const sluice_name word = y->word;
    if (word.n == 0 || sl_spells_number(word.text, word.text + word.n)) return true;
    sl_bad(t, SL_BAD_LABEL, p, "there is no tab behind %s", word.text, word.n);
    if (t->counted) return false;
    size_t n = strlen(t->message);
    snprintf(t->message + n, sizeof t->message - n, "; a line is label<TAB>%s", data);
    return false;
}

/* The end of a line without the carriage return before its newline. */
static const char *content_end(const char *line, const char *newline) {
    return newline > line && newline[-1] == '\r' ? newline - 1 : newline;
}

/* Reads the label; *p moves to the line's data, or to its end when the line is blank. */
static bool head(const char **p, const char *end, const sl_rules *rules, sl_label *y, bool *labelled, bool *blank,
                 const char *data, sl_trouble *t) {
    const bool unlabelled = rules->unlabelled;
    const char *q = *p;
    while (q < end && *q == ' ') q++;
    if (is_plain_label(q, end, y)) {
        *labelled = true, *blank = false;
        *p = q + (*q == '-' || *q == '+') + 2;
        return sl_no_nul(*p, end, t);
    }
    const char *tab = q, *rest = q;
    while (tab < end && *tab != '\t') tab++;
    while (rest < end && is_space(*rest)) rest++;
    *blank = rest == end;
    *labelled = true;
    if (unlabelled && !*blank && (tab == end || tab == q)) { /* no label: for predictions */
        *p = tab == q ? tab + 1 : q;
        *labelled = false;
        return sl_no_nul(*p, end, t);
    }
    *p = tab < end ? tab + 1 : end;
    if (!*blank && tab < end && sl_label_is_missing(q, trimmed(q, tab), rules)) {
        *labelled = false;
        return sl_no_nul(*p, end, t);
    }
    if (!*blank) {
        bool good = label(q, tab, rules, y, data, t) && (tab < end || is_alone(q, y, data, t));
        if (!good && unlabelled && t->reason != SL_NUL_BYTE) { /* whatever it is, it is not needed */
            y->value = 0;
            *labelled = false;
            good = true;
        }
        return good && sl_no_nul(*p, end, t);
    }
    *p = end;
    return sl_no_nul(rest, end, t);
}

void sl_parse_labelled(sl_block *b, const char *data, sl_raw_features *features) {
    sl_named_rows rows;
    sl_trouble t;
    t.counted = b->rules->only_counted;
    sl_named_begin(&rows, b);
    const char *line = b->text + b->at, *const stop = b->text + b->n;
    for (const char *newline; line < stop && !sl_part_is_full(b); line = newline + 1) {
        newline = memchr(line, '\n', (size_t)(stop - line));
        const char *p = line, *end = content_end(line, newline);
        sl_label y = {.value = 0};
        bool labelled, blank;
        b->lines++;
        if (sl_length_is_fine(line, newline, b->rules->max_line, &t) &&
            head(&p, end, b->rules, &y, &labelled, &blank, data, &t)) {
            if (blank && !b->rules->every_line) continue;
            sl_named_status status = SL_NAMED_OK;
            if (blank) {
                if (!sl_batch_add_empty(&b->batch, b->lines, false)) status = SL_NAMED_MEMORY;
            } else {
                features(&rows, b->rules, p, end);
                status = labelled ? sl_named_row(&rows, &y, 1, b->lines) : sl_named_unlabelled_row(&rows, 1, b->lines);
            }
            if (status == SL_NAMED_OK) continue;
            sl_named_drop(&rows);
            if (status == SL_NAMED_LATER) {
                b->lines--;
                break;
            }
            if (status == SL_NAMED_MEMORY) {
                b->status = sl_fail_at(&b->error, SLUICE_E_MEMORY, b->source, b->lines, 0, "no memory for this line");
                sl_stop_at(b, line);
                return;
            }
            sl_named_is_fine(status, line, line, 0, &t);
        }
        if (!sl_bad_line(b, t.reason, line, b->lines, (size_t)(t.at - line) + 1, t.message)) {
            sl_stop_at(b, line);
            return;
        }
    }
    b->at = (size_t)(line - b->text);
}
