/* Lists of names and patterns: which columns and keys are features or text, and messages about those that are not
 * there.
 */
#include "io/named/name_patterns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/block.h"

/* ---- matching ---------------------------------------------------------------------------------------------------- */

/* Whether the set that begins behind `[` at p has the byte; *p moves behind its `]`. A set without an end is no set. */
static bool in_set(const char **p, const char *end, char c, bool *is_set) {
    const char *q = *p;
    const bool inverted = q < end && (*q == '!' || *q == '^');
    bool found = false;
    if (inverted) q++;
    for (const char *first = q; q < end && (*q != ']' || q == first); q++) {
        const bool range = end - q > 2 && q[1] == '-' && q[2] != ']';
        const unsigned char low = (unsigned char)q[0], high = (unsigned char)(range ? q[2] : q[0]);
        found |= low <= (unsigned char)c && (unsigned char)c <= high;
        if (range) q += 2;
    }
    *is_set = q < end;
    if (*is_set) *p = q + 1;
    return found != inverted;
}

/* Whether one byte of text matches what stands at *p, which is no star; then *p moves behind it. */
static bool one_matches(const char **p, const char *end, char c) {
    const char *q = *p;
    if (q == end) return false;
    if (*q == '[') {
        const char *set = q + 1;
        bool is_set;
        const bool found = in_set(&set, end, c, &is_set);
        if (is_set && found) *p = set;
        if (is_set) return found;
    }
    const bool any = *q == '?';
    if (*q == '\\' && end - q > 1) q++;
    if (*q != c && !any) return false;
    *p = q + 1;
    return true;
}

bool sl_pattern_matches(const char *pattern, size_t n, const char *text, size_t text_n) {
    const char *p = pattern, *end = pattern + n, *t = text, *stop = text + text_n;
    const char *star = NULL, *from = NULL; /* behind the last star, and the text that it does not cover */
    while (t < stop) {
        if (p < end && *p == '*') {
            star = ++p, from = t;
        } else if (one_matches(&p, end, *t)) {
            t++;
        } else if (star) { /* the star takes one byte more; earlier ones need not change */
            p = star, t = ++from;
        } else {
            return false;
        }
    }
    while (p < end && *p == '*') p++;
    return p == end;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static size_t count_patterns(const char *text) {
    size_t n = 1;
    for (const char *p = text; *p; p++) {
        if (*p == '\\' && p[1])
            p++;
        else
            n += *p == ',';
    }
    return n;
}

static bool is_name(const char *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (p[i] == '*' || p[i] == '?' || p[i] == '[') return false;
        if (p[i] == '\\') i++;
    }
    return true;
}

/* Fills a list from an option's text, of which it keeps a copy at *memory. */
static bool fill(sl_name_list *l, const char *what, const char *option, sl_name_pattern **next, atomic_bool **met,
                 char **memory) {
    *l = (sl_name_list){.what = what, .pattern = *next};
    if (!option) return true;
    const char *p = strcpy(*memory, option);
    *memory += strlen(option) + 1;
    for (;; p++) {
        const char *start = p;
        for (; *p && *p != ','; p++)
            if (*p == '\\' && p[1]) p++;
        if (p == start) return false;
        *(*next)++ = (sl_name_pattern){
            .text = start, .n = (size_t)(p - start), .is_name = is_name(start, (size_t)(p - start)), .met = (*met)++};
        l->n++;
        if (!*p) return true;
    }
}

sluice_status sl_choice_new(const sluice_reader_options *o, sl_choice **choice, sluice_error *err) {
    const char *const options[] = {o->columns, o->ignore, o->text_columns};
    static const char *const names[] = {"columns", "ignore", "text"};
    size_t n = 0, bytes = 0;
    for (size_t i = 0; i < 3; i++)
        if (options[i]) n += count_patterns(options[i]), bytes += strlen(options[i]) + 1;
    if (!n) return SLUICE_OK;
    const size_t patterns = n * sizeof(sl_name_pattern), flags = n * sizeof(atomic_bool);
    sl_choice *c = calloc(1, sizeof *c);
    if (c) c->memory = calloc(1, patterns + flags + bytes);
    *choice = c;
    if (!c || !c->memory) return sl_fail(err, SLUICE_E_MEMORY, "no memory");
    sl_name_list *const lists[] = {&c->columns, &c->ignore, &c->text};
    sl_name_pattern *next = (sl_name_pattern *)(void *)c->memory;
    atomic_bool *met = (atomic_bool *)(void *)(c->memory + patterns);
    char *memory = c->memory + patterns + flags;
    for (size_t i = 0; i < 3; i++)
        if (!fill(lists[i], names[i], options[i], &next, &met, &memory))
            return sl_fail(err, SLUICE_E_USAGE, "%s: a name is missing: give names and patterns, separated by commas",
                           names[i]);
    c->must_exist = o->names_must_exist != 0;
    c->only_csv = true;
    return SLUICE_OK;
}

