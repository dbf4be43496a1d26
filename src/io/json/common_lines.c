/* Common lines: in nearly every line of a file the same keys come in the same order, and only their values differ. What
 * stands between two values (`, "age": `) is compared with what stood there in a line before, byte by byte. Where it is
 * the same, the key, its name as a feature and the hash of that name are known. Keys may be missing.
 *
 * A pattern is made only of a line that jsonl.c has read, and only where no two features can have the same name: all
 * names differ, and none has a `=`, which separates a key from its text. Values are numbers, strings, true,
 * false, null and arrays of strings; objects are fine, since their brackets stand between values. */
#include "io/json/common_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "io/json/json_tokens.h"
#include "io/marks/joined_name.h"
#include "io/marks/marks.h"
#include "io/parse_kernels.h"
#include "rows/label_text.h"

enum {
    MOST_MEMBERS = 256,
    MOST_TEXT = 1 << 14,  /* of a pattern: what stands between its values, and its names */
    MOST_LINE = 1 << 16,  /* so that the names of a line are never out of proportion to it */
    MOST_MISSING = 8,     /* keys in a row that a line may lack */
    MOST_STRINGS = 64,    /* of an array */
    MOST_NAMES = 1 << 19, /* bytes of the names of a line: jsonl.c knows how many it may have */
    LOOK_BACK = 16,       /* bytes before a value that may be loaded with it */
    PATIENCE = 32,        /* lines that do not fit before there is a new pattern */
};

#define NOT_PLACED UINT32_MAX

typedef enum use { FEATURE, LABEL, WEIGHT } use;

typedef struct member {
    const char *before; /* what stands before its value, from the value before on */
    size_t before_n, marks;
    unsigned object; /* in which it is */
    use use;
    const char *name; /* with a `=` behind it */
    size_t name_n;
    uint64_t hash;
    uint32_t placed; /* where the batch's text has its name, without a value */
} member;

struct sl_json_common {
    size_t members;
    size_t fits, others; /* lines that were read by the pattern since it was last judged, and all others */
    size_t names;        /* bytes of all names */
    unsigned last_object;
    const char *behind; /* what stands behind the last value */
    size_t behind_n;
    size_t text_n;
    member member[MOST_MEMBERS];
    sl_marks marks;
    char text[MOST_TEXT + SL_MARKS_WINDOW];
};

void sl_json_common_free(sl_json_common *c) { free(c); }
size_t sl_json_common_memory(const sl_json_common *c) { return c ? sizeof *c : 0; }

static const sl_mark_bytes marks_of_json = {{'"', '\\', ',', '}'}, ' '};

static bool is_mark(char c) { return memchr(marks_of_json.byte, c, 4) || (signed char)c < marks_of_json.below; }

static bool is_possible(const sl_block *b) {
    const sl_rules *r = b->rules;
    return r->kernels && !r->choice && !r->quadratic && !(r->drop_id && r->id) && b->n < UINT32_MAX - SL_BLOCK_PAD;
}

