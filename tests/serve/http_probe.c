/* A server with routes that show what the HTTP layer does, for test_http.py.
 *
 *     http_probe [--NAME VALUE]...        prints its URL; ends with SIGTERM or SIGINT, and prints its counts
 */
#include "http/http_server.h"
#include "output/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static http_server *_Atomic server; /* requests read it while main() sets it */
static atomic_ullong answers, refusals, handled;

static void answer_text(http_request *r) { http_answer(r, 200, "text/plain; charset=utf-8"); }

static void empty(void *context, http_request *r) {
    (void)context;
    http_answer(r, 200, NULL);
}

/* The body, and what the handler was told of it. */
static void echo(void *context, http_request *r) {
    (void)context;
    atomic_fetch_add(&handled, 1);
    if (r->body[r->body_n]) abort();
    r->model = "probe";
    r->rows = 7;
    text_add(&r->answer, r->body, r->body_n);
    answer_text(r);
}

static void put_pair(text_buffer *t, const char *key, const char *value) {
    text_json_key(t, key);
    if (value)
        text_json_string(t, value, strlen(value));
    else
        text_put(t, "null");
}

static void show(void *context, http_request *r) {
    (void)context;
    text_buffer *t = &r->answer;
    text_char(t, '{');
    put_pair(t, "method", r->method);
    put_pair(t, "path", r->path);
    put_pair(t, "first", r->segment[0]);
    put_pair(t, "second", r->segment[1]);
    put_pair(t, "a", http_query(r, "a"));
    put_pair(t, "b", http_query(r, "b"));
    put_pair(t, "header", http_header(r, "x-test"));
    text_put(t, "}\n");
    const char *add = http_query(r, "add");
    if (add) http_add_header(r, "X-Added", add);
    http_answer(r, 200, "application/json");
}

static void *answer_later(void *request) {
    http_request *r = request;
    const char *wait = http_query(r, "ms");
    const unsigned ms = wait ? (unsigned)strtoul(wait, NULL, 10) : 0;
    if (ms) usleep(ms * 1000);
    if (http_query(r, "refuse"))
        http_refuse(r, 429, "busy");
    else {
        text_add(&r->answer, r->body, r->body_n);
        answer_text(r);
    }
    return NULL;
}

/* Answered by another thread: ?ms=N after so long, ?first=1 before the handler returns. */
static void later(void *context, http_request *r) {
    (void)context;
    const int first = http_query(r, "first") != NULL;
    pthread_t thread;
    http_later(r);
    if (pthread_create(&thread, NULL, answer_later, r) != 0)
        http_refuse(r, 503, "no thread");
    else if (first)
        pthread_join(thread, NULL);
    else
        pthread_detach(thread);
}

static void nothing(void *context, http_request *r) { (void)context, (void)r; }

static void refuse(void *context, http_request *r) {
    (void)context;
    const char *query = http_query(r, "for");
    text_put(&r->answer, "what had been written before");
    http_refuse(r, 429, "too busy for \"%s\"", query ? query : r->path);
}

/* ?n=N bytes */
static void big(void *context, http_request *r) {
    (void)context;
    const char *given = http_query(r, "n");
    const size_t n = given ? strtoul(given, NULL, 10) : 1000;
    char *to = text_reserve(&r->answer, n);
    if (to) {
        memset(to, 'x', n);
        text_wrote(&r->answer, n);
    }
    answer_text(r);
}

static void slow(void *context, http_request *r) {
    (void)context;
    usleep(600 * 1000);
    answer_text(r);
}

static void events(void *context, http_request *r) {
    (void)context;
    http_begin_events(r, "data: first\n\n", 13);
}

static void tick(void *context, http_request *r) {
    (void)context;
    text_buffer t = {0};
    text_put(&t, "data: ");
    text_add(&t, r->body, r->body_n);
    text_put(&t, "\n\n");
    http_send_events(server, t.text, t.n);
    text_free(&t);
    text_count(&r->answer, http_event_streams(server));
    answer_text(r);
}

static void count(void *context, http_request *r) {
    (void)context;
    const http_counts n = http_count(server);
    text_format(&r->answer, "%llu %llu %u %u %llu %llu\n", (unsigned long long)n.connections,
                (unsigned long long)n.refused_connections, n.open_connections, n.event_streams,
                (unsigned long long)n.bytes_in, (unsigned long long)n.bytes_out);
    answer_text(r);
}

