/* The type ArrowReader: columns of an Arrow stream as rows of named features, as the csv reader treats a file with the
 * same cells. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrow_abi.h"
#include "batch_type.h"
#include "file_types.h"

enum { ROWS_AT_ONCE = 1 << 14, CELLS_AT_ONCE = 1 << 16, TEXT_AT_ONCE = 1 << 20 };
#define NO_COLUMN ((size_t)-1)
#define MOST_COLUMNS ((int64_t)1 << 30)
#define MOST_ROWS ((int64_t)1 << 58) /* of an array with those before its offset: no address overflows */

/* How the cells of a column are stored. */
typedef enum storage {
    NULLS,
    BOOLS,
    INTS,
    UINTS,
    FLOATS,
    TEXTS,       /* 32-bit offsets */
    LARGE_TEXTS, /* 64-bit offsets */
    TEXT_VIEWS,
    DECIMALS,
    DICTIONARY,
} storage;

typedef struct column {
    const char *name;
    size_t name_n;
    storage kind;
    unsigned bytes;        /* of a number */
    int scale;             /* of decimals; of a dictionary: whether its positions are unsigned */
    struct column *values; /* of a dictionary */
} column;

typedef struct arrow_reader {
    PyObject_HEAD
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray chunk;
    int64_t at; /* the next row of the chunk */
    column *columns;
    size_t n_columns, label, weight;
    bool clashes; /* two cells of a row may give the same feature */
    bool single;  /* there is one chunk and no stream */
    bool busy;
    sluice_error failed; /* what every call says once one has failed */
    uint64_t rows;       /* delivered */
    /* labels and weights that are given beside the frame */
    PyObject *keep; /* the objects that hold them */
    sl_py_view labels, weights;
    sluice_name *words;
    size_t n_words;
    /* of the row that is being made */
    sluice_name *names;
    size_t *name_at; /* where it lies in text; NO_COLUMN: it is the column's own name */
    float *values;
    char *text;
    size_t text_n, text_room;
    char *scratch;
    size_t scratch_room;
} arrow_reader;

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static bool number_format(const char *f, column *c) {
    static const struct {
        char format;
        storage kind;
        unsigned bytes;
    } formats[] = {{'c', INTS, 1},   {'C', UINTS, 1},  {'s', INTS, 2},  {'S', UINTS, 2},
                   {'i', INTS, 4},   {'I', UINTS, 4},  {'l', INTS, 8},  {'L', UINTS, 8},
                   {'e', FLOATS, 2}, {'f', FLOATS, 4}, {'g', FLOATS, 8}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (f[0] == formats[i].format && !f[1]) {
            c->kind = formats[i].kind, c->bytes = formats[i].bytes;
            return true;
        }
    return false;
}

static bool decimal_format(const char *f, column *c) {
    int precision, bits = 128;
    if (f[0] != 'd' || sscanf(f, "d:%d,%d,%d", &precision, &c->scale, &bits) < 2) return false;
    c->kind = DECIMALS, c->bytes = (unsigned)bits / 8;
    return (bits == 32 || bits == 64 || bits == 128) && c->scale > -1000 && c->scale < 1000;
}

static const char *word_for(const char *f) {
    switch (f[0]) {
    case 't':
        return f[1] == 'd' ? "dates" : f[1] == 's' ? "timestamps" : f[1] == 't' ? "times of day" : "durations";
    case '+':
        return f[1] == 'r' ? "run-end encoded values" : "lists, structs or maps";
    case 'd':
        return "decimals of 256 bits";
    default:
        return "values of a type that is not known";
    }
}

static PyObject *shown(const char *name) {
    return PyUnicode_DecodeUTF8(name ? name : "", (Py_ssize_t)strlen(name ? name : ""), "replace");
}

static bool read_format(const struct ArrowSchema *s, const char *name, column *c) {
    static const struct {
        const char *format;
        storage kind;
    } formats[] = {{"n", NULLS},       {"b", BOOLS},       {"u", TEXTS},       {"z", TEXTS},
                   {"U", LARGE_TEXTS}, {"Z", LARGE_TEXTS}, {"vu", TEXT_VIEWS}, {"vz", TEXT_VIEWS}};
    const char *f = s->format ? s->format : "";
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(f, formats[i].format) == 0) {
            c->kind = formats[i].kind;
            return true;
        }
    if (number_format(f, c) || decimal_format(f, c)) return true;
    PyObject *text = shown(name);
    if (text)
        PyErr_Format(PyExc_TypeError,
                     "column %R has %s, which have no meaning as features: turn them into numbers or text, or drop the "
                     "column",
                     text, word_for(f));
    Py_XDECREF(text);
    return false;
}

