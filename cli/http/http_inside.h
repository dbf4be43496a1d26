/* What the files of the HTTP server share: connections, and what is exchanged on them. */
#ifndef CLI_HTTP_INSIDE_H
#define CLI_HTTP_INSIDE_H

#include "http/http_guard.h"
#include "http/http_listen.h"
#include "http/http_log.h"
#include "http/http_target.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

enum { ADDRESS_ROOM = 48 };

typedef struct connection connection;
typedef struct http_exchange http_exchange;
typedef struct event_stream event_stream;

/* A request and its answer. It stays with its connection, for the next request, and keeps a little memory. */
struct http_exchange {
    http_request request;
    connection *on;
    http_server *server;
    struct MHD_Connection *mhd; /* NULL: the connection is gone, and who has the request does not know yet */
    http_target target;
    const char *wrong;    /* with the target; NULL: nothing */
    const char *origin;   /* of the page that asks and is allowed to; NULL: its own, or none */
    text_buffer headers;  /* of the answer: name NUL value NUL ... */
    size_t body_room;     /* of request.body */
    uint64_t body_seen;   /* bytes that came, also those that were thrown away */
    event_stream *stream; /* the answer is one */
    unsigned status;      /* of the answer; 0: there is none yet */
    int json;             /* a refusal is JSON, where no route takes the request */
    int begun, head_read; /* a request has begun; its head was read */
    size_t large;         /* bytes of the answer that count as those of a large one */
    int discards;         /* its body is not wanted: the answer is a refusal, and waits for the end */
    int handled;          /* the handler was called */
    int closes;           /* the connection, behind the answer */
    int later;            /* http_later(): what follows is guarded by the server's lock */
    int answered, waits;  /* waits: the connection is suspended */
    int abandoned;        /* the connection was closed while the request was answered later */
};

struct connection {
    connection *next, *previous; /* of the server's list */
    int fd, loopback;
    atomic_int busy;         /* a request is under way */
    _Atomic double deadline; /* now_seconds() when it is closed; 0: it may take its time */
    char address[ADDRESS_ROOM];
    unsigned char network[16]; /* what counts as one address: an IPv4 one, the first half of an IPv6 one */
    http_exchange *exchange;
};

struct http_server {
    const http_settings *settings;
    struct MHD_Daemon *daemon;
    http_listener listener;
    http_guard guard;
    http_log *log;
    pthread_t acceptor; /* accepts, and closes what takes too long */
    int accepting, wake;
    text_buffer complaint; /* of libmicrohttpd, while it starts */

    pthread_mutex_t lock; /* of all below; taken before locks of libmicrohttpd */
    connection *first;
    unsigned open;
    connection **by_fd; /* connections that were accepted, by their descriptors */
    size_t by_fd_room;
    int closing;        /* no request may wait any more */
    unsigned abandoned; /* exchanges that others still have */
    int stopped;        /* the last of those frees the server */
    event_stream *streams;
    unsigned n_streams;
    int streams_end;

    atomic_int stopping, finish; /* http_stop_listening(), http_stop() */
    atomic_uint busy;            /* requests under way */
    atomic_ullong connections, refused, bytes_in, bytes_out;
    /* bytes of memory that bodies, and answers that were not taken yet, have beyond what connections keep */
    atomic_size_t large_bodies, large_answers;
};

/* http_exchange.c: what libmicrohttpd calls. */
void *exchange_begin(void *server, const char *target, struct MHD_Connection *mhd);
enum MHD_Result exchange_go_on(void *server, struct MHD_Connection *mhd, const char *target, const char *method,
                               const char *version, const char *bytes, size_t *n, void **context);
void exchange_end(void *server, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode how);
void exchange_free(http_exchange *x);
/* The connection closes while the request is answered later. The lock is held. */
void exchange_abandon(http_exchange *x);

/* http_events.c */
struct MHD_Response *event_response(event_stream *stream);
void event_stream_free(event_stream *stream); /* one that has no response */
void event_streams_end(http_server *s);

/* http_server.c: when nothing has the server any more. */
void server_free(http_server *s);

#endif
