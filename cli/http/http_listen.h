/* The address that the server listens on. */
#ifndef CLI_HTTP_LISTEN_H
#define CLI_HTTP_LISTEN_H

#include <stddef.h>
#include <sys/socket.h>

typedef struct http_listener {
    int fd; /* -1: none */
    char host[256], port[8];
    int loopback;  /* it can be reached from this machine alone */
    char url[320]; /* where it can be asked, such as http://127.0.0.1:8080 */
} http_listener;

/* Takes HOST:PORT, [IPV6]:PORT, :PORT (all addresses), PORT (127.0.0.1) apart. 0: it is none of them. */
int http_listen_read(http_listener *l, const char *text);
/* Listens. Says what is wrong; returns an exit status. */
int http_listen(http_listener *l, const char *text, const char *scheme);

/* An address as text, and whether it is one of this machine's own. */
int http_address(const struct sockaddr *address, char *text, size_t room);

#endif
