/* Fetching csv: blocks of whole records, and the header, which the blocks of an input share. Several inputs have each
 * their own, with columns in any order. */
#include "io/named/csv.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "features/names.h"
#include "io/format.h"

void sl_csv_release(sl_csv_header *h) {
    if (!h || atomic_fetch_sub(&h->holders, 1) > 1) return;
    free(h->column);
    free(h->text);
    free(h);
}

static sl_csv_header *hold(sl_csv_header *h) {
    if (h) atomic_fetch_add(&h->holders, 1);
    return h;
}

static bool no_memory(sl_csv_trouble *t) {
    t->reason = SL_REASONS;
    return false;
}

/* How many fields the record at p has. */
static bool count_columns(const char *p, const char *end, char separator, size_t *columns, sl_csv_trouble *t) {
    sl_csv_cell cell;
    for (*columns = 1;; ++*columns, p = cell.end + 1) {
        if (*columns > SL_CSV_MAX_COLUMNS) {
            t->at = p;
            snprintf(t->message, sizeof t->message, "more than %zu columns", SL_CSV_MAX_COLUMNS);
            return false;
        }
        if (!sl_csv_take(p, end, separator, &cell, t)) return false;
        if (*cell.end != separator) return true;
    }
}

/* A cell's text with its doubled quotes made single; returns the length. */
static size_t put_text(char *to, const sl_csv_cell *cell) {
    size_t n = 0;
    for (size_t i = 0; i < cell->n; i++) {
        to[n++] = cell->text[i];
        if (cell->doubled && cell->text[i] == '"') i++;
    }
    return n;
}

static void add_column(sl_csv_header *h, size_t i, size_t n) {
    char *name = h->text + h->text_n;
    h->column[i] = (sl_csv_column){{.at = (uint32_t)h->text_n, .n = (uint32_t)n}, sl_name_hash(name, n)};
    name[n] = '=';
    h->text_n += n + 1;
}

/* Names the columns by the record at p, or (p is NULL) by their numbers. */
static bool name_columns(sl_csv_header *h, const char *p, const char *end, sl_csv_trouble *t) {
    sl_csv_cell cell;
    for (size_t i = 0; i < h->columns; i++) {
        char *to = h->text + h->text_n;
        if (!p) {
            add_column(h, i, (size_t)sprintf(to, "%zu", i + 1));
            continue;
        }
        if (!sl_csv_take(p, end, h->separator, &cell, t)) return false;
        size_t n = put_text(to, &cell);
        if (n > SL_CSV_MAX_NAME) {
            t->at = p;
            snprintf(t->message, sizeof t->message, "the name of a column is longer than %zu bytes", SL_CSV_MAX_NAME);
            return false;
        }
        add_column(h, i, n);
        p = cell.end + 1;
    }
    return true;
}

/* The feature of one cell is the column's name, or that and `=` and some text. So features of two columns can only be
 * the same where a name stands twice or has a `=` in it. */
static bool look_for_clashes(sl_csv_header *h) {
    sl_duplicates repeat = {0};
    uint64_t *hashes = sl_duplicates_room(&repeat, h->columns);
    for (size_t i = 0; i < h->columns && hashes; i++) {
        const sl_csv_column *c = &h->column[i];
        hashes[i] = c->hash; /* names of the same hash are taken for the same: that costs only time */
        h->clashes |= memchr(h->text + c->name.at, '=', c->name.n) != NULL;
    }
    if (hashes && !h->clashes) h->clashes = sl_duplicates_find(&repeat, h->columns) != SL_NO_DUPLICATE;
    sl_duplicates_free(&repeat);
    return hashes != NULL;
}

/* The column with this name, or else with this number; SL_CSV_NO_COLUMN: there is none. */
static bool find_column(const sl_csv_header *h, const char *wanted, size_t *found, sl_csv_trouble *t) {
    size_t n = strlen(wanted), number = 0;
    char quoted[128];
    *found = SL_CSV_NO_COLUMN;
    for (size_t i = 0; i < h->columns; i++) {
        const sl_name *name = &h->column[i].name;
        if (name->n != n || memcmp(h->text + name->at, wanted, n) != 0) continue;
        if (*found != SL_CSV_NO_COLUMN) {
            snprintf(t->message, sizeof t->message, "two columns are called %s", sl_quote(quoted, wanted, n));
            return false;
        }
        *found = i;
    }
    if (*found != SL_CSV_NO_COLUMN || n == 0 || n > 9) return true;
    for (size_t i = 0; i < n; i++) {
        if (wanted[i] < '0' || wanted[i] > '9') return true;
        number = number * 10 + (size_t)(wanted[i] - '0');
    }
    if (number >= 1 && number <= h->columns) *found = number - 1;
    return true;
}

static bool no_such_column(const char *what, const char *wanted, const sl_csv_header *h, sl_csv_trouble *t) {
    char quoted[128];
    snprintf(t->message, sizeof t->message, "there is no column %s for the %s among the %zu here",
             sl_quote(quoted, wanted, strlen(wanted)), what, h->columns);
    return false;
}

/* The first column called so in any case: Label, LABEL. */
static void find_word(const sl_csv_header *h, const char *word, size_t *found) {
    for (size_t i = 0; i < h->columns && *found == SL_CSV_NO_COLUMN; i++) {
        const sl_name *name = &h->column[i].name;
        if (name->n == strlen(word) && strncasecmp(h->text + name->at, word, name->n) == 0) *found = i;
    }
}

