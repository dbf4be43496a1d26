/* Predictions for the rows of a request, in arrays that each thread keeps. */
#include "serve/model/row_predictions.h"

#include "serve/model/served_parts.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* One piece of memory for all arrays. */
typedef struct prediction_room {
    char *bytes;
    size_t n;
} prediction_room;

static _Thread_local prediction_room *mine;
static pthread_key_t at_exit;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void room_free(void *room) {
    free(((prediction_room *)room)->bytes);
    free(room);
}

static void make_key(void) { pthread_key_create(&at_exit, room_free); }

static prediction_room *my_room(void) {
    if (mine) return mine;
    pthread_once(&once, make_key);
    mine = calloc(1, sizeof *mine);
    if (mine) pthread_setspecific(at_exit, mine);
    return mine;
}

enum { MOST_KEPT = 1 << 20 }; /* bytes that a thread keeps when a request needs fewer */

/* Room for n bytes: what was there is lost. */
static char *reserve(size_t n) {
    prediction_room *r = my_room();
    if (!r) return NULL;
    if (r->n < n || (r->n > MOST_KEPT && n < MOST_KEPT)) {
        free(r->bytes);
        r->n = n < 4096 ? 4096 : n;
        r->bytes = malloc(r->n);
        if (!r->bytes) r->n = 0;
    }
    return r->bytes;
}

/* Bytes of an array, so that the next one begins where any may. */
static size_t bytes_of(size_t rows, size_t each, size_t size) {
    const size_t n = rows * each;
    if (each && n / each != rows) return SIZE_MAX / 16;
    return n > SIZE_MAX / 16 / size ? SIZE_MAX / 16 : (n * size + 15) / 16 * 16;
}

static void *part(char **at, size_t bytes) {
    void *p = *at;
    *at += bytes;
    return p;
}

static sluice_status no_room(size_t rows, sluice_error *err) {
    return served_fail(err, SLUICE_E_MEMORY, "no memory for the answers to %zu rows", rows);
}

static sluice_status predict_two(served_model *m, const snapshot *s, const sluice_batch *batch,
                                 const prediction_request *what, predictions *p, sluice_error *err) {
    const size_t n = p->rows, doubles = bytes_of(n, 1, sizeof(double));
    char *at = reserve(doubles * (what->probabilities ? 2 : 1) + bytes_of(n, 1, sizeof *p->label) + 16);
    if (!at) return no_room(n, err);
    p->margin = part(&at, doubles);
    p->label = part(&at, bytes_of(n, 1, sizeof *p->label));
    if (what->probabilities) p->probability = part(&at, doubles);
    const sluice_status status = sluice_model_margins(s->model, batch, p->margin, err);
    if (status != SLUICE_OK) return status;
    uint64_t of[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const size_t label = snapshot_label(s, p->margin[i]);
        p->label[i] = (uint32_t)label;
        of[label]++;
        if (what->probabilities) p->probability[i] = sluice_model_probability(s->model, p->margin[i]);
    }
    for (size_t i = 0; i < 2; i++)
        if (of[i]) served_count_prediction(m, i, of[i]);
    return SLUICE_OK;
}

/* What is asked for of all classes is kept; else there is room for the classes of one row. */
static sluice_status predict_many(served_model *m, const snapshot *s, const sluice_batch *batch,
                                  const prediction_request *what, predictions *p, sluice_error *err) {
    const size_t n = p->rows, kept = what->all_classes ? n : 1;
    const size_t top = what->top ? what->top : 1;
    p->top = top < s->classes ? top : s->classes ? s->classes : 1;
    const size_t doubles = bytes_of(n, 1, sizeof(double)), all = bytes_of(kept, s->classes + 1, sizeof(double));
    const size_t labels = bytes_of(n, 1, sizeof *p->label), best = bytes_of(n, p->top, sizeof *p->best);
    char *at = reserve(2 * doubles + 2 * all + labels + best);
    if (!at) return no_room(n, err);
    p->margin = part(&at, doubles);
    p->probability = part(&at, doubles);
    p->label = part(&at, labels);
    p->best = part(&at, best);
    double *margins = part(&at, all), *probabilities = what->probabilities ? part(&at, all) : NULL;
    for (size_t i = 0; i < n; i++) {
        double *margin = margins + (what->all_classes ? i * s->classes : 0);
        double *probability = probabilities ? probabilities + (what->all_classes ? i * s->classes : 0) : NULL;
        uint32_t *first = p->best + i * p->top;
        sluice_class_answers said = {
            .size = sizeof said, .top = p->top, .best = first, .margins = margin, .probabilities = probability};
        const sluice_status status = sluice_model_classify(s->model, batch, i, 1, &said, err);
        if (status != SLUICE_OK) return status;
        const uint32_t c = p->label[i] = *first;
        p->margin[i] = c == SLUICE_NO_CLASS ? NAN : margin[c];
        p->probability[i] = c == SLUICE_NO_CLASS || !probability ? NAN : probability[c];
        if (c != SLUICE_NO_CLASS) served_count_prediction(m, c, 1);
    }
    if (what->all_classes) p->all_margins = margins, p->all_probabilities = probabilities;
    if (!what->probabilities) p->probability = NULL;
    return SLUICE_OK;
}

sluice_status predict_rows(served_model *m, const snapshot *s, const sluice_batch *batch,
                           const prediction_request *what, predictions *p, sluice_error *err) {
    *p = (predictions){.by = s, .rows = sluice_batch_rows(batch)};
    return s->many ? predict_many(m, s, batch, what, p, err) : predict_two(m, s, batch, what, p, err);
}
