/* Requests and answers: what libmicrohttpd calls from the head of a request to the end of its answer. */
#include "http/http_server.h"

#if SLUICE_HAVE_MICROHTTPD
#include "http/http_head.h"
#include "http/http_inside.h"

#include "output/progress.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    KEPT = 1 << 16,       /* bytes of a buffer that a connection keeps for the next request */
    THROWN_AWAY = 1 << 24 /* bytes of a body that is not wanted which are still read, so that the client sees why */
};

static connection *connection_of(struct MHD_Connection *mhd) {
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Refusals of such paths are JSON. */
static int is_v2(const char *path) { return !strncmp(path, "/v2", 3) && (!path[3] || strchr("/?", path[3])); }

static void PRINTF_LIKE(3, 0) refuse(http_request *r, unsigned status, const char *format, va_list values) {
    char text[1024];
    vsnprintf(text, sizeof text, format, values);
    text_buffer *t = &r->answer;
    text_clear(t);
    const int json = r->route ? is_v2(r->route->pattern) : r->exchange->json;
    if (json) {
        text_put(t, "{\"error\":");
        text_json_string(t, text, strlen(text));
        text_put(t, "}\n");
    } else {
        text_shown(t, text);
        text_char(t, '\n');
    }
    if (status == 429 || status == 503) http_add_header(r, "Retry-After", "1");
    http_answer(r, status, json ? "application/json" : "text/plain; charset=utf-8");
}

/* ---- the body ---- */

static void set_body_room(http_exchange *x, size_t room, char *body) {
    const size_t before = x->body_room > KEPT ? x->body_room : 0, now = room > KEPT ? room : 0;
    if (now > before)
        atomic_fetch_add(&x->server->large_bodies, now - before);
    else if (before > now)
        atomic_fetch_sub(&x->server->large_bodies, before - now);
    x->request.body = body;
    x->body_room = room;
}

static void uncount_answer(http_exchange *x) {
    if (x->large) atomic_fetch_sub(&x->server->large_answers, x->large);
    x->large = 0;
}

static void drop_body(http_exchange *x) {
    if (x->body_room > KEPT) {
        free(x->request.body);
        set_body_room(x, 0, NULL);
    }
    x->request.body_n = 0;
}

/* The request is refused once its body has come; where it comes is thrown away. */
static void PRINTF_LIKE(3, 4) refuse_unread(http_exchange *x, unsigned status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    x->discards = 1;
    drop_body(x);
    refuse(&x->request, status, format, values);
    va_end(values);
}

static enum MHD_Result take_body(http_exchange *x, const char *bytes, size_t n) {
    http_request *r = &x->request;
    const size_t most = x->server->settings->max_body;
    x->body_seen += n;
    if (!x->discards && n > most - r->body_n) refuse_unread(x, 413, "the body is too large");
    if (x->discards) return x->body_seen > (uint64_t)most + THROWN_AWAY ? MHD_NO : MHD_YES;
    if (r->body_n + n >= x->body_room) {
        size_t room = x->body_room ? x->body_room : 1024;
        while (room <= r->body_n + n) room *= 2;
        const size_t all = x->server->settings->max_large, budget = all / 2 > most ? all : 2 * most;
        char *body = NULL;
        if (room <= KEPT || atomic_load(&x->server->large_bodies) + room <= budget + x->body_room)
            body = realloc(r->body, room);
        if (!body) {
            refuse_unread(x, 503, "too many large requests at once");
            return MHD_YES;
        }
        set_body_room(x, room, body);
    }
    memcpy(r->body + r->body_n, bytes, n);
    r->body_n += n;
    return MHD_YES;
}

/* ---- the head ---- */

/* What other pages may send and see. */
static void answer_preflight(http_exchange *x, const http_head *h, const char *allow) {
    http_request *r = &x->request;
    if (x->origin && h->asks_method) {
        http_add_header(r, "Access-Control-Allow-Methods", *allow ? allow : "GET, HEAD, POST, OPTIONS");
        http_add_header(r, "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, Inference-Header-Content-Length");
        http_add_header(r, "Access-Control-Max-Age", "600");
    }
    http_add_header(r, "Allow", *allow ? allow : "GET, HEAD, POST, OPTIONS");
    http_answer(r, 204, NULL);
}

/* Refuses the request, answers it or leaves it to its handler. */
static void judge(http_exchange *x, const http_head *h) {
    http_server *s = x->server;
    http_request *r = &x->request;
    char allow[HTTP_ALLOW_ROOM];
    const char *why = NULL, *unknown;
    int foreign;
    unsigned status;
    if (x->wrong || h->wrong) {
        x->closes = 1;
        refuse_unread(x, 400, "%s", x->wrong ? x->wrong : h->wrong);
        return;
    }
    if (atomic_load(&s->stopping)) {
        refuse_unread(x, 503, "the server is stopping");
        return;
    }
    status = http_guard_page(&s->guard, &h->caller, &why, &foreign);
    if (status) {
        refuse_unread(x, status, "%s", why);
        return;
    }
    if (foreign) x->origin = h->caller.origin;
    r->route = http_find_route(s->settings->routes, &x->target, r->method, r->segment, allow);
    if (!strcmp(r->method, "OPTIONS") && (*allow || !strcmp(r->path, "*"))) {
        x->discards = 1;
        answer_preflight(x, h, allow);
    } else if (!r->route && *allow) {
        http_add_header(r, "Allow", allow);
        refuse_unread(x, 405, "this path takes %s", allow);
    } else if (!r->route) {
        refuse_unread(x, 404, "no such path");
    } else if ((status = http_guard_access(&s->guard, &h->caller, r->route->access, &why))) {
        if (status == 401) {
            http_add_header(r, "WWW-Authenticate", "Bearer realm=\"sluice\"");
            if (!strcmp(r->route->method, "GET")) http_add_header(r, "WWW-Authenticate", "Basic realm=\"sluice\"");
        }
        refuse_unread(x, status, "%s", why);
    } else if ((unknown = http_target_unknown(&x->target, r->route->query))) {
        refuse_unread(x, 400, "there is no parameter '%.64s' here; there are %s", unknown, r->route->query);
    } else if (h->length > s->settings->max_body) {
        refuse_unread(x, 413, "the body is too large");
    } else if (h->compression && strcasecmp(h->compression, "identity") != 0) {
        refuse_unread(x, 415, "the body has a Content-Encoding: send it as it is");
    }
}

static enum MHD_Result send_answer(http_exchange *x);

static enum MHD_Result read_head(http_exchange *x, const char *method, const char *version) {
    http_server *s = x->server;
    http_request *r = &x->request;
    http_head h = {.caller = {.loopback = x->on->loopback}};
    x->head_read = 1;
    r->began = now_seconds();
    r->method = method;
    r->path = x->target.path;
    if (s->settings->request_seconds)
        atomic_store_explicit(&x->on->deadline, r->began + s->settings->request_seconds, memory_order_relaxed);
    http_head_read(&h, x->mhd, version);
    judge(x, &h);
    /* where the body would never come, or is too much even to throw it away: now. libmicrohttpd closes then. */
    if (x->discards && (h.expect || x->closes || h.length > (uint64_t)s->settings->max_body + THROWN_AWAY)) {
        x->closes = 1;
        return send_answer(x);
    }
    return MHD_YES;
}

/* ---- the answer ---- */

static void add_headers(struct MHD_Response *response, const text_buffer *headers) {
    for (size_t at = 0; at < headers->n;) {
        const char *name = headers->text + at, *value = name + strlen(name) + 1;
        MHD_add_response_header(response, name, value);
        at = (size_t)(value + strlen(value) + 1 - headers->text);
    }
}

/* Answers that clients do not read must not fill the memory: above a limit for all of them together, a large one is not
 * sent, unless it tells of something done (learned, say) that cannot be asked for again. */
static void count_answer(http_exchange *x) {
    http_server *s = x->server;
    const size_t room = x->request.answer.room;
    if (room <= KEPT || x->stream) return;
    const size_t before = atomic_fetch_add(&s->large_answers, room);
    x->large = room;
    if (!before || before + room <= s->settings->max_large || x->later) return;
    atomic_fetch_sub(&s->large_answers, room);
    x->large = 0;
    text_free(&x->request.answer);
    text_clear(&x->headers); /* they are of the answer that does not go out */
    http_refuse(&x->request, 503, "too many large answers at once");
}

static enum MHD_Result send_answer(http_exchange *x) {
    http_server *s = x->server;
    http_request *r = &x->request;
    count_answer(x);
    if (r->answer.failed || x->headers.failed) {
        text_clear(&x->headers);
        http_refuse(r, 503, "out of memory");
    }
    struct MHD_Response *response;
    if (x->stream) {
        response = event_response(x->stream);
        x->stream = NULL; /* the response's now */
    } else {
        response = MHD_create_response_from_buffer(r->answer.n, r->answer.text ? r->answer.text : (char *)"",
                                                   MHD_RESPMEM_PERSISTENT);
    }
    if (!response) return MHD_NO;
    add_headers(response, &x->headers);
    if (r->route && *r->route->method == 'G') {
        MHD_add_response_header(response, "Cache-Control", "no-store");
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    }
    if (s->settings->n_origins) MHD_add_response_header(response, "Vary", "Origin");
    if (x->origin) {
        MHD_add_response_header(response, "Access-Control-Allow-Origin", x->origin);
        MHD_add_response_header(response, "Access-Control-Expose-Headers", "*");
    }
    if (x->closes || atomic_load_explicit(&s->stopping, memory_order_relaxed))
        MHD_add_response_header(response, "Connection", "close");
    const enum MHD_Result result = MHD_queue_response(x->mhd, x->status, response);
    MHD_destroy_response(response);
    return result;
}

/* The handler has returned, or the connection goes on after it waited. */
static enum MHD_Result after_handler(http_exchange *x) {
    http_server *s = x->server;
    if (x->later) {
        pthread_mutex_lock(&s->lock);
        const int answered = x->answered;
        if (!answered && s->closing) {
            exchange_abandon(x);
        } else if (!answered) {
            x->waits = 1;
            atomic_store_explicit(&x->on->deadline, 0, memory_order_relaxed);
            MHD_suspend_connection(x->mhd);
        }
        const int goes_on = answered || x->waits;
        pthread_mutex_unlock(&s->lock);
        if (!answered) return goes_on ? MHD_YES : MHD_NO;
    } else if (!x->answered) {
        http_refuse(&x->request, 500, "the request was not answered");
    }
    double deadline = 0;
    if (s->settings->request_seconds && !x->stream) deadline = now_seconds() + s->settings->request_seconds;
    atomic_store_explicit(&x->on->deadline, deadline, memory_order_relaxed);
    return send_answer(x);
}

void *exchange_begin(void *server, const char *target, struct MHD_Connection *mhd) {
    http_server *s = server;
    connection *on = connection_of(mhd);
    if (!on) return NULL;
    http_exchange *x = on->exchange;
    if (!x) {
        x = calloc(1, sizeof *x);
        if (!x) return NULL;
        x->on = on;
        x->server = s;
        x->request.exchange = x;
        on->exchange = x;
    }
    x->mhd = mhd;
    x->begun = 1;
    atomic_store(&on->busy, 1);
    atomic_fetch_add(&s->busy, 1);
    x->wrong = target && !strcmp(target, "*") ? NULL : http_target_read(&x->target, target ? target : "");
    if (target && !strcmp(target, "*")) {
        x->target.path = x->target.part[0] = "*";
        x->target.parts = 1;
        x->target.parameters = 0;
    }
    x->json = is_v2(x->wrong && target ? target : x->target.path);
    return x;
}

enum MHD_Result exchange_go_on(void *server, struct MHD_Connection *mhd, const char *target, const char *method,
                               const char *version, const char *bytes, size_t *n, void **context) {
    (void)target, (void)context;
    http_server *s = server;
    connection *on = connection_of(mhd);
    http_exchange *x = on ? on->exchange : NULL;
    if (!x || !x->begun) return MHD_NO;
    if (!x->head_read) return read_head(x, method, version);
    if (*n) {
        const size_t came = *n;
        *n = 0;
        return take_body(x, bytes, came);
    }
    if (!x->handled) {
        x->handled = 1;
        http_request *r = &x->request;
        if (!x->discards) {
            if (!r->body) {
                r->body = calloc(1, 1024);
                if (!r->body) return MHD_NO;
                x->body_room = 1024;
            }
            r->body[r->body_n] = 0;
            atomic_store_explicit(&on->deadline, 0, memory_order_relaxed);
            r->route->handle(s->settings->context, r);
        }
    }
    return after_handler(x);
}

void exchange_end(void *server, struct MHD_Connection *mhd, void **context, enum MHD_RequestTerminationCode how) {
    (void)context, (void)how;
    http_server *s = server;
    connection *on = connection_of(mhd);
    if (!on) return;
    http_exchange *x = on->exchange;
    const double now = now_seconds();
    if (x && x->begun) {
        http_request *r = &x->request;
        if (x->head_read) {
            atomic_fetch_add_explicit(&s->bytes_in, x->body_seen, memory_order_relaxed);
            atomic_fetch_add_explicit(&s->bytes_out, r->answer.n, memory_order_relaxed);
            if (s->log) http_log_add(s->log, r, on->address, x->status, x->body_seen, r->answer.n, now - r->began);
            if (x->status && s->settings->answered)
                s->settings->answered(s->settings->context, r, x->status, now - r->began);
        }
        if (x->stream) event_stream_free(x->stream);
        drop_body(x);
        uncount_answer(x);
        if (r->answer.room > KEPT)
            text_free(&r->answer);
        else
            text_clear(&r->answer);
        text_clear(&x->headers);
        x->request = (http_request){.body = r->body, .answer = r->answer, .exchange = x};
        x->mhd = NULL;
        x->wrong = x->origin = NULL;
        x->stream = NULL;
        x->body_seen = 0;
        x->status = 0;
        x->begun = x->head_read = x->discards = x->handled = x->closes = x->later = x->answered = x->waits = 0;
    }
    if (atomic_exchange(&on->busy, 0)) atomic_fetch_sub(&s->busy, 1);
    const unsigned seconds = s->settings->idle_seconds + s->settings->request_seconds;
    atomic_store_explicit(&on->deadline, s->settings->request_seconds ? now + seconds : 0, memory_order_relaxed);
}

void exchange_free(http_exchange *x) {
    if (!x) return;
    free(x->request.body);
    set_body_room(x, 0, NULL);
    uncount_answer(x);
    text_free(&x->request.answer);
    text_free(&x->headers);
    http_target_free(&x->target);
    free(x);
}

void exchange_abandon(http_exchange *x) {
    http_server *s = x->server;
    x->on->exchange = NULL;
    x->on = NULL;
    x->mhd = NULL;
    x->abandoned = 1;
    x->waits = 0;
    s->abandoned++;
}

/* ---- what handlers call ---- */

const char *http_query(const http_request *r, const char *name) {
    return http_target_query(&r->exchange->target, name);
}

const char *http_header(const http_request *r, const char *name) {
    struct MHD_Connection *mhd = r->exchange->mhd;
    return mhd ? MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name) : NULL;
}

