/* Fetching csv: blocks of whole records, and the header, which the blocks of an input share. Several inputs have each
 * their own, with columns in any order. */
#include "io/csv/csv.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "features/names.h"
#include "io/format.h"
#include "io/named/name_patterns.h"
#include "io/named/quadratic.h"
#include "io/parse_kernels.h"

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
    h->column[i] =
        (sl_csv_column){.name = {.at = (uint32_t)h->text_n, .n = (uint32_t)n}, .hash = sl_name_hash(name, n)};
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
            snprintf(t->message, sizeof t->message, "the name of a column is longer than %zu bytes%s", SL_CSV_MAX_NAME,
                     h->separator == '\t' ? "; if these are lines of label<TAB>text, say --format text" : "");
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

/* Appends what columns there are, and the one that is most like the wanted one. */
static void show_columns(const sl_csv_header *h, const char *wanted, size_t n, sl_csv_trouble *t) {
    sl_shown_names shown;
    sl_shown_begin(&shown, wanted, n);
    for (size_t i = 0; i < h->columns; i++) sl_shown_add(&shown, h->text + h->column[i].name.at, h->column[i].name.n);
    const size_t used = strlen(t->message);
    sl_shown_end(&shown, t->message + used, sizeof t->message - used);
}

static bool no_such_column(const char *what, const char *wanted, const sl_csv_header *h, sl_csv_trouble *t) {
    char quoted[128];
    snprintf(t->message, sizeof t->message, "there is no column %s for the %s",
             sl_quote(quoted, wanted, strlen(wanted)), what);
    show_columns(h, wanted, strlen(wanted), t);
    return false;
}

/* The first column called so in any case: Label, LABEL. */
static void find_word(const sl_csv_header *h, const char *word, size_t *found) {
    for (size_t i = 0; i < h->columns && *found == SL_CSV_NO_COLUMN; i++) {
        const sl_name *name = &h->column[i].name;
        if (name->n == strlen(word) && strncasecmp(h->text + name->at, word, name->n) == 0) *found = i;
    }
}

