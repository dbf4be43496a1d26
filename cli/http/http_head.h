/* The head of a request. */
#ifndef CLI_HTTP_HEAD_H
#define CLI_HTTP_HEAD_H

#include "http/http_guard.h"

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

/* NULL: the header is not there. */
typedef struct http_head {
    http_caller caller;
    const char *length_text, *encoding, *expect, *asks_method;
    const char *compression; /* of the body */
    uint64_t length;         /* of the body, as it says; 0: it does not */
    const char *wrong;       /* what it is refused for */
} http_head;

/* Fills in all but h->caller.loopback. */
void http_head_read(http_head *h, struct MHD_Connection *mhd, const char *version);
/* Whether it can be the name of a header. */
int http_is_token(const char *name, size_t n);

#endif
