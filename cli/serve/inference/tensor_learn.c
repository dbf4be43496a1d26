/* POST .../learn and .../label: rows that come as tensors are learned; rows that were predicted get their labels. */
#include "serve/inference/scratch.h"
#include "serve/inference/tensor_answer.h"
#include "serve/inference/tensor_rows.h"
#include "serve/learning.h"
#include "serve/plain_answers.h"
#include "serve/remembering.h"
#include "serve/serving.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *put_learned(learning *l, const snapshot *s) {
    const size_t rows = sluice_batch_rows(l->job.batch);
    tensor_answer a;
    scratch_begin(); /* that of the thread that learns */
    uint32_t *label = scratch_take(rows + 1, sizeof *label);
    for (size_t i = 0; label && i < rows; i++) {
        const answered is = learning_answered(l, s, i);
        if (is.none)
            label[i] = SLUICE_NO_CLASS;
        else if (is.classes)
            label[i] = is.best[0];
        else
            label[i] = is.label == ANSWER_NO_LABEL ? SLUICE_NO_CLASS : (uint32_t)is.label;
    }
    tensor_answer_begin(&a, l->request, served_name(l->model), l->job.new_version, l->id, &l->job.saved_version);
    tensor_answer_doubles(&a, "margin", l->with_margins, l->margins, rows, 0);
    if (!label || !tensor_answer_labels(&a, "label", l->with_labels, s, label, rows)) l->request->answer.failed = 1;
    return tensor_answer_end(&a);
}

void handle_model_learn(void *context, http_request *r) {
    served_model *m = serving_choose(context, r, r->segment[0]);
    tensor_request q;
    scratch_begin();
    if (!m || !tensor_request_read(&q, r)) return;
    for (size_t i = 0; i < q.outputs; i++)
        if (!name_is(q.output[i].name, "margin") && !name_is(q.output[i].name, "label")) {
            http_refuse(r, 400, "output '%.*s': learning has margin and label",
                        (int)(q.output[i].name.n < 64 ? q.output[i].name.n : 64), q.output[i].name.text);
            return;
        }
    learning *l = learning_new(r, m, put_learned);
    if (!l) return;
    l->id = q.id;
    l->with_margins = output_wanted(&q, "margin", 1);
    l->with_labels = output_wanted(&q, "label", 1);
    if (tensor_rows(&q, served_reading(m), 1, &l->rows))
        learning_begin(l);
    else
        learning_drop(l);
}

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static void put_results(text_buffer *to, const labels_done *done) {
    text_put(to, "{\"name\":\"result\",\"datatype\":\"BYTES\",\"shape\":[");
    text_count(to, done->n);
    text_put(to, "],\"data\":[");
    for (size_t i = 0; i < done->n; i++) {
        const char *result = labelled_text(&done->label[i]);
        if (i) text_char(to, ',');
        text_json_string(to, result, strlen(result));
    }
    text_put(to, "]},{\"name\":\"margin\",\"datatype\":\"FP64\",\"shape\":[");
    text_count(to, done->n);
    text_put(to, "],\"data\":[");
    for (size_t i = 0; i < done->n; i++) {
        if (i) text_char(to, ',');
        text_json_number(to, done->label[i].margin);
    }
    text_put(to, "]}");
}

/* Where none of several was learned the answer is an error that still says what has become of each. */
static const char *put_labelled(http_request *r, served_model *m, const labels_done *done, unsigned *status) {
    text_buffer *to = &r->answer;
    *status = status_of_labels(done);
    text_char(to, '{');
    if (*status != 200) {
        const labelled *first = done->label;
        char why[512];
        snprintf(why, sizeof why, "the label of '%.*s': %s", (int)(first->id.n < 64 ? first->id.n : 64), first->id.text,
                 labelled_why(first));
        if (done->n == 1) {
            http_refuse(r, *status, "%s", why);
            return NULL;
        }
        text_json_key(to, "error");
        text_json_string(to, why, strlen(why));
    }
    text_json_key(to, "model_name");
    text_json_string(to, served_name(m), strlen(served_name(m)));
    if (done->version) {
        put_version(to, "model_version", done->version);
        put_version(to, "saved_version", done->saved);
    }
    text_json_key(to, "outputs");
    text_char(to, '[');
    put_results(to, done);
    text_put(to, "]}");
    if (*status == 429 || *status == 503) http_add_header(r, "Retry-After", "1");
    return JSON_TYPE;
}

/* The ids and labels of the request: of one or, as tensors, of many. 0 after refusing. */
static int read_labels(tensor_request *q, sluice_name **ids, sluice_name **labels, size_t *n) {
    const tensor *id = tensor_find(q, "id"), *label = tensor_find(q, "label");
    *n = 1;
    if (q->label.text && q->id.text && !q->inputs) {
        *ids = &q->id;
        *labels = &q->label;
        return 1;
    }
    if (!id || !label || q->inputs != 2 || id->elements != label->elements) {
        http_refuse(q->request, 400,
                    "a label is {\"id\": \"...\", \"label\": \"...\"}, or many are the inputs 'id' and "
                    "'label', BYTES of the same shape");
        return 0;
    }
    *n = id->elements;
    return (*ids = tensor_texts(q, id)) && (*labels = tensor_texts(q, label));
}

void handle_model_label(void *context, http_request *r) {
    const serving *server = context;
    served_model *m = serving_choose(server, r, r->segment[0]);
    tensor_request q;
    sluice_name *ids, *labels;
    size_t n;
    scratch_begin();
    if (!m || !can_remember(server, r)) return;
    if (served_cannot_learn(m)) {
        refuse_to_queue(r, m);
        return;
    }
    if (!tensor_request_read(&q, r) || !read_labels(&q, &ids, &labels, &n)) return;
    labelling *l = labelling_new(r, m, server->labels, n, put_labelled);
    if (!l) return;
    for (size_t i = 0; i < n; i++) labelling_take(l, ids[i], labels[i]);
    labelling_wait(l);
}