/* A row of one field is a label without features: most likely its fields are separated by something else. */
static bool is_separated(const sl_csv_header *h, sl_csv_trouble *t) {
    const sl_name *name = &h->column[0].name;
    const char *text = h->text + name->at;
    char quoted[128], shown[8];
    bool decided, open;
    const char other = sl_guess_separator(text, name->n, &decided, &open);
    if (h->columns != 1 || other == h->separator || !memchr(text, other, name->n)) return true;
    snprintf(shown, sizeof shown, other == '\t' ? "tab" : "'%c'", other);
    snprintf(t->message, sizeof t->message,
             "the header is a single column, %s: if its fields are separated by another byte, say --separator %s",
             sl_quote(quoted, text, name->n), shown);
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

/* Whether most of the first lines, of which p is the first, have a blank behind their tab. */
static bool are_texts(const char *p, const char *end) {
    enum { LOOKED_AT = 20 };
    size_t lines = 0, texts = 0;
    for (const char *newline; lines < LOOKED_AT && p < end; p = newline + 1) {
        newline = memchr(p, '\n', (size_t)(end - p));
        if (!newline) break;
        const char *last = newline > p && newline[-1] == '\r' ? newline - 1 : newline;
        if (last == p) continue;
        const char *tab = memchr(p, '\t', (size_t)(last - p));
        lines++;
        texts += tab && last - tab > 2 && memchr(tab + 2, ' ', (size_t)(last - tab - 2));
    }
    return 2 * texts > lines;
}

/* Two columns, tabs, and a second name that is a URL or has four words, or blanks in most of the second cells: most
 * likely lines of label<TAB>text, in a file that ends in .tsv. A name for the label says that it is a header; and that
 * the format or the columns were given, that there are columns whatever the cells are like. */
static bool is_no_text(const sl_csv_header *h, const sl_rules *rules, const char *p, const char *block_end,
                       sl_csv_trouble *t) {
    enum { BLANKS_OF_A_TEXT = 3 };
    size_t named = SL_CSV_NO_COLUMN, blanks = 0;
    if (h->separator != '\t' || h->columns != 2 || rules->label || rules->unlabelled) return true;
    find_word(h, "label", &named);
    const sl_name *label = &h->column[0].name, *name = &h->column[1].name;
    const char *text = h->text + name->at;
    for (size_t i = 1; i + 1 < name->n; i++) blanks += text[i] == ' ' && text[i - 1] != ' ';
    const bool url = memmem(text, name->n, "://", 3), settled = rules->format || rules->separator || rules->choice;
    if (named != SL_CSV_NO_COLUMN) return true;
    if (!url && blanks < BLANKS_OF_A_TEXT && (settled || !are_texts(p, block_end))) return true;
    char quoted[128], quoted_label[128];
    snprintf(t->message, sizeof t->message,
             "the header would be %s and %s: lines of label<TAB>%s are read with --format %s; if it is a header, say "
             "--label 1",
             sl_quote(quoted_label, h->text + label->at, label->n), sl_quote(quoted, text, name->n),
             url ? "URL" : "text", url ? "url" : "text");
    return false;
}

/* Which column identifies rows. A label or weight stays what it is. */
static bool find_id(sl_csv_header *h, const sl_rules *rules, sl_csv_trouble *t) {
    h->id = SL_CSV_NO_COLUMN;
    if (!rules->id) return true;
    if (!find_column(h, rules->id, &h->id, t)) return false;
    return h->id != SL_CSV_NO_COLUMN || no_such_column("id", rules->id, h, t);
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

/* What the cells of every column are. */
static bool set_uses(sl_csv_header *h, const sl_rules *rules) {
    const sl_choice *c = rules->choice;
    for (size_t i = 0; i < h->columns; i++) {
        const char *name = h->text + h->column[i].name.at;
        const size_t n = h->column[i].name.n;
        bool chosen = true, text = false;
        if (c) {
            const bool listed = sl_name_list_has(&c->columns, name, n), ignored = sl_name_list_has(&c->ignore, name, n);
            text = sl_name_list_has(&c->text, name, n);
            chosen = (listed || !c->columns.n) && !ignored;
        }
        if (i == h->id && rules->drop_id) chosen = false;
        h->column[i].use = !chosen ? SL_CSV_NOTHING : text ? SL_CSV_TEXT : SL_CSV_FEATURE;
    }
    if (h->weight != SL_CSV_NO_COLUMN) h->column[h->weight].use = SL_CSV_WEIGHT;
    if (h->label != SL_CSV_NO_COLUMN) h->column[h->label].use = SL_CSV_LABEL;
    return true;
}

/* Whether the inputs have the columns that were named, as far as this header settles it: it is the last one. */
static bool names_exist(const sl_csv_header *h, const sl_input *in, sl_csv_trouble *t) {
    const sl_choice *c = in->rules->choice;
    const sl_name_list *list;
    const sl_name_pattern *p;
    if (!c || !c->must_exist || !c->only_csv || !in->is_last || !(p = sl_choice_unmet(c, &list))) return true;
    char quoted[128];
    snprintf(t->message, sizeof t->message, "%s: there is no column %s", list->what, sl_quote(quoted, p->text, p->n));
    show_columns(h, p->text, p->n, t);
    return false;
}

/* A CR inside the first record, and no quotes that it may stand in: all lines end so, and are one record. */
static bool ends_with_newline(const char *p, const char *end, sl_csv_trouble *t) {
    const size_t n = (size_t)(end - p), line_end = n > 1 && end[-2] == '\r' ? 2 : 1;
    const char *cr = n > line_end ? memchr(p, '\r', n - line_end) : NULL;
    if (!cr || memchr(p, '"', n)) return true;
    t->at = cr;
    snprintf(
        t->message, sizeof t->message,
        "a carriage return within the header: where lines end with CR alone, tr '\\r' '\\n' makes such that are read");
    return false;
}

/* The header is from p to end; behind it the block goes on. */
static sl_csv_header *new_header(const char *p, const char *end, const char *block_end, char separator,
                                 const sl_input *in, sl_csv_trouble *t) {
    const sl_rules *rules = in->rules;
    enum { NUMBER_ROOM = 24 };
    sl_csv_header *h = calloc(1, sizeof *h);
    if (!h) return no_memory(t), NULL;
    h->holders = 1;
    h->separator = separator;
    bool good = (rules->no_header || ends_with_newline(p, end, t)) && count_columns(p, end, separator, &h->columns, t);
    if (good) {
        t->at = p;
        h->column = malloc(h->columns * sizeof *h->column);
        h->text = malloc((rules->no_header ? h->columns * NUMBER_ROOM : (size_t)(end - p) + h->columns) + SL_NAME_PAD);
        good = (h->column && h->text) || no_memory(t);
    }
    good = good && name_columns(h, rules->no_header ? NULL : p, end, t) &&
           (rules->no_header || (is_separated(h, t) && is_header(h, t) && is_no_text(h, rules, p, block_end, t))) &&
           find_roles(h, rules, t) && find_id(h, rules, t) && set_uses(h, rules) &&
           (!rules->quadratic || sl_quadratic_has_columns(rules->quadratic, h, t->message, sizeof t->message)) &&
           (look_for_clashes(h) || no_memory(t));
    if (good && names_exist(h, in, t)) return h;
    sl_csv_release(h);
    return NULL;
}

/* Makes the header from the first record of the block, if it has one that is not blank. */
static bool make_header(sl_input *in, sl_block *b, char separator, sl_csv_trouble *t) {
    size_t p = 0, next;
    const size_t max_line = in->rules->max_line;
    while ((next = sl_past_blank_line(b->text, p, b->n)) > p && next - p - 1 <= max_line) p = next;
    if (p == b->n) return true;
    bool decided, open; /* of a record without an end nothing more comes */
    if (!separator) separator = sl_guess_separator(b->text + p, b->n - p, &decided, &open);
    sl_cut cut = {.quotes = true, .separator = separator, .at = p, .fresh = p};
    size_t end = sl_cut_first(&cut, b->text, b->n);
    if (end == 0) end = b->n;                            /* a quote that is not closed */
    if (end - p - 1 > max_line || end - p > INT32_MAX) { /* places in its text have 32 bits */
        t->at = b->text + p;
        snprintf(t->message, sizeof t->message, SL_LONG_LINE_MESSAGE, max_line);
        return false;
    }
    in->header = new_header(b->text + p, b->text + end, b->text + b->n, separator, in, t);
    if (in->header && !in->rules->no_header) b->head = end;
    return in->header;
}

/* The separator as far as it is known before the first record is; 0: it is to be guessed. */
static char known_separator(const sl_input *in) {
    size_t n;
    if (in->header) return in->header->separator;
    if (in->rules->separator) return in->rules->separator;
    sl_compressed_ending(in->name, &n);
    return n >= 4 && strncasecmp(in->name + n - 4, ".tsv", 4) == 0 ? '\t' : 0;
}

bool sl_fetch_csv(sl_input *in, sl_block *b) {
    const sl_parse_kernels *kernels = in->rules->kernels;
    sl_cut cut = {.quotes = true, .separator = known_separator(in), .find_quotes = kernels ? kernels->quotes : NULL};
    if (!sl_fetch_records(in, b, &cut)) return false;
    sl_csv_trouble t = {.reason = SL_BAD_FIELD};
    if (b->n && !in->header && !make_header(in, b, cut.separator, &t)) {
        uint64_t line = 0;
        size_t column = 0;
        if (t.reason != SL_REASONS) sl_csv_place(b->text, t.at, &line, &column);
        b->status = t.reason == SL_REASONS
                        ? sl_fail_at(&b->error, SLUICE_E_MEMORY, in->name, 0, 0, "no memory for the header")
                        : sl_fail_at(&b->error, SLUICE_E_DATA, in->name, line, column, "%s", t.message);
        b->error.whole_input = b->status == SLUICE_E_DATA;
        b->n = 0;
        in->ended = true;
    }
    b->header = hold(in->header);
    return true;
}
