/* Server-sent events: answers that go on. */
#include "http/http_server.h"

#if SLUICE_HAVE_MICROHTTPD
#include "http/http_inside.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STREAMS = 64, BLOCK = 1 << 14 };

struct event_stream {
    event_stream *next, *previous;
    http_server *server;
    struct MHD_Connection *mhd;
    text_buffer text; /* that was not taken yet, from `taken` on */
    size_t taken;
    int waits; /* the connection is suspended */
};

static void unlink_stream(event_stream *e) {
    http_server *s = e->server;
    if (e->previous)
        e->previous->next = e->next;
    else
        s->streams = e->next;
    if (e->next) e->next->previous = e->previous;
    s->n_streams--;
}

static void stream_end(void *context) {
    event_stream *e = context;
    http_server *s = e->server;
    pthread_mutex_lock(&s->lock);
    unlink_stream(e);
    pthread_mutex_unlock(&s->lock);
    text_free(&e->text);
    free(e);
}

void event_stream_free(event_stream *stream) { stream_end(stream); }

/* Called by libmicrohttpd whenever the connection takes more. */
static ssize_t next_text(void *context, uint64_t position, char *to, size_t room) {
    (void)position;
    event_stream *e = context;
    http_server *s = e->server;
    ssize_t n = 0;
    pthread_mutex_lock(&s->lock);
    if (e->taken < e->text.n) {
        n = (ssize_t)(e->text.n - e->taken < room ? e->text.n - e->taken : room);
        memcpy(to, e->text.text + e->taken, (size_t)n);
        e->taken += (size_t)n;
        if (e->taken == e->text.n) {
            text_clear(&e->text);
            e->taken = 0;
        }
    } else if (s->streams_end) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        e->waits = 1;
        MHD_suspend_connection(e->mhd);
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

struct MHD_Response *event_response(event_stream *e) {
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, next_text, e, stream_end);
    if (!response) stream_end(e);
    return response;
}

void http_begin_events(http_request *r, const char *first, size_t n) {
    http_exchange *x = r->exchange;
    http_server *s = x->server;
    event_stream *e = calloc(1, sizeof *e);
    if (e) text_add(&e->text, first, n);
    if (!e || e->text.failed) {
        if (e) text_free(&e->text);
        free(e);
        http_refuse(r, 503, "out of memory");
        return;
    }
    e->server = s;
    e->mhd = x->mhd;
    pthread_mutex_lock(&s->lock);
    const int taken = s->n_streams < MOST_STREAMS && !s->streams_end;
    if (taken) {
        e->next = s->streams;
        if (e->next) e->next->previous = e;
        s->streams = e;
        s->n_streams++;
    }
    pthread_mutex_unlock(&s->lock);
    if (!taken) {
        text_free(&e->text);
        free(e);
        http_refuse(r, 503, "too many streams of events");
        return;
    }
    x->stream = e;
    text_clear(&r->answer);
    http_add_header(r, "X-Accel-Buffering", "no"); /* a proxy is to pass them on at once */
    http_answer(r, 200, "text/event-stream");
}

void http_send_events(http_server *s, const char *text, size_t n) {
    if (!s || !n) return;
    pthread_mutex_lock(&s->lock);
    for (event_stream *e = s->streams; e; e = e->next) {
        if (e->text.n) continue;
        text_clear(&e->text);
        text_add(&e->text, text, n);
        if (e->text.failed) {
            text_clear(&e->text);
            continue;
        }
        if (!e->waits) continue;
        e->waits = 0;
        MHD_resume_connection(e->mhd);
    }
    pthread_mutex_unlock(&s->lock);
}

void event_streams_end(http_server *s) {
    pthread_mutex_lock(&s->lock);
    s->streams_end = 1;
    for (event_stream *e = s->streams; e; e = e->next) {
        if (!e->waits) continue;
        e->waits = 0;
        MHD_resume_connection(e->mhd);
    }
    pthread_mutex_unlock(&s->lock);
}

unsigned http_event_streams(http_server *s) {
    if (!s) return 0;
    pthread_mutex_lock(&s->lock);
    const unsigned n = s->n_streams;
    pthread_mutex_unlock(&s->lock);
    return n;
}

#endif
