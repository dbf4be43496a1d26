/* Starts the HTTP server, accepts connections within their limits, closes those that take too long, and ends it. */
#include "http/http_server.h"

#if SLUICE_HAVE_MICROHTTPD
#include "http/http_inside.h"

#include "output/progress.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CONNECTION_MEMORY = 1 << 15, /* bytes: the head of a request has to fit */
    TICK = 250,                  /* milliseconds between looks at what takes too long */
    DESCRIPTORS = 64             /* that the program needs beside those of connections */
};

/* ---- connections; the server's lock is held ---- */

static void forget_connection(http_server *s, connection *c) {
    if (c->previous)
        c->previous->next = c->next;
    else
        s->first = c->next;
    if (c->next) c->next->previous = c->previous;
    s->by_fd[c->fd] = NULL;
    s->open--;
    if (atomic_exchange(&c->busy, 0)) atomic_fetch_sub(&s->busy, 1);
    exchange_free(c->exchange);
    free(c);
}

static int make_room(http_server *s, int fd) {
    if ((size_t)fd < s->by_fd_room) return 1;
    size_t room = s->by_fd_room ? s->by_fd_room : 64;
    while (room <= (size_t)fd) room *= 2;
    connection **by_fd = realloc(s->by_fd, room * sizeof(connection *));
    if (!by_fd) return 0;
    memset(by_fd + s->by_fd_room, 0, (room - s->by_fd_room) * sizeof(connection *));
    s->by_fd = by_fd;
    s->by_fd_room = room;
    return 1;
}

static void read_network(const struct sockaddr *address, unsigned char network[16]) {
    memset(network, 0, 16);
    if (address->sa_family == AF_INET) {
        memcpy(network, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
        network[15] = 4;
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(six)) {
            memcpy(network, six->s6_addr + 12, 4);
            network[15] = 4;
        } else {
            memcpy(network, six->s6_addr, 8);
            network[15] = 6;
        }
    }
}

/* A record of a connection within the limits, or NULL. */
static connection *admit(http_server *s, int fd, const struct sockaddr *address) {
    const http_settings *settings = s->settings;
    unsigned char network[16];
    read_network(address, network);
    if (!make_room(s, fd)) return NULL;
    if (s->by_fd[fd]) forget_connection(s, s->by_fd[fd]); /* libmicrohttpd had no memory for it, and closed it */
    if (s->open >= settings->max_connections) return NULL;
    if (settings->max_per_address && s->open >= settings->max_per_address) {
        unsigned same = 0;
        for (const connection *c = s->first; c; c = c->next) same += !memcmp(c->network, network, sizeof network);
        if (same >= settings->max_per_address) return NULL;
    }
    connection *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->fd = fd;
    c->loopback = http_address(address, c->address, sizeof c->address);
    memcpy(c->network, network, sizeof network);
    if (settings->request_seconds)
        atomic_store(&c->deadline, now_seconds() + settings->idle_seconds + settings->request_seconds);
    c->next = s->first;
    if (c->next) c->next->previous = c;
    s->first = c;
    s->by_fd[fd] = c;
    s->open++;
    return c;
}

