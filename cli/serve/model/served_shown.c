/* What the page shows of a model at work: mistakes, explained, the features that came last, the leader of a race. */
#include "serve/model/served_parts.h"

#include "output/progress.h"
#include "output/race_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A mistake is explained by the model as it was: a row has to be explained before it is known to be one. So a few rows
 * of each period are learned alone. */
static const double period_seconds = 0.1;
enum { MOST_LOOKED = 64, MOST_TAKEN = 4, MOST_TERMS = 10 };

void served_shown_init(served_model *m) { pthread_mutex_init(&m->shown.lock, NULL); }

void served_shown_free(served_model *m) {
    for (size_t i = 0; i < SERVED_MISTAKES; i++) free(m->shown.mistake[i].json);
    text_free(&m->shown.newest);
    text_free(&m->shown.leader);
    free(m->shown.terms);
    pthread_mutex_destroy(&m->shown.lock);
}

int served_wants_mistake(served_model *m) {
    shown_lists *l = &m->shown;
    if (l->looked < MOST_LOOKED && l->taken < MOST_TAKEN) return 1;
    const double now = now_seconds();
    if (now < l->period + period_seconds) return 0;
    l->period = now;
    l->looked = l->taken = 0;
    return 1;
}

/* The class that the model predicts for a row of a model of several: it is its margin that is explained. */
static uint32_t class_of(const served_model *m, const sluice_batch *batch, size_t row) {
    uint32_t best = SLUICE_NO_CLASS;
    sluice_class_answers said = {.size = sizeof said, .top = 1, .best = &best};
    if (sluice_model_settings(m->model)->classes == SLUICE_CLASSES_TWO) return 0;
    return sluice_model_classify(m->model, batch, row, 1, &said, NULL) == SLUICE_OK ? best : SLUICE_NO_CLASS;
}

void served_explain_next(served_model *m, const sluice_batch *batch, size_t row) {
    shown_lists *l = &m->shown;
    const size_t need = sluice_batch_nonzeros(batch, row) + 1;
    l->looked++;
    l->explained = 0;
    if (need > l->room) {
        free(l->terms);
        l->room = 2 * need;
        l->terms = malloc(l->room * sizeof *l->terms);
        if (!l->terms) l->room = 0;
    }
    const uint32_t class = class_of(m, batch, row);
    if (!l->room || class == SLUICE_NO_CLASS) return;
    l->why = (sluice_explanation){.size = sizeof l->why, .terms = l->terms, .room = l->room, .class_index = class};
    l->explained = sluice_model_explain_row(m->model, batch, row, &l->why, NULL) == SLUICE_OK;
}

static void put_name(text_buffer *to, int is_bias, sluice_name name, uint64_t id) {
    text_json_key(to, "feature");
    if (is_bias)
        text_put(to, "\"bias\"");
    else if (name.text)
        text_json_short(to, name.text, name.n, SERVED_SHOWN_BYTES);
    else
        text_format(to, "\"%" PRIu64 "\"", id); /* a number of JavaScript has 53 bits */
}

static void put_terms(const served_model *m, text_buffer *to) {
    const shown_lists *l = &m->shown;
    const size_t n = l->explained ? sluice_terms_largest(l->terms, l->why.n, MOST_TERMS) : 0;
    text_json_key(to, "explain");
    text_char(to, '[');
    for (size_t i = 0; i < n; i++) {
        const sluice_term *t = &l->terms[i];
        text_put(to, i ? ",{" : "{");
        put_name(to, t->is_bias, t->name, t->id);
        text_json_key(to, "value");
        text_json_number(to, (double)t->value);
        text_json_key(to, "weight");
        text_json_number(to, t->weight);
        text_json_key(to, "contribution");
        text_json_number(to, t->contribution);
        text_char(to, '}');
    }
    text_char(to, ']');
}

/* The text of a class; of two classes 1 is the positive one. */
static void put_class(const served_model *m, text_buffer *to, const char *key, uint32_t class) {
    const int many = sluice_model_settings(m->model)->classes != SLUICE_CLASSES_TWO;
    const size_t n = sluice_model_classes(m->model);
    text_json_key(to, key);
    sluice_class c = {.size = sizeof c};
    if (!many && !n) {
        text_put(to, class ? "\"1\"" : "\"-1\"");
        return;
    }
    for (size_t i = 0; i < n && sluice_model_class(m->model, i, &c) == SLUICE_OK; i++)
        if (many ? i == class : c.is_positive == (class == 1)) {
            text_json_short(to, c.text.text, c.text.n, SERVED_SHOWN_BYTES);
            return;
        }
    text_put(to, "null");
}

