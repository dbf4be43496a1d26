/* A server without sockets, for fuzz targets: its models, its labels and its HTTP layer are those of `sluice serve`;
 * one thread does everything. Its files are in a folder of their own, which goes when the process ends. */
#ifndef REQUEST_SERVER_H
#define REQUEST_SERVER_H

#include "fuzz/fake_microhttpd.h"
#include "serve/serving.h"

#define LEARN_TOKEN "s3cr3t-learn"
#define PREDICT_TOKEN "s3cr3t-ask"
#define OTHER_ORIGIN "https://ours.example"

typedef struct request_server {
    serving serving;
    http_settings settings;
    http_server http;
} request_server;

/* The server of this process, made by the first call. */
request_server *request_server_get(void);
/* Learns what is queued, and does what else the learner threads would do. */
void request_server_learn(request_server *s);
/* Takes the models back to what they were at first, which limits how much they grow. */
void request_server_reset(request_server *s);

#endif
