/* JSON Lines: one object a line, as RFC 8259 has it. Keys become names of features (docs/names.md); one key holds the
 * label, another may hold the importance weight. The name of what is being read, its keys joined by points, is put
 * together in `path`. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "features/names.h"
#include "io/format.h"
#include "io/json/common_lines.h"
#include "io/json/json_tokens.h"
#include "io/named/line_parser.h"
#include "io/named/name_patterns.h"
#include "io/text/text_words.h"

enum { PATH_PAD = 16 };

typedef struct key {
    const char *text; /* NULL: there is none */
    size_t n;
    bool seen;
} key;

/* Where the bytes of a string go. */
typedef enum sink { TO_PATH, TO_SCRATCH, NOWHERE } sink;

typedef struct json {
    const char *p, *end; /* what is left of the line */
    const char *line;    /* where it begins */
    sl_named_rows *rows;
    sl_trouble *t;
    const sl_rules *rules;
    key label_key, weight_key, dropped_key;
    sl_label label;
    const char *label_string; /* where the label's string begins, to be read when all others are; NULL: it is none */
    float weight;
    bool labelled;
    bool dropping; /* what is read makes no features */
    bool chosen;   /* it is among the keys that are features */
    bool text;     /* its strings and numbers are texts */
    sink to;
    size_t scratch_n;
    sl_shown_names *shown; /* collects the keys, for a message; or NULL */
    unsigned depth;
    size_t path_n;
    char path[SL_MAX_NAME + PATH_PAD];
} json;

static bool value(json *j);

static void skip_blanks(json *j) {
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\r')) j->p++;
}

/* The line is no JSON: something else should stand here. */
static bool expected(json *j, const char *what) {
    char format[96] = "";
    bool over = j->p >= j->end;
    if (!j->t->counted)
        snprintf(format, sizeof format, over ? "the line ends where %s should stand" : "%%s where %s should stand",
                 what);
    return sl_bad(j->t, SL_BAD_FIELD, over ? j->end : j->p, format, j->p, over ? 0 : (size_t)(j->end - j->p));
}

static bool take(json *j, char c, const char *what) {
    skip_blanks(j);
    if (j->p >= j->end || *j->p != c) return expected(j, what);
    j->p++;
    return true;
}

/* ---- the name --------------------------------------------------------------------------------------------------- */

static bool append(json *j, const char *bytes, size_t n, const char *at) {
    if (j->to == TO_SCRATCH) memcpy(j->rows->block->scratch + j->scratch_n, bytes, n), j->scratch_n += n;
    if (j->to != TO_PATH) return true;
    if (n > SL_MAX_NAME - j->path_n)
        return sl_bad(j->t, SL_BAD_NAME, at, "the name %s is longer than 65535 bytes", j->path, j->path_n);
    memcpy(j->path + j->path_n, bytes, n);
    j->path_n += n;
    return true;
}

/* Whether what is read makes no features. */
static bool is_silent(const json *j) { return j->dropping || !j->chosen; }

static bool add_feature(json *j, float v, const char *at) {
    if (is_silent(j)) return true;
    return sl_named_is_fine(sl_named_feature(j->rows, j->path, j->path_n, v), at, j->path, j->path_n, j->t);
}

/* ---- strings ---------------------------------------------------------------------------------------------------- */

static bool escape(json *j) {
    const char *at = j->p;
    char text[SL_UTF8_MAX];
    size_t n;
    switch (sl_json_escape(&j->p, j->end, text, &n)) {
    case SL_ESCAPE_OK:
        return append(j, text, n, at);
    case SL_ESCAPE_DIGITS:
        return sl_bad(j->t, SL_BAD_FIELD, at, "%s is not \\u and four digits", at, 6);
    case SL_ESCAPE_HALF:
        return sl_bad(j->t, SL_BAD_FIELD, at, "%s is half of a surrogate pair", at, 6);
    default:
        return sl_bad(j->t, SL_BAD_FIELD, at, "there is no escape %s", at, at + 1 < j->end ? 2 : 1);
    }
}

