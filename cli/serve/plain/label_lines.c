/* POST /label: lines ID<TAB>LABEL, the labels of rows that were predicted earlier. */
#include "serve/learning.h"
#include "serve/remembering.h"
#include "serve/plain_answers.h"
#include "serve/serving.h"

#include <string.h>

/* A line for each label. Where none was learned the status is that of the first. */
static const char *put_answers(http_request *r, served_model *m, const labels_done *done, unsigned *status) {
    const labelled *l = done->label;
    (void)m;
    for (size_t i = 0; i < done->n; i++) {
        answer_exact(&r->answer, l[i].id.text, l[i].id.n);
        text_char(&r->answer, '\t');
        text_put(&r->answer, labelled_text(&l[i]));
        text_char(&r->answer, '\n');
    }
    *status = status_of_labels(done);
    if (*status == 429 || *status == 503) http_add_header(r, "Retry-After", "1");
    return TEXT_TYPE;
}

/* The next line that is not empty, with the number of it; 0: there is none. */
static int next_line(const char **at, const char *end, sluice_name *line, size_t *number) {
    while (*at < end) {
        const char *stop = memchr(*at, '\n', (size_t)(end - *at));
        *line = (sluice_name){*at, (size_t)((stop ? stop : end) - *at)};
        *at = stop ? stop + 1 : end;
        ++*number;
        if (line->n && line->text[line->n - 1] == '\r') line->n--;
        if (line->n) return 1;
    }
    return 0;
}

static int split(sluice_name line, sluice_name *id, sluice_name *label) {
    const char *tab = memchr(line.text, '\t', line.n);
    if (!tab || tab == line.text || tab + 1 == line.text + line.n) return 0;
    *id = (sluice_name){line.text, (size_t)(tab - line.text)};
    *label = (sluice_name){tab + 1, (size_t)(line.text + line.n - tab - 1)};
    return 1;
}

void handle_label(void *context, http_request *r) {
    const serving *s = context;
    served_model *m = serving_choose(s, r, http_query(r, "model"));
    sluice_name line, id, label;
    size_t n = 0, number = 0;
    if (!m || !can_remember(s, r)) return;
    if (served_cannot_learn(m)) {
        refuse_to_queue(r, m);
        return;
    }
    const char *end = r->body + r->body_n;
    for (const char *at = r->body; next_line(&at, end, &line, &number); n++)
        if (!split(line, &id, &label)) {
            http_refuse(r, 400, "line %zu: a line is an id, a tab and a label", number);
            return;
        }
    labelling *l = labelling_new(r, m, s->labels, n, put_answers);
    if (!l) return;
    number = 0;
    for (const char *at = r->body; next_line(&at, end, &line, &number);)
        if (split(line, &id, &label)) labelling_take(l, id, label);
    labelling_wait(l);
}
