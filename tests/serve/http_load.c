/* Sends requests over many connections and says what came of them: as fast as answers come, or at a constant rate.
 *
 *   http_load [-c CONNECTIONS] [-d DEPTH] [-r RATE] [-n REQUESTS | -s SECONDS] [-v FILE] [-H HEADER] HOST PORT PATH
 * LINES
 *
 * Each line of LINES is the body of a request; they come in turns. DEPTH requests may be under way on a connection
 * (pipelining). With RATE the i-th request is due i/RATE seconds after the start, whether or not earlier ones were
 * answered, and its latency counts from then on: a server that stalls is charged for all that it kept waiting. Requests
 * that are due are sent when answers come, and else five thousand times a second at most. What is answered by 429 or
 * 503 is sent again. FILE gets for each request the version of its answer (Sluice-Version), 8 bytes, in the byte order
 * of the machine. Prints one object of JSON, with the seconds of CPU that it took itself; fails where an answer is
 * neither of these. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST_DEPTH = 256, IN_ROOM = 1 << 16, OUT_ROOM = 1 << 20, MOST_BODY = 1 << 15 };

static const double at_once = 0.0002; /* seconds */

typedef struct connection {
    int fd;
    uint64_t under_way[MOST_DEPTH]; /* numbers of requests, a ring */
    unsigned first, n;
    char *out;
    size_t out_n, sent;
    char in[IN_ROOM];
    size_t in_n;
    int wants_write;
} connection;

static struct {
    unsigned connections, depth;
    double rate, seconds;
    uint64_t total;
    const char *versions, *header, *host, *path;
    uint16_t port;
    int separator;
} o = {.connections = 1, .depth = 1, .separator = -1};

static char **line;
static size_t *line_n, lines;
static connection *conn;
static int poll_fd;
static double began;
static uint64_t next, done, again, failed, lost; /* requests */
static uint64_t *again_number, again_n, again_room;
static float *latency; /* us, by number */
static double *sent_at;
static uint64_t *version;
static char first_failure[300];

