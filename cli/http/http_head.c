/* Reads what the HTTP layer itself needs of the head of a request, and refuses what others could read in another way.
 */
#include "http/http_server.h"

#if SLUICE_HAVE_MICROHTTPD
#include "http/http_head.h"

#include <string.h>
#include <strings.h>

static void only_once(http_head *h, const char **place, const char *value, const char *complaint) {
    if (*place) h->wrong = complaint;
    *place = value ? value : "";
}

/* A name that other programs could read in another way is refused: a proxy might see another request than we do. */
int http_is_token(const char *name, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (name[i] <= ' ' || name[i] >= 0x7f || strchr("\"(),/:;<=>?@[\\]{}", name[i])) return 0;
    return n > 0;
}

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
    (void)kind;
    http_head *h = context;
    const size_t n = strlen(name);
    if (!http_is_token(name, n)) h->wrong = "the name of a header is malformed";
    if (n > 12 && !strncasecmp(name, "X-Forwarded-", 12)) h->caller.forwarded = 1; /* For, Host, Proto, ... */
    switch (n) {
    case 3:
        if (!strcasecmp(name, "Via")) h->caller.forwarded = 1;
        break;
    case 4:
        if (!strcasecmp(name, "Host")) only_once(h, &h->caller.host, value, "two Host headers");
        break;
    case 6:
        if (!strcasecmp(name, "Origin")) only_once(h, &h->caller.origin, value, "two Origin headers");
        if (!strcasecmp(name, "Expect")) h->expect = value;
        break;
    case 9:
        if (!strcasecmp(name, "Forwarded") || !strcasecmp(name, "X-Real-IP")) h->caller.forwarded = 1;
        break;
    case 13:
        if (!strcasecmp(name, "Authorization"))
            only_once(h, &h->caller.authorization, value, "two Authorization headers");
        break;
    case 14:
        if (!strcasecmp(name, "Content-Length")) only_once(h, &h->length_text, value, "two Content-Length headers");
        break;
    case 16:
        if (!strcasecmp(name, "Content-Encoding")) h->compression = value ? value : "";
        break;
    case 17:
        if (!strcasecmp(name, "Transfer-Encoding")) only_once(h, &h->encoding, value, "two Transfer-Encoding headers");
        break;
    case 29:
        if (!strcasecmp(name, "Access-Control-Request-Method")) h->asks_method = value;
        break;
    default:
        break;
    }
    return MHD_YES;
}

void http_head_read(http_head *h, struct MHD_Connection *mhd, const char *version) {
    MHD_get_connection_values(mhd, MHD_HEADER_KIND, look_at_header, h);
    if (h->encoding && h->length_text) h->wrong = "both Content-Length and Transfer-Encoding";
    if (h->encoding && strcasecmp(h->encoding, "chunked") != 0) h->wrong = "a Transfer-Encoding other than chunked";
    for (const char *c = h->length_text; c && *c; c++) {
        if (*c < '0' || *c > '9') h->wrong = "a malformed Content-Length";
        h->length = h->length > UINT64_MAX / 16 ? h->length : 10 * h->length + (uint64_t)(*c - '0');
    }
    if (!h->caller.host && strcmp(version, "HTTP/1.0") != 0) h->wrong = "no Host header";
}

#endif
