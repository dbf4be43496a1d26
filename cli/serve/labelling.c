/* Requests with labels of rows that were predicted earlier: they wait until all are learned. */
#include "serve/learning.h"

#include "serve/plain_answers.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct waiting_label {
    labelling *of;
    labelled is;
} waiting_label;

struct labelling {
    http_request *request;
    served_model *model;
    label_store *store;
    labels_answer answer;
    _Atomic size_t under_way; /* labels that are not learned yet, and 1 until all were taken */
    _Atomic uint64_t version, saved;
    size_t n, room;
    labelled *result; /* for the answer */
    waiting_label label[];
};

labelling *labelling_new(http_request *r, served_model *m, label_store *store, size_t n, labels_answer answer) {
    if (n > LABELS_MOST) {
        http_refuse(r, 413, "%zu labels: at most %d come in one request", n, LABELS_MOST);
        return NULL;
    }
    labelling *l = malloc(sizeof *l + n * sizeof l->label[0]);
    labelled *result = malloc((n + 1) * sizeof *result);
    if (!l || !result) {
        free(l);
        free(result);
        http_refuse(r, 503, "out of memory");
        return NULL;
    }
    *l = (labelling){.request = r, .model = m, .store = store, .answer = answer, .room = n, .result = result};
    atomic_init(&l->under_way, 1);
    r->rows = n;
    http_later(r);
    return l;
}

static void finish(labelling *l) {
    http_request *r = l->request;
    unsigned status = 200;
    const labels_done done = {
        .label = l->result, .n = l->n, .version = atomic_load(&l->version), .saved = atomic_load(&l->saved)};
    for (size_t i = 0; i < l->n; i++) l->result[i] = l->label[i].is;
    if (done.version) {
        add_count_header(r, "Sluice-Version", done.version);
        add_count_header(r, "Sluice-Saved-Version", done.saved);
    }
    const char *type = l->answer(r, l->model, &done, &status);
    if (type) http_answer(r, status, type);
    for (size_t i = 0; i < l->n; i++) free(l->label[i].is.message);
    free(l->result);
    free(l);
}

void labelling_wait(labelling *l) {
    if (atomic_fetch_sub(&l->under_way, 1) == 1) finish(l);
}

/* Called by the thread that learns. */
static void learned(job *j) {
    waiting_label *w = j->context;
    labelling *l = w->of;
    if (j->status == SLUICE_OK) {
        w->is.margin = j->margins ? j->margins[0] : NAN;
        w->is.predicted = j->predicted ? j->predicted[0] : SLUICE_NO_CLASS;
    } else {
        w->is.message = strdup(j->error.message);
        w->is.result = LABEL_WRONG;
        w->is.status = j->status;
    }
    atomic_store(&l->saved, j->saved_version);
    atomic_store(&l->version, j->new_version);
    labelling_wait(l);
}

void labelling_take(labelling *l, sluice_name id, sluice_name label) {
    if (l->n == l->room) return;
    waiting_label *w = &l->label[l->n++];
    sluice_error err = {0};
    *w = (waiting_label){.of = l, .is = {.id = id, .margin = NAN, .predicted = SLUICE_NO_CLASS}};
    atomic_fetch_add(&l->under_way, 1);
    const label_result result = label_store_take(l->store, l->model, id, label, learned, w, &err);
    if (result == LABEL_TAKEN) return; /* it may be learned already */
    w->is.result = result;
    if (result == LABEL_WRONG) {
        w->is.message = strdup(err.message);
        w->is.status = err.status;
    }
    atomic_fetch_sub(&l->under_way, 1);
}

unsigned status_of_labels(const labels_done *done) {
    for (size_t i = 0; i < done->n; i++)
        if (done->label[i].result == LABEL_TAKEN) return 200;
    if (!done->n) return 200;
    switch (done->label->result) {
    case LABEL_UNKNOWN:
        return 404;
    case LABEL_ALREADY:
        return 409;
    case LABEL_BUSY:
        return 429;
    default:
        if (done->label->status == SLUICE_E_IO) return 503; /* it was not recorded, and may be sent again */
        return status_of(&(sluice_error){.status = done->label->status});
    }
}

const char *labelled_text(const labelled *l) {
    switch (l->result) {
    case LABEL_TAKEN:
        return "learned";
    case LABEL_UNKNOWN:
        return "unknown";
    case LABEL_ALREADY:
        return "already";
    case LABEL_BUSY:
        return "busy";
    default:
        return l->message ? l->message : "out of memory";
    }
}

const char *labelled_why(const labelled *l) {
    switch (l->result) {
    case LABEL_UNKNOWN:
        return "no row waits under this id: none was remembered, or it has expired or was forgotten";
    case LABEL_ALREADY:
        return "it was taken before";
    case LABEL_BUSY:
        return "there is no room for it now; try again";
    default:
        return labelled_text(l);
    }
}
