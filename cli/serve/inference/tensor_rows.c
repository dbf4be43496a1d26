/* Makes rows from tensors. */
#include "serve/inference/tensor_rows.h"

#include "serve/inference/scratch.h"
#include "serve/plain_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct tensor_input tensor_inputs[] = {
    {"examples", "BYTES", "[-1]"}, {"x", "FP32", "[-1,-1]"},   {"indptr", "INT64", "[-1]"},
    {"indices", "INT64", "[-1]"},  {"values", "FP32", "[-1]"}, {"names", "BYTES", "[-1]"},
    {"id", "BYTES", "[-1]"},       {NULL, NULL, NULL},
};

typedef struct row_source {
    const tensor_request *q;
    http_request *r;
    const model_reading *reading;
    int to_learn;
    const tensor *label, *weight;
    /* what they hold: labels are one of these */
    sluice_name *label_text;
    int64_t *label_whole;
    double *label_real;
    float *weights;
    size_t rows;
} row_source;

static int refuse(const row_source *s, const char *what) {
    http_refuse(s->r, 400, "%s", what);
    return 0;
}

static int no_memory(const row_source *s) {
    http_refuse(s->r, 503, "out of memory");
    return 0;
}

static int is_vector(const row_source *s, const tensor *t, size_t n) {
    if (t->dimensions == 1 && t->elements == n) return 1;
    http_refuse(s->r, 400, "input '%.*s': its shape has to be [%zu], as the other inputs have it", (int)t->name.n,
                t->name.text, n);
    return 0;
}

/* ---- labels and weights ------------------------------------------------------------------------------------------ */

static int read_labels(row_source *s) {
    if (s->label) {
        if (!is_vector(s, s->label, s->rows)) return 0;
        if (s->label->type == TENSOR_BYTES)
            s->label_text = tensor_texts(s->q, s->label);
        else if (s->label->type >= TENSOR_FP16)
            s->label_real = tensor_doubles(s->q, s->label);
        else
            s->label_whole = tensor_wholes(s->q, s->label);
        if (!s->label_text && !s->label_real && !s->label_whole) return 0;
    }
    if (s->weight) {
        if (!is_vector(s, s->weight, s->rows)) return 0;
        s->weights = tensor_floats(s->q, s->weight);
        if (!s->weights) return 0;
    }
    return 1;
}

/* As lines have it: -1, 0 and 1 are numbers, everything else is a text. `digits` is room for that. */
static int set_label(const row_source *s, size_t row, sluice_example *x, char digits[32]) {
    double number = 0;
    x->word = (sluice_name){NULL, 0};
    x->label = 0;
    if (!s->label) return 1;
    if (s->label_text) {
        const sluice_name text = s->label_text[row];
        if (!text.n) return 0;
        x->word = text;
        if (text.n >= 32) return 1;
        memcpy(digits, text.text, text.n);
        digits[text.n] = 0;
        if (strlen(digits) != text.n || !sluice_parse_number(digits, &number)) return 1;
    } else if (s->label_whole) {
        number = (double)s->label_whole[row];
        x->word = (sluice_name){digits, (size_t)snprintf(digits, 32, "%" PRId64, s->label_whole[row])};
    } else {
        number = s->label_real[row];
        x->word = (sluice_name){digits, sluice_format_double(digits, number)};
    }
    if (number == -1 || number == 0 || number == 1) {
        x->word = (sluice_name){NULL, 0};
        x->label = number;
    }
    return 1;
}

static int add_row(const row_source *s, sluice_batch *to, size_t row, sluice_example *x) {
    sluice_error err = {0};
    char digits[32];
    if (!set_label(s, row, x, digits)) {
        http_refuse(s->r, 400, "row %zu: its label is empty", row + 1);
        return 0;
    }
    x->weight = s->weights ? (double)s->weights[row] : 1;
    if (sluice_batch_add(to, x, &err) == SLUICE_OK) return 1;
    http_refuse(s->r, status_of(&err), "row %zu: %s", row + 1, err.message);
    return 0;
}