void sl_json_common_begin(sl_block *b) {
    if (!is_possible(b)) {
        free(b->json);
        b->json = NULL;
        return;
    }
    if (!b->json && (b->json = malloc(sizeof *b->json))) b->json->members = b->json->fits = b->json->others = 0;
    sl_json_common *c = b->json;
    if (!c) return; /* without memory for it lines are read one by one */
    sl_marks_begin(&c->marks, b->rules->kernels->marks, marks_of_json, b->text, b->n, b->at);
    for (size_t i = 0; i < c->members; i++) c->member[i].placed = NOT_PLACED;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------- */

typedef struct maker {
    sl_json_common *c;
    const sl_rules *rules;
    const char *p, *end;
    unsigned depth, objects;
    unsigned object[SL_JSON_DEPTH];
    size_t path[SL_JSON_DEPTH]; /* how much of the name the object has */
    size_t name_n;
    char name[MOST_TEXT];
} maker;

static void pass_blanks(maker *m) {
    while (m->p < m->end && (*m->p == ' ' || *m->p == '\t' || *m->p == '\r')) m->p++;
}

/* Adds bytes to the pattern's text; NULL: they are too many. */
static const char *keep(sl_json_common *c, const char *bytes, size_t n) {
    char *to = c->text + c->text_n;
    if (n > MOST_TEXT - c->text_n) return NULL;
    memcpy(to, bytes, n);
    c->text_n += n;
    return to;
}

/* A key without escapes, added to the name. */
static bool pass_key(maker *m) {
    const char *key = m->p + 1, *close = key;
    while (close < m->end && *close != '"' && *close != '\\') close++;
    const size_t n = (size_t)(close - key);
    m->name_n = m->path[m->depth - 1];
    if (close >= m->end || *close != '"' || m->name_n + n + 2 > sizeof m->name) return false;
    if (m->depth > 1) m->name[m->name_n++] = '.';
    memcpy(m->name + m->name_n, key, n);
    m->name_n += n;
    m->p = close + 1;
    pass_blanks(m);
    m->p++; /* the colon */
    pass_blanks(m);
    return !memchr(m->name, '=', m->name_n);
}

static void pass_string(maker *m) {
    for (m->p++; m->p < m->end && *m->p != '"'; m->p++) m->p += *m->p == '\\';
    m->p++;
}

/* Behind a value that is no object; false: it is an array with other elements than strings. */
static bool pass_value(maker *m) {
    if (*m->p == '[') {
        for (m->p++; m->p < m->end && *m->p != ']';) {
            if (*m->p == '"')
                pass_string(m);
            else if (*m->p == ',' || *m->p == ' ')
                m->p++;
            else
                return false;
        }
        m->p++;
    } else if (*m->p == '"') {
        pass_string(m);
    } else {
        while (m->p < m->end && !sl_json_ends_number(*m->p)) m->p++;
    }
    return m->p < m->end;
}

static bool is_named(const char *key, const char *name, size_t n) {
    return key && strlen(key) == n && memcmp(key, name, n) == 0;
}

static bool add_member(maker *m, const char *from) {
    sl_json_common *c = m->c;
    const size_t before_n = (size_t)(m->p - from);
    if (c->members == MOST_MEMBERS) return false;
    member *k = &c->member[c->members++];
    *k = (member){.before_n = before_n, .object = m->object[m->depth - 1], .use = FEATURE, .placed = NOT_PLACED};
    if (is_named(m->rules->label ? m->rules->label : "label", m->name, m->name_n))
        k->use = LABEL;
    else if (is_named(m->rules->weight, m->name, m->name_n))
        k->use = WEIGHT;
    for (const char *p = from; p < m->p; p++) k->marks += is_mark(*p);
    k->hash = sl_name_hash(m->name, m->name_n);
    for (size_t i = 0; i + 1 < c->members; i++)
        if (c->member[i].hash == k->hash) return false;
    m->name[m->name_n++] = '=';
    k->before = keep(c, from, before_n);
    k->name = keep(c, m->name, m->name_n), k->name_n = m->name_n;
    if (!k->before || !k->name) return false;
    c->names += m->name_n;
    return true;
}

/* Makes a pattern of a line that is JSON; false: it is of another kind. */
static bool make_pattern(maker *m) {
    const char *from = m->p++;
    m->depth = 1, m->path[0] = 0, m->object[0] = m->objects = 0;
    for (;;) {
        pass_blanks(m);
        if (*m->p != '"' || !pass_key(m)) return false;
        if (*m->p == '{') {
            if (m->depth == SL_JSON_DEPTH) return false;
            m->path[m->depth] = m->name_n;
            m->object[m->depth++] = ++m->objects;
            m->p++;
            continue;
        }
        if (!add_member(m, from)) return false;
        m->c->last_object = m->object[m->depth - 1];
        if (!pass_value(m)) return false;
        from = m->p;
        for (pass_blanks(m); *m->p == '}'; pass_blanks(m)) {
            m->p++;
            if (--m->depth > 0) continue;
            m->c->behind_n = (size_t)(m->p - from);
            m->c->behind = keep(m->c, from, m->c->behind_n);
            return m->c->behind && m->p == m->end;
        }
        m->p++; /* the comma */
    }
}

void sl_json_common_learn(sl_block *b, const char *p, const char *end) {
    sl_json_common *c = b->json;
    if (!c || end - p > MOST_LINE || c->others++ % PATIENCE) return;
    const bool fits_most = c->fits >= PATIENCE;
    c->fits = 0;
    if (fits_most) return;
    maker m;
    m.c = c, m.rules = b->rules, m.p = p, m.end = end;
    c->members = c->names = c->text_n = 0;
    if (!make_pattern(&m)) c->members = 0;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Whether the bytes at p, at least SL_BLOCK_PAD of which can be read, are those of the pattern. */
static inline bool is_same(const char *p, const char *end, const char *bytes, size_t n) {
    return (size_t)(end - p) >= n && sl_padded_equal(p, bytes, n);
}

static bool is_utf8(const char *p, const char *end) {
    while (p < end) {
        const size_t n = sl_utf8_length(p, (size_t)(end - p));
        if (!n) return false;
        p += n;
    }
    return true;
}

static inline bool next_mark(sl_marks *m, const char **at) {
    if (++m->next >= m->n && !sl_marks_more(m)) return false;
    *at = m->text + m->at[m->next];
    return true;
}

/* The end of the string whose first mark, its quote, is the next one; NULL: it has escapes, or is wrong. */
static inline const char *string_end(sl_marks *m, const char *p, const char *end) {
    const char *q = p;
    bool beyond_ascii = false;
    do {
        if (!next_mark(m, &q) || q >= end) return NULL;
        beyond_ascii |= (signed char)*q < 0;
    } while (*q == ',' || *q == '}' || (signed char)*q < 0);
    return *q == '"' && (!beyond_ascii || is_utf8(p + 1, q)) ? q : NULL;
}

/* Adds the feature of a string that has escapes, whose quote is at p; what is behind it, or NULL: it is wrong. */
static __attribute__((noinline)) const char *take_escaped(sl_named_rows *rows, const member *k, const char *p,
                                                          const char *end) {
    sl_named_status status = sl_named_piece(rows, k->name, k->name_n);
    for (p++; status == SL_NAMED_OK;) {
        char decoded[SL_UTF8_MAX];
        const char *stop = sl_json_plain_end(p);
        size_t n = 0;
        if (stop >= end) return NULL;
        status = sl_named_piece(rows, p, (size_t)(stop - p));
        p = stop;
        if (*p == '"') break;
        if (*p == '\\') {
            if (sl_json_escape(&p, end, decoded, &n) != SL_ESCAPE_OK) return NULL;
            if (status == SL_NAMED_OK) status = sl_named_piece(rows, decoded, n);
        } else {
            n = (unsigned char)*p < ' ' ? 0 : sl_utf8_length(p, (size_t)(end - p));
            if (n == 0) return NULL;
            if (status == SL_NAMED_OK) status = sl_named_piece(rows, p, n);
            p += n;
        }
    }
    if (status == SL_NAMED_OK) status = sl_named_end_once(rows, 1);
    return status == SL_NAMED_OK ? p + 1 : NULL;
}

/* Adds the features of an array of strings without escapes, whose bracket is at p; what is behind it, or NULL: it is of
 * another kind, or two strings are the same. */
static const char *take_strings(sl_json_common *c, sl_named_rows *rows, const member *k, const char *p,
                                const char *end) {
    sl_marks *const m = &c->marks;
    sluice_batch *const b = rows->batch;
    const size_t first = b->nonzeros;
    for (p++; *p != ']' || b->nonzeros > first;) {
        if (*p != '"' || b->nonzeros - first == MOST_STRINGS || b->nonzeros >= rows->feature_stop) return NULL;
        sl_marks_go_to(m, (size_t)(p - m->text));
        const char *stop = m->next < m->n || sl_marks_more(m) ? string_end(m, p, end) : NULL;
        if (!stop || !sl_add_joined(rows, k->name, k->name_n, p + 1, (size_t)(stop - p - 1))) return NULL;
        for (size_t i = first; i + 1 < b->nonzeros; i++)
            if (b->hash[i] == b->hash[b->nonzeros - 1]) return NULL;
        p = stop + 1;
        if (*p == ']') break;
        if (*p++ != ',') return NULL;
        p += *p == ' ';
    }
    if (b->nonzeros + c->members > rows->feature_stop) return NULL; /* for the members behind it */
    sl_marks_go_to(m, (size_t)(p - m->text));
    return p + 1;
}

/* Longer numbers, and those with an exponent. */
static __attribute__((noinline)) bool long_number(const char *p, const char *stop, float *value) {
    const char *q = p;
    if (!sl_json_is_number(p, stop, NULL)) return false;
    if (sl_quick_float(&q, value) && q == stop) return true;
    q = p;
    return sl_parse_float(&q, value) == SL_NUMBER_OK && q == stop;
}

/* A number that ends at the next mark. */
static inline bool number(const char *p, const char *stop, float *value) {
    const char *first = p + (*p == '-');
    if (*first == '0' && sl_is_digit(first[1])) return false;
    return sl_ended_float(p, stop, value) ? stop[-1] != '.' : long_number(p, stop, value);
}

typedef struct row {
    sl_label label;
    float weight;
    bool labelled;
} row;

/* A label of n bytes, whose value is set if it is a number. */
static bool take_label(row *r, const sl_rules *rules, const char *p, size_t n, bool string) {
    r->labelled = !string || rules->words;
    if (!r->labelled) return rules->unlabelled; /* whatever it is, it is not needed */
    if (!rules->words || (!string && n == 1 && *p <= '1')) return true;
    return sl_label_is_fine(sl_label_read(p, n, &r->label));
}

/* The value of a member; *p moves behind it. False: it is of another kind. */
static inline bool take_value(sl_json_common *c, sl_named_rows *rows, member *k, const char **p, const char *end,
                              row *r) {
    sl_marks *const m = &c->marks;
    const char *v = *p, *stop;
    const bool string = *v == '"';
    float value = 0;
    if (m->next >= m->n && !sl_marks_more(m)) return false;
    stop = m->text + m->at[m->next];
    if (string) {
        if (!(stop = string_end(m, v, end))) {
            if (k->use != FEATURE || !(*p = take_escaped(rows, k, v, end))) return false;
            sl_marks_go_to(m, (size_t)(*p - m->text));
            return true;
        }
        v++;
        *p = stop + 1;
        m->next++;
    } else if (sl_is_digit(*v) || *v == '-') {
        if (stop >= end || !number(v, stop, &value)) return false;
        *p = stop;
    } else if (k->use != FEATURE) {
        return false;
    } else if (*v == '[') {
        return (*p = take_strings(c, rows, k, v, end)) != NULL;
    } else if (memcmp(v, "true", 4) == 0) {
        value = 1;
        *p = v + 4;
    } else {
        const bool is_false = memcmp(v, "false", 5) == 0;
        *p = v + 4 + is_false;
        return is_false || memcmp(v, "null", 4) == 0;
    }
    if (__builtin_expect(k->use != FEATURE, 0)) {
        if (k->use == WEIGHT) {
            r->weight = value;
            return !string && value >= 0;
        }
        r->label.value = value;
        return take_label(r, rows->block->rules, v, (size_t)(stop - v), string);
    }
    if (string) return sl_add_joined(rows, k->name, k->name_n, v, (size_t)(stop - v));
    sluice_batch *b = rows->batch;
    const size_t n = k->name_n - 1;
    if (k->placed == NOT_PLACED) {
        if (b->text_n + n + SL_TEXT_PAD >= rows->text_stop) return false;
        memcpy(b->text + b->text_n, k->name, n);
        k->placed = (uint32_t)b->text_n;
        rows->name_first = b->text_n += n;
    }
    sl_named_known(rows, (sl_name){.at = k->placed, .n = (uint32_t)n}, k->hash, value);
    return true;
}

/* The members of a line, up to its end. */
static bool members(sl_json_common *c, sl_named_rows *rows, const char *p, const char *end, row *r) {
    sl_marks *const m = &c->marks;
    unsigned object = 0;
    for (size_t i = 0;; i++) {
        for (size_t most = i + MOST_MISSING;; i++) {
            if (i == c->members)
                return object == c->last_object && (size_t)(end - p) == c->behind_n &&
                       is_same(p, end, c->behind, c->behind_n);
            const member *k = &c->member[i];
            const unsigned outer = i ? c->member[i - 1].object : 0;
            if (object == outer && is_same(p, end, k->before, k->before_n)) break;
            if (i == most || i == 0) return false; /* what stands before all others begins with a comma */
        }
        member *k = &c->member[i];
        p += k->before_n;
        object = k->object;
        for (size_t marks = k->marks; marks;) { /* of what stands before the value */
            if (m->next >= m->n && !sl_marks_more(m)) return false;
            const size_t some = marks < m->n - m->next ? marks : m->n - m->next;
            m->next += some, marks -= some;
        }
        if (!take_value(c, rows, k, &p, end, r)) return false;
    }
}

sl_json_line sl_json_common_line(sl_named_rows *rows, const char *p, const char *end, uint64_t line,
                                 sl_named_status *status) {
    sl_block *const b = rows->block;
    sl_json_common *const c = b->json;
    if (!c || !c->members || end - p > MOST_LINE || p - b->text < LOOK_BACK) return SL_JSON_OTHER;
    const size_t names = (size_t)(end - p) + 2 * c->names + SL_TEXT_PAD;
    if ((*status = sl_named_reserve(rows, c->members, names)) != SL_NAMED_OK) return SL_JSON_FAILED;
    row r = {.weight = 1};
    sl_marks_go_to(&c->marks, (size_t)(p - b->text));
    const bool fine = members(c, rows, p, end, &r) && (r.labelled || b->rules->unlabelled) &&
                      rows->batch->text_n - rows->text_first < MOST_NAMES;
    if (fine)
        *status =
            r.labelled ? sl_named_row(rows, &r.label, r.weight, line) : sl_named_unlabelled_row(rows, r.weight, line);
    if (fine && *status == SL_NAMED_OK) {
        c->fits++;
        return SL_JSON_ADDED;
    }
    for (size_t i = 0; i < c->members; i++)
        if (c->member[i].placed >= rows->text_first) c->member[i].placed = NOT_PLACED;
    if (fine) return SL_JSON_FAILED;
    rows->batch->nonzeros = rows->first; /* as if it had not begun */
    rows->batch->text_n = rows->name_first = rows->text_first;
    return SL_JSON_OTHER;
}