static void die(const char *what) {
    fprintf(stderr, "http_load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void *need(void *memory) {
    if (!memory) die("memory");
    return memory;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void read_lines(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t room = 0, text_room = 0;
    char *text = NULL;
    ssize_t n;
    if (!file) die(path);
    while ((n = getline(&text, &text_room, file)) > 0) {
        if (lines == room) {
            room = room ? 2 * room : 1024;
            line = need(realloc(line, room * sizeof *line));
            line_n = need(realloc(line_n, room * sizeof *line_n));
        }
        if (n > MOST_BODY) {
            errno = E2BIG;
            die(path);
        }
        char *whole = need(malloc((size_t)n + strlen(o.path) + 256 + (o.header ? strlen(o.header) : 0)));
        const int head = sprintf(whole, "POST %s HTTP/1.1\r\nHost: %s\r\n%s%sContent-Length: %zd\r\n\r\n", o.path,
                                 o.host, o.header ? o.header : "", o.header ? "\r\n" : "", n);
        for (ssize_t i = 0; i < n; i++) whole[head + i] = text[i] == o.separator ? '\n' : text[i];
        line[lines] = whole;
        line_n[lines++] = (size_t)head + (size_t)n;
    }
    free(text);
    fclose(file);
    if (!lines) {
        errno = ENODATA;
        die(path);
    }
}

static void watch(connection *c, int wants_write) {
    struct epoll_event e = {.events = EPOLLIN | (wants_write ? (unsigned)EPOLLOUT : 0), .data.ptr = c};
    if (epoll_ctl(poll_fd, EPOLL_CTL_MOD, c->fd, &e)) die("epoll_ctl");
    c->wants_write = wants_write;
}

static void connect_to(connection *c) {
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(o.port), .sin_addr.s_addr = inet_addr(o.host)};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    if (c->fd < 0 || connect(c->fd, (const struct sockaddr *)&to, sizeof to)) die("connect");
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (epoll_ctl(poll_fd, EPOLL_CTL_ADD, c->fd, &e)) die("epoll_ctl");
    c->out_n = c->sent = c->in_n = 0;
    c->n = c->first = 0;
    c->wants_write = 0;
}

static void flush(connection *c) {
    while (c->sent < c->out_n) {
        const ssize_t n = send(c->fd, c->out + c->sent, c->out_n - c->sent, MSG_NOSIGNAL);
        if (n < 0) break; /* what ends the connection is seen when it is read */
        c->sent += (size_t)n;
    }
    if (c->sent == c->out_n) c->sent = c->out_n = 0;
    if ((c->out_n > 0) != c->wants_write) watch(c, c->out_n > 0);
}

static int has_room(const connection *c) { return c->n < o.depth && c->out_n + MOST_BODY + 1024 < OUT_ROOM; }

static void put(connection *c, uint64_t number) {
    const size_t i = number % lines;
    memcpy(c->out + c->out_n, line[i], line_n[i]);
    c->out_n += line_n[i];
    c->under_way[(c->first + c->n++) % MOST_DEPTH] = number;
}

static double due(uint64_t number) { return began + (double)number / o.rate; }

/* The next request that may be sent now. */
static int take_next(double at, uint64_t *number) {
    if (again_n) {
        *number = again_number[--again_n];
        return 1;
    }
    if (next >= o.total) return 0;
    if (o.rate > 0 && due(next) > at) return 0;
    if (o.rate <= 0 && o.seconds > 0 && at > began + o.seconds) return 0;
    *number = next++;
    sent_at[*number] = o.rate > 0 ? due(*number) : at;
    return 1;
}

static void send_again(uint64_t number) {
    again++;
    if (again_n == again_room) {
        again_room = again_room ? 2 * again_room : 1024;
        again_number = need(realloc(again_number, again_room * sizeof *again_number));
    }
    again_number[again_n++] = number;
}

static void answered(connection *c, int status, uint64_t of_version, const char *text, size_t n) {
    const uint64_t number = c->under_way[c->first];
    c->first = (c->first + 1) % MOST_DEPTH;
    c->n--;
    if (status == 429 || status == 503) {
        send_again(number);
        return;
    }
    latency[number] = (float)((now() - sent_at[number]) * 1e6);
    version[number] = of_version;
    done++;
    if (status == 200) return;
    if (!failed++) snprintf(first_failure, sizeof first_failure, "%d %.*s", status, (int)(n < 200 ? n : 200), text);
}

static const char *find_header(const char *head, const char *end, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = head; (at = memchr(at, '\n', (size_t)(end - at))) && end - at > (ptrdiff_t)n;) {
        at++;
        if (strncasecmp(at, name, n) == 0 && at[n] == ':') return at + n + 1;
    }
    return NULL;
}

/* Takes all answers that are whole. */
static void parse(connection *c) {
    size_t at = 0;
    while (c->in_n - at > 12) {
        char *head = c->in + at, *end = memmem(head, c->in_n - at, "\r\n\r\n", 4);
        if (!end) break;
        const char *length = find_header(head, end, "Content-Length"), *of = find_header(head, end, "Sluice-Version");
        const size_t body = length ? (size_t)strtoull(length, NULL, 10) : 0, whole = (size_t)(end + 4 - head) + body;
        if (whole > IN_ROOM) {
            errno = E2BIG;
            die("answer");
        }
        if (c->in_n - at < whole) break;
        answered(c, atoi(head + 9), of ? strtoull(of, NULL, 10) : 0, end + 4, body);
        at += whole;
    }
    memmove(c->in, c->in + at, c->in_n - at);
    c->in_n -= at;
}

/* The server has closed it: what was under way is lost. */
static void reconnect(connection *c) {
    lost += c->n;
    done += c->n;
    close(c->fd);
    connect_to(c);
}

static void take(connection *c) {
    const ssize_t n = recv(c->fd, c->in + c->in_n, IN_ROOM - c->in_n, 0);
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
        reconnect(c);
        return;
    }
    c->in_n += (size_t)n;
    parse(c);
}

static void send_what_is_due(void) {
    static unsigned turn;
    const double at = now();
    uint64_t number;
    for (unsigned k = 0; k < o.connections; k++) {
        connection *c = &conn[turn];
        turn = (turn + 1) % o.connections;
        int any = 0;
        while (has_room(c) && take_next(at, &number)) {
            put(c, number);
            any = 1;
            if (o.rate > 0) break; /* one after the other takes the next: they are not all on the first */
        }
        if (any) flush(c);
        if (!again_n && (next >= o.total || (o.rate > 0 && due(next) > at))) break;
    }
}

