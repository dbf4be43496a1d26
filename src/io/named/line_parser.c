/* The loop over the lines of a block. */
#include "io/named/line_parser.h"

#include <stdio.h>
#include <string.h>

#include "io/named/quadratic.h"

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
    case SL_NAMED_LARGE:
        return sl_bad(t, SL_LARGE_ROW, at, SL_LARGE_ROW_MESSAGE, name, 0);
    case SL_NAMED_LATER:
        t->reason = SL_LATER;
        return false;
    case SL_NAMED_CROSSED: /* sl_parse_named_lines() says why */
    case SL_NAMED_MEMORY:
        break;
    }
    t->reason = SL_REASONS;
    return false;
}

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* One line; a blank one makes no row, or one without features. */
static bool one_line(sl_block *b, sl_named_rows *rows, sl_parse_line *parse, const char *p, const char *newline,
                     sl_trouble *t) {
    const char *end = newline;
    if (!sl_length_is_fine(p, newline, b->rules->max_line, t) || !sl_no_nul(p, newline, t)) return false;
    sl_named_budget(rows, (size_t)(newline - p));
    if (end > p && end[-1] == '\r') end--;
    while (end > p && is_blank(end[-1])) end--;
    while (p < end && is_blank(*p)) p++;
    if (p < end) return parse(rows, b->rules, p, end, b->lines, t);
    if (!b->rules->every_line || sl_batch_add_empty(&b->batch, b->lines, false)) return true;
    t->reason = SL_REASONS;
    return false;
}

/* What is wrong with the crossed features of a row. */
static void bad_crossing(const sl_named_rows *rows, const char *at, sl_trouble *t) {
    const char *why = sl_crossed_why(rows, &t->reason);
    t->at = at;
    if (!t->counted) snprintf(t->message, sizeof t->message, "%s", why);
}

void sl_parse_named_lines(sl_block *b, sl_parse_line *parse) {
    sl_named_rows rows;
    sl_trouble t;
    t.counted = b->rules->only_counted;
    sl_named_begin(&rows, b);
    const char *p = b->text + b->at, *const end = b->text + b->n;
    for (const char *newline; p < end && !sl_part_is_full(b); p = newline + 1) {
        newline = memchr(p, '\n', (size_t)(end - p));
        b->lines++;
        if (one_line(b, &rows, parse, p, newline, &t)) continue;
        if (rows.failed == SL_NAMED_CROSSED) bad_crossing(&rows, p, &t);
        sl_named_drop(&rows);
        if (t.reason == SL_LATER) {
            b->lines--;
            break;
        }
        if (t.reason == SL_REASONS)
            sl_block_no_memory(b, p);
        else if (sl_bad_line(b, t.reason, p, b->lines, (size_t)(t.at - p) + 1, t.message))
            continue;
        sl_stop_at(b, p);
        return;
    }
    b->at = (size_t)(p - b->text);
}
