/* Reads the parameters of a request with lines of text. */
#include "serve/plain/line_request.h"

#include "serve/plain_answers.h"

#include <string.h>

int line_request_read(const serving *s, http_request *r, line_request *q) {
    *q = (line_request){.model = serving_choose(s, r, http_query(r, "model"))};
    if (!q->model) return 0;
    q->reading.format = http_query(r, "format");
    if (!query_truth(r, "json", &q->form.json)) return 0;
    q->form.id = http_query(r, "id");
    q->form.numbered = q->form.id && strcmp(q->form.id, "line") == 0;
    if (q->form.id && !*q->form.id) {
        http_refuse(r, 400, "id: which column? its name is empty");
        return 0;
    }
    return !q->reading.format || format_has_lines(r, q->reading.format);
}

void line_request_ids(line_request *q, const snapshot *s) {
    if (!q->form.id || q->form.numbered) return;
    sluice_reader_options reading = reading_options(s->reading, q->reading.format, q->reading.to_learn);
    answer_reading(&q->form, s->model, &reading);
    q->reading.id = reading.id;
    q->reading.drop_id = reading.drop_id;
}

void line_request_answers(answer_form *form, http_request *r, const snapshot *s) {
    form->out = &r->answer;
    form->model = s->model;
    form->label = s->label;
    form->label_n = s->label_n;
}

const char *line_request_type(const answer_form *form) { return form->json ? JSON_LINES_TYPE : TEXT_TYPE; }