static bool read_column(const struct ArrowSchema *s, column *c) {
    c->name = s->name ? s->name : "";
    c->name_n = strlen(c->name);
    if (!s->dictionary) return read_format(s, c->name, c);
    if (!read_format(s, c->name, c) || (c->kind != INTS && c->kind != UINTS)) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a dictionary whose positions are not whole numbers");
        return false;
    }
    if (!(c->values = calloc(1, sizeof *c->values))) {
        PyErr_NoMemory();
        return false;
    }
    if (!read_format(s->dictionary, c->name, c->values)) return false;
    if (s->dictionary->dictionary) {
        PyErr_SetString(PyExc_TypeError, "a dictionary of dictionaries");
        return false;
    }
    c->scale = c->kind == UINTS;
    c->kind = DICTIONARY;
    return true;
}

static bool find_column(const arrow_reader *r, const char *name, const char *what, size_t *found) {
    *found = NO_COLUMN;
    if (!name) return true;
    for (size_t i = 0; i < r->n_columns; i++) {
        if (strcmp(r->columns[i].name, name) != 0) continue;
        if (*found != NO_COLUMN) {
            PyErr_Format(PyExc_ValueError, "two columns are called '%s'", name);
            return false;
        }
        *found = i;
    }
    if (*found != NO_COLUMN) return true;
    PyErr_Format(PyExc_ValueError, "there is no column '%s' for the %s among the %zu here", name, what, r->n_columns);
    return false;
}

static bool has_texts(const column *c) {
    if (c->kind == DICTIONARY) return has_texts(c->values);
    return c->kind == TEXTS || c->kind == LARGE_TEXTS || c->kind == TEXT_VIEWS;
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(const column *const *)a)->name, (*(const column *const *)b)->name);
}

/* Whether a column of texts is called what stands before a `=` in the name of c: c may be called as one of its cells.
 */
static bool looks_like_cell(const column *c, const column *const *sorted, size_t n, char *prefix) {
    memcpy(prefix, c->name, c->name_n + 1);
    for (size_t i = c->name_n; i-- > 0;) {
        if (prefix[i] != '=') continue;
        prefix[i] = 0;
        const column key = {.name = prefix}, *wanted = &key;
        const column *const *found = bsearch(&wanted, sorted, n, sizeof *sorted, by_name);
        if (found && has_texts(*found)) return true;
    }
    return false;
}

/* Features of two columns can only be the same where a name stands twice, or is another one with a `=` and a text. */
static bool look_for_clashes(arrow_reader *r) {
    size_t longest = 0;
    for (size_t i = 0; i < r->n_columns; i++)
        if (r->columns[i].name_n > longest) longest = r->columns[i].name_n;
    const column **sorted = malloc((r->n_columns + 1) * sizeof *sorted);
    char *prefix = malloc(longest + 1);
    if (sorted && prefix) {
        for (size_t i = 0; i < r->n_columns; i++) sorted[i] = &r->columns[i];
        qsort(sorted, r->n_columns, sizeof *sorted, by_name);
        for (size_t i = 1; i < r->n_columns; i++) r->clashes |= by_name(&sorted[i - 1], &sorted[i]) == 0;
        for (size_t i = 0; i < r->n_columns && !r->clashes; i++)
            r->clashes = looks_like_cell(&r->columns[i], sorted, r->n_columns, prefix);
    } else {
        PyErr_NoMemory();
    }
    const bool good = sorted && prefix;
    free(sorted), free(prefix);
    return good;
}

