/* What a request asks for: its path and its query, decoded, and the route that takes it. */
#ifndef CLI_HTTP_TARGET_H
#define CLI_HTTP_TARGET_H

#include "http/http_server.h"

enum { HTTP_MOST_PARTS = 12, HTTP_MOST_PARAMETERS = 32 };

typedef struct http_target {
    char *text; /* memory of all the rest; stays for the next request */
    size_t room;
    const char *path;                  /* decoded, without the query */
    const char *part[HTTP_MOST_PARTS]; /* its segments; "/" has none */
    size_t parts;
    struct {
        const char *name, *value;
    } parameter[HTTP_MOST_PARAMETERS];
    size_t parameters;
} http_target;

/* Reads a target as it stands in the first line of a request. NULL, or what is wrong with it: the path is "" then. What
 * could be read as another path elsewhere is refused: a segment `.` or `..`, an encoded slash, control characters. */
const char *http_target_read(http_target *t, const char *target);
/* A parameter of the query, or NULL. */
const char *http_target_query(const http_target *t, const char *name);
/* The first parameter that `known` ("model, format") does not name, or NULL. */
const char *http_target_unknown(const http_target *t, const char *known);
void http_target_free(http_target *t);

/* The route that takes the target, or NULL. `segment` gets what stood for the {}. Where others take the path with
 * another method, their methods are written to `allow`: "GET, HEAD, OPTIONS"; else it is "". */
enum { HTTP_ALLOW_ROOM = 80 };
const http_route *http_find_route(const http_route *routes, const http_target *t, const char *method,
                                  const char *segment[HTTP_MOST_SEGMENTS], char allow[HTTP_ALLOW_ROOM]);

#endif
