/* Reads the elements of tensors, from JSON and from bytes. */
#include "serve/inference/scratch.h"
#include "serve/inference/tensor_request.h"
#include "serve/plain_answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* One element, as it stands in the request. */
typedef enum element_kind { ELEMENT_REAL, ELEMENT_WHOLE, ELEMENT_COUNT, ELEMENT_TEXT } element_kind;

typedef struct element {
    element_kind kind; /* COUNT: a whole number that is too large for a signed one */
    double real;
    int64_t whole;
    uint64_t count;
    sluice_name text;
} element;

/* Takes the i-th element; returns NULL, or what it has to be. */
typedef const char *(*take_element)(void *to, size_t i, const element *e);

static int refuse_tensor(const tensor_request *q, const tensor *t, const char *what) {
    http_refuse(q->request, 400, "input '%.*s': %s", (int)(t->name.n < 64 ? t->name.n : 64), t->name.text, what);
    return 0;
}

static int refuse_element(const tensor_request *q, const tensor *t, size_t i, const char *should) {
    http_refuse(q->request, 400, "input '%.*s', element %zu of its data: it has to be %s",
                (int)(t->name.n < 64 ? t->name.n : 64), t->name.text, i + 1, should);
    return 0;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* What elements of the type have to be; NULL: this one is. */
static const char *from_json(tensor_type type, const sluice_json *j, element *e) {
    static const struct {
        int64_t min;
        uint64_t max;
    } range[] = {[TENSOR_UINT8] = {0, UINT8_MAX},         [TENSOR_UINT16] = {0, UINT16_MAX},
                 [TENSOR_UINT32] = {0, UINT32_MAX},       [TENSOR_UINT64] = {0, UINT64_MAX},
                 [TENSOR_INT8] = {INT8_MIN, INT8_MAX},    [TENSOR_INT16] = {INT16_MIN, INT16_MAX},
                 [TENSOR_INT32] = {INT32_MIN, INT32_MAX}, [TENSOR_INT64] = {INT64_MIN, INT64_MAX}};
    switch (type) {
    case TENSOR_BOOL:
        if (j->token != SLUICE_JSON_TRUE && j->token != SLUICE_JSON_FALSE) return "true or false";
        *e = (element){.kind = ELEMENT_WHOLE, .whole = j->token == SLUICE_JSON_TRUE};
        return NULL;
    case TENSOR_BYTES:
        if (j->token != SLUICE_JSON_STRING) return "a string";
        *e = (element){.kind = ELEMENT_TEXT, .text = {j->text, j->n}};
        return NULL;
    case TENSOR_FP16:
    case TENSOR_FP32:
    case TENSOR_FP64:
        e->kind = ELEMENT_REAL;
        if (j->token != SLUICE_JSON_NUMBER) return "a number";
        if (type == TENSOR_FP64) return sluice_json_double(j, &e->real) ? NULL : "a number in the range of FP64";
        float f;
        if (!sluice_json_float(j, &f)) return "a number in the range of FP32";
        e->real = (double)f;
        return NULL;
    default:
        break;
    }
    if (j->token != SLUICE_JSON_NUMBER) return "a whole number";
    if (sluice_json_int64(j, &e->whole))
        e->kind = ELEMENT_WHOLE;
    else if (sluice_json_uint64(j, &e->count))
        e->kind = ELEMENT_COUNT;
    else
        return "a whole number in the range of its datatype";
    const int fits = e->kind == ELEMENT_COUNT
                         ? e->count <= range[type].max
                         : e->whole >= range[type].min && (e->whole < 0 || (uint64_t)e->whole <= range[type].max);
    return fits ? NULL : "a whole number in the range of its datatype";
}

/* Where in nested lists the reader is. */
typedef struct nesting {
    size_t depth, at[DIMENSIONS_MOST + 1]; /* of each list that is open: elements so far */
    size_t leaves;                         /* the depth of the elements; 0: there was none yet */
} nesting;

static int open_list(const tensor_request *q, const tensor *t, nesting *n) {
    if (n->depth) n->at[n->depth]++;
    if (n->depth == t->dimensions || (n->leaves && n->depth >= n->leaves))
        return refuse_tensor(q, t, "its data are nested otherwise than its shape says");
    n->at[++n->depth] = 0;
    return 1;
}

/* Lists are as long as the shape says, unless there is one flat list of all. */
static int close_list(const tensor_request *q, const tensor *t, nesting *n) {
    const int flat = n->depth == 1 && n->leaves <= 1;
    if (!flat && n->at[n->depth] != t->shape[n->depth - 1])
        return refuse_tensor(q, t, "its data are nested otherwise than its shape says");
    n->depth--;
    return 1;
}

static int each_of_json(const tensor_request *q, const tensor *t, take_element take, void *to) {
    sluice_json j;
    sluice_error err = {0};
    nesting n = {0};
    size_t i = 0;
    sluice_json_begin(&j, t->data, t->data_n);
    if (sluice_json_next(&j) != SLUICE_JSON_ARRAY) return refuse_tensor(q, t, "its data have to be a list");
    if (!open_list(q, t, &n)) return 0;
    while (n.depth) {
        element e;
        const sluice_json_token token = sluice_json_next(&j);
        if (token == SLUICE_JSON_WRONG) { /* the text was checked before: only strings can be wrong */
            sluice_json_problem(&j, &err);
            return refuse_tensor(q, t, err.message);
        }
        if (token == SLUICE_JSON_ARRAY_END) {
            if (!close_list(q, t, &n)) return 0;
            continue;
        }
        if (token == SLUICE_JSON_ARRAY) {
            if (!open_list(q, t, &n)) return 0;
            continue;
        }
        if (i == t->elements) return refuse_tensor(q, t, "it has more data than its shape says");
        if (!n.leaves) n.leaves = n.depth;
        if (n.leaves != n.depth || (n.leaves > 1 && n.leaves != t->dimensions))
            return refuse_tensor(q, t, "its data are nested otherwise than its shape says");
        const char *should = from_json(t->type, &j, &e);
        if (!should) should = take(to, i, &e);
        if (should) return refuse_element(q, t, i, should);
        n.at[n.depth]++;
        i++;
    }
    return i == t->elements || refuse_tensor(q, t, "it has fewer data than its shape says");
}

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static double from_half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
                        : exponent == 0 ? ldexp(fraction, -24)
                                        : ldexp(fraction + 1024, exponent - 25);
    return h >> 15 ? -size : size;
}

