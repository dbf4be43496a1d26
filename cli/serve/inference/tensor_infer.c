/* POST .../infer: predictions for rows that come as tensors. */
#include "serve/inference/scratch.h"
#include "serve/inference/served_version.h"
#include "serve/inference/tensor_answer.h"
#include "serve/inference/tensor_rows.h"
#include "serve/plain_answers.h"
#include "serve/remembering.h"
#include "serve/serving.h"

#include <stdio.h>
#include <string.h>

/* Which outputs are wanted: as output_wanted() says. */
typedef struct wanted {
    int margin, label, probability, margins, probabilities, classes;
    int indptr, features, contributions;
} wanted;

static int refuse(http_request *r, const char *why) {
    http_refuse(r, 400, "%s", why);
    return 0;
}

static int check_outputs(const tensor_request *q, const snapshot *s) {
    static const char *const names[] = {"margin",       "label",   "probability",           "contribution_indptr",
                                        "margins",      "classes", "contribution_features", "probabilities",
                                        "contributions"};
    const int ovo = sluice_model_settings(s->model)->classes == SLUICE_CLASSES_OVO;
    for (size_t i = 0; i < q->outputs; i++) {
        const sluice_name name = q->output[i].name;
        size_t k = 0;
        while (k < sizeof names / sizeof *names && !name_is(name, names[k])) k++;
        if (k == sizeof names / sizeof *names) {
            http_refuse(q->request, 400,
                        "output '%.*s': there is no such output; there are margin, label, probability, "
                        "contribution_indptr, contribution_features, contributions and, of several classes, margins, "
                        "probabilities, classes",
                        (int)(name.n < 64 ? name.n : 64), name.text);
            return 0;
        }
        if (!s->many && (name_is(name, "margins") || name_is(name, "probabilities") || name_is(name, "classes")))
            return refuse(q->request, "margins, probabilities and classes are outputs of models of several classes");
        if (!s->classes && (name_is(name, "margins") || name_is(name, "probabilities")))
            return refuse(q->request, "the model knows no class yet: it has no margins");
        if ((name_is(name, "probability") || name_is(name, "probabilities")) && !sluice_model_has_probability(s->model))
            return refuse(q->request, "the model is not calibrated: it has not predicted anything yet that it learned "
                                      "later, so that it has no probabilities");
        if (ovo && strncmp(name.text, "contribution", 12) == 0)
            return refuse(q->request, "one against one a margin is that of many problems, which is not explained");
    }
    if (ovo && q->explain)
        return refuse(q->request,
                      "explain: one against one a margin is that of many problems; it takes ovr and matrix");
    return 1;
}

static wanted which(const tensor_request *q, const snapshot *s) {
    const int contributions = q->explain != 0;
    return (wanted){.margin = output_wanted(q, "margin", 1),
                    .label = output_wanted(q, "label", 1),
                    .probability = output_wanted(q, "probability", sluice_model_has_probability(s->model)),
                    .margins = output_wanted(q, "margins", 0),
                    .probabilities = output_wanted(q, "probabilities", 0),
                    .classes = output_wanted(q, "classes", 0),
                    .indptr = output_wanted(q, "contribution_indptr", contributions),
                    .features = output_wanted(q, "contribution_features", contributions),
                    .contributions = output_wanted(q, "contributions", contributions)};
}

/* ---- contributions ----------------------------------------------------------------------------------------------- */

typedef struct contributions {
    int64_t *indptr;
    sluice_name *feature;
    double *value;
} contributions;

static sluice_name feature_name(const sluice_term *t, char *digits) {
    if (t->is_bias) return (sluice_name){"bias", 4};
    if (t->name.text) return t->name;
    return (sluice_name){digits, (size_t)sprintf(digits, "%llu", (unsigned long long)t->id)};
}

