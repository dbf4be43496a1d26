/* What `sluice serve` is: models, the HTTP server, the labels that are waited for. Passed to every handler. */
#ifndef CLI_SERVING_H
#define CLI_SERVING_H

#include "http/http_server.h"
#include "serve/label_store.h"
#include "serve/model/served_model.h"

typedef struct serving {
    const args *a;
    http_server *http;
    served_model **model; /* ascending by name */
    size_t n_models;
    label_store *labels;     /* NULL: predictions are not remembered */
    struct metrics *metrics; /* watch/serve_metrics.h */
    double started;
    atomic_int ends; /* no longer ready */
} serving;

served_model *serving_find(const serving *s, const char *name);
/* The model that a request is for: the one that `name` (may be NULL) says, or the only one. NULL after refusing. */
served_model *serving_choose(const serving *s, http_request *r, const char *name);

/* The routes: handlers of all files below, in one table (routes.c). `context` is the serving. */
extern const http_route serve_routes[];

/* plain_answers.c: POST /predict, /learn, /label with lines of text. */
void handle_predict(void *serving, http_request *r);
void handle_learn(void *serving, http_request *r);
void handle_label(void *serving, http_request *r);
/* inference.c, tensor_*.c: the Open Inference Protocol, and learn, label with tensors. */
void handle_live(void *serving, http_request *r);
void handle_ready(void *serving, http_request *r);
void handle_server(void *serving, http_request *r);
void handle_models(void *serving, http_request *r);
void handle_model(void *serving, http_request *r);
void handle_model_ready(void *serving, http_request *r);
void handle_infer(void *serving, http_request *r);
void handle_model_learn(void *serving, http_request *r);
void handle_model_label(void *serving, http_request *r);
/* administration.c */
void handle_save(void *serving, http_request *r);
void handle_reload(void *serving, http_request *r);
void handle_rollback(void *serving, http_request *r);
/* watch/metrics_text.c */
void handle_metrics(void *serving, http_request *r);
/* watch/dashboard.c: the page; watch/dashboard_events.c: its events */
void handle_page(void *serving, http_request *r);
void handle_events(void *serving, http_request *r);
/* openapi.c: the description of all this */
void handle_openapi(void *serving, http_request *r);
/* From the main thread, every second: figures to the pages that are open. */
void dashboard_tick(serving *s);

#endif
