/* A server by libmicrohttpd that does nothing: every request gets the same answer. It is what `sluice serve` is
 * compared with.
 *
 *     http_floor PORT BYTES THREADS [NAME VALUE]...
 *
 * The body of the answer has BYTES bytes, and the answer these headers. PORT 0: any that is free. Prints the address
 * and runs until SIGTERM. */
#include <microhttpd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct MHD_Response *answer;

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *body, size_t *n, void **begun) {
    static int marks_one_that_has_begun;
    (void)context, (void)url, (void)method, (void)version, (void)body;
    if (!*begun) {
        *begun = &marks_one_that_has_begun;
        return MHD_YES;
    }
    if (*n) {
        *n = 0;
        return MHD_YES;
    }
    return MHD_queue_response(connection, MHD_HTTP_OK, answer);
}

static int fail(const char *what) {
    fprintf(stderr, "http_floor: %s\n", what);
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 4 || argc % 2) return fail("usage: http_floor PORT BYTES THREADS [NAME VALUE]...");
    const size_t bytes = strtoull(argv[2], NULL, 10);
    const unsigned threads = (unsigned)atoi(argv[3]);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    sigset_t ends;
    int number;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigprocmask(SIG_BLOCK, &ends, NULL);

    char *text = malloc(bytes + 1);
    if (!text) return fail("out of memory");
    memset(text, 'x', bytes);
    answer = MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE);
    if (!answer) return fail("out of memory");
    for (int i = 4; i < argc; i += 2)
        if (MHD_add_response_header(answer, argv[i], argv[i + 1]) != MHD_YES) return fail("a header is malformed");

    struct MHD_Daemon *server =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL, handle, NULL,
                         MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_CONNECTION_LIMIT, 1000 * threads,
                         threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, MHD_OPTION_END);
    if (!server) return fail("cannot start");
    printf("http://127.0.0.1:%u\n", MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    sigwait(&ends, &number);
    MHD_stop_daemon(server);
    MHD_destroy_response(answer);
    return 0;
}
