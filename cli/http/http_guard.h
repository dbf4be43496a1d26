/* Who may ask: tokens, the origins of pages, the names of the server. */
#ifndef CLI_HTTP_GUARD_H
#define CLI_HTTP_GUARD_H

#include "http/http_server.h"

typedef struct http_guard {
    const http_settings *settings;
    char *token, *predict_token; /* NULL: none */
    char *host;                  /* that the server was told to listen on: "localhost" */
    int loopback;                /* it listens to this machine alone */
} http_guard;

/* Reads the token files. Says what is wrong; returns an exit status. Close in any case. */
int http_guard_open(http_guard *g, const http_settings *settings, const char *host, int loopback);
void http_guard_close(http_guard *g);

/* What a request says of who asks; NULL: the header is not there. */
typedef struct http_caller {
    int loopback;  /* it comes from this machine */
    int forwarded; /* a proxy has passed it on, and says so */
    const char *host, *origin, *authorization;
} http_caller;

/* Whether it may ask at all: the status that refuses it, with why, or 0. *foreign is set where the page of another
 * origin asks that is allowed to. */
unsigned http_guard_page(const http_guard *g, const http_caller *caller, const char **why, int *foreign);
/* Whether it may ask this: the status that refuses it, or 0. */
unsigned http_guard_access(const http_guard *g, const http_caller *caller, http_access access, const char **why);

#endif
