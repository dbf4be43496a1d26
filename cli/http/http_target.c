/* Decodes the target of a request, and finds the route that takes it. */
#include "http/http_target.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

/* Decodes n bytes to `to`, which may be the same place, with a NUL behind. NULL, or what is wrong. */
static const char *decode(const char *from, size_t n, char *to, int in_query) {
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)from[i];
        if (c == '%') {
            const int high = n - i > 2 ? hex(from[i + 1]) : -1, low = high < 0 ? -1 : hex(from[i + 2]);
            if (low < 0) return "a % is not followed by two hexadecimal digits";
            c = (unsigned char)(high * 16 + low);
            i += 2;
            if (!c) return "an encoded NUL";
            if (!in_query && c == '/') return "an encoded slash in the path";
        } else if (c == '+' && in_query) {
            c = ' ';
        }
        if (!in_query && is_control(c)) return "a control character in the path";
        *to++ = (char)c;
    }
    *to = 0;
    return NULL;
}

static const char *split_path(http_target *t, char *copy) {
    if (*copy != '/') return "the path does not begin with a slash";
    if (!copy[1]) return NULL;
    for (char *at = copy; at;) {
        *at++ = 0;
        if (t->parts == HTTP_MOST_PARTS) return "the path is too long";
        t->part[t->parts++] = at;
        char *end = strchr(at, '/');
        const size_t n = end ? (size_t)(end - at) : strlen(at);
        if (n && n <= 2 && !memcmp(at, "..", n)) return "a segment . or .. in the path";
        at = end;
    }
    return NULL;
}

static const char *split_query(http_target *t, const char *query, char *to) {
    for (const char *at = query; at;) {
        const char *and = strchr(at, '&'), *end = and? and : at + strlen(at);
        if (end > at) {
            if (t->parameters == HTTP_MOST_PARAMETERS) return "too many parameters";
            const char *equals = memchr(at, '=', (size_t)(end - at)), *name_end = equals ? equals : end;
            char *name = to, *value;
            const char *wrong = decode(at, (size_t)(name_end - at), name, 1);
            if (wrong) return wrong;
            value = to += strlen(name) + 1;
            wrong = equals ? decode(equals + 1, (size_t)(end - equals - 1), value, 1) : decode("", 0, value, 1);
            if (wrong) return wrong;
            to += strlen(value) + 1;
            if (http_target_query(t, name)) return "a parameter is given twice";
            t->parameter[t->parameters].name = name;
            t->parameter[t->parameters++].value = value;
        }
        at = and? and+1 : NULL;
    }
    return NULL;
}

const char *http_target_read(http_target *t, const char *target) {
    t->path = "";
    t->parts = t->parameters = 0;
    if (strchr(target, ' ')) return "a space in the target";
    /* the form that proxies are sent: http://HOST/PATH */
    const size_t scheme = !strncasecmp(target, "http://", 7) ? 7 : !strncasecmp(target, "https://", 8) ? 8 : 0;
    if (scheme) {
        target += scheme + strcspn(target + scheme, "/?");
        if (*target != '/') return "the path does not begin with a slash";
    }
    const size_t n = strlen(target), path_n = strcspn(target, "?");
    const size_t room = 2 * (path_n + 1) + (n - path_n) + 2; /* every parameter has two NULs for its & and = */
    if (room + HTTP_MOST_PARAMETERS > t->room) {
        char *text = realloc(t->text, 2 * room + HTTP_MOST_PARAMETERS);
        if (!text) return "out of memory";
        t->text = text;
        t->room = 2 * room + HTTP_MOST_PARAMETERS;
    }
    char *path = t->text, *copy = path + path_n + 1, *query = copy + path_n + 1;
    const char *wrong = decode(target, path_n, path, 0);
    if (wrong) return wrong;
    strcpy(copy, path);
    wrong = split_path(t, copy);
    if (!wrong && target[path_n]) wrong = split_query(t, target + path_n + 1, query);
    if (wrong) {
        t->parts = t->parameters = 0;
        return wrong;
    }
    t->path = path;
    return NULL;
}

const char *http_target_query(const http_target *t, const char *name) {
    for (size_t i = 0; i < t->parameters; i++)
        if (!strcmp(t->parameter[i].name, name)) return t->parameter[i].value;
    return NULL;
}

static int names(const char *list, const char *name) {
    size_t n;
    for (; *list; list += n + strspn(list + n, ", ")) {
        n = strcspn(list, ", ");
        if (n == strlen(name) && !memcmp(list, name, n)) return 1;
    }
    return 0;
}

const char *http_target_unknown(const http_target *t, const char *known) {
    for (size_t i = 0; known && i < t->parameters; i++)
        if (!names(known, t->parameter[i].name)) return t->parameter[i].name;
    return NULL;
}

void http_target_free(http_target *t) {
    free(t->text);
    *t = (http_target){0};
}

static int matches(const char *pattern, const http_target *t, const char *segment[HTTP_MOST_SEGMENTS]) {
    size_t taken = 0, i = 0;
    if (!strcmp(pattern, "/")) return t->parts == 0;
    for (; *pattern; i++) {
        const char *at = pattern + 1;
        const size_t n = strcspn(at, "/");
        if (i == t->parts) return 0;
        if (n == 2 && at[0] == '{' && at[1] == '}') {
            if (!*t->part[i] || taken == HTTP_MOST_SEGMENTS) return 0;
            segment[taken++] = t->part[i];
        } else if (strncmp(t->part[i], at, n) != 0 || t->part[i][n]) {
            return 0;
        }
        pattern = at + n;
    }
    return i == t->parts;
}

const http_route *http_find_route(const http_route *routes, const http_target *t, const char *method,
                                  const char *segment[HTTP_MOST_SEGMENTS], char allow[HTTP_ALLOW_ROOM]) {
    const int head = !strcmp(method, "HEAD");
    *allow = 0;
    for (int round = 0; round < 2; round++)
        for (const http_route *r = routes; r->method; r++) {
            for (size_t i = 0; i < HTTP_MOST_SEGMENTS; i++) segment[i] = NULL;
            if (!matches(r->pattern, t, segment)) continue;
            if (round == 0) {
                if (!strcmp(method, r->method) || (head && !strcmp(r->method, "GET"))) return r;
                continue;
            }
            const char *methods = strcmp(r->method, "GET") != 0 ? r->method : "GET, HEAD";
            if (strlen(allow) + strlen(methods) + sizeof ", , OPTIONS" > HTTP_ALLOW_ROOM) continue;
            if (*allow) strcat(allow, ", ");
            strcat(allow, methods);
        }
    if (*allow) strcat(allow, ", OPTIONS");
    for (size_t i = 0; i < HTTP_MOST_SEGMENTS; i++) segment[i] = NULL;
    return NULL;
}
