/* POST /predict: lines of any format, a line of answer for each. */
#include "serve/plain/line_request.h"
#include "serve/remembering.h"
#include "serve/plain_answers.h"
#include "serve/model/row_predictions.h"

#include <inttypes.h>
#include <string.h>

/* What only predicting takes. 0 after refusing. */
static int read_parameters(http_request *r, line_request *q) {
    return query_truth(r, "proba", &q->form.proba) && query_count(r, "explain", 1, SIZE_MAX, &q->form.explain) &&
           query_count(r, "top-classes", 1, SLUICE_MAX_MATRIX_CLASSES, &q->form.top_classes);
}

/* What this model cannot say. 0 after refusing. */
static int is_possible(http_request *r, const line_request *q, const snapshot *s) {
    const char *why = NULL;
    if (!s->many && q->form.top_classes)
        why = "top-classes is for models of several classes (train --classes)";
    else if (q->form.explain && sluice_model_settings(s->model)->classes == SLUICE_CLASSES_OVO)
        why = "explain: one against one a margin is that of many problems; it takes ovr and matrix";
    else if (q->form.proba && !sluice_model_has_probability(s->model))
        why = "proba: the model is not calibrated: it has not predicted anything yet that it learned later";
    if (why) http_refuse(r, 400, "%s", why);
    return !why;
}

static sluice_status put_answers(line_request *q, const snapshot *s, const sluice_batch *batch, const predictions *p,
                                 sluice_error *err) {
    const int plain = answer_is_plain(&q->form);
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < p->rows && status == SLUICE_OK; i++) {
        answered is = {.margin = p->margin[i]};
        if (p->probability) is.probability = p->probability[i];
        if (!s->many) {
            is.label = p->label[i];
        } else {
            is.classes = p->top;
            is.best = p->best + i * p->top;
            if (p->all_margins) is.margins = p->all_margins + i * s->classes;
            if (p->all_probabilities) is.probabilities = p->all_probabilities + i * s->classes;
        }
        if (plain) {
            answer_fields(&q->form, &is);
            text_char(q->form.out, '\n');
        } else {
            status = answer_row(&q->form, batch, i, &is, 0, err);
        }
    }
    return status;
}

static sluice_status answer_rows(const serving *server, http_request *r, line_request *q, const snapshot *s,
                                 sluice_error *err) {
    request_rows rows = {0};
    predictions p;
    const prediction_request wanted = {
        .probabilities = q->form.proba, .all_classes = q->form.top_classes > 1, .top = (size_t)q->form.top_classes};
    sluice_status status = rows_read(&rows, s->reading, &q->reading, r->body, r->body_n, err);
    if (status == SLUICE_OK) r->rows = sluice_batch_rows(rows.batch);
    if (status == SLUICE_OK && wanted.all_classes && !all_classes_fit(s, (size_t)r->rows, err)) status = err->status;
    if (status == SLUICE_OK) status = predict_rows(q->model, s, rows.batch, &wanted, &p, err);
    if (status == SLUICE_OK) status = put_answers(q, s, rows.batch, &p, err);
    const char *id = http_query(r, "remember");
    if (status == SLUICE_OK && id)
        status = remember_rows(server, q->model, s, rows.batch, (sluice_name){id, strlen(id)}, err);
    rows_free(&rows);
    return status;
}

void handle_predict(void *context, http_request *r) {
    const serving *server = context;
    line_request q;
    sluice_error err = {0};
    if (!line_request_read(server, r, &q) || !read_parameters(r, &q)) return;
    if (http_query(r, "remember") && !can_remember(server, r)) return;
    const snapshot *s = served_take(q.model);
    if (is_possible(r, &q, s)) {
        line_request_ids(&q, s);
        line_request_answers(&q.form, r, s);
        add_count_header(r, "Sluice-Version", s->version);
        if (answer_rows(server, r, &q, s, &err) == SLUICE_OK)
            http_answer(r, 200, line_request_type(&q.form));
        else
            refuse_error(r, &err);
        answer_free(&q.form);
    }
    served_release(s);
}