/* The terms of each row, the largest first: at most `top` of them. */
static sluice_status explain_rows(const snapshot *s, const sluice_batch *batch, const predictions *p, uint64_t top,
                                  contributions *c, sluice_error *err) {
    enum { DIGITS = 24 };
    size_t all = 0, most = 0;
    for (size_t i = 0; i < p->rows; i++) {
        const size_t terms = sluice_batch_nonzeros(batch, i) + 1;
        all += terms < top ? terms : (size_t)top;
        if (terms > most) most = terms;
    }
    c->indptr = scratch_take(p->rows + 1, sizeof *c->indptr);
    c->feature = scratch_take(all + 1, sizeof *c->feature);
    c->value = scratch_take(all + 1, sizeof *c->value);
    char *digits = scratch_take(all + 1, DIGITS);
    sluice_explanation why = {.size = sizeof why, .terms = scratch_take(most + 1, sizeof *why.terms), .room = most};
    if (!c->indptr || !c->feature || !c->value || !digits || !why.terms) {
        *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
        return SLUICE_E_MEMORY;
    }
    size_t n = 0;
    c->indptr[0] = 0;
    for (size_t i = 0; i < p->rows; i++) {
        why.class_index = s->many ? p->label[i] : 0;
        if (!s->many || p->label[i] != SLUICE_NO_CLASS) {
            const sluice_status status = sluice_model_explain_row(s->model, batch, i, &why, err);
            if (status != SLUICE_OK) return status;
            const size_t shown = sluice_terms_largest(why.terms, why.n, (size_t)top);
            for (size_t k = 0; k < shown; k++, n++) {
                c->feature[n] = feature_name(&why.terms[k], digits + n * DIGITS);
                c->value[n] = why.terms[k].contribution;
            }
        }
        c->indptr[i + 1] = (int64_t)n;
    }
    return SLUICE_OK;
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static sluice_status no_memory(sluice_error *err) {
    *err = (sluice_error){.status = SLUICE_E_MEMORY, .message = "out of memory"};
    return SLUICE_E_MEMORY;
}

/* 0: there is no memory. */
static int put_classes(tensor_answer *a, int as, const snapshot *s) {
    uint32_t *all = scratch_take(s->classes + 1, sizeof *all);
    for (uint32_t i = 0; all && i < s->classes; i++) all[i] = i;
    return all && tensor_answer_labels(a, "classes", as, s, all, s->classes);
}

static int put_outputs(tensor_answer *a, const wanted *w, const snapshot *s, const predictions *p,
                       const contributions *c) {
    tensor_answer_doubles(a, "margin", w->margin, p->margin, p->rows, 0);
    if (!tensor_answer_labels(a, "label", w->label, s, p->label, p->rows)) return 0;
    if (p->probability) tensor_answer_doubles(a, "probability", w->probability, p->probability, p->rows, 0);
    if (w->margins >= 0) tensor_answer_doubles(a, "margins", w->margins, p->all_margins, p->rows, s->classes);
    if (w->probabilities >= 0)
        tensor_answer_doubles(a, "probabilities", w->probabilities, p->all_probabilities, p->rows, s->classes);
    if (w->classes >= 0 && !put_classes(a, w->classes, s)) return 0;
    if (!c->indptr) return 1;
    const size_t n = (size_t)c->indptr[p->rows];
    tensor_answer_wholes(a, "contribution_indptr", w->indptr, c->indptr, p->rows + 1);
    tensor_answer_texts(a, "contribution_features", w->features, c->feature, n);
    tensor_answer_doubles(a, "contributions", w->contributions, c->value, n, 0);
    return 1;
}

/* Remembers the rows: under the ids of the input `id`, or that of the request. */
static sluice_status remember(const serving *server, const tensor_request *q, served_model *m, const snapshot *s,
                              const sluice_batch *batch, const sluice_name *ids, sluice_error *err) {
    if (ids)
        return label_store_put(server->labels, served_name(m), batch, ids, sluice_batch_rows(batch), s->version, err);
    return remember_rows(server, m, s, batch, q->id, err);
}

/* Predicts, remembers the rows where that is wanted and, when nothing can be refused any more, writes the answer; *type
 * becomes its Content-Type. */
static sluice_status answer_rows(const serving *server, const tensor_request *q, served_model *m, const snapshot *s,
                                 const sluice_batch *batch, const sluice_name *ids, const char **type,
                                 sluice_error *err) {
    const wanted w = which(q, s);
    const prediction_request ask = {.probabilities = w.probability >= 0 || w.probabilities >= 0,
                                    .all_classes = w.margins >= 0 || w.probabilities >= 0};
    contributions c = {NULL};
    predictions p;
    tensor_answer a;
    if (ask.all_classes && !all_classes_fit(s, sluice_batch_rows(batch), err)) return err->status;
    sluice_status status = predict_rows(m, s, batch, &ask, &p, err);
    if (status == SLUICE_OK && (w.indptr >= 0 || w.features >= 0 || w.contributions >= 0))
        status = explain_rows(s, batch, &p, q->explain ? q->explain : SIZE_MAX, &c, err);
    if (status == SLUICE_OK && q->remember) status = remember(server, q, m, s, batch, ids, err);
    if (status != SLUICE_OK) return status;
    tensor_answer_begin(&a, q->request, served_name(m), s->version, q->id, NULL);
    if (put_outputs(&a, &w, s, &p, &c)) {
        *type = tensor_answer_end(&a);
        return SLUICE_OK;
    }
    tensor_answer_drop(&a);
    return no_memory(err);
}

static void infer(const serving *server, served_model *m, tensor_request *q, const snapshot *s) {
    http_request *r = q->request;
    request_rows rows = {0};
    sluice_error err = {0};
    sluice_name *ids = NULL;
    const char *type = NULL;
    if (check_outputs(q, s) && tensor_rows(q, s->reading, 0, &rows) &&
        tensor_row_ids(q, sluice_batch_rows(rows.batch), &ids)) {
        const sluice_status status = answer_rows(server, q, m, s, rows.batch, ids, &type, &err);
        rows_free(&rows); /* they may stand in the body */
        add_count_header(r, "Sluice-Version", s->version);
        if (status == SLUICE_OK)
            http_answer(r, 200, type);
        else
            refuse_error(r, &err);
        return;
    }
    rows_free(&rows);
}

void handle_infer(void *context, http_request *r) {
    const serving *server = context;
    served_model *m = serving_choose(server, r, r->segment[0]);
    tensor_request q;
    scratch_begin();
    if (!m || !tensor_request_read(&q, r)) return;
    if (q.remember && !can_remember(server, r)) return;
    if (q.remember && !q.id.text && !tensor_find(&q, "id")) {
        refuse(r, "remember: under which id? the request has none, nor has it an input 'id'");
        return;
    }
    const snapshot *s = take_version(m, r, r->segment[1]);
    if (!s) return;
    infer(server, m, &q, s);
    served_release(s);
}