/* Called by libmicrohttpd in the thread of the connection; before its descriptor is closed. */
static void note_connection(void *server, struct MHD_Connection *mhd, void **context,
                            enum MHD_ConnectionNotificationCode what) {
    http_server *s = server;
    pthread_mutex_lock(&s->lock);
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        const int fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
        *context = s->by_fd[fd];
    } else if (*context) {
        forget_connection(s, *context);
        *context = NULL;
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- the thread that accepts ---- */

static void turn_away(http_server *s, int fd) {
    static const char answer[] =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"
        "Content-Length: 21\r\nRetry-After: 1\r\nConnection: close\r\n\r\ntoo many connections\n";
    char ignored[4096];
    atomic_fetch_add(&s->refused, 1);
    if (!s->settings->certificate) {
        /* what was sent already is read: else the kernel would take the answer back */
        if (recv(fd, ignored, sizeof ignored, MSG_DONTWAIT) >= 0 || errno == EAGAIN)
            (void)!send(fd, answer, sizeof answer - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        shutdown(fd, SHUT_WR);
    }
    close(fd);
}

/* 0: there is none now. */
static int accept_one(http_server *s) {
    struct sockaddr_storage address;
    socklen_t n = sizeof address;
    const int fd = accept4(s->listener.fd, (struct sockaddr *)&address, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            poll(NULL, 0, 50); /* until others have closed something */
        return errno == EINTR || errno == ECONNABORTED;
    }
    atomic_fetch_add(&s->connections, 1);
    pthread_mutex_lock(&s->lock);
    connection *c = admit(s, fd, (const struct sockaddr *)&address);
    pthread_mutex_unlock(&s->lock);
    if (!c) {
        turn_away(s, fd);
    } else if (MHD_add_connection(s->daemon, fd, (const struct sockaddr *)&address, n) != MHD_YES) {
        /* it is closed; another thread cannot have taken its number for a connection: only this one accepts */
        pthread_mutex_lock(&s->lock);
        if (s->by_fd[fd] == c) forget_connection(s, c);
        pthread_mutex_unlock(&s->lock);
        atomic_fetch_add(&s->refused, 1);
    }
    return 1;
}

/* Closes connections that have had their time; all that do nothing where the server stops. The record of a connection
 * is gone before its descriptor is closed: the descriptor cannot be another's. */
static void close_late(http_server *s, int looks_for_ends) {
    const int stopping = atomic_load(&s->stopping);
    const double now = now_seconds();
    char byte;
    pthread_mutex_lock(&s->lock);
    for (connection *c = s->first; c; c = c->next) {
        const double deadline = atomic_load_explicit(&c->deadline, memory_order_relaxed);
        if (deadline > 0 && now > deadline)
            shutdown(c->fd, SHUT_RDWR);
        else if (stopping && !atomic_load(&c->busy))
            shutdown(c->fd, SHUT_RD);
        else if (looks_for_ends && !atomic_load(&c->busy) && recv(c->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
            shutdown(c->fd, SHUT_RDWR); /* libmicrohttpd misses an end that came together with half a request */
    }
    pthread_mutex_unlock(&s->lock);
}

static void *accept_all(void *server) {
    http_server *s = server;
    double looked = now_seconds(), whole = looked;
    while (!atomic_load(&s->finish)) {
        if (atomic_load(&s->stopping) && s->listener.fd >= 0) {
            close(s->listener.fd);
            s->listener.fd = -1;
        }
        struct pollfd ready[2] = {{.fd = s->wake, .events = POLLIN}, {.fd = s->listener.fd, .events = POLLIN}};
        poll(ready, 2, TICK);
        uint64_t ignored;
        if (ready[0].revents) (void)!read(s->wake, &ignored, sizeof ignored);
        if (ready[1].revents)
            for (int i = 0; i < 64 && accept_one(s); i++) continue;
        const double now = now_seconds();
        const int second = now - whole >= 1;
        if (ready[0].revents || now - looked >= 1e-3 * TICK) {
            close_late(s, second);
            looked = now;
        }
        if (second) {
            http_log_write(s->log);
            whole = now;
        }
    }
    return NULL;
}

/* ---- starting ---- */

static void PRINTF_LIKE(2, 0) note_complaint(void *server, const char *format, va_list values) {
    http_server *s = server;
    char text[512];
    if (atomic_load(&s->connections)) return; /* what clients do wrong is not told */
    vsnprintf(text, sizeof text, format, values);
    text[strcspn(text, "\n")] = 0;
    if (s->complaint.n) text_put(&s->complaint, "; ");
    text_put(&s->complaint, text);
}

/* A whole file with a NUL behind, or NULL after saying why. */
static char *read_pem(const char *file, const char *what, int secret) {
    text_buffer t = {0};
    struct stat info;
    FILE *f = fopen(file, "rbe");
    if (!f || fstat(fileno(f), &info) != 0) {
        complain("cannot open the %s %s: %s", what, file, strerror(errno));
        if (f) fclose(f);
        return NULL;
    }
    size_t n;
    char block[4096];
    while (t.n < 1 << 20 && (n = fread(block, 1, sizeof block, f)) > 0) text_add(&t, block, n);
    const int failed = ferror(f) || t.failed;
    fclose(f);
    explicit_bzero(block, sizeof block);
    if (failed || !t.n || !strstr(t.text, "-----BEGIN ")) {
        complain("the %s %s is not a PEM file", what, file);
        if (t.text) explicit_bzero(t.text, t.n);
        text_free(&t);
        return NULL;
    }
    if (secret && info.st_mode & S_IROTH) warning("the %s %s can be read by others: chmod 600 it", what, file);
    return t.text;
}

static void forget_pem(char *text) {
    if (text) explicit_bzero(text, strlen(text));
    free(text);
}

/* As GnuTLS has it by default, without the versions that RFC 8996 has withdrawn. */
static const char tls_priorities[] = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1";

static int start_daemon(http_server *s) {
    const http_settings *settings = s->settings;
    const int tls = settings->certificate != NULL;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = settings->threads ? settings->threads : cores > 0 ? (unsigned)cores : 1;
    if (threads > 1024) threads = 1024;
    char *certificate = tls ? read_pem(settings->certificate, "certificate", 0) : NULL;
    char *key = certificate ? read_pem(settings->key, "key", 1) : NULL;
    int status = FAILED;
    if (!tls || key) {
        struct MHD_OptionItem more[5] = {{MHD_OPTION_END, 0, NULL}};
        size_t n = 0;
        if (threads > 1) more[n++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
        if (tls) {
            more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, certificate};
            more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, key};
            more[n++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)tls_priorities};
        }
        more[n] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
        const unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
                               MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG | (tls ? MHD_USE_TLS : 0);
        /* The logger comes first, so that it hears of all other options. What strictness would refuse is refused by
         * read_head(): libmicrohttpd 0.9.75 writes the head of such an answer twice. Each thread has its share of
         * connections: it is to have room for all, since the limit is ours. */
        s->daemon = MHD_start_daemon(
            flags, 0, NULL, NULL, exchange_go_on, s, MHD_OPTION_EXTERNAL_LOGGER, note_complaint, s,
            MHD_OPTION_NOTIFY_CONNECTION, note_connection, s, MHD_OPTION_URI_LOG_CALLBACK, exchange_begin, s,
            MHD_OPTION_NOTIFY_COMPLETED, exchange_end, s, MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_seconds,
            MHD_OPTION_CONNECTION_LIMIT, (settings->max_connections + 64) * threads, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
            (size_t)CONNECTION_MEMORY, MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
        if (s->daemon)
            status = DONE;
        else if (tls && MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES)
            complain("this libmicrohttpd was built without TLS");
        else if (tls)
            complain("cannot serve with the certificate %s and the key %s%s%s", settings->certificate, settings->key,
                     s->complaint.n ? ": " : "", s->complaint.n ? s->complaint.text : "");
        else
            complain("cannot start the HTTP server%s%s", s->complaint.n ? ": " : "",
                     s->complaint.n ? s->complaint.text : "");
    }
    forget_pem(certificate);
    forget_pem(key);
    return status;
}

/* Descriptors for all connections, as far as the system gives them. */
static void raise_descriptors(unsigned connections) {
    struct rlimit limit;
    const rlim_t wanted = (rlim_t)connections + DESCRIPTORS;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted)
        warning("this process may have %llu open files: too few for %u connections (ulimit -n)",
                (unsigned long long)limit.rlim_cur, connections);
}

void server_free(http_server *s) {
    http_guard_close(&s->guard);
    http_log_close(s->log);
    while (s->first) forget_connection(s, s->first);
    free(s->by_fd);
    text_free(&s->complaint);
    if (s->listener.fd >= 0) close(s->listener.fd);
    if (s->wake >= 0) close(s->wake);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* Its threads leave signals to others. */
static int start_threads(http_server *s) {
    sigset_t all, before;
    sigfillset(&all);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = start_daemon(s);
    if (status == DONE) {
        const int failure = pthread_create(&s->acceptor, NULL, accept_all, s);
        s->accepting = !failure;
        if (failure) {
            complain("cannot start a thread: %s", strerror(failure));
            status = FAILED;
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

int http_start(const http_settings *settings, http_server **server) {
    *server = NULL;
    if (!settings->certificate != !settings->key) {
        complain("TLS needs both a certificate and its key");
        return WRONG_USAGE;
    }
    http_server *s = calloc(1, sizeof *s);
    if (!s) return out_of_memory();
    s->settings = settings;
    s->listener.fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    raise_descriptors(settings->max_connections);
    int status =
        s->wake < 0 ? FAILED : http_listen(&s->listener, settings->listen, settings->certificate ? "https" : "http");
    if (status == DONE) status = http_guard_open(&s->guard, settings, s->listener.host, s->listener.loopback);
    if (status == DONE) status = http_log_open(&s->log, settings->access_log);
    *server = s; /* handlers may be called from now on */
    if (status == DONE) status = start_threads(s);
    if (status != DONE) {
        *server = NULL;
        if (s->daemon) MHD_stop_daemon(s->daemon);
        server_free(s);
        return status;
    }
    if ((s->guard.token || s->guard.predict_token) && !settings->certificate && !s->listener.loopback)
        warning("tokens are sent as plain text: %s without TLS can be reached from other machines", s->listener.url);
    return DONE;
}

const char *http_url(const http_server *s) { return s->listener.url; }

static void wake(http_server *s) {
    const uint64_t one = 1;
    (void)!write(s->wake, &one, sizeof one);
}

void http_stop_listening(http_server *s) {
    atomic_store(&s->stopping, 1);
    wake(s);
    event_streams_end(s);
}

void http_stop(http_server *s, double seconds) {
    if (!s) return;
    http_stop_listening(s);
    const double until = now_seconds() + seconds;
    while (atomic_load(&s->busy) && now_seconds() < until) poll(NULL, 0, 5);
    atomic_store(&s->finish, 1);
    wake(s);
    if (s->accepting) pthread_join(s->acceptor, NULL);

    /* libmicrohttpd must not be stopped while connections are suspended */
    pthread_mutex_lock(&s->lock);
    s->closing = 1;
    for (connection *c = s->first; c; c = c->next)
        if (c->exchange && c->exchange->waits) {
            struct MHD_Connection *mhd = c->exchange->mhd;
            exchange_abandon(c->exchange);
            MHD_resume_connection(mhd);
        }
    pthread_mutex_unlock(&s->lock);
    MHD_stop_daemon(s->daemon);
    s->daemon = NULL;

    pthread_mutex_lock(&s->lock);
    s->stopped = 1;
    const int last = s->abandoned == 0;
    pthread_mutex_unlock(&s->lock);
    if (last) server_free(s);
}

http_counts http_count(http_server *s) {
    http_counts n = {.connections = atomic_load(&s->connections),
                     .refused_connections = atomic_load(&s->refused),
                     .bytes_in = atomic_load(&s->bytes_in),
                     .bytes_out = atomic_load(&s->bytes_out)};
    pthread_mutex_lock(&s->lock);
    n.open_connections = s->open;
    n.event_streams = s->n_streams;
    pthread_mutex_unlock(&s->lock);
    return n;
}

#else

int http_start(const http_settings *settings, http_server **server) {
    (void)settings;
    *server = NULL;
    complain("this build cannot serve: libmicrohttpd was not found when it was built");
    return FAILED;
}

/* Without a server nothing calls the rest. */
const char *http_query(const http_request *r, const char *name) { return (void)r, (void)name, NULL; }
const char *http_header(const http_request *r, const char *name) { return (void)r, (void)name, NULL; }
void http_add_header(http_request *r, const char *name, const char *value) { (void)r, (void)name, (void)value; }
void http_answer(http_request *r, unsigned status, const char *type) { (void)r, (void)status, (void)type; }
void http_refuse(http_request *r, unsigned status, const char *format, ...) { (void)r, (void)status, (void)format; }
void http_later(http_request *r) { (void)r; }
void http_begin_events(http_request *r, const char *first, size_t n) { (void)r, (void)first, (void)n; }
void http_send_events(http_server *s, const char *text, size_t n) { (void)s, (void)text, (void)n; }
unsigned http_event_streams(http_server *s) { return (void)s, 0; }
const char *http_url(const http_server *s) { return (void)s, ""; }
void http_stop_listening(http_server *s) { (void)s; }
void http_stop(http_server *s, double seconds) { (void)s, (void)seconds; }
http_counts http_count(http_server *s) { return (void)s, (http_counts){0}; }

#endif
