/* export --to onnx: a graph for dense rows of floats, column j - 1 being feature j, which gives `label` and `margins`.
 *
 * Weights are floats and sums doubles, as in sluice. Two classes: one margin, that of the positive class. One against
 * one: the margins of the pairs m, [rows x pairs], times a matrix of signs, [pairs x classes], give the margins of the
 * classes, and whether they are above 0 times the same matrix, plus the pairs in which a class is the negative one, how
 * many pairs each class wins. */
#include "models/export/exported.h"

#include "models/class_numbers.h"
#include "models/export/onnx_message.h"
#include "output/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NUMBERS 100000000u

/* Numbers of onnx.proto3. */
enum { GRAPH_NAME = 2, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { MODEL_IR_VERSION = 1, MODEL_PRODUCER = 2, MODEL_PRODUCER_VERSION = 3, MODEL_GRAPH = 7, MODEL_OPSET = 8 };
enum { IR_VERSION = 7, OPSET = 13 };

static void node(text_buffer *g, const char *operator, const char * a, const char *b, const char *output) {
    onnx_node(g, operator,(const char *const[3]){a, b, NULL}, output, NULL, NULL);
}

static void node_with(text_buffer *g, const char *operator, const char * a, const char *output, const char *attributes,
                      int64_t first, int64_t second) {
    onnx_node(g, operator,(const char *const[3]){a, NULL, NULL}, output, attributes, (const int64_t[]){first, second});
}

static void put_doubles(text_buffer *g, const char *name, size_t rows, size_t columns, const double *x) {
    unsigned char *bytes = malloc(rows * (columns ? columns : 1) * 8 + 1);
    const size_t n = rows * (columns ? columns : 1);
    if (!bytes) {
        g->failed = 1;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        for (size_t k = 0; k < 8; k++) bytes[8 * i + k] = (unsigned char)(bits >> 8 * k);
    }
    onnx_tensor(g, name, ONNX_DOUBLE, (const size_t[]){rows, columns}, bytes, 8 * n);
    free(bytes);
}

static uint64_t width_of(const exported_model *e) { return e->largest ? e->largest : 1; }

/* The weights, [features x problems]. */
static void put_weights(text_buffer *g, const exported_model *e) {
    const size_t width = (size_t)width_of(e), n = width * e->problems;
    unsigned char *bytes = calloc(n + 1, 4);
    if (!bytes) {
        g->failed = 1;
        return;
    }
    for (size_t i = 0; i < e->n; i++)
        for (size_t k = e->feature[i].first; k < e->feature[i].first + e->feature[i].n; k++) {
            uint32_t bits;
            memcpy(&bits, &e->weight[k].weight, sizeof bits);
            unsigned char *to = bytes + 4 * ((size_t)(e->feature[i].number - 1) * e->problems + e->weight[k].problem);
            for (size_t b = 0; b < 4; b++) to[b] = (unsigned char)(bits >> 8 * b);
        }
    onnx_tensor(g, "weights", ONNX_FLOAT, (const size_t[]){width, e->problems}, bytes, 4 * n);
    free(bytes);
}

/* The labels as whole numbers where all are such, else as texts. */
static void put_labels(text_buffer *g, const exported_model *e, int ints) {
    sluice_name *text = calloc(e->classes + 1, sizeof *text);
    unsigned char *bytes = calloc(e->classes + 1, 8);
    for (size_t i = 0; text && bytes && i < e->classes; i++) {
        text[i] = model_class_label(e->model, i);
        const int64_t value = ints ? strtoll(text[i].text, NULL, 10) : 0;
        for (size_t k = 0; k < 8; k++) bytes[8 * i + k] = (unsigned char)((uint64_t)value >> 8 * k);
    }
    if (!text || !bytes)
        g->failed = 1;
    else if (ints)
        onnx_tensor(g, "labels", ONNX_INT64, (const size_t[]){e->classes, 0}, bytes, 8 * e->classes);
    else
        onnx_strings(g, "labels", text, e->classes);
    free(text);
    free(bytes);
}

static void decide_two(text_buffer *g, const exported_model *e) {
    put_doubles(g, "threshold", 1, 0, &e->threshold);
    onnx_tensor(g, "column", ONNX_INT64, (const size_t[]){1, 0}, "\1\0\0\0\0\0\0", 8);
    node(g, "Identity", "sums", NULL, "margins");
    node(g, "Squeeze", "margins", "column", "margin");
    node(g, e->ties_positive ? "GreaterOrEqual" : "Greater", "margin", "threshold", "is_positive");
    node_with(g, "Cast", "is_positive", "class", "to", ONNX_INT64, 0);
}

/* Signs of the classes in the pairs, and in how many pairs each is the negative one. */
static void put_pairs(text_buffer *g, const exported_model *e) {
    double *sign = calloc(e->problems * e->classes + 1, sizeof *sign),
           *negatives = calloc(e->classes + 1, sizeof *sign);
    for (size_t i = 0; sign && negatives && i < e->problems; i++) {
        uint32_t positive, negative;
        exported_problem(e, i, &positive, &negative);
        sign[i * e->classes + positive] = 1;
        sign[i * e->classes + negative] = -1;
        negatives[negative]++;
    }
    if (sign && negatives) {
        put_doubles(g, "signs", e->problems, e->classes, sign);
        put_doubles(g, "negatives", e->classes, 0, negatives);
    } else {
        g->failed = 1;
    }
    free(sign);
    free(negatives);
}

static void decide_pairs(text_buffer *g, const exported_model *e) {
    const double zero = 0, least = -INFINITY;
    put_pairs(g, e);
    put_doubles(g, "zero", 1, 0, &zero);
    put_doubles(g, "least", 1, 0, &least);
    node(g, "MatMul", "sums", "signs", "margins");
    node(g, "Greater", "sums", "zero", "is_won");
    node_with(g, "Cast", "is_won", "won", "to", ONNX_DOUBLE, 0);
    node(g, "MatMul", "won", "signs", "more_won");
    node(g, "Add", "more_won", "negatives", "wins");
    node_with(g, "ReduceMax", "wins", "most", "axes* keepdims", 1, 1);
    node(g, "Equal", "wins", "most", "has_most");
    onnx_node(g, "Where", (const char *const[3]){"has_most", "margins", "least"}, "best", NULL, NULL);
    node_with(g, "ArgMax", "best", "class", "axis keepdims", 1, 0);
}

static void put_graph(text_buffer *g, const exported_model *e) {
    const int ints = e->labels_are_ints;
    onnx_text(g, GRAPH_NAME, "sluice");
    onnx_value(g, GRAPH_INPUT, "features", ONNX_FLOAT, width_of(e));
    onnx_value(g, GRAPH_OUTPUT, "label", ints ? ONNX_INT64 : ONNX_STRING, 0);
    onnx_value(g, GRAPH_OUTPUT, "margins", ONNX_DOUBLE, e->settings->classes ? e->classes : 1);
    put_weights(g, e);
    put_doubles(g, "constants", e->problems, 0, e->constant);
    put_labels(g, e, ints);
    node_with(g, "Cast", "features", "values", "to", ONNX_DOUBLE, 0);
    node_with(g, "Cast", "weights", "exact_weights", "to", ONNX_DOUBLE, 0);
    node(g, "MatMul", "values", "exact_weights", "products");
    node(g, "Add", "products", "constants", "sums");
    if (e->settings->classes == SLUICE_CLASSES_OVO) {
        decide_pairs(g, e);
    } else if (e->settings->classes) {
        node(g, "Identity", "sums", NULL, "margins");
        node_with(g, "ArgMax", "margins", "class", "axis keepdims", 1, 0);
    } else {
        decide_two(g, e);
    }
    node(g, "Gather", "labels", "class", "label");
}

static int check(exported_model *e) {
    if (e->n && e->feature[0].number == 0) {
        complain("the columns of ONNX rows are the features from 1 on, and the model has one of id 0");
        return FAILED;
    }
    if (!e->problems || width_of(e) > MAX_NUMBERS / e->problems) {
        complain("ONNX rows have a column for every id up to the largest, here %" PRIu64
                 ": the weights would be more than %u numbers; --to c, json and tsv have room for ids of any size",
                 e->largest, MAX_NUMBERS);
        return FAILED;
    }
    text_buffer graph = {0}, opset = {0};
    put_graph(&graph, e);
    onnx_number(&e->built, MODEL_IR_VERSION, IR_VERSION);
    onnx_text(&e->built, MODEL_PRODUCER, "sluice");
    onnx_text(&e->built, MODEL_PRODUCER_VERSION, sluice_version());
    onnx_message(&e->built, MODEL_GRAPH, &graph);
    onnx_text(&opset, 1, "");
    onnx_number(&opset, 2, OPSET);
    onnx_message(&e->built, MODEL_OPSET, &opset);
    return e->built.failed ? out_of_memory() : DONE;
}

static void write(FILE *out, const exported_model *e) { fwrite(e->built.text, 1, e->built.n, out); }

const export_format export_onnx = {
    .name = "onnx", .what = "an ONNX graph", .check = check, .write = write, .numbers_features = 1};
