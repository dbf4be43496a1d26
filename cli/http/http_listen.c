/* Listens on an address. */
#include "http/http_listen.h"

#include "output/message.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int http_listen_read(http_listener *l, const char *text) {
    const char *host = text, *end, *port;
    if (*text == '[') {
        host++;
        end = strchr(text, ']');
        if (!end || end[1] != ':' || end == host) return 0;
        port = end + 2;
    } else {
        end = strchr(text, ':');
        if (end && strchr(end + 1, ':')) return 0; /* an IPv6 address without its brackets */
        port = end ? end + 1 : text;
        if (!end) host = "127.0.0.1", end = host + strlen(host);
    }
    const size_t host_n = (size_t)(end - host), port_n = strlen(port);
    if (host_n >= sizeof l->host || !port_n || port_n > 5 || strspn(port, "0123456789") != port_n) return 0;
    unsigned number = 0;
    for (size_t i = 0; i < port_n; i++) number = 10 * number + (unsigned)(port[i] - '0');
    if (number > 65535) return 0;
    memcpy(l->host, host, host_n);
    l->host[host_n] = 0;
    if (!strcmp(l->host, "*")) *l->host = 0;
    memcpy(l->port, port, port_n + 1);
    return 1;
}

int http_address(const struct sockaddr *address, char *text, size_t room) {
    if (address->sa_family == AF_INET) {
        const struct in_addr *four = &((const struct sockaddr_in *)(const void *)address)->sin_addr;
        if (!inet_ntop(AF_INET, four, text, (socklen_t)room)) snprintf(text, room, "?");
        return ntohl(four->s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(six)) {
            if (!inet_ntop(AF_INET, six->s6_addr + 12, text, (socklen_t)room)) snprintf(text, room, "?");
            return six->s6_addr[12] == 127;
        }
        if (!inet_ntop(AF_INET6, six, text, (socklen_t)room)) snprintf(text, room, "?");
        return IN6_IS_ADDR_LOOPBACK(six);
    }
    snprintf(text, room, "?");
    return 0;
}

/* Systems without them have no `sluice serve` (CMakeLists.txt). */
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK)
enum { FLAGS = SOCK_CLOEXEC | SOCK_NONBLOCK };
#else
enum { FLAGS = 0 };
#endif

static int listen_at(const struct addrinfo *a) {
    int fd = socket(a->ai_family, a->ai_socktype | FLAGS, a->ai_protocol);
    if (fd < 0) return -1;
    const int on = 1, off = 0;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* its connections inherit it */
    if (a->ai_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0) return fd;
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int http_listen(http_listener *l, const char *text, const char *scheme) {
    l->fd = -1;
    if (!http_listen_read(l, text)) {
        complain("--listen takes HOST:PORT, [IPV6]:PORT, :PORT or PORT, not %s", text);
        return WRONG_USAGE;
    }
    const struct addrinfo wanted = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    const int failure = getaddrinfo(*l->host ? l->host : NULL, l->port, &wanted, &found);
    if (failure) {
        complain("cannot listen on %s: %s", text, failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
        return FAILED;
    }
    /* ":PORT" is both kinds of addresses where there are both */
    for (int family = AF_INET6; l->fd < 0 && !*l->host; family = AF_INET) {
        for (const struct addrinfo *a = found; a && l->fd < 0; a = a->ai_next)
            if (a->ai_family == family) l->fd = listen_at(a);
        if (family == AF_INET) break;
    }
    for (const struct addrinfo *a = found; a && l->fd < 0 && *l->host; a = a->ai_next) l->fd = listen_at(a);
    const int reason = errno;
    freeaddrinfo(found);
    struct sockaddr_storage bound;
    socklen_t bound_n = sizeof bound;
    if (l->fd < 0 || getsockname(l->fd, (struct sockaddr *)&bound, &bound_n) != 0) {
        complain("cannot listen on %s: %s%s", text, strerror(l->fd < 0 ? reason : errno),
                 reason == EADDRINUSE ? "; another program has this port" : "");
        if (l->fd >= 0) close(l->fd);
        l->fd = -1;
        return FAILED;
    }
    char address[INET6_ADDRSTRLEN + 1];
    l->loopback = http_address((const struct sockaddr *)&bound, address, sizeof address);
    const int six = bound.ss_family == AF_INET6 && strchr(address, ':');
    const in_port_t port = bound.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&bound)->sin6_port
                                                       : ((const struct sockaddr_in *)&bound)->sin_port;
    snprintf(l->port, sizeof l->port, "%u", (unsigned)ntohs(port));
    snprintf(l->url, sizeof l->url, "%s://%s%s%s:%s", scheme, six ? "[" : "", address, six ? "]" : "", l->port);
    return DONE;
}