static sluice_batch *new_batch(const row_source *s, request_rows *rows) {
    sluice_error err = {0};
    sluice_batch *b = sluice_batch_new(&err);
    rows->own = b;
    rows->batch = b;
    if (!b) refuse_error(s->r, &err);
    return b;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Puts the lines together where they stand: each has more bytes around it in the body than a line end. */
static char *join_lines(const row_source *s, const tensor *t, size_t *n) {
    const sluice_name *line = tensor_texts(s->q, t);
    if (!line) return NULL;
    char *to = t->data;
    for (size_t i = 0; i < t->elements; i++) {
        if (memchr(line[i].text, '\n', line[i].n)) {
            http_refuse(s->r, 400, "input 'examples', element %zu: it has to be one line", i + 1);
            return NULL;
        }
        memmove(to, line[i].text, line[i].n);
        to += line[i].n;
        *to++ = '\n';
    }
    *n = (size_t)(to - t->data);
    return t->data;
}

/* The same rows with labels that came as a tensor. */
static int label_rows(const row_source *s, request_rows *rows) {
    request_rows read = *rows;
    sluice_batch *b = new_batch(s, rows);
    rows->parser = NULL;
    int fine = b != NULL;
    size_t most = 0;
    for (size_t i = 0; i < s->rows; i++)
        if (sluice_batch_nonzeros(read.batch, i) > most) most = sluice_batch_nonzeros(read.batch, i);
    uint64_t *ids = scratch_take(most + 1, sizeof *ids);
    sluice_name *names = scratch_take(most + 1, sizeof *names);
    if (fine && (!ids || !names)) fine = no_memory(s);
    for (size_t i = 0; fine && i < s->rows; i++) {
        sluice_example x;
        sluice_batch_row(read.batch, i, ids, names, &x);
        fine = add_row(s, b, i, &x);
    }
    rows_free(&read);
    return fine;
}

static int lines(row_source *s, const tensor *t, request_rows *rows) {
    sluice_error err = {0};
    size_t n = 0;
    const row_request what = {.format = s->q->format, .to_learn = s->to_learn && !s->label};
    if (t->dimensions != 1 || t->type != TENSOR_BYTES)
        return refuse(s, "input 'examples': its datatype has to be BYTES, its shape [n]");
    if (s->weight && !s->label)
        return refuse(s, "input 'weight': lines have weights of their own, unless 'label' is there");
    char *text = join_lines(s, t, &n);
    if (!text) return 0;
    if (rows_read(rows, s->reading, &what, text, n, &err) != SLUICE_OK) {
        refuse_error(s->r, &err);
        return 0;
    }
    s->rows = sluice_batch_rows(rows->batch);
    /* the first line of csv may be its header */
    const char *format = reading_options(s->reading, what.format, what.to_learn).format;
    const size_t header = format && strcmp(format, "csv") == 0 && s->rows + 1 == t->elements;
    if (s->rows + header != t->elements) {
        http_refuse(s->r, 400, "input 'examples': its %zu elements are %zu rows, not one each", t->elements, s->rows);
        return 0;
    }
    return !s->label || (read_labels(s) && label_rows(s, rows));
}

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

static int check_indptr(const row_source *s, const uint64_t *indptr, size_t nonzeros) {
    for (size_t i = 0; i < s->rows; i++)
        if (indptr[i] > indptr[i + 1]) return refuse(s, "input 'indptr': it falls");
    if (indptr[0] != 0) return refuse(s, "input 'indptr': it has to begin with 0");
    if (indptr[s->rows] != nonzeros)
        return refuse(s, "input 'indptr': its last element has to be the number of elements of 'values'");
    return 1;
}

static int sparse(row_source *s, const tensor *t, request_rows *rows) {
    const tensor *indices = tensor_find(s->q, "indices"), *names = tensor_find(s->q, "names"),
                 *values = tensor_find(s->q, "values");
    if (!values || !indices == !names)
        return refuse(s, "a sparse matrix is indptr, values, and either indices or names");
    if (t->dimensions != 1 || !t->elements) return refuse(s, "input 'indptr': its shape has to be [rows + 1]");
    s->rows = t->elements - 1;
    if (!is_vector(s, values, values->elements) || !is_vector(s, indices ? indices : names, values->elements)) return 0;
    const uint64_t *indptr = tensor_counts(s->q, t);
    if (!indptr || !check_indptr(s, indptr, values->elements)) return 0;
    const float *value = tensor_floats(s->q, values);
    if (!value) return 0;
    const uint64_t *id = indices ? tensor_counts(s->q, indices) : NULL;
    const sluice_name *name = names ? tensor_texts(s->q, names) : NULL;
    if ((!id && !name) || !read_labels(s)) return 0;
    sluice_batch *b = new_batch(s, rows);
    if (!b) return 0;
    for (size_t i = 0; i < s->rows; i++) {
        const size_t first = (size_t)indptr[i];
        sluice_example x = {.values = value + first, .n = (size_t)indptr[i + 1] - first};
        if (id) x.ids = id + first;
        if (name) x.names = name + first;
        if (!add_row(s, b, i, &x)) return 0;
    }
    return 1;
}

/* The names of columns: as a tensor or a parameter. *name is NULL where there are none; 0 after refusing. */
static int column_names(const row_source *s, size_t columns, sluice_name **name) {
    const tensor *t = tensor_find(s->q, "names");
    size_t n = columns;
    *name = NULL;
    if (t && !is_vector(s, t, columns)) return 0;
    if (!t && !s->q->names) return 1;
    *name = t ? tensor_texts(s->q, t) : json_texts(s->q, "names", s->q->names, s->q->names_n, &n);
    if (!*name) return 0;
    return n == columns || refuse(s, "names: there have to be as many as 'x' has columns");
}

/* Column j is the feature of id j + 1, or of the name j. Zeros are no features. */
static int dense(row_source *s, const tensor *t, request_rows *rows) {
    sluice_name *name;
    if (t->dimensions > 2) return refuse(s, "input 'x': its shape has to be [rows, columns]");
    const size_t columns = t->shape[t->dimensions - 1];
    s->rows = t->dimensions == 2 ? t->shape[0] : 1;
    if (!columns && s->rows) return refuse(s, "input 'x': it has no columns");
    if (!column_names(s, columns, &name)) return 0;
    const float *x = tensor_floats(s->q, t);
    if (!x || !read_labels(s)) return 0;
    const size_t most = t->elements ? columns : 0;
    uint64_t *ids = scratch_take(most + 1, sizeof *ids);
    float *values = scratch_take(most + 1, sizeof *values);
    sluice_name *names = name ? scratch_take(most + 1, sizeof *names) : NULL;
    if (!ids || !values || (name && !names)) return no_memory(s);
    sluice_batch *b = new_batch(s, rows);
    if (!b) return 0;
    for (size_t i = 0; i < s->rows; i++, x += columns) {
        sluice_example e = {.values = values, .names = names, .ids = names ? NULL : ids};
        for (size_t j = 0; j < columns; j++) {
            if (x[j] == 0) continue;
            ids[e.n] = j + 1;
            if (names) names[e.n] = name[j];
            values[e.n++] = x[j];
        }
        if (!add_row(s, b, i, &e)) return 0;
    }
    return 1;
}

/* ---- which of them ----------------------------------------------------------------------------------------------- */

static int is_known(const row_source *s, sluice_name name, const tensor *way) {
    static const char *const sparse_names[] = {"indptr", "indices", "names", "values", NULL};
    static const char *const dense_names[] = {"x", "names", NULL};
    static const char *const line_names[] = {"examples", NULL};
    const char *const *of = name_is(way->name, "indptr") ? sparse_names
                            : name_is(way->name, "x")    ? dense_names
                                                         : line_names;
    for (; *of; of++)
        if (name_is(name, *of)) return 1;
    return name_is(name, "id") || (s->to_learn && (name_is(name, "label") || name_is(name, "weight")));
}

int tensor_rows(const tensor_request *q, const model_reading *reading, int to_learn, request_rows *rows) {
    row_source s = {.q = q, .r = q->request, .reading = reading, .to_learn = to_learn};
    const tensor *x = tensor_find(q, "x"), *indptr = tensor_find(q, "indptr"), *examples = tensor_find(q, "examples");
    const tensor *way = examples ? examples : indptr ? indptr : x;
    if (!way)
        return refuse(
            &s, "no input: 'examples' (BYTES), 'indptr' with 'values' and 'indices' or 'names', or 'x' is needed");
    for (size_t i = 0; i < q->inputs; i++)
        if (!is_known(&s, q->input[i].name, way)) {
            http_refuse(s.r, 400, "input '%.*s': there is no such input%s",
                        (int)(q->input[i].name.n < 64 ? q->input[i].name.n : 64), q->input[i].name.text,
                        " beside those that are there");
            return 0;
        }
    if (q->names && way != x) return refuse(&s, "names: they are those of the columns of 'x', which is not there");
    if (to_learn) {
        s.label = tensor_find(q, "label");
        s.weight = tensor_find(q, "weight");
    }
    if (to_learn && !s.label && way != examples) return refuse(&s, "input 'label' is needed to learn");
    const char *crossings = reading_options(reading, NULL, to_learn).quadratic;
    if (way != examples && crossings && *crossings)
        return refuse(&s, "the model crosses features of lines (quadratic), which matrices are not: give 'examples'");
    if (!(way == examples ? lines : way == indptr ? sparse : dense)(&s, way, rows)) return 0;
    s.r->rows = s.rows;
    return 1;
}

int tensor_row_ids(const tensor_request *q, size_t rows, sluice_name **ids) {
    const row_source s = {.q = q, .r = q->request};
    const tensor *t = tensor_find(q, "id");
    *ids = NULL;
    if (!t) return 1;
    if (!is_vector(&s, t, rows)) return 0;
    return (*ids = tensor_texts(q, t)) != NULL;
}
