/* The access log: a JSON object on a line for each request. */
#ifndef CLI_HTTP_LOG_H
#define CLI_HTTP_LOG_H

#include "http/http_server.h"

typedef struct http_log http_log;

/* A file, "-" for standard error. Says what is wrong; returns an exit status. */
int http_log_open(http_log **log, const char *path);
void http_log_close(http_log *log);
/* Any thread. `came`: bytes of the body, also of one that was thrown away; `bytes`: of the answer's. What it has is
 * written when it is much, and by http_log_write(). */
void http_log_add(http_log *log, const http_request *r, const char *address, unsigned status, uint64_t came,
                  uint64_t bytes, double seconds);
/* A few times a second: writes, and opens the file anew where another one has taken its place or it was moved. */
void http_log_write(http_log *log);

#endif
