/* Fuzz target: requests of HTTP to a server with models of several kinds. Each is answered once, with a status that is
 * meant for it and with what its Content-Type says; nothing is learned by who has no token for it; and what is refused
 * has changed nothing.
 *
 * An input is a byte that says who asks, then requests as they are sent, each with its body up to a line "%%". The
 * value
 * `@` of Inference-Header-Content-Length stands for the first line of the body. */
#include "fuzz/request_server.h"

#include "serve/model/served_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "fuzz_requests.c:%d: %s\n", __LINE__, #condition);                                         \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { REQUESTS_MOST = 6, RESET_EVERY = 1024 };
/* The bits of the first byte. */
enum { HAS_TOKEN = 1, HAS_PREDICT_TOKEN = 2, FROM_ELSEWHERE = 4 };

typedef struct request {
    char *method, *target, *version, *body;
    size_t body_n;
    char digits[24];
    struct MHD_Connection mhd;
    int has_secret;
} request;

/* ---- the input --------------------------------------------------------------------------------------------------- */

/* Ends the line where it stands, and returns the next one; NULL: there is none. */
static char *end_line(char *line, char *end) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) return NULL;
    *stop = 0;
    if (stop > line && stop[-1] == '\r') stop[-1] = 0;
    return stop + 1;
}

/* As libmicrohttpd has it: three words, a target without blanks. */
static bool split_first(char *line, request *r) {
    r->method = line;
    char *blank = strchr(line, ' '), *last = strrchr(line, ' ');
    if (!blank || blank == line || last == blank) return false;
    *blank = *last = 0;
    r->target = blank + 1;
    r->version = last + 1;
    return *r->target && !strncmp(r->version, "HTTP/1.", 7);
}

static void add_header(request *r, char *line) {
    struct MHD_Connection *c = &r->mhd;
    char *colon = strchr(line, ':');
    if (!colon || colon == line || c->headers == FAKE_HEADERS_MOST) return;
    *colon++ = 0;
    while (*colon == ' ' || *colon == '\t') colon++;
    c->header[c->headers++] = (fake_header){line, colon};
}

static void set_json_length(request *r) {
    for (size_t i = 0; i < r->mhd.headers; i++) {
        fake_header *h = &r->mhd.header[i];
        if (strcasecmp(h->name, "Inference-Header-Content-Length") != 0 || strcmp(h->value, "@") != 0) continue;
        const char *end = r->body_n ? memchr(r->body, '\n', r->body_n) : NULL;
        snprintf(r->digits, sizeof r->digits, "%zu", end ? (size_t)(end + 1 - r->body) : r->body_n);
        h->value = r->digits;
    }
}

/* The request in the bytes up to `end`, where a NUL stands. */
static bool read_request(char *at, char *end, request *r) {
    memset(r, 0, sizeof *r);
    /* as it is, and in base64 with 0, 1 and 2 bytes before it */
    static const char *const secrets[] = {"s3cr3t", "czNjcjN0", "MzY3Izd", "zM2NyM3"};
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
        r->has_secret |= memmem(at, (size_t)(end - at), secrets[i], strlen(secrets[i])) != NULL;
    char *line = at, *next = end_line(line, end);
    if (!next || !split_first(line, r)) return false;
    for (line = next; (next = end_line(line, end)) && *line; line = next) add_header(r, line);
    if (!next) return false;
    r->body = next;
    r->body_n = (size_t)(end - next);
    set_json_length(r);
    return true;
}

/* ---- what has to hold -------------------------------------------------------------------------------------------- */

static bool is_json(const char *body, size_t n) {
    char *copy = malloc(n + 1); /* strings are decoded where they stand */
    REQUIRE(copy);
    memcpy(copy, body, n);
    sluice_json j;
    sluice_json_begin(&j, copy, n);
    const bool fine = sluice_json_next(&j) == SLUICE_JSON_OBJECT;
    while (fine && sluice_json_next(&j) == SLUICE_JSON_KEY)
        if (!sluice_json_skip(&j)) break;
    const bool ended = fine && j.token == SLUICE_JSON_OBJECT_END && sluice_json_next(&j) == SLUICE_JSON_END;
    free(copy);
    return ended;
}