void served_take_mistake(served_model *m) {
    shown_lists *l = &m->shown;
    text_buffer text = {0};
    struct timespec now;
    l->taken++;
    clock_gettime(CLOCK_REALTIME, &now);
    text_char(&text, '{');
    put_class(m, &text, "label", m->told.truth);
    put_class(m, &text, "predicted", m->told.was);
    text_json_key(&text, "margin");
    text_json_number(&text, m->told.margin);
    put_terms(m, &text);
    text_char(&text, '}');
    if (text.failed) {
        text_free(&text);
        return;
    }
    const served_mistake mistake = {
        .version = examples_of(m->model), .when = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, .json = text.text};
    pthread_mutex_lock(&l->lock);
    served_mistake *place = &l->mistake[l->mistakes++ % SERVED_MISTAKES];
    free(place->json);
    *place = mistake;
    pthread_mutex_unlock(&l->lock);
}

void served_put_mistakes(served_model *m, text_buffer *to) {
    shown_lists *l = &m->shown;
    text_char(to, '[');
    pthread_mutex_lock(&l->lock);
    const uint64_t n = l->mistakes < SERVED_MISTAKES ? l->mistakes : SERVED_MISTAKES;
    for (uint64_t i = 0; i < n; i++) {
        const served_mistake *one = &l->mistake[(l->mistakes - 1 - i) % SERVED_MISTAKES];
        text_put(to, i ? ",{" : "{");
        text_json_key(to, "version");
        text_count(to, one->version);
        text_json_key(to, "when");
        text_json_number(to, one->when);
        text_char(to, ',');
        text_put(to, one->json + 1); /* what it has, and its closing bracket */
    }
    pthread_mutex_unlock(&l->lock);
    text_char(to, ']');
}

/* ---- newest features --------------------------------------------------------------------------------------------- */

void served_take_newest(served_model *m) {
    sluice_weight newest[SERVED_NEWEST];
    size_t n = SERVED_NEWEST;
    if (sluice_model_newest(m->model, newest, &n, NULL) != SLUICE_OK) n = 0;
    pthread_mutex_lock(&m->shown.lock);
    text_buffer *to = &m->shown.newest;
    text_clear(to);
    text_char(to, '[');
    for (size_t i = 0; i < n; i++) {
        text_put(to, i ? ",{" : "{");
        put_name(to, newest[i].is_bias, newest[i].name, newest[i].id);
        text_json_key(to, "weight");
        text_json_number(to, (double)newest[i].weight);
        text_char(to, '}');
    }
    text_char(to, ']');
    pthread_mutex_unlock(&m->shown.lock);
}

void served_put_newest(served_model *m, text_buffer *to) {
    pthread_mutex_lock(&m->shown.lock);
    if (m->shown.newest.n && !m->shown.newest.failed)
        text_add(to, m->shown.newest.text, m->shown.newest.n);
    else
        text_put(to, "[]");
    pthread_mutex_unlock(&m->shown.lock);
}

/* ---- the leader of a race ---------------------------------------------------------------------------------------- */

void served_take_leader(served_model *m) {
    sluice_candidate c = {.size = sizeof c};
    const size_t n = sluice_model_candidates(m->model);
    char *text = NULL;
    size_t length = 0;
    for (size_t i = 0; i < n && !c.is_leader; i++)
        if (sluice_model_candidate(m->model, i, &c) != SLUICE_OK) return;
    if (!c.is_leader) return;
    FILE *out = open_memstream(&text, &length);
    if (!out) return;
    put_candidate(out, &c);
    if (fclose(out) == 0) {
        pthread_mutex_lock(&m->shown.lock);
        text_clear(&m->shown.leader);
        text_add(&m->shown.leader, text, length);
        pthread_mutex_unlock(&m->shown.lock);
    }
    free(text);
}

void served_put_leader(served_model *m, text_buffer *to) {
    pthread_mutex_lock(&m->shown.lock);
    const text_buffer *leader = &m->shown.leader;
    if (leader->n && !leader->failed)
        text_json_string(to, leader->text, leader->n);
    else
        text_put(to, "null");
    pthread_mutex_unlock(&m->shown.lock);
}