static void told(void *context, const http_request *r, unsigned status, double seconds) {
    (void)context, (void)r;
    if (seconds < 0) abort();
    atomic_fetch_add(status < 400 ? &answers : &refusals, 1);
}

static const http_route routes[] = {{"GET", "/", HTTP_OPEN, "root", empty},
                                    {"POST", "/echo", HTTP_PREDICT, "echo", echo},
                                    {"POST", "/open", HTTP_OPEN, "open", echo},
                                    {"POST", "/learn", HTTP_LEARN, "learn", echo},
                                    {"GET", "/page", HTTP_PREDICT, "page", show},
                                    {"GET", "/show/{}", HTTP_OPEN, "show", show},
                                    {"POST", "/show/{}", HTTP_OPEN, "show", show},
                                    {"GET", "/show/{}/and/{}", HTTP_OPEN, "show2", show},
                                    {"POST", "/later", HTTP_OPEN, "later", later},
                                    {"GET", "/later", HTTP_OPEN, "later", later},
                                    {"GET", "/nothing", HTTP_OPEN, "nothing", nothing},
                                    {"GET", "/refuse", HTTP_OPEN, "refuse", refuse},
                                    {"GET", "/v2/refuse/{}", HTTP_OPEN, "refuse2", refuse},
                                    {"POST", "/v2/models/{}/infer", HTTP_PREDICT, "infer", echo},
                                    {"GET", "/big", HTTP_OPEN, "big", big},
                                    {"GET", "/slow", HTTP_OPEN, "slow", slow},
                                    {"GET", "/events", HTTP_OPEN, "events", events},
                                    {"POST", "/tick", HTTP_OPEN, "tick", tick},
                                    {"GET", "/count", HTTP_OPEN, "count", count},
                                    {NULL}};

int main(int argc, char **argv) {
    const char *origins[8];
    double grace = 2;
    http_settings settings = {.listen = "127.0.0.1:0",
                              .max_body = 1 << 20,
                              .max_large = 1 << 29,
                              .max_connections = 100,
                              .max_per_address = 0,
                              .idle_seconds = 60,
                              .request_seconds = 30,
                              .origins = origins,
                              .routes = routes,
                              .answered = told};
    if (argc % 2 == 0) return WRONG_USAGE;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i] + 2, *value = argv[i + 1];
        const unsigned number = (unsigned)strtoul(value, NULL, 10);
        if (!strcmp(name, "listen"))
            settings.listen = value;
        else if (!strcmp(name, "threads"))
            settings.threads = number;
        else if (!strcmp(name, "max-body"))
            settings.max_body = number;
        else if (!strcmp(name, "large"))
            settings.max_large = number;
        else if (!strcmp(name, "connections"))
            settings.max_connections = number;
        else if (!strcmp(name, "per-address"))
            settings.max_per_address = number;
        else if (!strcmp(name, "idle"))
            settings.idle_seconds = number;
        else if (!strcmp(name, "request"))
            settings.request_seconds = number;
        else if (!strcmp(name, "token-file"))
            settings.token_file = value;
        else if (!strcmp(name, "predict-token-file"))
            settings.predict_token_file = value;
        else if (!strcmp(name, "certificate"))
            settings.certificate = value;
        else if (!strcmp(name, "key"))
            settings.key = value;
        else if (!strcmp(name, "access-log"))
            settings.access_log = value;
        else if (!strcmp(name, "origin") && settings.n_origins < 8)
            origins[settings.n_origins++] = value;
        else if (!strcmp(name, "grace"))
            grace = atof(value);
        else
            return WRONG_USAGE;
    }
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, NULL);
    http_server *started;
    const int status = http_start(&settings, &started);
    if (status != DONE) return status;
    server = started;
    puts(http_url(server));
    fflush(stdout);
    int which;
    sigwait(&ends, &which);
    const double began = now_seconds();
    http_stop_listening(server);
    http_stop(server, grace);
    printf("answered %llu refused %llu handled %llu stopped in %.1f\n", (unsigned long long)answers,
           (unsigned long long)refusals, (unsigned long long)handled, now_seconds() - began);
    return DONE;
}