static void judge_body(const struct MHD_Connection *c) {
    const struct MHD_Response *a = c->answer;
    const char *type = fake_answer_header(a, "Content-Type");
    if (a->more || c->status == 204) return;
    REQUIRE(type && (a->n || c->status == 200));
    if (!strcmp(type, "application/json")) REQUIRE(is_json(a->body, a->n));
    if (c->status >= 400) REQUIRE(a->n);
}

static uint64_t examples(const serving *s) {
    uint64_t n = 0;
    for (size_t i = 0; i < s->n_models; i++) n += s->model[i]->examples_done;
    return n;
}

static void judge(const request *r, const request_server *s, unsigned who, uint64_t learned) {
    const struct MHD_Connection *c = &r->mhd;
    REQUIRE(c->answer && c->status >= 200 && (c->status < 500 || c->status == 501));
    judge_body(c);
    const http_route *route = s->http.first->exchange->request.route;
    const bool done = c->status < 300;
    if (done && route && route->access == HTTP_LEARN) {
        REQUIRE(r->has_secret || !(who & HAS_TOKEN) || !strcmp(r->method, "OPTIONS"));
        REQUIRE(!(who & FROM_ELSEWHERE) || (who & HAS_TOKEN));
    }
    if (done && route && route->access == HTTP_PREDICT) REQUIRE(r->has_secret || !(who & HAS_PREDICT_TOKEN));
    if (learned) {
        REQUIRE(route && route->access == HTTP_LEARN);
        if (!done) REQUIRE(memmem(c->answer->body, c->answer->n, "learned", 7));
    }
}

/* ---- the exchange ------------------------------------------------------------------------------------------------ */

static enum MHD_Result go_on(request_server *s, request *r, const char *bytes, size_t n) {
    void *context = NULL;
    return exchange_go_on(&s->http, &r->mhd, r->target, r->method, r->version, bytes, &n, &context);
}

static void exchange(request_server *s, request *r, unsigned who) {
    const uint64_t before = examples(&s->serving);
    void *context = NULL;
    r->mhd.record = s->http.first;
    REQUIRE(exchange_begin(&s->http, r->target, &r->mhd));
    REQUIRE(go_on(s, r, NULL, 0) == MHD_YES);
    const size_t half = r->body_n / 2;
    if (!r->mhd.answer && half) REQUIRE(go_on(s, r, r->body, half) == MHD_YES);
    if (!r->mhd.answer && r->body_n) REQUIRE(go_on(s, r, r->body + half, r->body_n - half) == MHD_YES);
    if (!r->mhd.answer) REQUIRE(go_on(s, r, NULL, 0) == MHD_YES);
    if (r->mhd.suspended) {
        request_server_learn(s);
        REQUIRE(!r->mhd.suspended && go_on(s, r, NULL, 0) == MHD_YES);
    }
    judge(r, s, who, examples(&s->serving) - before);
    fake_answer_sent(&r->mhd);
    exchange_end(&s->http, &r->mhd, &context, MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static uint64_t runs;
    static connection on = {.fd = -1, .address = "127.0.0.1"};
    request_server *s = request_server_get();
    if (!n) return 0;
    const unsigned who = bytes[0] & 7;
    s->http.first = &on;
    on.loopback = !(who & FROM_ELSEWHERE);
    s->http.guard.token = who & HAS_TOKEN ? (char *)LEARN_TOKEN : NULL;
    s->http.guard.predict_token = who & HAS_PREDICT_TOKEN ? (char *)PREDICT_TOKEN : NULL;
    if (++runs % RESET_EVERY == 0) request_server_reset(s);

    char *text = malloc(n);
    REQUIRE(text);
    memcpy(text, bytes + 1, n - 1);
    char *at = text, *end = text + n - 1;
    for (int i = 0; i < REQUESTS_MOST && at < end; i++) {
        char *stop = memmem(at, (size_t)(end - at), "\n%%\n", 4), *next = stop ? stop + 4 : end;
        request r;
        if (!stop) stop = end;
        *stop = 0; /* there is a byte behind the last one */
        if (read_request(at, stop, &r)) exchange(s, &r, who);
        at = next;
    }
    free(text);
    return 0;
}