/* Fields between semicolons would be one: a label, and no features. */
static bool is_separated(const sl_csv_header *h, sl_csv_trouble *t) {
    const sl_name *name = &h->column[0].name;
    char quoted[128];
    if (h->columns != 1 || !memchr(h->text + name->at, ';', name->n)) return true;
    snprintf(t->message, sizeof t->message,
             "the header is a single column, %s: fields are separated by commas or tabs, not by semicolons",
             sl_quote(quoted, h->text + name->at, name->n < 32 ? name->n : 32));
    return false;
}

/* A header of numbers alone is an error: most likely it is a row. */
static bool is_header(const sl_csv_header *h, sl_csv_trouble *t) {
    for (size_t i = 0; i < h->columns; i++) {
        char text[64];
        double value;
        const sl_name *name = &h->column[i].name;
        if (name->n >= sizeof text) return true;
        memcpy(text, h->text + name->at, name->n);
        text[name->n] = 0;
        if (!sluice_parse_number(text, &value)) return true;
    }
    snprintf(t->message, sizeof t->message, "the header has nothing but numbers; if there is none, say --no-header");
    return false;
}

/* Which column identifies rows. A label or weight stays what it is. */
static bool find_id(sl_csv_header *h, const sl_rules *rules, sl_csv_trouble *t) {
    h->id = h->dropped = SL_CSV_NO_COLUMN;
    if (!rules->id) return true;
    if (!find_column(h, rules->id, &h->id, t)) return false;
    if (h->id == SL_CSV_NO_COLUMN) return no_such_column("id", rules->id, h, t);
    if (rules->drop_id) h->dropped = h->id;
    return true;
}

/* Which columns are the label and the weight. */
static bool find_roles(sl_csv_header *h, const sl_rules *rules, sl_csv_trouble *t) {
    if (!find_column(h, rules->label ? rules->label : "label", &h->label, t)) return false;
    if (h->label == SL_CSV_NO_COLUMN && !rules->label) find_word(h, "label", &h->label);
    if (h->label == SL_CSV_NO_COLUMN && !rules->unlabelled) {
        if (rules->label) return no_such_column("label", rules->label, h, t);
        h->label = 0;
    }
    h->weight = SL_CSV_NO_COLUMN;
    if (!rules->weight) return true;
    if (!find_column(h, rules->weight, &h->weight, t)) return false;
    if (h->weight == SL_CSV_NO_COLUMN && !rules->unlabelled) return no_such_column("weight", rules->weight, h, t);
    if (h->weight != h->label || h->weight == SL_CSV_NO_COLUMN) return true;
    snprintf(t->message, sizeof t->message, "the label and the weight are the same column");
    return false;
}

static sl_csv_header *new_header(const char *p, const char *end, char separator, const sl_rules *rules,
                                 sl_csv_trouble *t) {
    enum { NUMBER_ROOM = 24 };
    sl_csv_header *h = calloc(1, sizeof *h);
    if (!h) return no_memory(t), NULL;
    h->holders = 1;
    h->separator = separator;
    bool good = count_columns(p, end, separator, &h->columns, t);
    if (good) {
        t->at = p;
        h->column = malloc(h->columns * sizeof *h->column);
        h->text = malloc(rules->no_header ? h->columns * NUMBER_ROOM : (size_t)(end - p) + h->columns + NUMBER_ROOM);
        good = (h->column && h->text) || no_memory(t);
    }
    good = good && name_columns(h, rules->no_header ? NULL : p, end, t) &&
           (rules->no_header || (is_separated(h, t) && is_header(h, t))) && find_roles(h, rules, t) &&
           find_id(h, rules, t) && (look_for_clashes(h) || no_memory(t));
    if (good) return h;
    sl_csv_release(h);
    return NULL;
}

/* Makes the header from the first record of the block, if it has one that is not blank. */
static bool make_header(sl_input *in, sl_block *b, char separator, sl_csv_trouble *t) {
    size_t p = 0, next;
    const size_t max_line = in->rules->max_line;
    while ((next = sl_past_blank_line(b->text, p, b->n)) > p && next - p - 1 <= max_line) p = next;
    if (p == b->n) return true;
    sl_cut cut = {.quotes = true, .separator = separator, .at = p, .fresh = p};
    size_t end = sl_cut_first(&cut, b->text, b->n);
    if (end == 0) end = b->n;                            /* a quote that is not closed */
    if (end - p - 1 > max_line || end - p > INT32_MAX) { /* places in its text have 32 bits */
        t->at = b->text + p;
        snprintf(t->message, sizeof t->message, SL_LONG_LINE_MESSAGE, max_line);
        return false;
    }
    in->header = new_header(b->text + p, b->text + end, separator, in->rules, t);
    if (in->header && !in->rules->no_header) b->head = end;
    return in->header;
}

static char separator_by_ending(const char *path) {
    size_t n;
    sl_compressed_ending(path, &n);
    return n >= 4 && strncasecmp(path + n - 4, ".tsv", 4) == 0 ? '\t' : 0;
}

bool sl_fetch_csv(sl_input *in, sl_block *b) {
    sl_cut cut = {.quotes = true, .separator = in->header ? in->header->separator : separator_by_ending(in->name)};
    if (!sl_fetch_records(in, b, &cut)) return false;
    sl_csv_trouble t = {.reason = SL_BAD_FIELD};
    if (b->n && !in->header && !make_header(in, b, cut.separator ? cut.separator : ',', &t)) {
        uint64_t line = 0;
        size_t column = 0;
        if (t.reason != SL_REASONS) sl_csv_place(b->text, t.at, &line, &column);
        b->status = t.reason == SL_REASONS
                        ? sl_fail_at(&b->error, SLUICE_E_MEMORY, in->name, 0, 0, "no memory for the header")
                        : sl_fail_at(&b->error, SLUICE_E_DATA, in->name, line, column, "%s", t.message);
        b->n = 0;
        in->ended = true;
    }
    b->header = hold(in->header);
    return true;
}
