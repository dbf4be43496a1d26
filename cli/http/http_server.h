/* An HTTP server: connections and their limits, requests with their whole bodies, answers at once or later, streams of
 * events. It knows nothing of models: routes say which function answers what. */
#ifndef CLI_HTTP_SERVER_H
#define CLI_HTTP_SERVER_H

#include "http/text_buffer.h"

#include <stddef.h>
#include <stdint.h>

/* Who may ask. */
typedef enum http_access {
    HTTP_OPEN,    /* anybody: health */
    HTTP_PREDICT, /* anybody, or who has the token of --predict-token-file */
    HTTP_LEARN    /* learning and administration: who has the token of --token-file; without one, loopback alone */
} http_access;

typedef struct http_request http_request;
typedef struct http_server http_server;

/* Answers a request: writes the body to request->answer and calls http_answer(), or http_later(). Called by several
 * threads at once, with the context of the settings. */
typedef void (*http_handler)(void *context, http_request *request);

typedef struct http_route {
    const char *method;  /* "GET" (which takes HEAD too) or "POST"; NULL ends a table */
    const char *pattern; /* as in "/v2/models/{}/infer", where {} is one segment of the path */
    http_access access;
    const char *name; /* in metrics and in the access log: "infer" */
    http_handler handle;
    const char *query; /* the parameters that it takes: "model, format"; NULL: others are left alone */
} http_route;

enum { HTTP_MOST_SEGMENTS = 4 };

struct http_request {
    const http_route *route;                 /* NULL: no route takes the path */
    const char *method, *path;               /* decoded, without the query */
    const char *segment[HTTP_MOST_SEGMENTS]; /* what stood for the {} of the pattern, decoded */
    char *body;                              /* body_n bytes, then a NUL; "" where there is none */
    size_t body_n;
    text_buffer answer;             /* the body of the answer */
    const char *model;              /* for the access log: the model that was asked, and */
    uint64_t rows;                  /* how many rows it was asked about. Set by the handler */
    double began;                   /* now_seconds() when its head was read */
    void *state;                    /* of the handler, while it answers later */
    struct http_exchange *exchange; /* of the server */
};

/* A parameter of the query, decoded, or NULL; a header, or NULL. */
const char *http_query(const http_request *request, const char *name);
const char *http_header(const http_request *request, const char *name);
/* A header of the answer. To be called before http_answer(). */
void http_add_header(http_request *request, const char *name, const char *value);

/* Sends request->answer. The request is gone afterwards. `type` is the Content-Type; NULL: none. */
void http_answer(http_request *request, unsigned status, const char *type);
/* Sends {"error": "..."} (or, where the route's pattern does not begin with /v2, the message as a line of text) instead
 * of what is in request->answer. A status of 429 and 503 has Retry-After: 1. */
void http_refuse(http_request *request, unsigned status, const char *format, ...) PRINTF_LIKE(3, 4);
/* The handler returns without an answer; http_answer() or http_refuse() follows, from any thread (perhaps before this
 * call's handler has returned). */
void http_later(http_request *request);

/* Makes the request a stream of server-sent events that goes on until either side ends; refuses it with 503 where there
 * are too many. `first` (n bytes) is sent at once. */
void http_begin_events(http_request *request, const char *first, size_t n);
/* Sends a text to all streams of events; one that has not taken the last one yet misses this one. */
void http_send_events(http_server *server, const char *text, size_t n);
/* How many streams there are. */
unsigned http_event_streams(http_server *server);

typedef struct http_settings {
    const char *listen; /* HOST:PORT, [IPV6]:PORT, PORT; port 0: any */
    unsigned threads;   /* that answer; 0: as many as there are cores */
    size_t max_body;    /* bytes; more is 413 */
    size_t max_large;   /* bytes of all large bodies, or two of the largest, and of all large answers, or one: 503 */
    unsigned max_connections, max_per_address;
    unsigned idle_seconds;    /* a connection without a request is closed after this time */
    unsigned request_seconds; /* limit on the time for a request to arrive, and for its answer to be taken */
    const char *token_file, *predict_token_file; /* NULL: none */
    const char *certificate, *key;               /* PEM files; NULL: no TLS */
    const char *const *origins;                  /* foreign ones that pages may come from, n_origins of them */
    size_t n_origins;
    const char *access_log; /* a file, "-" for standard error, NULL: none */
    const http_route *routes;
    void *context; /* of the routes, and of: */
    /* Is told of every answer, when it was given to the kernel or the connection has failed; any thread. */
    void (*answered)(void *context, const http_request *request, unsigned status, double seconds);
} http_settings;

/* Starts to listen and to answer; says what is wrong (a port in use, a token file that others can read, TLS that the
 * library was built without...). The settings must stay. Returns an exit status. */
int http_start(const http_settings *settings, http_server **server);
/* The address as a URL: "http://127.0.0.1:8080". */
const char *http_url(const http_server *server);
/* Takes no new connections, and no new requests on old ones; what is under way is answered. */
void http_stop_listening(http_server *server);
/* Waits until nothing is under way, for at most this time, then closes what is left. */
void http_stop(http_server *server, double seconds);

typedef struct http_counts {
    uint64_t connections, refused_connections; /* so far */
    unsigned open_connections, event_streams;
    uint64_t bytes_in, bytes_out; /* of bodies */
} http_counts;
http_counts http_count(http_server *server);

#endif
