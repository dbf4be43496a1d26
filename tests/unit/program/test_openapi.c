/* The description of the server says what the table of routes says: the same paths and methods, the same access. */
#include "serve/serving.h"
#include "unit/test.h"

#if SLUICE_HAVE_MICROHTTPD
extern const unsigned char openapi_document[];
extern const size_t openapi_document_n;

enum { ROUTES_MOST = 64, TEXT_MOST = 128 };

typedef struct described {
    char method[8], pattern[TEXT_MOST];
    int predict_token, learn_token, without; /* what its security has */
} described;

static described found[ROUTES_MOST];
static size_t n_found;

static int is_key(const sluice_json *j, const char *key) {
    return j->n == strlen(key) && memcmp(j->text, key, j->n) == 0;
}

/* Behind the bracket of an object: moves to the value of a key. 0: it has none. */
static int find_key(sluice_json *j, const char *key) {
    while (sluice_json_next(j) == SLUICE_JSON_KEY) {
        if (is_key(j, key)) return 1;
        CHECK(sluice_json_skip(j));
    }
    return 0;
}

/* A list of objects: each is one way in. */
static void read_security(sluice_json *j, described *d) {
    CHECK_EQ(sluice_json_next(j), SLUICE_JSON_ARRAY);
    while (sluice_json_next(j) == SLUICE_JSON_OBJECT) {
        int schemes = 0;
        for (; sluice_json_next(j) == SLUICE_JSON_KEY; schemes++) {
            d->predict_token |= is_key(j, "predictToken");
            d->learn_token |= is_key(j, "learnToken");
            CHECK(sluice_json_skip(j));
        }
        d->without |= !schemes;
    }
}

static void read_operation(sluice_json *j, const char *pattern) {
    described *d = &found[n_found++];
    CHECK(n_found < ROUTES_MOST && j->n < sizeof d->method);
    snprintf(d->pattern, sizeof d->pattern, "%s", pattern);
    for (size_t i = 0; i < j->n; i++) d->method[i] = (char)(j->text[i] - 'a' + 'A');
    CHECK_EQ(sluice_json_next(j), SLUICE_JSON_OBJECT);
    while (sluice_json_next(j) == SLUICE_JSON_KEY)
        if (is_key(j, "security"))
            read_security(j, d);
        else
            CHECK(sluice_json_skip(j));
}

/* Parameters of the path lose their names, as routes have them. */
static void to_pattern(const sluice_json *j, char pattern[TEXT_MOST]) {
    size_t n = 0;
    int named = 0;
    CHECK(j->n < TEXT_MOST);
    for (size_t i = 0; i < j->n; i++) {
        if (j->text[i] == '}') named = 0;
        if (!named) pattern[n++] = j->text[i];
        if (j->text[i] == '{') named = 1;
    }
    pattern[n] = 0;
}

static void read_document(void) {
    char *text = malloc(openapi_document_n), pattern[TEXT_MOST];
    sluice_json j;
    memcpy(text, openapi_document, openapi_document_n);
    sluice_json_begin(&j, text, openapi_document_n);
    CHECK_EQ(sluice_json_next(&j), SLUICE_JSON_OBJECT);
    CHECK(find_key(&j, "paths"));
    CHECK_EQ(sluice_json_next(&j), SLUICE_JSON_OBJECT);
    while (sluice_json_next(&j) == SLUICE_JSON_KEY) {
        to_pattern(&j, pattern);
        CHECK_EQ(sluice_json_next(&j), SLUICE_JSON_OBJECT);
        while (sluice_json_next(&j) == SLUICE_JSON_KEY) read_operation(&j, pattern);
    }
    CHECK(find_key(&j, "components"));
    CHECK(sluice_json_skip(&j));
    CHECK_EQ(sluice_json_next(&j), SLUICE_JSON_OBJECT_END);
    CHECK_EQ(sluice_json_next(&j), SLUICE_JSON_END);
    free(text);
}

static const described *describing(const http_route *r) {
    const described *one = NULL;
    for (size_t i = 0; i < n_found; i++)
        if (strcmp(found[i].method, r->method) == 0 && strcmp(found[i].pattern, r->pattern) == 0) {
            CHECK(!one); /* once */
            one = &found[i];
        }
    return one;
}

TEST(every_route_is_described_and_nothing_else) {
    size_t routes = 0;
    for (const http_route *r = serve_routes; r->method; r++, routes++) {
        const described *d = describing(r);
        if (!d) fprintf(stderr, "cli/serve/openapi.json has not got %s %s\n", r->method, r->pattern);
        CHECK(d != NULL);
    }
    CHECK_EQ(n_found, routes);
}

TEST(access_is_as_described) {
    for (const http_route *r = serve_routes; r->method; r++) {
        const described *d = describing(r);
        const int is_fine = d && d->predict_token == (r->access == HTTP_PREDICT) &&
                            d->learn_token == (r->access != HTTP_OPEN) && d->without == (r->access != HTTP_OPEN);
        if (!is_fine) fprintf(stderr, "the security of %s %s is another one\n", r->method, r->pattern);
        CHECK(is_fine);
    }
}

int main(void) {
    read_document();
    RUN(every_route_is_described_and_nothing_else);
    RUN(access_is_as_described);
    return DONE;
}
#else
int main(void) { return DONE; }
#endif
