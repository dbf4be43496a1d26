/* Reads requests of the Open Inference Protocol. */
#include "serve/inference/tensor_request.h"

#include "args/args.h"
#include "serve/plain_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned size; /* 0: it varies */
} types[TENSOR_TYPES] = {{"BOOL", 1}, {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8},
                         {"INT8", 1}, {"INT16", 2}, {"INT32", 4},  {"INT64", 8},  {"FP16", 2},
                         {"FP32", 4}, {"FP64", 8},  {"BYTES", 0}};

const char *tensor_type_name(tensor_type type) { return types[type].name; }

int name_is(sluice_name name, const char *text) {
    return name.n == strlen(text) && memcmp(name.text, text, name.n) == 0;
}

const tensor *tensor_find(const tensor_request *q, const char *name) {
    for (size_t i = 0; i < q->inputs; i++)
        if (name_is(q->input[i].name, name)) return &q->input[i];
    return NULL;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

typedef struct reading {
    sluice_json json;
    tensor_request *q;
    http_request *r;
    int refused;
    size_t binary; /* bytes behind the JSON, */
    char *behind;  /* which begin here */
} reading;

/* The name as it can stand in a message. */
#define SHOWN(name) (int)((name).n < 64 ? (name).n : 64), (name).text

static int refuse_json(reading *in) {
    sluice_error err = {0};
    if (in->refused) return 0;
    in->refused = 1;
    sluice_json_problem(&in->json, &err);
    refuse_error(in->r, &err);
    return 0;
}

static int refuse(reading *in, const char *what, const char *should) {
    if (in->refused) return 0;
    if (in->json.token == SLUICE_JSON_WRONG) return refuse_json(in);
    in->refused = 1;
    http_refuse(in->r, 400, "%s has to be %s", what, should);
    return 0;
}

static int next(reading *in) { return sluice_json_next(&in->json) != SLUICE_JSON_WRONG || refuse_json(in); }

static int skip(reading *in) { return sluice_json_skip(&in->json) || refuse_json(in); }

static sluice_name text_of(const reading *in) { return (sluice_name){in->json.text, in->json.n}; }

static int is_bracket(reading *in, sluice_json_token bracket, const char *what) {
    return in->json.token == bracket || refuse(in, what, bracket == SLUICE_JSON_OBJECT ? "an object" : "a list");
}

/* Moves on to the value, an object or array. */
static int enter(reading *in, sluice_json_token bracket, const char *what) {
    return next(in) && is_bracket(in, bracket, what);
}

/* The same of a member that may be missing. Some clients write null then: 0, and nothing is refused. */
static int enter_if_any(reading *in, sluice_json_token bracket, const char *what) {
    return next(in) && in->json.token != SLUICE_JSON_NULL && is_bracket(in, bracket, what);
}

static int read_string(reading *in, const char *what, sluice_name *text) {
    if (!next(in)) return 0;
    if (in->json.token != SLUICE_JSON_STRING) return refuse(in, what, "a string");
    *text = text_of(in);
    return 1;
}

/* A string that goes on as one of C. */
static int read_word(reading *in, const char *what, const char **word) {
    sluice_name text = {NULL, 0};
    if (!read_string(in, what, &text)) return 0;
    if (memchr(text.text, 0, text.n)) return refuse(in, what, "a string without the character 0");
    in->json.text[text.n] = 0; /* where the quote stood, or before it */
    *word = text.text;
    return 1;
}

static int read_truth(reading *in, const char *what, int *truth) {
    if (!next(in)) return 0;
    *truth = in->json.token == SLUICE_JSON_TRUE;
    return *truth || in->json.token == SLUICE_JSON_FALSE || refuse(in, what, "true or false");
}

static int read_count(reading *in, const char *what, uint64_t *n) {
    if (!next(in)) return 0;
    return (in->json.token == SLUICE_JSON_NUMBER && json_whole(&in->json, n)) ||
           refuse(in, what, "a whole number, not negative");
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static int read_shape(reading *in, tensor *t) {
    if (!enter(in, SLUICE_JSON_ARRAY, "shape")) return 0;
    for (t->dimensions = 0; next(in) && in->json.token != SLUICE_JSON_ARRAY_END; t->dimensions++) {
        uint64_t n;
        if (t->dimensions == DIMENSIONS_MOST) return refuse(in, "shape", "of at most 4 dimensions");
        if (in->json.token != SLUICE_JSON_NUMBER || !json_whole(&in->json, &n))
            return refuse(in, "shape", "whole numbers, not negative");
        t->shape[t->dimensions] = (size_t)n;
    }
    return !in->refused && (t->dimensions || refuse(in, "shape", "of at least one dimension"));
}

static int read_type(reading *in, tensor *t) {
    sluice_name name = {NULL, 0};
    if (!read_string(in, "datatype", &name)) return 0;
    for (t->type = 0; t->type < TENSOR_TYPES && !name_is(name, types[t->type].name);) t->type++;
    if (t->type < TENSOR_TYPES) return 1;
    in->refused = 1;
    http_refuse(in->r, 400,
                "datatype '%.*s': it has to be BOOL, UINT8, UINT16, UINT32, UINT64, INT8, INT16, INT32, INT64, FP16, "
                "FP32, FP64 or BYTES",
                SHOWN(name));
    return 0;
}

/* Behind a key: an object of parameters. `take` is asked for each; it returns 0 after refusing. */
static int read_parameters(reading *in, int (*take)(reading *in, sluice_name key, void *context), void *context) {
    if (!enter_if_any(in, SLUICE_JSON_OBJECT, "parameters")) return !in->refused;
    while (next(in) && in->json.token == SLUICE_JSON_KEY)
        if (!take(in, text_of(in), context)) return 0;
    return !in->refused;
}

typedef struct input_facts {
    tensor *t;
    uint64_t binary_size;
    int has_size, has_type, has_shape, has_name;
} input_facts;

static int take_input_parameter(reading *in, sluice_name key, void *context) {
    input_facts *f = context;
    if (!name_is(key, "binary_data_size")) return skip(in);
    f->has_size = 1;
    return read_count(in, "binary_data_size", &f->binary_size);
}

static int refuse_input(reading *in, const tensor *t, const char *what) {
    if (!in->refused) http_refuse(in->r, 400, "input '%.*s': %s", SHOWN(t->name), what);
    in->refused = 1;
    return 0;
}

/* How many elements there are. The shape is not larger than what the body can hold. */
static int count_elements(reading *in, tensor *t) {
    t->elements = 1;
    for (size_t i = 0; i < t->dimensions; i++)
        if (__builtin_mul_overflow(t->elements, t->shape[i], &t->elements)) t->elements = SIZE_MAX;
    if (t->elements <= in->r->body_n) return 1;
    return refuse_input(in, t, "it has fewer data than its shape says");
}

static int take_binary(reading *in, tensor *t, uint64_t size) {
    if (size > in->binary) return refuse_input(in, t, "binary_data_size: there are fewer bytes behind the JSON");
    t->is_binary = 1;
    t->data = in->behind;
    t->data_n = (size_t)size;
    in->behind += size;
    in->binary -= (size_t)size;
    const unsigned each = types[t->type].size;
    if (each && t->elements * each != size) /* elements are at most the body's bytes: no overflow */
        return refuse_input(in, t, "binary_data_size is not what its shape and datatype say");
    return 1;
}

static int finish_input(reading *in, const input_facts *f) {
    tensor *t = f->t;
    const char *missing = !f->has_name ? "a name" : !f->has_type ? "a datatype" : !f->has_shape ? "a shape" : NULL;
    if (missing) {
        in->refused = 1;
        http_refuse(in->r, 400, "input %zu has not got %s", in->q->inputs + 1, missing);
        return 0;
    }
    for (size_t i = 0; i < in->q->inputs; i++)
        if (in->q->input[i].name.n == t->name.n && !memcmp(in->q->input[i].name.text, t->name.text, t->name.n))
            return refuse_input(in, t, "there are two of this name");
    if (!count_elements(in, t)) return 0;
    if (f->has_size && t->data) return refuse_input(in, t, "it has both data and binary_data_size");
    if (f->has_size && !take_binary(in, t, f->binary_size)) return 0;
    if (!t->data) return refuse_input(in, t, "it has no data");
    in->q->inputs++;
    return 1;
}

static int read_input(reading *in) {
    if (in->json.token != SLUICE_JSON_OBJECT) return refuse(in, "an input", "an object");
    if (in->q->inputs == TENSORS_MOST) return refuse(in, "the number of inputs", "at most 16");
    input_facts f = {.t = &in->q->input[in->q->inputs]};
    *f.t = (tensor){.type = TENSOR_TYPES};
    while (next(in) && in->json.token == SLUICE_JSON_KEY) {
        const sluice_name key = text_of(in);
        int fine;
        if (name_is(key, "name"))
            fine = f.has_name = read_string(in, "the name of an input", &f.t->name);
        else if (name_is(key, "datatype"))
            fine = f.has_type = read_type(in, f.t);
        else if (name_is(key, "shape"))
            fine = f.has_shape = read_shape(in, f.t);
        else if (name_is(key, "parameters"))
            fine = read_parameters(in, take_input_parameter, &f);
        else if ((fine = skip(in)) && name_is(key, "data") && !name_is(text_of(in), "null"))
            f.t->data = in->json.text, f.t->data_n = in->json.n;
        if (!fine) return 0;
    }
    return !in->refused && finish_input(in, &f);
}

static int read_inputs(reading *in) {
    if (in->q->inputs) return refuse(in, "inputs", "there once");
    if (!enter(in, SLUICE_JSON_ARRAY, "inputs")) return 0;
    while (next(in) && in->json.token != SLUICE_JSON_ARRAY_END)
        if (!read_input(in)) return 0;
    return !in->refused;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

static int take_output_parameter(reading *in, sluice_name key, void *context) {
    wanted_output *o = context;
    if (name_is(key, "binary_data")) return read_truth(in, "binary_data", &o->binary);
    return skip(in);
}

static int read_output(reading *in) {
    tensor_request *q = in->q;
    if (in->json.token != SLUICE_JSON_OBJECT) return refuse(in, "an output", "an object");
    if (q->outputs == TENSORS_MOST) return refuse(in, "the number of outputs", "at most 16");
    wanted_output *o = &q->output[q->outputs];
    *o = (wanted_output){.binary = -1};
    while (next(in) && in->json.token == SLUICE_JSON_KEY) {
        const sluice_name key = text_of(in);
        const int fine = name_is(key, "name")         ? read_string(in, "the name of an output", &o->name)
                         : name_is(key, "parameters") ? read_parameters(in, take_output_parameter, o)
                                                      : skip(in);
        if (!fine) return 0;
    }
    if (in->refused) return 0;
    if (!o->name.text) return refuse(in, "the name of an output", "there");
    for (size_t i = 0; i < q->outputs; i++)
        if (q->output[i].name.n == o->name.n && !memcmp(q->output[i].name.text, o->name.text, o->name.n)) {
            http_refuse(in->r, 400, "the output '%.*s' is asked for twice", SHOWN(o->name));
            in->refused = 1;
            return 0;
        }
    q->outputs++;
    return 1;
}

static int read_outputs(reading *in) {
    if (in->q->names_outputs) return refuse(in, "outputs", "there once");
    if (!enter_if_any(in, SLUICE_JSON_ARRAY, "outputs")) return !in->refused;
    while (next(in) && in->json.token != SLUICE_JSON_ARRAY_END)
        if (!read_output(in)) return 0;
    in->q->names_outputs = in->q->outputs != 0; /* an empty list is as none */
    return !in->refused;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int read_format(reading *in, const char **format) {
    if (!read_word(in, "format", format)) return 0;
    in->refused = !format_has_lines(in->r, *format);
    return !in->refused;
}

static int take_parameter(reading *in, sluice_name key, void *context) {
    tensor_request *q = context;
    if (name_is(key, "binary_data_output")) return read_truth(in, "binary_data_output", &q->binary_outputs);
    if (name_is(key, "format")) return read_format(in, &q->format);
    if (name_is(key, "explain")) return read_count(in, "explain", &q->explain);
    if (name_is(key, "remember")) return read_truth(in, "remember", &q->remember);
    if (!skip(in)) return 0;
    if (name_is(key, "names")) q->names = in->json.text, q->names_n = in->json.n;
    return 1;
}

static int read_id(reading *in, sluice_name *id) {
    if (!next(in)) return 0;
    if (in->json.token == SLUICE_JSON_STRING) *id = text_of(in);
    return in->json.token == SLUICE_JSON_STRING || in->json.token == SLUICE_JSON_NULL || refuse(in, "id", "a string");
}

/* A label alone may be a number or a truth: it stands for the text that it is written as. */
static int read_label(reading *in, sluice_name *label) {
    if (!next(in)) return 0;
    const sluice_json_token t = in->json.token;
    if (t != SLUICE_JSON_STRING && t != SLUICE_JSON_NUMBER && t != SLUICE_JSON_TRUE && t != SLUICE_JSON_FALSE)
        return refuse(in, "label", "a string, a number, true or false");
    *label = text_of(in);
    return 1;
}

static int read_member(reading *in) {
    tensor_request *q = in->q;
    const sluice_name key = text_of(in);
    if (name_is(key, "id")) return read_id(in, &q->id);
    if (name_is(key, "label")) return read_label(in, &q->label);
    if (name_is(key, "inputs")) return read_inputs(in);
    if (name_is(key, "outputs")) return read_outputs(in);
    if (name_is(key, "parameters")) return read_parameters(in, take_parameter, q);
    return skip(in);
}

/* How much of the body is JSON. 0 after refusing. */
static int find_end(http_request *r, size_t *json_n) {
    const char *header = http_header(r, "Inference-Header-Content-Length");
    uint64_t n = r->body_n;
    if (header && !parse_count(header, 0, r->body_n, &n)) {
        http_refuse(r, 400, "Inference-Header-Content-Length: %.32s: the body has %zu bytes", header, r->body_n);
        return 0;
    }
    *json_n = (size_t)n;
    return 1;
}

int tensor_request_read(tensor_request *q, http_request *r) {
    size_t json_n;
    reading in = {.q = q, .r = r};
    q->request = r;
    q->id = q->label = (sluice_name){NULL, 0};
    q->inputs = q->outputs = q->names_n = 0;
    q->names_outputs = q->binary_outputs = q->remember = 0;
    q->format = NULL;
    q->names = NULL;
    q->explain = 0;
    if (!find_end(r, &json_n)) return 0;
    in.behind = r->body + json_n;
    in.binary = r->body_n - json_n;
    sluice_json_begin(&in.json, r->body, json_n);
    if (!enter(&in, SLUICE_JSON_OBJECT, "the body")) return 0;
    while (next(&in) && in.json.token == SLUICE_JSON_KEY)
        if (!read_member(&in)) return 0;
    if (in.refused || !next(&in)) return 0;
    for (size_t i = 0; i < q->outputs; i++)
        if (q->output[i].binary < 0) q->output[i].binary = q->binary_outputs;
    if (!in.binary) return 1;
    http_refuse(r, 400, "%zu bytes behind the JSON belong to no input", in.binary);
    return 0;
}
