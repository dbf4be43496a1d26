/* VW text: `label [importance [base]] ['tag] |namespace[:scale] name[:value] ... |namespace ...`, one example a line.
 *
 * As in VW: a word that touches the first bar, or that begins with a quote, is the tag; a line without a label is an
 * example that is predicted but not learned (so its importance is 0); a feature without a name is called by its place
 * among those of its namespace, from 0; there are no comments. Other than VW, whatever is malformed is an error. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/error.h"
#include "io/format.h"
#include "io/named/line_parser.h"
#include "io/parse_kernels.h"

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

/* Whether a word ends before c. Words are looked for only up to a carriage return or newline. */
static bool ends_word(char c) { return is_blank(c) || c == '|' || c == '\n' || c == '\r'; }

static const char *word_end(const char *p) {
    while (!ends_word(*p)) p++;
    return p;
}

/* ---- before the bar --------------------------------------------------------------------------------------------- */

enum { MAX_WORDS = 4 }; /* label, importance, base, tag */

typedef struct word {
    const char *p, *end;
} word;

static size_t length(const word *w) { return (size_t)(w->end - w->p); }

static bool split(const char *p, const char *bar, word *words, size_t *n, sl_trouble *t) {
    for (*n = 0;; ++*n) {
        while (is_blank(*p)) p++;
        if (p == bar) return true;
        word w = {p, word_end(p)};
        if (*n && *words[*n - 1].p == '\'')
            return sl_bad(t, SL_BAD_FIELD, p, "%s stands behind the tag", p, length(&w));
        if (*n == MAX_WORDS)
            return sl_bad(t, SL_BAD_FIELD, p, "%s is more than label, importance, base and tag", p, length(&w));
        words[*n] = w;
        p = w.end;
    }
}

static bool is_number(const word *w) {
    const char *q = w->p;
    float value;
    return sl_parse_float(&q, &value) == SL_NUMBER_OK && q == w->end;
}

/* A label with a colon is one of VW's other kinds: costs of classes, contexts. */
static bool take_label(const word *w, const sl_rules *rules, sl_label *label, sl_trouble *t) {
    if (rules->words && memchr(w->p, ':', length(w)))
        return sl_bad(t, SL_BAD_LABEL, w->p, "label %s has a colon: labels of costs are not read", w->p, length(w));
    return sl_label_between(w->p, w->end, rules, label, t);
}

/* *labelled: whether there is a label; else the weight is that which the row has without one. */
static bool careful_head(const char *p, const char *bar, const sl_rules *rules, sl_label *label, float *weight,
                         bool *labelled, sl_trouble *t) {
    const bool unlabelled = rules->unlabelled;
    word words[MAX_WORDS];
    size_t n;
    float base;
    *weight = 1;
    *labelled = false;
    if (!split(p, bar, words, &n, t)) return false;
    if (n == 0) return true;
    const word *last = &words[n - 1];
    if (last->end == bar || *last->p == '\'') {
        if (n == 1 && !unlabelled && is_number(last))
            return sl_bad(t, SL_BAD_LABEL, p, "%s touches the bar, as tags do; put a space behind a label", p,
                          length(last));
        if (--n == 0) return true;
    }
    if (n == MAX_WORDS)
        return sl_bad(t, SL_BAD_FIELD, last->p, "%s: a tag touches the bar or begins with a quote", last->p,
                      length(last));
    if (unlabelled && !is_number(&words[0])) return true; /* whatever it is, it is not needed */
    *labelled = !sl_label_is_missing(words[0].p, words[0].end, rules);
    return (!*labelled || take_label(&words[0], rules, label, t)) &&
           (n < 2 || sl_weight_between(words[1].p, words[1].end, weight, t)) &&
           (n < 3 || sl_number_between(words[2].p, words[2].end, &base, SL_BAD_FIELD, "base", "", t));
}

/* Mostly a digit, perhaps with a sign, and a space. */
static bool head(const char *p, const char *bar, const sl_rules *rules, sl_label *label, float *weight, bool *labelled,
                 sl_trouble *t) {
    ptrdiff_t sign = *p == '-' || *p == '+';
    *label = (sl_label){.value = 0};
    if (bar - p != sign + 2 || !sl_is_digit(p[sign]) || p[sign + 1] != ' ' || (rules->words && p[sign] > '1'))
        return careful_head(p, bar, rules, label, weight, labelled, t);
    label->value = (float)(p[sign] - '0');
    if (*p == '-') label->value = -label->value;
    *weight = 1;
    *labelled = true;
    return true;
}