/* A string, appended to the name. */
static bool string(json *j) {
    const char *open = j->p++;
    for (;;) {
        const char *run = j->p, *stop = sl_json_plain_end(run);
        size_t n = (size_t)(stop - run), length;
        if (stop >= j->end) return sl_bad(j->t, SL_BAD_FIELD, open, "a string without an end", open, 0);
        if (!append(j, run, n, open)) return false;
        j->p = stop;
        if (*stop == '"') {
            j->p++;
            return true;
        }
        if (*stop == '\\') {
            if (!escape(j)) return false;
        } else if ((unsigned char)*stop < ' ') {
            return sl_bad(j->t, SL_BAD_FIELD, stop, "%s in a string must be escaped", stop, 1);
        } else {
            length = sl_utf8_length(stop, (size_t)(j->end - stop));
            if (!length) return sl_bad(j->t, SL_BAD_FIELD, stop, "%s is not UTF-8", stop, 1);
            if (!append(j, stop, length, open)) return false;
            j->p += length;
        }
    }
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static bool careful_number(json *j, float *v, sl_reason reason, const char *what) {
    const char *p = j->p, *end = p, *q = p;
    while (end < j->end && !sl_json_ends_number(*end)) end++;
    j->p = end;
    if (sl_parse_float(&q, v) == SL_NUMBER_OK && q == end && sl_json_is_number(p, end, NULL)) return true;
    char of[160] = "", quoted[128];
    if (reason == SL_BAD_VALUE && !j->t->counted)
        snprintf(of, sizeof of, " of %s", sl_quote(quoted, j->path, j->path_n));
    if (!sl_number_between(p, end, v, reason, what, of, j->t)) return false;
    return sl_json_is_number(p, end, NULL) ||
           sl_bad(j->t, reason, p, "%s is not a number as JSON has them", p, (size_t)(end - p));
}

/* A number; messages call it `what`. */
static inline bool number(json *j, float *v, sl_reason reason, const char *what) {
    const char *q = j->p, *first = q + (*q == '-');
    if (!(*first == '0' && sl_is_digit(first[1])) && sl_quick_float(&q, v) && sl_json_ends_number(*q)) {
        j->p = q;
        return true;
    }
    return careful_number(j, v, reason, what);
}

/* Moves behind a number without reading it. */
static bool pass_number(json *j) {
    const char *p = j->p;
    while (j->p < j->end && !sl_json_ends_number(*j->p)) j->p++;
    return sl_json_is_number(p, j->p, NULL) ||
           sl_bad(j->t, SL_BAD_VALUE, p, "%s is not a number as JSON has them", p, (size_t)(j->p - p));
}

/* ---- label and weight ------------------------------------------------------------------------------------------- */

static bool word(json *j, const char *text) {
    size_t n = strlen(text);
    if (strncmp(j->p, text, n) != 0) return false;
    j->p += n;
    return true;
}

static bool is_key(const json *j, const key *k) {
    return k->text && k->n == j->path_n && memcmp(k->text, j->path, k->n) == 0;
}

static bool first_time(json *j, key *k, sl_reason reason, const char *at) {
    if (k->seen) return sl_bad(j->t, reason, at, "the key %s stands twice", k->text, k->n);
    return k->seen = true;
}

/* Moves behind a string without reading it. */
static bool pass_string(json *j) {
    const char *open = j->p, *p = open + 1;
    while (p < j->end && *p != '"') p += *p == '\\' ? 2 : 1;
    j->p = p + 1;
    return p < j->end || sl_bad(j->t, SL_BAD_FIELD, open, "a string without an end", open, 0);
}

/* A number as a label; its text counts where it is not -1, 0 or 1. */
static bool number_label(json *j) {
    const char *p = j->p;
    if (!number(j, &j->label.value, SL_BAD_LABEL, "label")) return false;
    const size_t n = (size_t)(j->p - p);
    if (!j->rules->words || (n == 1 && *p <= '1')) return true;
    const sl_label_kind kind = sl_label_read(p, n, &j->label);
    if (kind == SL_LABEL_LONG) return sl_bad(j->t, SL_BAD_LABEL, p, "label %s is longer than 65535 bytes", p, n);
    return true;
}

static bool label(json *j) {
    const char *at = j->p;
    j->labelled = true;
    if (sl_json_begins_number(*at)) return number_label(j);
    if (word(j, "true")) {
        j->label.value = 1;
    } else if (word(j, "null")) {
        j->labelled = false;
    } else if (*at == '"' && (j->rules->words || j->rules->missing_labels)) {
        j->label_string = at;
        return pass_string(j);
    } else if (*at == '"' && j->rules->unlabelled) { /* whatever it is, it is not needed */
        j->labelled = false;
        return string(j);
    } else if (!word(j, "false")) {
        return sl_bad(j->t, SL_BAD_LABEL, at,
                      j->rules->words ? "label %s is not a string, a number, true, false or null"
                                      : "label %s is not a number, true, false or null",
                      at, (size_t)(j->end - at));
    }
    if (j->rules->words && j->labelled) j->label = (sl_label){.word = {at, (size_t)(j->p - at)}};
    return true;
}

/* Reads the label's string into the path, which nothing else needs any more. */
static bool string_label(json *j) {
    const char *at = j->label_string;
    j->p = at;
    j->path_n = 0;
    if (!string(j)) {
        if (j->t->reason != SL_BAD_NAME) return false;
        return sl_bad(j->t, SL_BAD_LABEL, at, "label %s is longer than 65535 bytes", at + 1, (size_t)(j->end - at) - 1);
    }
    if (sl_label_is_missing(j->path, j->path + j->path_n, j->rules)) {
        j->labelled = false;
        return true;
    }
    memset(j->path + j->path_n, '\n', PATH_PAD);
    return sl_label_between(j->path, j->path + j->path_n, j->rules, &j->label, j->t) || (j->t->at = at, false);
}

static bool weight(json *j) {
    const char *p = j->p;
    if (!sl_json_begins_number(*p))
        return sl_bad(j->t, SL_BAD_WEIGHT, p, "importance %s is not a number", p, (size_t)(j->end - p));
    if (!number(j, &j->weight, SL_BAD_WEIGHT, "importance")) return false;
    return j->weight >= 0 || sl_bad(j->t, SL_BAD_WEIGHT, p, "importance %s is negative", p, (size_t)(j->p - p));
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* A value that makes no features. */
static bool drop(json *j) {
    const bool within = j->dropping;
    j->dropping = true;
    bool good = value(j);
    j->dropping = within;
    return good;
}

/* Cuts what stands in the scratch from `first` on, the text of the key in the path, into words. */
static bool take_text(json *j, size_t first, const char *at) {
    char *scratch = j->rows->block->scratch;
    if (j->scratch_n == first) return true;
    if (!append(j, "=", 1, at)) return false;
    char *end = scratch + j->scratch_n;
    memset(end, '\n', PATH_PAD);
    j->scratch_n = first;
    return sl_named_is_fine(sl_text_features(j->rows, j->rules, j->path, j->path_n, scratch + first, end), at, j->path,
                            j->path_n, j->t);
}

/* The value of the key in the path, as the lists of keys say. The strings of a key that is text are put one behind the
 * other into the scratch, which is as long as the line: those of keys inside it stand behind them and go first. */
static bool chosen_value(json *j) {
    const sl_choice *c = j->rules->choice;
    if (!c) return value(j);
    const bool dropping = j->dropping, chosen = j->chosen, text = j->text;
    const size_t first = j->scratch_n;
    const char *at = j->p;
    const bool ignored = sl_name_list_has(&c->ignore, j->path, j->path_n),
               listed = sl_name_list_has(&c->columns, j->path, j->path_n),
               split = sl_name_list_has(&c->text, j->path, j->path_n);
    j->dropping |= ignored;
    j->chosen |= listed;
    j->text |= split;
    const bool good = value(j) && (!j->text || take_text(j, first, at));
    j->dropping = dropping, j->chosen = chosen, j->text = text;
    return good;
}

static bool member(json *j) {
    const size_t outer = j->path_n;
    skip_blanks(j);
    const char *at = j->p;
    if (at >= j->end || *at != '"') return expected(j, "a key");
    if ((j->depth > 1 && !append(j, ".", 1, at)) || !string(j) || !take(j, ':', "a colon")) return false;
    skip_blanks(j);
    bool good;
    if (j->shown) sl_shown_add(j->shown, j->path, j->path_n);
    if (is_key(j, &j->label_key))
        good = first_time(j, &j->label_key, SL_BAD_LABEL, at) && label(j);
    else if (is_key(j, &j->weight_key))
        good = first_time(j, &j->weight_key, SL_BAD_WEIGHT, at) && weight(j);
    else if (is_key(j, &j->dropped_key))
        good = drop(j);
    else
        good = chosen_value(j);
    j->path_n = outer;
    return good;
}

/* Strings are told apart by what they say, everything else in an array by its place. */
static bool element(json *j, size_t place) {
    const size_t outer = j->path_n;
    char index[24];
    skip_blanks(j);
    const bool by_place = *j->p != '"' && !(j->text && sl_json_begins_number(*j->p));
    if (by_place && !append(j, index, (size_t)snprintf(index, sizeof index, ".%zu", place), j->p)) return false;
    bool good = by_place ? chosen_value(j) : value(j);
    j->path_n = outer;
    return good;
}

/* The members of an object or the elements of an array; p is at the bracket. */
static bool members(json *j, bool object) {
    const char close = object ? '}' : ']';
    if (++j->depth > SL_JSON_DEPTH)
        return sl_bad(j->t, SL_BAD_FIELD, j->p, "objects and arrays deeper than 64", j->p, 0);
    j->p++;
    skip_blanks(j);
    bool empty = j->p < j->end && *j->p == close;
    for (size_t i = 0; !empty; i++) {
        if (!(object ? member(j) : element(j, i))) return false;
        skip_blanks(j);
        if (j->p >= j->end || *j->p != ',') break;
        j->p++;
    }
    j->depth--;
    return take(j, close, object ? "a comma or }" : "a comma or ]");
}

/* A string or number of a text, to the scratch. */
static bool more_text(json *j) {
    const char *at = j->p;
    if (!sl_block_scratch(j->rows->block, (size_t)(j->end - j->line) + 2 * PATH_PAD)) {
        j->t->reason = SL_REASONS;
        return false;
    }
    j->to = TO_SCRATCH;
    const bool good = *at == '"' ? string(j) : pass_number(j) && append(j, at, (size_t)(j->p - at), at);
    const bool all = good && append(j, "\n", 1, at); /* a line end for the quotes or comma */
    j->to = TO_PATH;
    return all;
}

/* A string or number that makes no feature: what it says does not matter. */
static bool silent_value(json *j) {
    if (*j->p != '"') return pass_number(j);
    j->to = NOWHERE;
    const bool good = string(j);
    j->to = TO_PATH;
    return good;
}

static bool value(json *j) {
    const char *at = j->p;
    float v = 1;
    if (at >= j->end) return expected(j, "a value");
    const bool is_number = sl_json_begins_number(*at);
    if ((is_number || *at == '"') && (is_silent(j) || j->text)) {
        return is_silent(j) ? silent_value(j) : more_text(j);
    }
    if (is_number) return number(j, &v, SL_BAD_VALUE, "value") && add_feature(j, v, at);
    if (*at == '"') return append(j, "=", 1, at) && string(j) && add_feature(j, v, at);
    if (*at == '{' || *at == '[') return members(j, *at == '{');
    if (word(j, "true")) return j->text || add_feature(j, v, at);
    return word(j, "false") || word(j, "null") || expected(j, "a value");
}

static key key_of(const char *text) { return (key){.text = text, .n = text ? strlen(text) : 0}; }

/* Not by an initializer: the path is large. */
static void begin(json *j, sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, sl_trouble *t) {
    j->p = j->line = p, j->end = end, j->rows = rows, j->t = t;
    j->label_key = key_of(rules->label ? rules->label : "label");
    j->weight_key = key_of(rules->weight);
    j->dropped_key = key_of(rules->drop_id ? rules->id : NULL);
    j->dropping = j->text = false;
    j->chosen = !rules->choice || !rules->choice->columns.n;
    j->to = TO_PATH, j->scratch_n = 0, j->shown = NULL;
    j->rules = rules;
    j->label = (sl_label){.value = 0}, j->label_string = NULL, j->weight = 1, j->labelled = false;
    j->depth = 0, j->path_n = 0;
}

void sl_jsonl_show_keys(const sl_rules *rules, const char *p, const char *end, sl_shown_names *shown) {
    sl_block none = {.rules = rules};
    sl_named_rows rows = {.batch = &none.batch, .block = &none};
    sl_trouble t = {.counted = true};
    json j;
    begin(&j, &rows, rules, p, end, &t);
    j.shown = shown;
    j.dropping = true;
    skip_blanks(&j);
    if (j.p < end && *j.p == '{') (void)members(&j, true);
}

static bool no_label(json *j, const char *line) {
    sl_bad(j->t, SL_BAD_LABEL, line, "there is no key %s for the label", j->label_key.text, j->label_key.n);
    if (j->t->counted) return false;
    sl_shown_names shown;
    sl_shown_begin(&shown, j->label_key.text, j->label_key.n);
    sl_jsonl_show_keys(j->rules, line, j->end, &shown);
    const size_t used = strlen(j->t->message);
    sl_shown_end(&shown, j->t->message + used, sizeof j->t->message - used);
    return false;
}

/* A line by all the rules. */
static bool careful_line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end,
                         uint64_t number_of_line, sl_trouble *t) {
    json j;
    begin(&j, rows, rules, p, end, t);
    skip_blanks(&j);
    p = j.p;
    if (p == end || *p != '{') return sl_bad(t, SL_BAD_FIELD, p, "%s is not a JSON object", p, (size_t)(end - p));
    if (!members(&j, true)) return false;
    skip_blanks(&j);
    if (j.p < end) return sl_bad(t, SL_BAD_FIELD, j.p, "%s behind the object", j.p, (size_t)(end - j.p));
    if (!j.label_key.seen && !rules->unlabelled && !rules->missing_labels) return no_label(&j, p);
    if (j.label_string && !string_label(&j)) return false;
    sl_named_status status = j.labelled ? sl_named_row(rows, &j.label, j.weight, number_of_line)
                                        : sl_named_unlabelled_row(rows, j.weight, number_of_line);
    return sl_named_is_fine(status, p, p, 0, t);
}

static bool line(sl_named_rows *rows, const sl_rules *rules, const char *p, const char *end, uint64_t number_of_line,
                 sl_trouble *t) {
    sl_named_status status = SL_NAMED_OK;
    switch (sl_json_common_line(rows, p, end, number_of_line, &status)) {
    case SL_JSON_ADDED:
        return true;
    case SL_JSON_FAILED:
        return sl_named_is_fine(status, p, p, 0, t);
    case SL_JSON_OTHER:
        break;
    }
    if (!careful_line(rows, rules, p, end, number_of_line, t)) return false;
    sl_json_common_learn(rows->block, p, end);
    return true;
}

void sl_parse_jsonl(sl_block *b) {
    sl_json_common_begin(b);
    sl_parse_named_lines(b, line);
}
