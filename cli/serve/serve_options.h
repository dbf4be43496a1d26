/* The command line of `sluice serve`. */
#ifndef CLI_SERVE_OPTIONS_H
#define CLI_SERVE_OPTIONS_H

#include "args/input_options.h"
#include "args/model_args.h"
#include "http/http_server.h"
#include "kafka/kafka.h"
#include "run/drift_watch.h"
#include "serve/label_store.h"
#include "serve/model_files.h"
#include "serve/model/served_model.h"

#define SERVE_DEFAULT_ADDRESS "127.0.0.1:8080"
#define SERVE_DEFAULT_SAVE "60s"

enum {
    SERVE_DEFAULT_KEEP = 3,
    SERVE_DEFAULT_QUEUE = 100000,
    SERVE_DEFAULT_CONNECTIONS = 1000,
    SERVE_DEFAULT_PER_ADDRESS = 250,
    SERVE_DEFAULT_IDLE = 60,
    SERVE_DEFAULT_REQUEST = 30,
    SERVE_DEFAULT_LABELS = 1000000,
    SERVE_DEFAULT_LABEL_SECONDS = 86400
};

/* clang-format off */
#define SERVE_OPTIONS \
    {"model", 'm', "NAME=FILE", "serve this model, and save it there; where there is no such file a model is made. FILE alone is named after the file, and a folder serves all its models; may be repeated", 1}, \
    {"listen", 0, "HOST:PORT", "the address to listen on; port 0: any (default " SERVE_DEFAULT_ADDRESS ")", 0}, \
    {"no-learning", 0, NULL, "learn nothing, lock nothing and write nothing; SIGHUP loads models that others have replaced", 0}, \
    {"save-every", 0, "N|Ns", "save each model every N examples, or every N seconds as in 10s (default " SERVE_DEFAULT_SAVE ")", 0}, \
    {"keep", 0, "K", "keep the last K checkpoints, to roll back to (default 3)", 0}, \
    {"queue", 0, "ROWS", "rows that may wait to be learned, of each model; more are refused with 429 (default 100000)", 0}
#define ACCESS_OPTIONS \
    {"token-file", 0, "FILE", "learning and administration need the token in this file (default: this machine alone may)", 0}, \
    {"predict-token-file", 0, "FILE", "predictions, metrics and the page need the token in this file, or that of --token-file (default: none)", 0}, \
    {"tls-certificate", 0, "FILE", "serve over TLS with this certificate (PEM; needs --tls-key)", 0}, \
    {"tls-key", 0, "FILE", "the key of the certificate (PEM)", 0}, \
    {"origin", 0, "ORIGIN", "pages of this origin, such as https://example.org, may ask too; may be repeated", 1}, \
    {"access-log", 0, "FILE", "append a line of JSON for each answer to this file; -: standard error", 0}
#define LIMIT_OPTIONS \
    {"max-body", 0, "BYTES", "the largest body of a request (default 16777216)", 0}, \
    {"max-connections", 0, "N", "connections at a time (default 1000)", 0}, \
    {"max-per-address", 0, "N", "connections of one address at a time (default 250)", 0}, \
    {"idle-timeout", 0, "SECONDS", "close a connection without a request after this time (default 60)", 0}, \
    {"request-timeout", 0, "SECONDS", "close a connection whose request has not come whole in this time (default 30)", 0}
#define LABEL_OPTIONS \
    {"labels", 0, "FILE", "remember rows that are predicted with remember=ID in this file until their labels come", 0}, \
    {"labels-most", 0, "N", "rows that may wait for their labels; then the oldest are forgotten (default 1000000)", 0}, \
    {"labels-seconds", 0, "N", "a row waits so long for its label; 0: for ever (default 86400)", 0}, \
    {"unlabelled-means", 0, "LABEL", "learn rows whose label did not come in time with this one (default: forget them)", 0}
/* clang-format on */

typedef struct serve_options {
    model_files files;
    http_settings http; /* routes, context and answered are the caller's */
    const char **origins;
    label_settings labels;  /* file NULL: predictions are not remembered */
    served_settings served; /* kafka: of each model its own */
    kafka_settings *kafka;  /* of each model of `files` */
} serve_options;

/* Reads the command line and says what is wrong. Returns an exit status; free in any case. */
int serve_options_read(const args *a, serve_options *o);
void serve_options_free(serve_options *o);
/* What is served of the i-th model. */
served_settings serve_options_of_model(const serve_options *o, size_t i);

#endif