/* ---- behind it -------------------------------------------------------------------------------------------------- */

typedef struct space {
    const char *name;
    size_t n; /* 0: it has none */
    float scale;
    size_t nameless; /* features so far */
} space;

/* Where a name ends: before a blank, colon, bar or line end. Eight bytes at a time; what is below the space but no
 * separator is part of a name. */
static inline const char *name_end(const char *p) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, each = 0x0101010101010101u;
    for (;;) {
        uint64_t x = sl_load8(p), y = x ^ each * ':', z = x ^ each * '|';
        uint64_t other = (((x & low) + each * (0x7F - ' ')) | x) & (((y & low) + low) | y) & (((z & low) + low) | z);
        uint64_t found = ~other & ~low;
        if (!found) {
            p += 8;
            continue;
        }
        p += __builtin_ctzll(found) >> 3;
        if (*p == ':' || ends_word(*p)) return p;
        p++;
    }
}

static bool scaled(const space *s, float *value, const char *name, size_t n, sl_trouble *t) {
    *value *= s->scale;
    return isfinite(*value) ||
           sl_bad(t, SL_OUT_OF_RANGE, name, "value times scale of %s is beyond the range of a float", name, n);
}

/* A value by all the rules; *p is behind the colon. */
static bool careful_value(const char **p, const char *name, size_t n, float *value, sl_trouble *t) {
    char of[160] = "", quoted[128];
    const char *end = word_end(*p), *text = *p;
    *p = end;
    if (end == text) return sl_bad(t, SL_BAD_VALUE, text, "%s has a colon but no value", name, n);
    const char *q = text;
    if (sl_parse_float(&q, value) == SL_NUMBER_OK && q == end) return true;
    if (!t->counted) snprintf(of, sizeof of, " of %s", sl_quote(quoted, name, n));
    return sl_number_between(text, end, value, SL_BAD_VALUE, "value", of, t);
}

static inline bool value_behind(const char **p, const char *name, size_t n, float *value, sl_trouble *t) {
    const char *q = *p;
    if (!sl_quick_float(&q, value) || !ends_word(*q)) return careful_value(p, name, n, value, t);
    *p = q;
    return true;
}

/* What stands behind a bar up to the first blank: nothing, or a name and perhaps a scale. */
static bool open_space(const char **p, space *s, sl_trouble *t) {
    const char *end = name_end(*p);
    *s = (space){.name = *p, .n = (size_t)(end - *p), .scale = 1};
    *p = end;
    if (*end != ':') return true;
    if (!s->n) return sl_bad(t, SL_BAD_FIELD, end, "a namespace with a scale but no name", end, 0);
    ++*p;
    return value_behind(p, s->name, s->n, &s->scale, t);
}

static sl_named_status nameless(sl_named_rows *rows, space *s, float value) {
    char name[24];
    int n = snprintf(name, sizeof name, "%zu", s->nameless++);
    return sl_named_feature(rows, name, (size_t)n, value);
}

static inline bool feature(sl_named_rows *rows, const char **p, space *s, sl_trouble *t) {
    const char *name = *p, *end = name_end(name), *q = end;
    size_t n = (size_t)(end - name);
    float value = 1;
    if (*q == ':') {
        q++;
        if (!value_behind(&q, name, n, &value, t)) return false;
    }
    if (s->scale != 1 && !scaled(s, &value, name, n, t)) return false;
    sl_named_status status = SL_NAMED_OK;
    if (s->n) {
        status = sl_named_piece(rows, s->name, s->n);
        if (status == SL_NAMED_OK) status = sl_named_piece(rows, "^", 1);
    }
    if (status == SL_NAMED_OK) status = n ? sl_named_feature(rows, name, n, value) : nameless(rows, s, value);
    *p = q;
    return sl_named_is_fine(status, name, name, n, t);
}

/* ---- many at a time --------------------------------------------------------------------------------------------- */

enum { RUN_WINDOWS = 16, RUN = 1 + RUN_WINDOWS * SL_WINDOW };

/* The state of parsing a line. */
typedef struct walk {
    const sl_parse_kernels *kernels;
    const char *line, *end;
    bool by_runs;      /* every bar has a blank before it, so that names end at blanks and colons alone */
    bool has_text;     /* the line is in the batch's text, */
    size_t text_at;    /* here */
    unsigned patience; /* features to take one by one before runs are tried again */
    unsigned wait;
} walk;