void sl_choice_free(sl_choice *c) {
    if (!c) return;
    free(c->first_line);
    free(c->memory);
    free(c);
}

/* Whether the name is what was given, with its backslashes taken away or as they are. */
static bool is_same(const sl_name_pattern *p, const char *name, size_t n) {
    if (p->n == n && memcmp(p->text, name, n) == 0) return true;
    size_t k = 0;
    for (size_t i = 0; i < p->n; i++, k++) {
        if (p->text[i] == '\\' && i + 1 < p->n) i++;
        if (k >= n || name[k] != p->text[i]) return false;
    }
    return k == n;
}

bool sl_name_list_has(const sl_name_list *l, const char *name, size_t n) {
    bool found = false;
    for (size_t i = 0; i < l->n; i++) {
        const sl_name_pattern *p = &l->pattern[i];
        if (!is_same(p, name, n) && (p->is_name || !sl_pattern_matches(p->text, p->n, name, n))) continue;
        if (!atomic_load_explicit(p->met, memory_order_relaxed))
            atomic_store_explicit(p->met, true, memory_order_relaxed);
        found = true;
    }
    return found;
}

const sl_name_pattern *sl_choice_unmet(const sl_choice *c, const sl_name_list **list) {
    const sl_name_list *const lists[] = {&c->columns, &c->ignore, &c->text};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < lists[k]->n; i++) {
            const sl_name_pattern *p = &lists[k]->pattern[i];
            *list = lists[k];
            if (p->is_name && !atomic_load_explicit(p->met, memory_order_relaxed)) return p;
        }
    /* a pattern may match nothing, but where none does there are no features */
    *list = &c->columns;
    for (size_t i = 0; i < c->columns.n; i++)
        if (atomic_load_explicit(c->columns.pattern[i].met, memory_order_relaxed)) return NULL;
    return c->columns.n ? c->columns.pattern : NULL;
}

/* ---- names in messages ------------------------------------------------------------------------------------------- */

enum { LONGEST = 63 }; /* longer names are not compared */

static char small(char c) { return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c; }

/* Levenshtein's distance, one row of the table at a time. */
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m) {
    size_t row[LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (size_t j = 0; j <= m; j++) row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (small(a[i - 1]) != small(b[j - 1]));
            diagonal = row[j];
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[m];
}

void sl_shown_begin(sl_shown_names *s, const char *wanted, size_t n) {
    *s = (sl_shown_names){.wanted = wanted, .wanted_n = n, .distance = n / 2 + 1};
}

void sl_shown_add(sl_shown_names *s, const char *name, size_t n) {
    enum { COMPARED = 1000 }; /* of very many names the rest is only counted */
    char quoted[128];
    const char *shown = sl_quote(quoted, name, n);
    const size_t length = strlen(shown), room = sizeof s->list - s->used;
    s->full |= length + 3 > room;
    if (!s->full) {
        s->used += (size_t)snprintf(s->list + s->used, room, "%s%s", s->count ? ", " : "", shown);
        s->listed++;
    }
    if (!s->full || s->count < COMPARED) {
        size_t d = edit_distance(s->wanted, s->wanted_n, name, n);
        /* the beginning of a name counts as one wrong letter, however much is missing */
        if (d > 1 && s->wanted_n > 1 && n > s->wanted_n &&
            edit_distance(s->wanted, s->wanted_n, name, s->wanted_n) == 0)
            d = 1;
        if (d < s->distance) s->distance = d, memcpy(s->nearest, shown, length + 1);
    }
    s->count++;
}

void sl_shown_end(const sl_shown_names *s, char *to, size_t room) {
    const size_t more = s->count - s->listed;
    int n = s->nearest[0] ? snprintf(to, room, "; did you mean %s? ", s->nearest) : snprintf(to, room, "; ");
    if (n < 0 || (size_t)n >= room) return;
    to += n, room -= (size_t)n;
    const char *begin = s->nearest[0] ? "There are" : "there are";
    if (!s->count)
        snprintf(to, room, "%s none", begin);
    else if (more)
        snprintf(to, room, "%s %s and %zu more", begin, s->list, more);
    else
        snprintf(to, room, "%s %s", begin, s->list);
}

sluice_status sl_choice_check(const sl_rules *rules, sluice_error *err) {
    const sl_choice *c = rules->choice;
    const sl_name_list *list;
    const sl_name_pattern *p;
    if (!c || !c->must_exist || !c->has_columns || !(p = sl_choice_unmet(c, &list))) return SLUICE_OK;
    char quoted[128], names[400] = "";
    sl_quote(quoted, p->text, p->n);
    if (c->first_line) {
        sl_shown_names shown;
        sl_shown_begin(&shown, p->text, p->n);
        sl_jsonl_show_keys(rules, c->first_line, c->first_line + c->first_line_n, &shown);
        sl_shown_end(&shown, names, sizeof names);
    }
    return sl_fail(err, SLUICE_E_DATA, "%s: no input has the column or key %s%s", list->what, quoted, names);
}
