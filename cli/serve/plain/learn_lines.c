/* POST /learn: lines with labels; for each what the model said of it before it learned it. */
#include "serve/learning.h"
#include "serve/plain/line_request.h"
#include "serve/plain_answers.h"

static const char *put_answers(learning *l, const snapshot *s) {
    sluice_error err = {0};
    const size_t rows = sluice_batch_rows(l->job.batch);
    line_request_answers(&l->form, l->request, s);
    for (size_t i = 0; i < rows; i++) {
        const answered is = learning_answered(l, s, i);
        if (answer_row(&l->form, l->job.batch, i, &is, 0, &err) == SLUICE_OK) continue;
        l->request->answer.failed = 1;
        break;
    }
    return line_request_type(&l->form);
}

void handle_learn(void *context, http_request *r) {
    line_request q;
    sluice_error err = {0};
    if (!line_request_read(context, r, &q)) return;
    q.reading.to_learn = 1;
    if (q.form.id && !q.form.numbered) {
        http_refuse(r, 400, "id=%.64s: learn takes id=line alone", q.form.id);
        return;
    }
    learning *l = learning_new(r, q.model, put_answers);
    if (!l) return;
    l->form = q.form;
    if (rows_read(&l->rows, served_reading(q.model), &q.reading, r->body, r->body_n, &err) == SLUICE_OK) {
        learning_begin(l);
        return;
    }
    learning_drop(l);
    refuse_error(r, &err);
}