static int is_over(double at) {
    if (o.rate <= 0 && o.seconds > 0 && at > began + o.seconds) return done == next && !again_n;
    return done >= o.total;
}

static void run(void) {
    struct epoll_event events[256];
    began = now();
    for (double at = began; !is_over(at); at = now()) {
        send_what_is_due();
        double wait = 0.1;
        if (o.rate > 0 && next < o.total) wait = due(next) - now();
        if (o.rate > 0 && next < o.total && wait < at_once) wait = at_once;
        if (again_n) wait = 0.001; /* as the answer asked: not at once */
        if (wait < 0) wait = 0;
        const struct timespec t = {.tv_nsec = (long)(wait > 0.1 ? 1e8 : wait * 1e9)};
        const int n = epoll_pwait2(poll_fd, events, 256, &t, NULL);
        for (int i = 0; i < n; i++) {
            connection *c = events[i].data.ptr;
            if (events[i].events & EPOLLOUT) flush(c);
            if (events[i].events & ~(unsigned)EPOLLOUT) take(c);
        }
    }
}

static int by_value(const void *a, const void *b) {
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double cpu_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void report(double seconds, double cpu) {
    static const double shares[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
    printf("{\"requests\": %" PRIu64 ", \"again\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"lost\": %" PRIu64
           ", \"seconds\": %.3f, \"per_second\": %.1f, \"cpu\": %.3f",
           next, again, failed, lost, seconds, (double)next / seconds, cpu);
    qsort(latency, next, sizeof *latency, by_value);
    for (size_t i = 0; i < sizeof shares / sizeof *shares && next; i++)
        printf(", \"p%g_us\": %.0f", 100 * shares[i], (double)latency[(uint64_t)(shares[i] * (double)(next - 1))]);
    printf(", \"max_us\": %.0f}\n", next ? (double)latency[next - 1] : 0);
}

static int usage(void) {
    fputs("usage: http_load [-c CONNECTIONS] [-d DEPTH] [-r RATE] [-n REQUESTS | -s SECONDS] [-v FILE] [-H HEADER] [-S "
          "BYTE] "
          "HOST PORT "
          "PATH LINES\n",
          stderr);
    return 2;
}

int main(int argc, char **argv) {
    for (int letter; (letter = getopt(argc, argv, "c:d:r:n:s:v:H:S:")) != -1;) {
        if (letter == 'c') o.connections = (unsigned)atoi(optarg);
        if (letter == 'd') o.depth = (unsigned)atoi(optarg);
        if (letter == 'r') o.rate = atof(optarg);
        if (letter == 'n') o.total = strtoull(optarg, NULL, 10);
        if (letter == 's') o.seconds = atof(optarg);
        if (letter == 'v') o.versions = optarg;
        if (letter == 'H') o.header = optarg;
        if (letter == 'S') o.separator = atoi(optarg);
        if (letter == '?') return usage();
    }
    if (argc - optind != 4 || !o.connections || !o.depth || o.depth > MOST_DEPTH || (!o.total && o.seconds <= 0))
        return usage();
    o.host = argv[optind];
    o.port = (uint16_t)atoi(argv[optind + 1]);
    o.path = argv[optind + 2];
    read_lines(argv[optind + 3]);
    if (o.rate > 0 && o.seconds > 0) o.total = (uint64_t)(o.rate * o.seconds);
    if (!o.total) o.total = (uint64_t)(o.seconds * 1e6);
    latency = need(calloc(o.total, sizeof *latency));
    sent_at = need(calloc(o.total, sizeof *sent_at));
    version = need(calloc(o.total, sizeof *version));
    conn = need(calloc(o.connections, sizeof *conn));
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL);
    poll_fd = epoll_create1(0);
    for (unsigned i = 0; i < o.connections; i++) {
        conn[i].out = need(malloc(OUT_ROOM));
        connect_to(&conn[i]);
    }
    const double cpu = cpu_seconds();
    run();
    const double seconds = now() - began, cpu_used = cpu_seconds() - cpu;
    if (o.versions) {
        FILE *file = fopen(o.versions, "wb");
        if (!file || fwrite(version, sizeof *version, next, file) != next || fclose(file)) die(o.versions);
    }
    report(seconds, cpu_used);
    if (failed) fprintf(stderr, "http_load: the first that failed: %s\n", first_failure);
    return failed || lost ? 1 : 0;
}
