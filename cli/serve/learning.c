/* Requests that wait until their rows are learned. */
#include "serve/learning.h"

#include "serve/plain_answers.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_ROWS = 1 << 14 }; /* one with room for more is not kept */

static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;
static learning *unused;

static learning *take_unused(void) {
    pthread_mutex_lock(&unused_lock);
    learning *l = unused;
    if (l) unused = l->next;
    pthread_mutex_unlock(&unused_lock);
    return l;
}

static void release(learning *l) {
    free(l->margins);
    free(l->predicted);
    free(l);
}

learning *learning_new(http_request *r, served_model *m, learning_answer answer) {
    if (served_cannot_learn(m)) {
        refuse_to_queue(r, m);
        return NULL;
    }
    learning *l = take_unused();
    if (!l) l = calloc(1, sizeof *l);
    if (!l) {
        http_refuse(r, 503, "out of memory");
        return NULL;
    }
    *l = (learning){
        .request = r, .model = m, .answer = answer, .margins = l->margins, .predicted = l->predicted, .room = l->room};
    return l;
}

void learning_drop(learning *l) {
    rows_free(&l->rows);
    l->rows = (request_rows){0};
    if (l->room > KEPT_ROWS) {
        release(l);
        return;
    }
    pthread_mutex_lock(&unused_lock);
    l->next = unused;
    unused = l;
    pthread_mutex_unlock(&unused_lock);
}

void learning_free_all(void) {
    for (learning *l; (l = take_unused());) release(l);
}

/* Where rows were learned the answer is no 503: who sends the same again would have them learned twice. */
static void refuse_job(http_request *r, const job *j) {
    sluice_error error = j->error;
    if (!error.status) error.status = j->status;
    if (j->learned) {
        if (status_of(&error) == 503) error.status = SLUICE_E_IO;
        const size_t n = strlen(error.message);
        snprintf(error.message + n, sizeof error.message - n, "; %" PRIu64 " %s learned", j->learned,
                 j->learned == 1 ? "row before was" : "rows before were");
    }
    refuse_error(r, &error);
}

/* Called by the thread that learns. */
static void learned(job *j) {
    learning *l = j->context;
    http_request *r = l->request;
    const char *type = NULL;
    const unsigned failed = j->status != SLUICE_OK;
    add_count_header(r, "Sluice-Version", j->new_version);
    add_count_header(r, "Sluice-Saved-Version", j->saved_version);
    if (!failed) {
        const snapshot *s = served_take(l->model);
        type = l->answer(l, s);
        served_release(s);
    }
    /* the bytes that the rows were read from are the request's: they go first */
    rows_free(&l->rows);
    l->rows = (request_rows){0};
    if (failed)
        refuse_job(r, j);
    else if (r->answer.failed)
        http_refuse(r, 500, "all rows were learned, but the answers could not be written");
    else
        http_answer(r, 200, type);
    learning_drop(l);
}

static int make_room(learning *l, size_t rows) {
    if (rows <= l->room) return 1;
    size_t room = l->room ? l->room : 16;
    while (room < rows) room *= 2;
    free(l->margins);
    free(l->predicted);
    l->margins = malloc(room * sizeof *l->margins);
    l->predicted = malloc(room * sizeof *l->predicted);
    l->room = l->margins && l->predicted ? room : 0;
    return l->room != 0;
}

void learning_begin(learning *l) {
    http_request *r = l->request;
    served_model *m = l->model;
    r->rows = sluice_batch_rows(l->rows.batch);
    if (!make_room(l, (size_t)r->rows)) {
        learning_drop(l);
        http_refuse(r, 503, "out of memory");
        return;
    }
    for (size_t i = 0; i < r->rows; i++) l->margins[i] = NAN, l->predicted[i] = SLUICE_NO_CLASS;
    l->job = (job){.kind = JOB_LEARN,
                   .batch = l->rows.batch,
                   .margins = l->margins,
                   .predicted = l->predicted,
                   .done = learned,
                   .context = l};
    http_later(r);
    if (served_enqueue(m, &l->job)) return; /* it may be answered, and gone, already */
    learning_drop(l);
    refuse_to_queue(r, m);
}

/* The classes are those that the snapshot knows: it may be a little older than the model that learned. */
answered learning_answered(const learning *l, const snapshot *s, size_t row) {
    const double margin = l->margins[row];
    answered is = {.margin = margin, .none = isnan(margin), .label = ANSWER_NO_LABEL};
    if (s->many) {
        is.classes = 1;
        is.best = &l->predicted[row];
        if (l->predicted[row] >= s->classes) l->predicted[row] = SLUICE_NO_CLASS;
        if (l->predicted[row] == SLUICE_NO_CLASS) is.none = 1;
    } else if (!is.none && s->has_learned) {
        is.label = snapshot_label(s, margin);
    }
    return is;
}