void http_add_header(http_request *r, const char *name, const char *value) {
    text_buffer *t = &r->exchange->headers;
    const size_t before = t->n;
    if (!http_is_token(name, strlen(name))) return;
    text_add(t, name, strlen(name) + 1);
    for (const char *c = value; *c; c++) text_char(t, (unsigned char)*c < ' ' || *c == 0x7f ? ' ' : *c);
    text_char(t, 0);
    if (t->failed) t->n = before;
}

void http_answer(http_request *r, unsigned status, const char *type) {
    http_exchange *x = r->exchange;
    if (type) http_add_header(r, "Content-Type", type);
    x->status = status;
    if (!x->later) {
        x->answered = 1;
        return;
    }
    http_server *s = x->server;
    pthread_mutex_lock(&s->lock);
    x->answered = 1;
    if (x->waits) {
        x->waits = 0;
        MHD_resume_connection(x->mhd);
    }
    const int abandoned = x->abandoned, last = abandoned && --s->abandoned == 0 && s->stopped;
    if (abandoned) exchange_free(x);
    pthread_mutex_unlock(&s->lock);
    if (last) server_free(s);
}

void http_refuse(http_request *r, unsigned status, const char *format, ...) {
    va_list values;
    va_start(values, format);
    refuse(r, status, format, values);
    va_end(values);
}

void http_later(http_request *r) { r->exchange->later = 1; }

#endif
