/* Reads the command line of `sluice serve`. */
#include "serve/serve_options.h"

#include "args/paths.h"
#include "output/message.h"
#include "train/checkpoint.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SECONDS = 1000000000, MOST_CONNECTIONS = 1000000, MOST_KEPT = 10000 };

/* A count that has a place to go to; leaves it alone where the option is not given. */
static int read_unsigned(const args *a, const char *option, uint64_t min, uint64_t max, unsigned *value) {
    uint64_t n = *value;
    int rc = args_count(a, option, min, max, &n);
    *value = (unsigned)n;
    return rc;
}

static int read_http(const args *a, serve_options *o) {
    http_settings *h = &o->http;
    uint64_t body = 16 << 20;
    *h = (http_settings){.listen = args_has(a, "listen") ? args_value(a, "listen") : SERVE_DEFAULT_ADDRESS,
                         .threads = a->threads,
                         .max_large = (size_t)1 << 29,
                         .max_connections = SERVE_DEFAULT_CONNECTIONS,
                         .max_per_address = SERVE_DEFAULT_PER_ADDRESS,
                         .idle_seconds = SERVE_DEFAULT_IDLE,
                         .request_seconds = SERVE_DEFAULT_REQUEST,
                         .token_file = args_value(a, "token-file"),
                         .predict_token_file = args_value(a, "predict-token-file"),
                         .certificate = args_value(a, "tls-certificate"),
                         .key = args_value(a, "tls-key"),
                         .access_log = args_value(a, "access-log")};
    int rc = args_count(a, "max-body", 1, SIZE_MAX / 4, &body);
    h->max_body = (size_t)body;
    if (!rc) rc = read_unsigned(a, "max-connections", 1, MOST_CONNECTIONS, &h->max_connections);
    if (!rc) rc = read_unsigned(a, "max-per-address", 1, MOST_CONNECTIONS, &h->max_per_address);
    if (!rc) rc = read_unsigned(a, "idle-timeout", 1, MOST_SECONDS, &h->idle_seconds);
    if (!rc) rc = read_unsigned(a, "request-timeout", 1, MOST_SECONDS, &h->request_seconds);
    if (rc) return rc;
    if (!h->certificate != !h->key)
        return wrong_usage(a->command->name, "TLS needs both --tls-certificate and --tls-key");
    o->origins = calloc(a->n_given + 1, sizeof *o->origins);
    if (!o->origins) return out_of_memory();
    h->n_origins = args_values(a, "origin", o->origins);
    h->origins = o->origins;
    return DONE;
}

static int read_labels(const args *a, label_settings *l) {
    static const char *const others[] = {"labels-most", "labels-seconds", "unlabelled-means"};
    *l = (label_settings){.file = args_value(a, "labels"),
                          .most = SERVE_DEFAULT_LABELS,
                          .seconds = SERVE_DEFAULT_LABEL_SECONDS,
                          .unlabelled_means = args_value(a, "unlabelled-means")};
    for (size_t i = 0; i < sizeof others / sizeof *others && !l->file; i++)
        if (args_has(a, others[i]))
            return wrong_usage(a->command->name, "--%s needs --labels FILE: without it no row waits for its label",
                               others[i]);
    int rc = args_count(a, "labels-most", 1, INT64_MAX, &l->most);
    return rc ? rc : args_count(a, "labels-seconds", 0, MOST_SECONDS, &l->seconds);
}

static int check_learns(const args *a) {
    static const char *const names[] = {"kafka", "labels", "save-every", "keep", "queue"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (args_has(a, names[i]))
            return wrong_usage(a->command->name, "--%s: with --no-learning nothing is learned, and nothing saved",
                               names[i]);
    return DONE;
}

/* What a model that is made will need, and what watches it: found wrong before anything is opened. */
static int check_new_model(const args *a) {
    recipe r;
    drift_watch watch;
    sluice_reader_options text = {0};
    int rc = recipe_from_args(a, sluice_learner_default(), &r);
    recipe_free(&r);
    if (!rc) rc = text_options(a, &text);
    if (rc) return rc;
    rc = drift_options(a, &watch);
    drift_free(&watch);
    return rc;
}

static int read_served(const args *a, served_settings *s) {
    *s = (served_settings){
        .a = a, .keep = SERVE_DEFAULT_KEEP, .queue_rows = SERVE_DEFAULT_QUEUE, .learns = !args_has(a, "no-learning")};
    int rc = s->learns ? DONE : check_learns(a);
    if (!rc) rc = input_options(a, &s->reading);
    if (!rc) rc = args_interval(a, "save-every", &s->save_examples, &s->save_seconds);
    if (!args_has(a, "save-every")) s->save_seconds = 60;
    if (!rc) rc = read_unsigned(a, "keep", 0, MOST_KEPT, &s->keep);
    if (!rc) rc = args_count(a, "queue", 1, UINT64_MAX / 2, &s->queue_rows);
    return rc ? rc : check_new_model(a);
}

/* A model that is written must be no other file of the command line. */
static int check_models(const args *a, const model_files *files) {
    static const char *const others[] = {"token-file", "predict-token-file", "tls-certificate", "tls-key",
                                         "labels",     "access-log"};
    for (size_t i = 0; i < files->n; i++)
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            const char *other = args_value(a, others[k]);
            if (other && same_file(files->file[i].path, other))
                return wrong_usage(a->command->name, "--%s %s: it is the file of the model %s; name another", others[k],
                                   other, files->file[i].name);
        }
    return DONE;
}

static int read_topics(const args *a, serve_options *o) {
    o->kafka = calloc(o->files.n + 1, sizeof *o->kafka);
    if (!o->kafka) return out_of_memory();
    int rc = model_files_check_topics(a, &o->files);
    for (size_t i = 0; i < o->files.n && !rc; i++)
        rc = kafka_options_of_model(a, &o->served.reading, o->files.file[i].name, &o->kafka[i]);
    return rc;
}

int serve_options_read(const args *a, serve_options *o) {
    *o = (serve_options){0};
    int rc = read_http(a, o);
    if (!rc) rc = read_labels(a, &o->labels);
    if (!rc) rc = read_served(a, &o->served);
    if (!rc) rc = model_files_read(a, &o->files);
    if (!rc) rc = check_models(a, &o->files);
    if (!rc) rc = read_topics(a, o);
    return rc ? rc : check_files_usable(a);
}

void serve_options_free(serve_options *o) {
    for (size_t i = 0; i < o->files.n && o->kafka; i++) kafka_settings_free(&o->kafka[i]);
    free(o->kafka);
    free(o->origins);
    model_files_free(&o->files);
    *o = (serve_options){0};
}

served_settings serve_options_of_model(const serve_options *o, size_t i) {
    served_settings s = o->served;
    s.kafka = o->kafka[i].brokers ? &o->kafka[i] : NULL;
    return s;
}