static bool bars_stand_apart(const char *bar, const char *end) {
    while ((bar = memchr(bar + 1, '|', (size_t)(end - bar - 1))))
        if (!is_blank(bar[-1])) return false;
    return true;
}

/* One feature of a run: its name lies in the line. */
static sl_named_status run_feature(sl_named_rows *rows, walk *w, const space *s, size_t at, size_t n, float value) {
    sl_named_status status = SL_NAMED_OK;
    if (s->n) {
        status = sl_named_piece(rows, s->name, s->n);
        if (status == SL_NAMED_OK) status = sl_named_piece(rows, "^", 1);
        return status == SL_NAMED_OK ? sl_named_feature(rows, w->line + at, n, value) : status;
    }
    if (!w->has_text) status = sl_named_text(rows, w->line, (size_t)(w->end - w->line), &w->text_at);
    w->has_text = true;
    return status == SL_NAMED_OK ? sl_named_within(rows, w->text_at + at, n, value) : status;
}

/* Takes features name:value that stand one blank apart, as most do, from *p on: as in LIBSVM text, their separators are
 * found and their values converted many at a time. What is not of that kind is left to feature(). */
static bool run(sl_named_rows *rows, walk *w, const space *s, const char **p, sl_trouble *t) {
    uint32_t at[RUN + SL_WINDOW];
    char kind[RUN + SL_WINDOW];
    float value[RUN / 2 + SL_FIELDS_AT_ONCE];
    size_t from = (size_t)(*p - w->line), windows = (size_t)(w->end - *p) / SL_WINDOW + 1, taken = 0;
    if (windows > RUN_WINDOWS) windows = RUN_WINDOWS;
    at[0] = (uint32_t)from - 1;
    size_t n = w->kernels->find(w->line, from, windows, at + 1, kind + 1);
    size_t fields = n && at[1] >= 16 ? w->kernels->values(w->line, at + 1, kind + 1, n, value) : 0;
    for (; taken < fields; taken++) {
        size_t name = at[2 * taken] + 1, length = at[2 * taken + 1] - name;
        if (length == 0 || w->line[name] == '|') break;
        sl_named_status status = run_feature(rows, w, s, name, length, value[taken]);
        if (status != SL_NAMED_OK) return sl_named_is_fine(status, w->line + name, w->line + name, length, t);
    }
    *p = w->line + at[2 * taken] + (taken == 0);
    w->wait = taken >= SL_FIELDS_AT_ONCE ? 0 : (w->patience *= 2);
    if (taken) w->patience = SL_FIELDS_AT_ONCE / 2;
    return true;
}

static bool line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, uint64_t number,
                 sl_trouble *t) {
    const char *bar = memchr(p, '|', (size_t)(end - p)), *cr = memchr(p, '\r', (size_t)(end - p));
    sl_label label;
    float weight;
    bool labelled;
    if (cr) return sl_bad(t, SL_BAD_FIELD, cr, "a carriage return within a line", p, 0);
    if (!bar) return sl_bad(t, SL_BAD_FIELD, p, "%s: there is no bar before the features", p, (size_t)(end - p));
    if (!head(p, bar, rules, &label, &weight, &labelled, t)) return false;
    walk w = {.kernels = rules->kernels, .line = p, .end = end, .patience = SL_FIELDS_AT_ONCE / 2};
    w.by_runs = w.kernels && w.kernels->values && end - p < UINT32_MAX && bars_stand_apart(bar, end);
    for (p = bar; p < end;) {
        space s;
        p++;
        if (!open_space(&p, &s, t)) return false;
        for (;;) {
            while (is_blank(*p) && p < end) p++;
            if (p == end || *p == '|') break;
            if (w.by_runs && s.scale == 1 && w.wait == 0) {
                if (!run(rows, &w, &s, &p, t)) return false;
                continue;
            }
            w.wait -= w.wait > 0;
            if (!feature(rows, &p, &s, t)) return false;
        }
    }
    return sl_named_is_fine(labelled ? sl_named_row(rows, &label, weight, number)
                                     : sl_named_unlabelled_row(rows, weight, number),
                            p, p, 0, t);
}

void sl_parse_vw(sl_block *b) { sl_parse_named_lines(b, line); }
