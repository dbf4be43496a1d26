/* Stands in for libmicrohttpd: a connection whose requests are in memory, and whose answer stays there. */
#ifndef FAKE_MICROHTTPD_H
#define FAKE_MICROHTTPD_H

#include "http/http_inside.h"

enum { FAKE_HEADERS_MOST = 32, FAKE_BLOCKS_MOST = 4 };

typedef struct fake_header {
    const char *name, *value;
} fake_header;

struct MHD_Connection {
    connection *record;
    union MHD_ConnectionInfo info;
    fake_header header[FAKE_HEADERS_MOST]; /* of the request */
    size_t headers;
    int suspended;
    struct MHD_Response *answer; /* queued; NULL: none yet */
    unsigned status;
};

struct MHD_Response {
    const char *body;
    size_t n;
    char *text; /* headers: name NUL value NUL ... */
    size_t text_n;
    MHD_ContentReaderCallback more; /* NULL: the body is all */
    MHD_ContentReaderFreeCallback free_context;
    void *context;
    int used_by;
};

/* A header of an answer, or NULL. */
const char *fake_answer_header(const struct MHD_Response *r, const char *name);
/* The connection is done with its answer. */
void fake_answer_sent(struct MHD_Connection *c);

#endif