static void from_bytes(tensor_type type, const char *p, element *e) {
    uint64_t u = 0;
    float f;
    *e = (element){.kind = ELEMENT_WHOLE};
    static const unsigned char sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
    for (unsigned i = 0; i < sizes[type]; i++) u |= (uint64_t)(unsigned char)p[i] << 8 * i;
    switch (type) {
    case TENSOR_BOOL:
        e->whole = u != 0;
        break;
    case TENSOR_INT8:
        e->whole = (int8_t)u;
        break;
    case TENSOR_INT16:
        e->whole = (int16_t)u;
        break;
    case TENSOR_INT32:
        e->whole = (int32_t)u;
        break;
    case TENSOR_INT64:
        e->whole = (int64_t)u;
        break;
    case TENSOR_UINT64:
        if (u > INT64_MAX) e->kind = ELEMENT_COUNT, e->count = u;
        e->whole = (int64_t)u;
        break;
    case TENSOR_FP16:
        e->kind = ELEMENT_REAL, e->real = from_half((uint16_t)u);
        break;
    case TENSOR_FP32: {
        const uint32_t bits = (uint32_t)u;
        memcpy(&f, &bits, sizeof f);
        e->kind = ELEMENT_REAL, e->real = (double)f;
        break;
    }
    case TENSOR_FP64:
        e->kind = ELEMENT_REAL, memcpy(&e->real, &u, sizeof u);
        break;
    default:
        e->whole = (int64_t)u;
        break;
    }
}

/* BYTES: each with its length before it, in four bytes. */
static int each_text(const tensor_request *q, const tensor *t, take_element take, void *to) {
    const char *p = t->data, *end = p + t->data_n;
    for (size_t i = 0; i < t->elements; i++) {
        element n, e = {.kind = ELEMENT_TEXT};
        if (end - p < 4) return refuse_tensor(q, t, "its bytes end within an element");
        from_bytes(TENSOR_UINT32, p, &n);
        p += 4;
        if (n.whole > end - p) return refuse_tensor(q, t, "its bytes end within an element");
        e.text = (sluice_name){p, (size_t)n.whole};
        p += n.whole;
        const char *should = take(to, i, &e);
        if (should) return refuse_element(q, t, i, should);
    }
    return p == end || refuse_tensor(q, t, "it has more data than its shape says");
}

