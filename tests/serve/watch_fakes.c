/* Models, an HTTP server and a store of labels that say what a test tells them to. */
#include "serve/watch_fakes.h"

#include "output/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

label_counts fake_labels;
http_counts fake_http;
unsigned fake_status;
double fake_now;

static void handle_nothing(void *context, http_request *r) { (void)context, (void)r; }

const http_route serve_routes[] = {
    {"POST", "/predict", HTTP_PREDICT, "predict", handle_nothing},
    {"POST", "/learn", HTTP_LEARN, "learn", handle_nothing},
    {"POST", "/v2/models/{}/infer", HTTP_PREDICT, "infer", handle_nothing},
    {"POST", "/v2/models/{}/versions/{}/infer", HTTP_PREDICT, "infer", handle_nothing},
    {0},
};

void fake_model(served_model *m, const char *name, char **label, size_t *label_n, size_t labels) {
    *m = (served_model){.name = name, .newest = "[]", .mistakes = "[]"};
    m->now = (snapshot){.labels = labels, .label = label, .label_n = label_n, .many = labels > 2, .classes = labels};
    m->figures.learner = sluice_learner_find("auto");
    m->figures.error_rate = m->figures.window_error = m->figures.fading_error = NAN;
}

double now_seconds(void) { return fake_now; }

/* ---- served_model.h */
atomic_int fake_taken;
const snapshot *served_take(served_model *m) {
    atomic_fetch_add(&fake_taken, 1);
    return &m->now;
}
void served_release(const snapshot *s) {
    if (s) atomic_fetch_sub(&fake_taken, 1);
}
size_t snapshot_label(const snapshot *s, double margin) { return s->labels == 2 && margin > 0; }
served_model *serving_find(const serving *s, const char *name) {
    for (size_t i = 0; i < s->n_models; i++)
        if (strcmp(s->model[i]->name, name) == 0) return s->model[i];
    return NULL;
}
const char *served_name(const served_model *m) { return m->name; }
const char *served_cannot_learn(const served_model *m) { return m->predicts_only ? "it is predict-only" : NULL; }
void served_read_figures(served_model *m, served_figures *figures) { *figures = m->figures; }
uint64_t served_predictions(const served_model *m, size_t label) { return m->predictions[label]; }
void served_put_newest(served_model *m, text_buffer *to) { text_put(to, m->newest); }
void served_put_leader(served_model *m, text_buffer *to) {
    (void)m;
    text_put(to, "null");
}
void served_put_mistakes(served_model *m, text_buffer *to) { text_put(to, m->mistakes); }

/* ---- label_store.h */
label_counts label_store_count(label_store *s) {
    (void)s;
    return fake_labels;
}

/* ---- http_server.h */
http_counts http_count(http_server *server) {
    (void)server;
    return fake_http;
}
unsigned http_event_streams(http_server *server) {
    (void)server;
    return fake_http.event_streams;
}
void http_answer(http_request *r, unsigned status, const char *type) { (void)r, (void)type, fake_status = status; }
void http_refuse(http_request *r, unsigned status, const char *format, ...) {
    char text[512];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    text_clear(&r->answer);
    text_put(&r->answer, text);
    fake_status = status;
}
void http_add_header(http_request *r, const char *name, const char *value) { (void)r, (void)name, (void)value; }
const char *http_header(const http_request *r, const char *name) {
    (void)r, (void)name;
    return NULL;
}
const char *http_query(const http_request *r, const char *name) {
    (void)r, (void)name;
    return NULL;
}
void http_begin_events(http_request *r, const char *first, size_t n) {
    text_clear(&r->answer);
    text_add(&r->answer, first, n);
    fake_status = 200;
}
void http_send_events(http_server *server, const char *text, size_t n) { (void)server, (void)text, (void)n; }
