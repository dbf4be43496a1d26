/* The functions of libmicrohttpd that exchanges call, for requests in memory. */
#include "fuzz/fake_microhttpd.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const union MHD_ConnectionInfo *MHD_get_connection_info(struct MHD_Connection *c, enum MHD_ConnectionInfoType what,
                                                        ...) {
    if (what != MHD_CONNECTION_INFO_SOCKET_CONTEXT) abort();
    c->info.socket_context = c->record;
    return &c->info;
}

int MHD_get_connection_values(struct MHD_Connection *c, enum MHD_ValueKind kind, MHD_KeyValueIterator take,
                              void *context) {
    if (kind != MHD_HEADER_KIND) abort();
    for (size_t i = 0; i < c->headers; i++)
        if (take(context, kind, c->header[i].name, c->header[i].value) != MHD_YES) break;
    return (int)c->headers;
}

const char *MHD_lookup_connection_value(struct MHD_Connection *c, enum MHD_ValueKind kind, const char *name) {
    if (kind != MHD_HEADER_KIND) abort();
    for (size_t i = 0; i < c->headers; i++)
        if (!strcasecmp(c->header[i].name, name)) return c->header[i].value;
    return NULL;
}

void MHD_suspend_connection(struct MHD_Connection *c) {
    if (c->suspended) abort();
    c->suspended = 1;
}

void MHD_resume_connection(struct MHD_Connection *c) {
    if (!c->suspended) abort();
    c->suspended = 0;
}

static struct MHD_Response *new_response(void) {
    struct MHD_Response *r = calloc(1, sizeof *r);
    if (!r) abort();
    r->used_by = 1;
    return r;
}

struct MHD_Response *MHD_create_response_from_buffer(size_t n, void *body, enum MHD_ResponseMemoryMode mode) {
    if (mode != MHD_RESPMEM_PERSISTENT) abort();
    struct MHD_Response *r = new_response();
    r->body = body;
    r->n = n;
    return r;
}

struct MHD_Response *MHD_create_response_from_callback(uint64_t n, size_t block, MHD_ContentReaderCallback more,
                                                       void *context, MHD_ContentReaderFreeCallback free_context) {
    if (n != MHD_SIZE_UNKNOWN || !block) abort();
    struct MHD_Response *r = new_response();
    r->more = more;
    r->context = context;
    r->free_context = free_context;
    return r;
}

/* libmicrohttpd refuses what would be two lines; that this never happens is asked here. */
static int is_plain(const char *text) { return *text && !strpbrk(text, "\r\n\t"); }

enum MHD_Result MHD_add_response_header(struct MHD_Response *r, const char *name, const char *value) {
    const size_t name_n = strlen(name) + 1, value_n = strlen(value) + 1;
    if (!is_plain(name) || (*value && !is_plain(value))) abort();
    char *text = realloc(r->text, r->text_n + name_n + value_n);
    if (!text) abort();
    memcpy(text + r->text_n, name, name_n);
    memcpy(text + r->text_n + name_n, value, value_n);
    r->text = text;
    r->text_n += name_n + value_n;
    return MHD_YES;
}

enum MHD_Result MHD_queue_response(struct MHD_Connection *c, unsigned status, struct MHD_Response *r) {
    if (c->answer || c->suspended) abort();
    c->answer = r;
    c->status = status;
    r->used_by++;
    return MHD_YES;
}

void MHD_destroy_response(struct MHD_Response *r) {
    if (--r->used_by) return;
    if (r->free_context) r->free_context(r->context);
    free(r->text);
    free(r);
}

/* Some blocks of an answer that goes on: as long as there is something to send. */
static void send_blocks(struct MHD_Connection *c) {
    char block[512];
    uint64_t sent = 0;
    for (int i = 0; i < FAKE_BLOCKS_MOST && !c->suspended; i++) {
        const ssize_t n = c->answer->more(c->answer->context, sent, block, sizeof block);
        if (n < 0) break;
        sent += (uint64_t)n;
    }
    c->suspended = 0;
}

void fake_answer_sent(struct MHD_Connection *c) {
    if (!c->answer) return;
    if (c->answer->more) send_blocks(c);
    MHD_destroy_response(c->answer);
    c->answer = NULL;
}

const char *fake_answer_header(const struct MHD_Response *r, const char *name) {
    for (size_t at = 0; at < r->text_n;) {
        const char *key = r->text + at, *value = key + strlen(key) + 1;
        if (!strcasecmp(key, name)) return value;
        at = (size_t)(value + strlen(value) + 1 - r->text);
    }
    return NULL;
}
