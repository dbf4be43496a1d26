/* csv (RFC 4180): rows of cells. Each cell is interpreted by itself: a number is the value of its column's feature, an
 * empty cell is nothing, and any other text is the feature `column=text`. (A stream is read once: the type of a column
 * cannot be known before its cells.)
 *
 * Names of columns are put into a batch once; a number in a cell then costs its digits and a few stores. */
#include "io/csv/csv.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/error.h"
#include "base/system.h"
#include "features/names.h"
#include "io/csv/common_cells.h"
#include "io/format.h"
#include "io/line_errors.h"
#include "io/named/named_rows.h"
#include "io/named/quadratic.h"
#include "io/parse_kernels.h"
#include "io/text/text_words.h"
#include "io/records.h"

#define EACH 0x0101010101010101u

void sl_csv_place(const char *text, const char *at, uint64_t *line, size_t *column) {
    const char *newline = at > text ? sl_find_last(text, '\n', (size_t)(at - text)) : NULL;
    *line = 1 + sl_count_newlines(text, (size_t)(at - text));
    *column = (size_t)(at - (newline ? newline + 1 : text)) + 1;
}

static bool bad(sl_csv_trouble *t, sl_reason reason, const char *at, const char *message) {
    t->reason = reason, t->at = at;
    if (!t->counted) snprintf(t->message, sizeof t->message, "%s", message);
    return false;
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* High bits where a byte of x is that of the pattern; a borrow may set those of later bytes too. */
static inline uint64_t match(uint64_t x, uint64_t pattern) {
    uint64_t y = x ^ pattern;
    return (y - EACH) & ~y & (EACH << 7);
}

/* The next byte that is a, a quote, a newline or NUL. There is one: newlines stand behind every text. */
static inline const char *next_special(const char *p, char a) {
    for (;; p += 8) {
        uint64_t x = sl_load8(p);
        uint64_t found = match(x, EACH * (unsigned char)a) | match(x, EACH * '"') | match(x, EACH * '\n') | match(x, 0);
        if (found) return p + ((unsigned)__builtin_ctzll(found) >> 3);
    }
}

static bool nul_byte(const char *at, sl_csv_trouble *t) { return bad(t, SL_NUL_BYTE, at, "a NUL byte in the text"); }

static inline bool at_row_end(const char *p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

static bool take_quoted(const char *quote, const char *end, char separator, sl_csv_cell *cell, sl_csv_trouble *t) {
    const char *p = quote + 1;
    for (;;) {
        p = next_special(p, '"');
        if (p >= end) return bad(t, SL_BAD_FIELD, quote, "the quote that begins here is not closed");
        if (*p == '\n') {
            cell->newlines++;
            p++;
        } else if (*p == 0) {
            return nul_byte(p, t);
        } else if (p[1] == '"') {
            cell->doubled = true;
            p += 2;
        } else {
            break;
        }
    }
    cell->text = quote + 1;
    cell->n = (size_t)(p - cell->text);
    cell->end = ++p;
    if (*p == separator || at_row_end(p)) return true;
    return *p ? bad(t, SL_BAD_FIELD, p, "text behind the quote that closes a field") : nul_byte(p, t);
}

#define QUOTE_INSIDE "a quote in a field that does not begin with one; quote the field and double it"
static const char quote_inside[] = QUOTE_INSIDE;
static const char quote_in_tabs[] = QUOTE_INSIDE "; or, if these are lines of label<TAB>text, say --format text";

bool sl_csv_take(const char *p, const char *end, char separator, sl_csv_cell *cell, sl_csv_trouble *t) {
    *cell = (sl_csv_cell){.text = p};
    if (*p == '"') return take_quoted(p, end, separator, cell, t);
    const char *q = next_special(p, separator);
    if (*q == '"') return bad(t, SL_BAD_FIELD, q, separator == '\t' ? quote_in_tabs : quote_inside);
    if (*q == 0) return nul_byte(q, t);
    if (*q == '\n' && q > p && q[-1] == '\r') q--;
    cell->n = (size_t)(q - p);
    cell->end = q;
    return true;
}

/* ---- what a cell says ------------------------------------------------------------------------------------------- */

typedef struct parser {
    sl_block *block;
    const sl_csv_header *header;
    sl_named_rows rows;
    const char *end;
    sl_marks *marks; /* of the block's text; NULL: every cell is taken by itself */
    size_t newlines; /* in the row's cells */
    sl_label label;
    bool doubled; /* its word has doubled quotes, to be made single */
    float weight;
    bool unlabelled; /* this row */
} parser;

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

typedef enum meaning {
    NUMBER = SLUICE_CELL_NUMBER,
    TEXT = SLUICE_CELL_TEXT,
    NOTHING = SLUICE_CELL_EMPTY,
    TOO_LARGE = SLUICE_CELL_TOO_LARGE,
    NOT_FINITE = SLUICE_CELL_NOT_FINITE,
} meaning;

/* What a cell is. Blanks around numbers do not count, and nor do blanks alone. */
static meaning meaning_of(const sl_csv_cell *cell, float *value) {
    const char *p = cell->text, *end = p + cell->n;
    while (p < end && is_blank(*p)) p++;
    while (end > p && is_blank(end[-1])) end--;
    if (p == end) return NOTHING;
    if (*p > '9' && (*p | 0x20) != 'n' && (*p | 0x20) != 'i') return TEXT; /* neither a number nor nan or inf */
    const char *q = p;
    if (sl_quick_float(&q, value) && q == end) return NUMBER;
    q = p;
    switch (sl_parse_float(&q, value)) {
    case SL_NUMBER_OK:
        return q == end ? NUMBER : TEXT;
    case SL_NUMBER_RANGE:
        return sl_spells_number(p, end) ? TOO_LARGE : TEXT;
    case SL_NUMBER_NAN:
        return sl_spells_not_finite(p, end) ? NOT_FINITE : TEXT;
    case SL_NUMBER_SYNTAX:
        break;
    }
    return TEXT;
}

/* How other programs write that a value is missing: NA (R), NULL (databases), #N/A (spreadsheets), <NA> (pandas). */
static bool says_missing(const sl_csv_cell *cell) {
    static const char *const words[] = {"na", "n/a", "nan", "null", "#n/a", "#na", "<na>", "-nan", "+nan"};
    const char *p = cell->text, *end = p + cell->n;
    while (p < end && is_blank(*p)) p++;
    while (end > p && is_blank(end[-1])) end--;
    const size_t n = (size_t)(end - p);
    if (n < 2 || n > 4 || !strchr("nN#<-+", *p)) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncasecmp(words[i], p, n) == 0) return true;
    return false;
}

/* What a cell is that is neither label nor weight. */
static meaning feature_meaning(const sl_csv_cell *cell, float *value) {
    return says_missing(cell) ? NOTHING : meaning_of(cell, value);
}

int sluice_csv_cell(const char *text, size_t n, float *value) {
    const sl_csv_cell cell = {.text = text, .n = n};
    return (int)feature_meaning(&cell, value);
}

/* Says what is wrong with a cell: "label 'x' is not ...". */
static bool bad_cell(sl_csv_trouble *t, sl_reason reason, const char *at, const char *what, const sl_csv_cell *cell,
                     const char *wrong) {
    char quoted[128];
    t->reason = reason, t->at = at;
    if (t->counted) return false;
    snprintf(t->message, sizeof t->message, "%s %s %s", what, sl_quote(quoted, cell->text, cell->n), wrong);
    return false;
}

static bool beyond(sl_csv_trouble *t, meaning m, const char *at, const char *what, const sl_csv_cell *cell) {
    if (m == TOO_LARGE)
        return bad_cell(t, SL_OUT_OF_RANGE, at, what, cell, "is beyond the range of a float, about 3.4e38");
    return bad_cell(t, SL_NOT_FINITE, at, what, cell, "is not finite; leave the cell of a value that is missing empty");
}

static bool is_word(const sl_csv_cell *cell, const char *word) {
    return cell->n == strlen(word) && strncasecmp(cell->text, word, cell->n) == 0;
}

static size_t count_quotes(const sl_csv_cell *cell) {
    size_t n = 0;
    for (size_t i = 0; i < cell->n; i++) n += cell->text[i] == '"';
    return n;
}

/* Any text, without the blanks around it. */
static bool take_word(parser *x, const char *at, const sl_csv_cell *cell, sl_csv_trouble *t) {
    sl_csv_cell word = *cell;
    for (; word.n && is_blank(*word.text); word.n--) word.text++;
    while (word.n && is_blank(word.text[word.n - 1])) word.n--;
    const size_t doubled = cell->doubled ? count_quotes(cell) / 2 : 0;
    sl_label_kind kind = sl_label_read(word.text, word.n, &x->label);
    if (kind == SL_LABEL_LONG && word.n - doubled <= SL_MAX_NAME) kind = SL_LABEL_WORD;
    x->doubled = cell->doubled;
    switch (kind) {
    case SL_LABEL_NONE:
        return bad(t, SL_BAD_LABEL, at, "there is no label");
    case SL_LABEL_LONG:
        return bad_cell(t, SL_BAD_LABEL, at, "label", cell, "is longer than 65535 bytes");
    case SL_LABEL_RANGE:
        return beyond(t, TOO_LARGE, at, "label", cell);
    case SL_LABEL_NOT_FINITE:
        return beyond(t, NOT_FINITE, at, "label", cell);
    default:
        return true;
    }
}

/* Whether a cell says that there is no label, where that may be. */
static bool is_missing(const sl_csv_cell *cell, const sl_rules *rules) {
    const char *p = cell->text, *end = p + cell->n;
    while (p < end && is_blank(*p)) p++;
    while (end > p && is_blank(end[-1])) end--;
    return sl_label_is_missing(p, end, rules);
}

static bool take_label(parser *x, const char *at, const sl_csv_cell *cell, sl_csv_trouble *t) {
    if (is_missing(cell, x->block->rules)) {
        x->unlabelled = true;
        return true;
    }
    if (x->block->rules->words) return take_word(x, at, cell, t);
    meaning m = meaning_of(cell, &x->label.value);
    if (m == NUMBER) return true;
    x->label.value = is_word(cell, "true") ? 1.0f : 0.0f;
    if (x->label.value > 0 || is_word(cell, "false")) return true;
    if (x->block->rules->unlabelled) { /* whatever it is, it is not needed. Weight 0: predicted, not learned */
        x->unlabelled = true;
        return true;
    }
    if (m == TOO_LARGE || m == NOT_FINITE) return beyond(t, m, at, "label", cell);
    return bad_cell(t, SL_BAD_LABEL, at, "label", cell, "is not a number, true or false");
}

static bool take_weight(parser *x, const char *at, const sl_csv_cell *cell, sl_csv_trouble *t) {
    meaning m = meaning_of(cell, &x->weight);
    if (m == TOO_LARGE || m == NOT_FINITE) return beyond(t, m, at, "weight", cell);
    if (m != NUMBER) return bad_cell(t, SL_BAD_WEIGHT, at, "weight", cell, "is not a number");
    return x->weight >= 0 || bad_cell(t, SL_BAD_WEIGHT, at, "weight", cell, "is negative");
}

/* ---- features --------------------------------------------------------------------------------------------------- */

/* The text of a cell as the next piece of a name, with doubled quotes made single. */
static sl_named_status put_text(sl_named_rows *rows, const sl_csv_cell *cell) {
    const char *p = cell->text, *end = p + cell->n, *quote;
    sl_named_status status = SL_NAMED_OK;
    while (status == SL_NAMED_OK && cell->doubled && (quote = memchr(p, '"', (size_t)(end - p)))) {
        status = sl_named_piece(rows, p, (size_t)(quote + 1 - p));
        p = quote + 2;
    }
    return status == SL_NAMED_OK ? sl_named_piece(rows, p, (size_t)(end - p)) : status;
}

static sl_named_status put_category(parser *x, const sl_csv_column *column, const sl_csv_cell *cell) {
    sl_named_status status = sl_named_piece(&x->rows, x->header->text + column->name.at, column->name.n + 1);
    if (status == SL_NAMED_OK) status = put_text(&x->rows, cell);
    if (status != SL_NAMED_OK) return status;
    return x->header->clashes ? sl_named_end(&x->rows, 1) : sl_named_end_once(&x->rows, 1);
}

static inline sl_named_status put_number(parser *x, const sl_csv_column *column, float value) {
    if (__builtin_expect(x->header->clashes, 0))
        return sl_named_feature(&x->rows, x->header->text + column->name.at, column->name.n, value);
    sl_named_known(&x->rows, column->name, column->hash, value);
    return SL_NAMED_OK;
}

static bool bad_name(sl_named_status status, const char *at, sl_csv_trouble *t) {
    if (status == SL_NAMED_MEMORY || status == SL_NAMED_LATER) {
        t->reason = status == SL_NAMED_LATER ? SL_LATER : SL_REASONS;
        return false;
    }
    if (status == SL_NAMED_LARGE) return bad(t, SL_LARGE_ROW, at, SL_LARGE_ROW_MESSAGE);
    if (status == SL_NAMED_RANGE)
        return bad(t, SL_OUT_OF_RANGE, at, "the values of a name that repeats add up to more than a float holds");
    char message[96];
    snprintf(message, sizeof message, "the column's name and this text are longer than %zu bytes", SL_MAX_NAME);
    return bad(t, SL_BAD_NAME, at, message);
}

static bool take_feature(parser *x, const sl_csv_column *column, const char *at, const sl_csv_cell *cell,
                         sl_csv_trouble *t) {
    float value;
    meaning m = feature_meaning(cell, &value);
    if (m == NOTHING) return true;
    if (m == TOO_LARGE || m == NOT_FINITE) {
        char quoted[128], what[160];
        sl_quote(quoted, x->header->text + column->name.at, column->name.n);
        snprintf(what, sizeof what, "column %s:", quoted);
        return beyond(t, m, at, what, cell);
    }
    sl_named_status status = m == NUMBER ? put_number(x, column, value) : put_category(x, column, cell);
    return status == SL_NAMED_OK || bad_name(status, at, t);
}

/* The text of a cell with its doubled quotes made single, in the scratch; NULL: there is no memory. */
static const char *single_quotes(parser *x, const sl_csv_cell *cell, size_t *n) {
    char *to = sl_block_scratch(x->block, cell->n + SL_BLOCK_PAD);
    *n = 0;
    for (size_t i = 0; to && i < cell->n; i++) {
        to[(*n)++] = cell->text[i];
        i += cell->text[i] == '"';
    }
    if (to) memset(to + *n, '\n', SL_BLOCK_PAD);
    return to;
}

static bool take_text(parser *x, size_t i, const char *at, const sl_csv_cell *cell, sl_csv_trouble *t) {
    const sl_csv_column *column = &x->header->column[i];
    const char *name = x->header->text + column->name.at, *text = cell->text;
    size_t n = cell->n;
    if (cell->doubled && !(text = single_quotes(x, cell, &n))) return bad_name(SL_NAMED_MEMORY, at, t);
    sl_named_status status = sl_text_features(&x->rows, x->block->rules, name, column->name.n + 1, text, text + n);
    /* for the cells behind it: the words may have taken their room */
    if (status == SL_NAMED_OK) status = sl_named_room(&x->rows, x->header->columns - i);
    return status == SL_NAMED_OK || bad_name(status, at, t);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Any cell by all the rules; *at moves to what comes behind it. */
static bool careful_cell(parser *x, size_t i, const char **at, sl_csv_trouble *t) {
    const sl_csv_header *h = x->header;
    const char *p = *at;
    sl_csv_cell cell;
    if (!sl_csv_take(p, x->end, h->separator, &cell, t)) return false;
    x->newlines += cell.newlines;
    *at = cell.end;
    switch (h->column[i].use) {
    case SL_CSV_LABEL:
        return take_label(x, p, &cell, t);
    case SL_CSV_WEIGHT:
        return take_weight(x, p, &cell, t);
    case SL_CSV_NOTHING:
        return true;
    case SL_CSV_TEXT:
        return take_text(x, i, p, &cell, t);
    case SL_CSV_FEATURE:
        break;
    }
    return take_feature(x, &h->column[i], p, &cell, t);
}

static bool wrong_count(const parser *x, size_t i, const char *at, sl_csv_trouble *t) {
    char message[128];
    const char *other = x->block->rules->no_header ? "first row" : "header";
    if (i < x->header->columns)
        snprintf(message, sizeof message, "a row of %zu fields; the %s has %zu", i, other, x->header->columns);
    else
        snprintf(message, sizeof message, "more fields than the %zu of the %s", x->header->columns, other);
    return bad(t, SL_BAD_FIELD, at, message);
}

/* One cell, of any kind; *at moves to what comes behind it. */
static bool one_cell(parser *x, size_t i, const char **at, sl_csv_trouble *t) {
    const sl_csv_column *column = &x->header->column[i];
    const char *q = *at;
    float value;
    const bool plain =
        column->use < SL_CSV_WEIGHT && sl_quick_float(&q, &value) && (*q == x->header->separator || at_row_end(q)) &&
        (column->use != SL_CSV_LABEL || !x->block->rules->words || sl_csv_is_plain((size_t)(q - *at), value));
    if (!plain) return careful_cell(x, i, at, t);
    if (column->use == SL_CSV_LABEL) {
        x->label.value = value;
    } else {
        sl_named_status status = put_number(x, column, value);
        if (status != SL_NAMED_OK) return bad_name(status, *at, t);
    }
    *at = q;
    return true;
}

/* The cells of a row; *at moves to its newline. */
static bool cells(parser *x, const char **at, sl_csv_trouble *t) {
    const sl_csv_header *h = x->header;
    const char separator = h->separator;
    const char *p = *at;
    for (size_t i = 0;;) {
        const size_t taken = x->marks ? sl_csv_common_cells(x->marks, h, &x->rows, i, &p, &x->label.value) : 0;
        if (taken == 0 && !one_cell(x, i, &p, t)) return false;
        i += taken ? taken : 1;
        if (i == h->columns) break;
        if (*p != separator) return wrong_count(x, i, p, t);
        p++;
    }
    if (*p == separator) return wrong_count(x, h->columns, p + 1, t);
    *at = p + (*p == '\r');
    return true;
}

static bool length_is_fine(const char *row, const char *newline, size_t max_line, sl_csv_trouble *t) {
    char message[80];
    if ((size_t)(newline - row) <= max_line) return true;
    snprintf(message, sizeof message, SL_LONG_LINE_MESSAGE, max_line);
    return bad(t, SL_LONG_LINE, row, message);
}

/* Where the record that begins here ends: behind its newline. */
static const char *past_record(const parser *x, const char *row) {
    sl_cut cut = {.quotes = true, .separator = x->header->separator};
    size_t n = sl_cut_first(&cut, row, (size_t)(x->end - row));
    return n ? row + n : x->end;
}

/* A row whose label has doubled quotes, which are made single. */
static __attribute__((noinline)) sl_named_status row_with_quotes(parser *x, float weight) {
    char text[SL_MAX_NAME];
    sl_label label = {.value = x->label.value, .word = {text, 0}};
    for (size_t i = 0; i < x->label.word.n && label.word.n < sizeof text; i++) {
        text[label.word.n++] = x->label.word.text[i];
        i += x->label.word.text[i] == '"';
    }
    return sl_named_row(&x->rows, &label, weight, x->block->lines + 1);
}

static bool bad_crossing(const parser *x, const char *at, sl_csv_trouble *t) {
    sl_reason reason;
    const char *why = sl_crossed_why(&x->rows, &reason);
    return bad(t, reason, at, why);
}

/* One row; *at moves behind it. */
static bool take_row(parser *x, const char **at, sl_csv_trouble *t) {
    size_t most = (size_t)(x->end - *at) / 2 + 1; /* a cell and what ends it are two bytes */
    if (most > x->header->columns) most = x->header->columns;
    sl_named_status status = sl_named_room(&x->rows, most);
    if (status != SL_NAMED_OK) return bad_name(status, *at, t);
    x->newlines = 0;
    x->weight = 1;
    x->label = (sl_label){.value = 0};
    x->doubled = false;
    x->unlabelled = x->header->label == SL_CSV_NO_COLUMN;
    const char *p = *at;
    if (!cells(x, &p, t)) return false;
    const uint64_t line = x->block->lines + 1;
    if (x->unlabelled)
        status = sl_named_unlabelled_row(&x->rows, x->weight, line);
    else
        status = x->doubled ? row_with_quotes(x, x->weight) : sl_named_row(&x->rows, &x->label, x->weight, line);
    if (status != SL_NAMED_OK) return status == SL_NAMED_CROSSED ? bad_crossing(x, *at, t) : bad_name(status, *at, t);
    x->block->lines += x->newlines + 1;
    *at = p + 1;
    return true;
}

/* Counts the row as bad, or fails; *at moves behind it. Returns whether to go on. */
static bool leave_out(parser *x, const char **at, const sl_csv_trouble *t) {
    sl_block *b = x->block;
    const char *next = past_record(x, *at);
    uint64_t line;
    size_t column;
    sl_csv_place(*at, t->at, &line, &column);
    sl_named_drop(&x->rows);
    bool go_on = sl_bad_line(b, t->reason, *at, b->lines + line, column, t->message);
    b->lines += sl_count_newlines(*at, (size_t)(next - *at));
    *at = next;
    return go_on;
}

/* A blank line; *at moves behind it. */
static bool blank_line(parser *x, const char **at, size_t n, sl_csv_trouble *t) {
    sl_block *b = x->block;
    b->lines++;
    *at += n;
    if (!b->rules->every_line || sl_batch_add_empty(&b->batch, b->lines, false)) return true;
    t->reason = SL_REASONS;
    return false;
}

static void rows(parser *x) {
    sl_block *b = x->block;
    const size_t max_line = b->rules->max_line;
    const bool check_length = b->n > max_line;
    sl_csv_trouble t;
    t.counted = b->rules->only_counted;
    const char *p = b->text + b->at;
    while (p < x->end && !sl_part_is_full(b)) {
        const char *row = p;
        bool good = !check_length || length_is_fine(p, past_record(x, p) - 1, max_line, &t);
        size_t blank =
            good && (*p == '\n' || *p == ' ' || *p == '\r') ? sl_past_blank_line(p, 0, (size_t)(x->end - p)) : 0;
        if (good && (blank ? blank_line(x, &p, blank, &t) : take_row(x, &p, &t))) continue;
        if (t.reason == SL_LATER || t.reason == SL_REASONS) sl_named_drop(&x->rows);
        if (t.reason == SL_LATER) break;
        if (t.reason == SL_REASONS) {
            sl_block_no_memory(b, row);
            return;
        }
        if (!leave_out(x, &p, &t)) {
            sl_stop_at(b, row);
            return;
        }
    }
    b->at = (size_t)(p - b->text);
}

/* Blank lines before the first record, which are rows only where all lines are and none is the header. */
static void blank_lines(sl_block *b) {
    const bool make_rows = b->rules->every_line && b->rules->no_header;
    b->batch.has_names = b->batch.has_lines = true;
    while (sl_block_has_more(b) && !sl_part_is_full(b)) {
        b->lines++;
        if (make_rows && !sl_batch_add_empty(&b->batch, b->lines, false)) {
            sl_block_no_memory(b, b->text + b->at);
            return;
        }
        const char *newline = memchr(b->text + b->at, '\n', b->n - b->at);
        b->at = (size_t)(newline + 1 - b->text);
    }
}

void sl_parse_csv(sl_block *b) {
    if (!b->header) {
        blank_lines(b);
        return;
    }
    parser x = {.block = b, .header = b->header, .end = b->text + b->n};
    sl_named_begin(&x.rows, b);
    sl_named_status status = b->kept ? SL_NAMED_OK : sl_named_keep(&x.rows, b->header->text, b->header->text_n);
    if (status == SL_NAMED_LATER) return;
    if (status != SL_NAMED_OK) {
        sl_block_no_memory(b, b->text);
        return;
    }
    if (b->at < b->head) {
        b->lines = sl_count_newlines(b->text, b->head);
        b->at = b->head;
    }
    sl_marks marks;
    if (sl_csv_common_begin(&marks, b)) x.marks = &marks;
    rows(&x);
}