static int each(const tensor_request *q, const tensor *t, take_element take, void *to) {
    if (!t->is_binary) return each_of_json(q, t, take, to);
    if (t->type == TENSOR_BYTES) return each_text(q, t, take, to);
    const size_t size = t->elements ? t->data_n / t->elements : 0;
    for (size_t i = 0; i < t->elements; i++) {
        element e;
        from_bytes(t->type, t->data + i * size, &e);
        const char *should = take(to, i, &e);
        if (should) return refuse_element(q, t, i, should);
    }
    return 1;
}

/* ---- what is made of them ---------------------------------------------------------------------------------------- */

static double real_of(const element *e) {
    return e->kind == ELEMENT_REAL ? e->real : e->kind == ELEMENT_WHOLE ? (double)e->whole : (double)e->count;
}

static const char *take_float(void *to, size_t i, const element *e) {
    if (e->kind == ELEMENT_TEXT) return "a number";
    const float f = (float)real_of(e);
    if (!isfinite(f)) return "a finite number in the range of FP32";
    ((float *)to)[i] = f;
    return NULL;
}

static const char *take_double(void *to, size_t i, const element *e) {
    if (e->kind == ELEMENT_TEXT) return "a number";
    const double x = real_of(e);
    if (!isfinite(x)) return "a finite number";
    ((double *)to)[i] = x;
    return NULL;
}

static const char *take_count(void *to, size_t i, const element *e) {
    if (e->kind != ELEMENT_COUNT && (e->kind != ELEMENT_WHOLE || e->whole < 0)) return "a whole number, not negative";
    ((uint64_t *)to)[i] = e->kind == ELEMENT_COUNT ? e->count : (uint64_t)e->whole;
    return NULL;
}

static const char *take_whole(void *to, size_t i, const element *e) {
    if (e->kind != ELEMENT_WHOLE) return "a whole number in the range of INT64";
    ((int64_t *)to)[i] = e->whole;
    return NULL;
}

static const char *take_text(void *to, size_t i, const element *e) {
    if (e->kind != ELEMENT_TEXT) return "a string (datatype BYTES)";
    ((sluice_name *)to)[i] = e->text;
    return NULL;
}

static void *read_elements(const tensor_request *q, const tensor *t, size_t size, take_element take) {
    void *to = scratch_take(t->elements + 1, size);
    if (!to) {
        http_refuse(q->request, 503, "out of memory");
        return NULL;
    }
    return each(q, t, take, to) ? to : NULL;
}

float *tensor_floats(const tensor_request *q, const tensor *t) {
    return read_elements(q, t, sizeof(float), take_float);
}

double *tensor_doubles(const tensor_request *q, const tensor *t) {
    return read_elements(q, t, sizeof(double), take_double);
}

uint64_t *tensor_counts(const tensor_request *q, const tensor *t) {
    return read_elements(q, t, sizeof(uint64_t), take_count);
}

int64_t *tensor_wholes(const tensor_request *q, const tensor *t) {
    return read_elements(q, t, sizeof(int64_t), take_whole);
}

sluice_name *tensor_texts(const tensor_request *q, const tensor *t) {
    return read_elements(q, t, sizeof(sluice_name), take_text);
}

sluice_name *json_texts(const tensor_request *q, const char *what, char *text, size_t text_n, size_t *n) {
    /* each takes two quotes and, but for the last, a comma */
    sluice_name *to = scratch_take(text_n / 3 + 1, sizeof *to);
    sluice_json j;
    *n = 0;
    sluice_json_begin(&j, text, text_n);
    int fine = to && sluice_json_next(&j) == SLUICE_JSON_ARRAY;
    while (fine && sluice_json_next(&j) == SLUICE_JSON_STRING) to[(*n)++] = (sluice_name){j.text, j.n};
    if (fine && j.token == SLUICE_JSON_ARRAY_END) return to;
    http_refuse(q->request, to ? 400 : 503, "%s %s", what, to ? "has to be a list of strings" : ": out of memory");
    return NULL;
}
