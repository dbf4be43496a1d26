/* Writes answers of the Open Inference Protocol. */
#include "serve/inference/tensor_answer.h"

#include "serve/inference/scratch.h"
#include "serve/plain_answers.h"

#include <stdlib.h>
#include <string.h>

int output_wanted(const tensor_request *q, const char *name, int by_default) {
    if (!q->names_outputs) return by_default ? q->binary_outputs : -1;
    for (size_t i = 0; i < q->outputs; i++)
        if (name_is(q->output[i].name, name)) return q->output[i].binary;
    return -1;
}

void tensor_answer_begin(tensor_answer *a, http_request *r, const char *model, uint64_t version, sluice_name id,
                         const uint64_t *saved) {
    *a = (tensor_answer){.request = r};
    text_buffer *to = &r->answer;
    text_char(to, '{');
    text_json_key(to, "model_name");
    text_json_string(to, model, strlen(model));
    put_version(to, "model_version", version);
    if (saved) put_version(to, "saved_version", *saved);
    if (id.text) {
        text_json_key(to, "id");
        text_json_string(to, id.text, id.n);
    }
    text_json_key(to, "outputs");
    text_char(to, '[');
}

static void begin_output(tensor_answer *a, const char *name, const char *type, size_t n, size_t columns) {
    text_buffer *to = &a->request->answer;
    if (a->any) text_char(to, ',');
    a->any = 1;
    text_put(to, "{\"name\":\"");
    text_put(to, name);
    text_put(to, "\",\"datatype\":\"");
    text_put(to, type);
    text_put(to, "\",\"shape\":[");
    text_count(to, n);
    if (columns) {
        text_char(to, ',');
        text_count(to, columns);
    }
    text_put(to, "],");
}

static void end_binary(tensor_answer *a, size_t before) {
    text_buffer *to = &a->request->answer;
    a->any_raw = 1;
    text_put(to, "\"parameters\":{\"binary_data_size\":");
    text_count(to, a->raw.n - before);
    text_put(to, "}}");
}

static void put_little(char *to, uint64_t x, size_t n) {
    for (size_t i = 0; i < n; i++) to[i] = (char)(x >> 8 * i);
}

void tensor_answer_doubles(tensor_answer *a, const char *name, int as, const double *x, size_t n, size_t columns) {
    const size_t all = columns ? n * columns : n, before = a->raw.n;
    text_buffer *to = &a->request->answer;
    if (as < 0) return;
    begin_output(a, name, "FP64", n, columns);
    if (as) {
        char *bytes = text_reserve(&a->raw, all * sizeof *x);
        for (size_t i = 0; bytes && i < all; i++) {
            uint64_t bits;
            memcpy(&bits, &x[i], sizeof bits);
            put_little(bytes + i * sizeof bits, bits, sizeof bits);
        }
        if (bytes) text_wrote(&a->raw, all * sizeof *x);
        end_binary(a, before);
        return;
    }
    text_put(to, "\"data\":[");
    for (size_t i = 0; i < all; i++) {
        if (i) text_char(to, ',');
        text_json_number(to, x[i]);
    }
    text_put(to, "]}");
}

void tensor_answer_wholes(tensor_answer *a, const char *name, int as, const int64_t *x, size_t n) {
    const size_t before = a->raw.n;
    text_buffer *to = &a->request->answer;
    if (as < 0) return;
    begin_output(a, name, "INT64", n, 0);
    if (as) {
        char *bytes = text_reserve(&a->raw, n * sizeof *x);
        for (size_t i = 0; bytes && i < n; i++) put_little(bytes + i * sizeof *x, (uint64_t)x[i], sizeof *x);
        if (bytes) text_wrote(&a->raw, n * sizeof *x);
        end_binary(a, before);
        return;
    }
    text_put(to, "\"data\":[");
    for (size_t i = 0; i < n; i++) {
        if (i) text_char(to, ',');
        if (x[i] < 0) text_char(to, '-');
        text_count(to, x[i] < 0 ? -(uint64_t)x[i] : (uint64_t)x[i]);
    }
    text_put(to, "]}");
}

void tensor_answer_texts(tensor_answer *a, const char *name, int as, const sluice_name *x, size_t n) {
    const size_t before = a->raw.n;
    text_buffer *to = &a->request->answer;
    if (as < 0) return;
    begin_output(a, name, "BYTES", n, 0);
    if (as) {
        for (size_t i = 0; i < n; i++) {
            char length[4];
            put_little(length, x[i].n, sizeof length);
            text_add(&a->raw, length, sizeof length);
            text_add(&a->raw, x[i].text, x[i].n);
        }
        end_binary(a, before);
        return;
    }
    text_put(to, "\"data\":[");
    for (size_t i = 0; i < n; i++) {
        if (i) text_char(to, ',');
        text_json_string(to, x[i].text, x[i].n);
    }
    text_put(to, "]}");
}

/* As it was learned, where results print it so that a terminal shows it. */
static sluice_name label_text(const snapshot *s, uint32_t label) {
    sluice_class c = {.size = sizeof c};
    if (label >= s->labels) return (sluice_name){"", 0};
    const size_t n = sluice_model_classes(s->model);
    if (n && sluice_model_class(s->model, label < n ? label : 0, &c) == SLUICE_OK) return c.text;
    return (sluice_name){s->label[label], s->label_n[label]};
}

int tensor_answer_labels(tensor_answer *a, const char *name, int as, const snapshot *s, const uint32_t *label,
                         size_t n) {
    int whole = s->whole_labels;
    if (as < 0) return 1;
    for (size_t i = 0; i < n && whole; i++) whole = label[i] < s->labels;
    if (whole) {
        int64_t *x = scratch_take(n + 1, sizeof *x);
        for (size_t i = 0; x && i < n; i++) x[i] = strtoll(s->label[label[i]], NULL, 10);
        if (x) tensor_answer_wholes(a, name, as, x, n);
        return x != NULL;
    }
    sluice_name *x = scratch_take(n + 1, sizeof *x);
    for (size_t i = 0; x && i < n; i++) x[i] = label_text(s, label[i]);
    if (x) tensor_answer_texts(a, name, as, x, n);
    return x != NULL;
}

const char *tensor_answer_end(tensor_answer *a) {
    text_buffer *to = &a->request->answer;
    text_put(to, "]}");
    if (a->any_raw) {
        add_count_header(a->request, "Inference-Header-Content-Length", to->n);
        text_add(to, a->raw.text, a->raw.n);
        to->failed |= a->raw.failed;
    }
    text_free(&a->raw);
    return a->any_raw ? "application/octet-stream" : JSON_TYPE;
}

void tensor_answer_drop(tensor_answer *a) { text_free(&a->raw); }