static bool read_schema(arrow_reader *r, const char *label, const char *weight) {
    const struct ArrowSchema *s = &r->schema;
    if (!s->format || strcmp(s->format, "+s") != 0) {
        PyErr_SetString(PyExc_TypeError, "the Arrow data is not a table of columns");
        return false;
    }
    if (s->n_children < 0 || s->n_children > MOST_COLUMNS || (s->n_children > 0 && !s->children)) {
        PyErr_SetString(PyExc_ValueError, "an Arrow schema whose number of columns is wrong");
        return false;
    }
    r->n_columns = (size_t)s->n_children;
    r->columns = calloc(r->n_columns + 1, sizeof *r->columns);
    r->names = malloc((r->n_columns + 1) * sizeof *r->names);
    r->name_at = malloc((r->n_columns + 1) * sizeof *r->name_at);
    r->values = malloc((r->n_columns + 1) * sizeof *r->values);
    if (!r->columns || !r->names || !r->name_at || !r->values) {
        PyErr_NoMemory();
        return false;
    }
    for (size_t i = 0; i < r->n_columns; i++) {
        if (!s->children[i]) {
            PyErr_SetString(PyExc_ValueError, "an Arrow schema without one of its columns");
            return false;
        }
        if (!read_column(s->children[i], &r->columns[i])) return false;
    }
    if (!find_column(r, label, "label", &r->label) || !find_column(r, weight, "weight", &r->weight)) return false;
    if (r->label != NO_COLUMN && r->label == r->weight) {
        PyErr_SetString(PyExc_ValueError, "the label and the weight are the same column");
        return false;
    }
    return look_for_clashes(r);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef struct cell {
    enum { NOTHING, WHOLE, UNSIGNED, REAL, SINGLE, TEXT, TRUTH } kind;
    int64_t whole;
    uint64_t positive;
    double real;
    sluice_name text;
} cell;

static sluice_status fail(sluice_error *err, sluice_status status, const char *message) {
    err->status = status;
    snprintf(err->message, sizeof err->message, "%s", message);
    return status;
}

static bool bit(const void *bits, int64_t i) { return ((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1; }

static bool is_null(const struct ArrowArray *a, int64_t i) {
    return a->null_count != 0 && a->n_buffers > 0 && a->buffers[0] && !bit(a->buffers[0], i);
}

/* Numbers are copied, as arrays may begin anywhere: Arrow recommends aligned buffers, and does not demand them. */
#define NUMBER_AT(type, data, i)                                                                                       \
    __extension__({                                                                                                    \
        type number;                                                                                                   \
        memcpy(&number, (const char *)(data) + (size_t)(i) * sizeof number, sizeof number);                            \
        number;                                                                                                        \
    })

static int64_t whole_at(const void *data, unsigned bytes, int64_t i) {
    switch (bytes) {
    case 1:
        return NUMBER_AT(int8_t, data, i);
    case 2:
        return NUMBER_AT(int16_t, data, i);
    case 4:
        return NUMBER_AT(int32_t, data, i);
    default:
        return NUMBER_AT(int64_t, data, i);
    }
}

static uint64_t positive_at(const void *data, unsigned bytes, int64_t i) {
    const uint64_t whole = (uint64_t)whole_at(data, bytes, i);
    return bytes < 8 ? whole & (((uint64_t)1 << 8 * bytes) - 1) : whole;
}

static double half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double sign = h & 0x8000 ? -1 : 1;
    if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
    if (exponent == 0) return sign * ldexp(fraction, -24);
    return sign * ldexp(fraction + 1024, exponent - 25);
}

static double real_at(const void *data, unsigned bytes, int64_t i) {
    if (bytes == 8) return NUMBER_AT(double, data, i);
    return bytes == 4 ? (double)NUMBER_AT(float, data, i) : half((uint16_t)positive_at(data, 2, i));
}

/* A text of n bytes in the scratch room, with newlines behind it. */
static char *scratch(arrow_reader *r, size_t n) {
    if (n + SLUICE_CELL_PAD > r->scratch_room) {
        char *grown = realloc(r->scratch, 2 * n + SLUICE_CELL_PAD);
        if (!grown) return NULL;
        r->scratch = grown, r->scratch_room = 2 * n + SLUICE_CELL_PAD;
    }
    memset(r->scratch + n, '\n', SLUICE_CELL_PAD);
    return r->scratch;
}

/* A decimal as digits with a point, in the scratch room. */
static sluice_status decimal_text(arrow_reader *r, const column *c, const void *data, int64_t i, cell *out,
                                  sluice_error *err) {
    __extension__ typedef unsigned __int128 wide;
    enum { DIGITS = 40 };
    wide v = 0;
    bool negative;
    if (c->bytes == 16) {
        uint64_t half_words[2];
        memcpy(half_words, (const char *)data + 16 * i, 16);
        v = (wide)half_words[1] << 64 | half_words[0];
        negative = half_words[1] >> 63;
        if (negative) v = -v;
    } else {
        const int64_t whole = whole_at(data, c->bytes, i);
        negative = whole < 0;
        v = negative ? (wide)0 - (wide)whole : (wide)whole;
    }
    char digits[DIGITS], text[DIGITS + 8];
    size_t n = 0, m = 0;
    do digits[n++] = (char)('0' + (int)(v % 10));
    while ((v /= 10) != 0);
    if (negative) text[m++] = '-';
    if (c->scale > 0 && (size_t)c->scale < DIGITS - 1) {
        while (n <= (size_t)c->scale) digits[n++] = '0';
        while (n) {
            text[m++] = digits[--n];
            if (n == (size_t)c->scale) text[m++] = '.';
        }
    } else {
        while (n) text[m++] = digits[--n];
        if (c->scale) m += (size_t)snprintf(text + m, 8, "e%d", -c->scale);
    }
    char *to = scratch(r, m);
    if (!to) return fail(err, SLUICE_E_MEMORY, "no memory for a cell");
    memcpy(to, text, m);
    out->kind = TEXT;
    out->text = (sluice_name){to, m};
    return SLUICE_OK;
}

/* A text: 12 bytes in the view itself, or in one of the buffers behind. */
static bool text_view(const struct ArrowArray *a, int64_t i, sluice_name *text) {
    const char *view = (const char *)a->buffers[1] + 16 * i;
    int32_t n, buffer, offset;
    memcpy(&n, view, 4), memcpy(&buffer, view + 8, 4), memcpy(&offset, view + 12, 4);
    if (n < 0) return false;
    *text = (sluice_name){view + 4, (size_t)n};
    if (n <= 12) return true;
    /* the last buffer holds the sizes of those between */
    if (buffer < 0 || offset < 0 || (int64_t)buffer + 3 >= a->n_buffers) return false;
    const void *sizes = a->buffers[a->n_buffers - 1];
    const char *data = a->buffers[2 + buffer];
    if (!sizes || !data || (int64_t)offset + n > whole_at(sizes, 8, buffer)) return false;
    text->text = data + offset;
    return true;
}

static bool text_at(const column *c, const struct ArrowArray *a, int64_t i, sluice_name *text) {
    if (c->kind == TEXT_VIEWS) return text_view(a, i, text);
    const unsigned bytes = c->kind == TEXTS ? 4 : 8;
    const int64_t from = whole_at(a->buffers[1], bytes, i), to = whole_at(a->buffers[1], bytes, i + 1);
    const int64_t end = whole_at(a->buffers[1], bytes, a->offset + a->length); /* of all texts */
    if (from < 0 || to < from || to > end || (to > from && !a->buffers[2])) return false;
    *text = (sluice_name){to > from ? (const char *)a->buffers[2] + from : "", (size_t)(to - from)};
    return true;
}

/* The cell of row i, which counts from the array's own beginning. */
static sluice_status cell_at(arrow_reader *r, const column *c, const struct ArrowArray *a, int64_t i, cell *out,
                             sluice_error *err) {
    *out = (cell){.kind = NOTHING};
    i += a->offset;
    if (c->kind == NULLS || is_null(a, i)) return SLUICE_OK;
    const void *data = a->buffers[1];
    switch (c->kind) {
    case BOOLS:
        out->kind = TRUTH, out->whole = bit(data, i);
        return SLUICE_OK;
    case INTS:
        out->kind = WHOLE, out->whole = whole_at(data, c->bytes, i);
        return SLUICE_OK;
    case UINTS:
        out->kind = UNSIGNED, out->positive = positive_at(data, c->bytes, i);
        return SLUICE_OK;
    case FLOATS:
        out->kind = c->bytes == 8 ? REAL : SINGLE, out->real = real_at(data, c->bytes, i);
        return SLUICE_OK;
    case DECIMALS:
        return decimal_text(r, c, data, i, out, err);
    case DICTIONARY: {
        const bool is_unsigned = c->scale;
        const uint64_t position = is_unsigned ? positive_at(data, c->bytes, i) : (uint64_t)whole_at(data, c->bytes, i);
        if (position >= (uint64_t)a->dictionary->length)
            return fail(err, SLUICE_E_DATA, "a position that is not in the dictionary");
        return cell_at(r, c->values, a->dictionary, (int64_t)position, out, err);
    }
    default:
        out->kind = TEXT;
        return text_at(c, a, i, &out->text) ? SLUICE_OK
                                            : fail(err, SLUICE_E_DATA, "the text of a cell is out of place");
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static sluice_status in_column(sluice_error *err, const column *c, const char *wrong) {
    char name[160];
    size_t n = 0;
    for (size_t i = 0; i < c->name_n && n + SLUICE_ESCAPED < sizeof name;) {
        i += sluice_escape(c->name + i, c->name_n - i, name + n);
        n += strlen(name + n);
    }
    name[n] = 0;
    err->status = SLUICE_E_DATA;
    snprintf(err->message, sizeof err->message, "column '%s': %s", name, wrong);
    return SLUICE_E_DATA;
}

#define NOT_FINITE "a value that is not finite; what is missing is null"
#define TOO_LARGE "a value beyond the range of a float, about 3.4e38"

static sluice_status wrong_number(sluice_error *err, const column *c, int what) {
    return in_column(err, c, what == SLUICE_CELL_NOT_FINITE ? NOT_FINITE : TOO_LARGE);
}

/* What a csv cell with this number would be. */
static int number_of(const cell *x, float *value) {
    if (x->kind == WHOLE) {
        *value = (float)x->whole;
    } else if (x->kind == UNSIGNED) {
        *value = (float)x->positive;
    } else {
        if (!isfinite(x->real)) return SLUICE_CELL_NOT_FINITE;
        *value = (float)x->real;
        if (!isfinite(*value)) return SLUICE_CELL_TOO_LARGE;
    }
    return SLUICE_CELL_NUMBER;
}

/* What a cell is, as the csv reader has it; *text is that of a text. */
static int meaning_of(arrow_reader *r, const cell *x, float *value, sluice_name *text) {
    switch (x->kind) {
    case NOTHING:
        return SLUICE_CELL_EMPTY;
    case TRUTH:
        *value = (float)x->whole; /* as in jsonl and dicts, whose truths have no spelling either */
        return SLUICE_CELL_NUMBER;
    case TEXT: {
        *text = x->text;
        char *copy = scratch(r, x->text.n);
        if (!copy) return -1;
        if (x->text.n && copy != x->text.text) memcpy(copy, x->text.text, x->text.n);
        return sluice_csv_cell(copy, x->text.n, value);
    }
    default:
        return number_of(x, value);
    }
}

static bool put_text(arrow_reader *r, const char *text, size_t n) {
    if (r->text_n + n > r->text_room) {
        const size_t room = 2 * (r->text_n + n) + 256;
        char *grown = realloc(r->text, room);
        if (!grown) return false;
        r->text = grown, r->text_room = room;
    }
    if (n) memcpy(r->text + r->text_n, text, n);
    r->text_n += n;
    return true;
}

static sluice_status put_feature(arrow_reader *r, const column *c, const cell *x, size_t *n, sluice_error *err) {
    float value = 1;
    sluice_name text = {NULL, 0};
    const int meaning = meaning_of(r, x, &value, &text);
    switch (meaning) {
    case SLUICE_CELL_EMPTY:
        return SLUICE_OK;
    case SLUICE_CELL_NUMBER:
        r->name_at[*n] = NO_COLUMN;
        r->names[*n] = (sluice_name){c->name, c->name_n};
        r->values[(*n)++] = value;
        return SLUICE_OK;
    case SLUICE_CELL_TEXT:
        if (memchr(text.text, 0, text.n)) return in_column(err, c, "a NUL byte in the text");
        if (c->name_n + 1 + text.n > SLUICE_MAX_NAME)
            return in_column(err, c, "the column's name and this text are longer than 65535 bytes");
        r->name_at[*n] = r->text_n;
        r->names[*n].n = c->name_n + 1 + text.n;
        r->values[(*n)++] = 1;
        if (put_text(r, c->name, c->name_n) && put_text(r, "=", 1) && put_text(r, text.text, text.n)) return SLUICE_OK;
        break;
    case SLUICE_CELL_NOT_FINITE:
    case SLUICE_CELL_TOO_LARGE:
        return wrong_number(err, c, meaning);
    default:
        break;
    }
    return fail(err, SLUICE_E_MEMORY, "no memory for a row");
}

/* Adds up the values of features that come twice. */
static sluice_status add_up(arrow_reader *r, size_t *n, sluice_error *err) {
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        size_t k = 0;
        while (k < kept &&
               (r->names[k].n != r->names[i].n || memcmp(r->names[k].text, r->names[i].text, r->names[k].n)))
            k++;
        if (k == kept) {
            r->names[kept] = r->names[i];
            r->values[kept++] = r->values[i];
        } else if (!isfinite(r->values[k] += r->values[i])) {
            return fail(err, SLUICE_E_DATA, "the values of a name that repeats add up to more than a float holds");
        }
    }
    *n = kept;
    return SLUICE_OK;
}

/* The text of a label in `text`, or in the cell. */
static sluice_status label_text(const column *c, const cell *x, char text[64], sluice_name *word, sluice_error *err) {
    *word = (sluice_name){text, 0};
    switch (x->kind) {
    case NOTHING:
        return in_column(err, c, "there is no label");
    case WHOLE:
        word->n = (size_t)snprintf(text, 64, "%lld", (long long)x->whole);
        break;
    case UNSIGNED:
        word->n = (size_t)snprintf(text, 64, "%llu", (unsigned long long)x->positive);
        break;
    case TRUTH:
        word->n = (size_t)snprintf(text, 64, "%d", x->whole != 0);
        break;
    case REAL:
    case SINGLE:
        if (!isfinite(x->real)) return in_column(err, c, "a label that is not finite");
        if (x->real == floor(x->real) && fabs(x->real) < 1e15)
            word->n = (size_t)snprintf(text, 64, "%lld", (long long)x->real);
        else
            word->n = x->kind == REAL ? sluice_format_double(text, x->real) : sluice_format_float(text, (float)x->real);
        break;
    case TEXT:
        *word = x->text;
        while (word->n && (*word->text == ' ' || *word->text == '\t')) word->text++, word->n--;
        while (word->n && (word->text[word->n - 1] == ' ' || word->text[word->n - 1] == '\t')) word->n--;
        if (!word->n) return in_column(err, c, "there is no label");
        break;
    }
    return SLUICE_OK;
}

static sluice_status take_weight(arrow_reader *r, const column *c, const cell *x, double *weight, sluice_error *err) {
    float value = 0;
    sluice_name text;
    const int meaning = meaning_of(r, x, &value, &text);
    if (meaning == SLUICE_CELL_NOT_FINITE || meaning == SLUICE_CELL_TOO_LARGE) return wrong_number(err, c, meaning);
    if (meaning != SLUICE_CELL_NUMBER) return in_column(err, c, "a weight that is not a number");
    *weight = (double)value;
    return value >= 0 ? SLUICE_OK : in_column(err, c, "a weight that is negative");
}

static int64_t code_at(const sl_py_view *v, size_t i) {
    return v->type == SLUICE_UINT32 ? (int64_t)positive_at(v->data, 4, (int64_t)i)
                                    : whole_at(v->data, sl_py_bytes(v->type), (int64_t)i);
}

/* The label and the weight that are given beside the frame. */
static sluice_status given(const arrow_reader *r, sluice_example *x, sluice_error *err) {
    const size_t i = (size_t)r->rows;
    if ((r->labels.data && i >= r->labels.n) || (r->weights.data && i >= r->weights.n))
        return fail(err, SLUICE_E_DATA, "there are more rows than labels or weights");
    if (r->labels.data && r->words) {
        const int64_t code = code_at(&r->labels, i);
        if (code < 0 || (size_t)code >= r->n_words) return fail(err, SLUICE_E_DATA, "a label that is not in the list");
        x->word = r->words[code];
    } else if (r->labels.data) {
        x->label = real_at(r->labels.data, sl_py_bytes(r->labels.type), (int64_t)i);
    }
    if (r->weights.data) x->weight = real_at(r->weights.data, sl_py_bytes(r->weights.type), (int64_t)i);
    return SLUICE_OK;
}

static sluice_status put_row(arrow_reader *r, sluice_batch *batch, size_t *cells, sluice_error *err) {
    sluice_example x = {.weight = 1, .values = r->values, .names = r->names};
    char label[64];
    size_t n = 0;
    r->text_n = 0;
    sluice_status status = given(r, &x, err);
    const bool row_is_null = is_null(&r->chunk, r->chunk.offset + r->at);
    for (size_t i = 0; i < r->n_columns && status == SLUICE_OK; i++) {
        const column *c = &r->columns[i];
        cell what = {.kind = NOTHING};
        if (!row_is_null) status = cell_at(r, c, r->chunk.children[i], r->chunk.offset + r->at, &what, err);
        if (status != SLUICE_OK) break;
        if (i == r->label) {
            status = label_text(c, &what, label, &x.word, err);
            if (status == SLUICE_OK && what.kind == TEXT && x.word.text >= r->scratch && r->scratch &&
                x.word.text < r->scratch + r->scratch_room) { /* a decimal: the next cell uses the room */
                if (x.word.n > sizeof label) return fail(err, SLUICE_E_DATA, "a label that is too long");
                memcpy(label, x.word.text, x.word.n);
                x.word.text = label;
            }
        } else if (i == r->weight) {
            status = take_weight(r, c, &what, &x.weight, err);
        } else {
            status = put_feature(r, c, &what, &n, err);
        }
    }
    if (status != SLUICE_OK) return status;
    for (size_t k = 0; k < n; k++)
        if (r->name_at[k] != NO_COLUMN) r->names[k].text = r->text + r->name_at[k];
    if (r->clashes && (status = add_up(r, &n, err)) != SLUICE_OK) return status;
    x.n = n;
    *cells += n;
    return sluice_batch_add(batch, &x, err);
}

/* Rows of the chunk at hand. */
static sluice_status fill(arrow_reader *r, sluice_batch *batch, sluice_error *err) {
    size_t cells = 0, text = 0;
    sluice_status status = SLUICE_OK;
    for (size_t n = 0; n < ROWS_AT_ONCE && cells < CELLS_AT_ONCE && text < TEXT_AT_ONCE && r->at < r->chunk.length;
         n++) {
        if ((status = put_row(r, batch, &cells, err)) != SLUICE_OK) {
            err->line = r->rows + 1;
            err->column = 0, err->source[0] = 0;
            break;
        }
        text += r->text_n;
        r->rows++, r->at++;
    }
    return status;
}

/* ---- chunks ------------------------------------------------------------------------------------------------------ */

static void release_chunk(arrow_reader *r) {
    if (r->chunk.release) r->chunk.release(&r->chunk);
    r->chunk = (struct ArrowArray){.release = NULL};
    r->at = 0;
}

static int64_t buffers_needed(const column *c) {
    switch (c->kind) {
    case NULLS:
        return 0;
    case TEXTS:
    case LARGE_TEXTS:
    case TEXT_VIEWS:
        return 3;
    default:
        return 2;
    }
}

/* Whether an array's numbers are possible and it has its first `buffers` buffers. */
static bool is_sound(const struct ArrowArray *a, int64_t buffers) {
    if (!a || a->length < 0 || a->offset < 0 || a->length > MOST_ROWS || a->offset > MOST_ROWS - a->length)
        return false;
    return a->null_count >= -1 && a->n_buffers >= buffers && (a->n_buffers == 0 || a->buffers);
}

/* Whether an array that says it has nulls says which. */
static bool nulls_fit(const struct ArrowArray *a) { return a->null_count <= 0 || (a->n_buffers > 0 && a->buffers[0]); }

/* Whether an array has what its column needs, for `rows` rows. What a cell points to is looked at with the cell. */
static bool array_fits(const column *c, const struct ArrowArray *a, int64_t rows) {
    if (!is_sound(a, buffers_needed(c)) || a->length < rows) return false;
    if (c->kind != NULLS && (!nulls_fit(a) || (a->length > 0 && !a->buffers[1]))) return false;
    return c->kind != DICTIONARY || array_fits(c->values, a->dictionary, 0);
}

static bool chunk_fits(const arrow_reader *r) {
    const struct ArrowArray *a = &r->chunk;
    if (!is_sound(a, 0) || !nulls_fit(a) || a->n_children < 0 || (size_t)a->n_children != r->n_columns) return false;
    if (a->n_children > 0 && !a->children) return false;
    for (size_t i = 0; i < r->n_columns; i++)
        if (!array_fits(&r->columns[i], a->children[i], a->length + a->offset)) return false;
    return true;
}

static sluice_status stream_failed(arrow_reader *r, sluice_error *err) {
    const char *why = r->stream.get_last_error ? r->stream.get_last_error(&r->stream) : NULL;
    err->status = SLUICE_E_IO;
    snprintf(err->message, sizeof err->message, "the Arrow stream failed: %s", why ? why : "no reason is given");
    return err->status;
}

/* The next chunk that has rows. */
static sluice_status next_chunk(arrow_reader *r, sluice_error *err) {
    while (r->at >= r->chunk.length) {
        release_chunk(r);
        if (r->single) return SLUICE_END;
        if (!r->stream.release) return SLUICE_END;
        if (r->stream.get_next(&r->stream, &r->chunk) != 0) {
            r->chunk.release = NULL;
            return stream_failed(r, err);
        }
        if (!r->chunk.release) {
            r->single = true;
            return SLUICE_END;
        }
        if (!chunk_fits(r)) return fail(err, SLUICE_E_DATA, "an Arrow array that does not fit its schema");
    }
    return SLUICE_OK;
}

/* Once it has failed it fails for good: rows that were cut never look complete. */
static sluice_status next_batch(arrow_reader *r, sluice_batch **batch) {
    *batch = NULL;
    if (r->failed.status != SLUICE_OK) return r->failed.status;
    sluice_error err = {.status = SLUICE_OK};
    sluice_status status = next_chunk(r, &err);
    if (status == SLUICE_OK) status = (*batch = sluice_batch_new(&err)) ? fill(r, *batch, &err) : err.status;
    if (status == SLUICE_OK || status == SLUICE_END) return status;
    release_chunk(r);
    r->failed = err;
    r->failed.status = status;
    return status;
}

static PyObject *iter_next(PyObject *self) {
    arrow_reader *r = (arrow_reader *)self;
    sluice_status status;
    sluice_batch *batch;
    if (r->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the frame is being read in another thread");
        return NULL;
    }
    if (PyErr_CheckSignals() < 0) return NULL;
    r->busy = true;
    Py_BEGIN_ALLOW_THREADS
    status = next_batch(r, &batch);
    Py_END_ALLOW_THREADS
    r->busy = false;
    if (status == SLUICE_OK) return sl_py_batch_wrap(batch);
    sluice_batch_free(batch);
    if (status != SLUICE_END) return sl_py_raise(&r->failed);
    if ((r->labels.data && r->labels.n != r->rows) || (r->weights.data && r->weights.n != r->rows))
        PyErr_Format(PyExc_ValueError, "the frame has %llu rows, but there are %zu labels or weights",
                     (unsigned long long)r->rows, r->labels.data ? r->labels.n : r->weights.n);
    return NULL;
}

/* ---- opening ----------------------------------------------------------------------------------------------------- */

/* Moves the stream, or the array and its schema, out of the capsules; or makes them of Python's arrays. */
static bool open_source(arrow_reader *r, PyObject *source) {
    if (PyList_Check(source)) {
        r->single = true;
        return sl_py_columns(source, &r->schema, &r->chunk);
    }
    if (PyTuple_Check(source) && PyTuple_Size(source) == 2) {
        struct ArrowSchema *schema = PyCapsule_GetPointer(PyTuple_GetItem(source, 0), "arrow_schema");
        struct ArrowArray *array = schema ? PyCapsule_GetPointer(PyTuple_GetItem(source, 1), "arrow_array") : NULL;
        if (!array) return false;
        if (!schema->release || !array->release) {
            PyErr_SetString(PyExc_ValueError, "the Arrow array was used before");
            return false;
        }
        r->schema = *schema, schema->release = NULL;
        r->chunk = *array, array->release = NULL;
        r->single = true;
        return true;
    }
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(source, "arrow_array_stream");
    if (!stream) return false;
    if (!stream->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was used before");
        return false;
    }
    r->stream = *stream, stream->release = NULL;
    if (!r->stream.get_schema || !r->stream.get_next) {
        PyErr_SetString(PyExc_ValueError, "an Arrow stream without its functions");
        return false;
    }
    int failed;
    Py_BEGIN_ALLOW_THREADS
    failed = r->stream.get_schema(&r->stream, &r->schema);
    Py_END_ALLOW_THREADS
    if (!failed) return true;
    sluice_error err = {.status = SLUICE_E_IO};
    r->schema.release = NULL;
    stream_failed(r, &err);
    sl_py_raise(&err);
    return false;
}

static PyObject *reader_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    PyObject *source, *labels = Py_None, *words = Py_None, *weights = Py_None;
    const char *label = NULL, *weight = NULL;
    (void)kwargs;
    if (!PyArg_ParseTuple(args, "Ozz|OOO:ArrowReader", &source, &label, &weight, &labels, &words, &weights))
        return NULL;
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    arrow_reader *r = (arrow_reader *)alloc(type, 0);
    if (!r) return NULL;
    r->label = r->weight = NO_COLUMN;
    bool good = (r->keep = Py_BuildValue("(OOOO)", source, labels, words, weights)) != NULL;
    if (good && labels != Py_None)
        good = sl_py_array(labels, "labels", words == Py_None ? SL_PY_REAL : SL_PY_WHOLE, &r->labels);
    if (good && words != Py_None) good = sl_py_names(words, "words", &r->words, &r->n_words);
    if (good && weights != Py_None) good = sl_py_array(weights, "weights", SL_PY_REAL, &r->weights);
    good = good && open_source(r, source) && read_schema(r, label, weight);
    if (good && r->single && !chunk_fits(r)) {
        PyErr_SetString(PyExc_ValueError, "an Arrow array that does not fit its schema");
        good = false;
    }
    if (good) return (PyObject *)r;
    Py_DECREF(r);
    return NULL;
}

static void reader_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    arrow_reader *r = (arrow_reader *)self;
    PyObject *pending[3]; /* a producer's functions may be Python's, which would clear the exception */
    PyErr_Fetch(&pending[0], &pending[1], &pending[2]);
    release_chunk(r);
    if (r->schema.release) r->schema.release(&r->schema);
    if (r->stream.release) r->stream.release(&r->stream);
    PyErr_Restore(pending[0], pending[1], pending[2]);
    for (size_t i = 0; r->columns && i < r->n_columns; i++) free(r->columns[i].values);
    free(r->columns), free(r->names), free(r->name_at), free(r->values), free(r->text), free(r->scratch);
    PyMem_Free(r->words);
    Py_XDECREF(r->keep);
    release(self);
    Py_DECREF(type);
}

static PyObject *iter(PyObject *self) {
    Py_INCREF(self);
    return self;
}

static PyType_Slot slots[] = {
    {Py_tp_new, reader_new},
    {Py_tp_dealloc, reader_dealloc},
    {Py_tp_iter, iter},
    {Py_tp_iternext, iter_next},
    {Py_tp_doc, "ArrowReader(stream capsule or (schema, array), label, weight, labels, words, weights): iterates "
                "over Batches."},
    {0, NULL},
};

static PyType_Spec spec = {"sluiceway._sluice.ArrowReader", sizeof(arrow_reader), 0, Py_TPFLAGS_DEFAULT, slots};

int sl_py_add_arrow_reader_type(PyObject *module) {
    PyObject *type = PyType_FromSpec(&spec);
    int done = type ? PyModule_AddObjectRef(module, "ArrowReader", type) : -1;
    Py_XDECREF(type);
    return done;
}
