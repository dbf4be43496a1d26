/* Readers of file descriptors and of functions, cancelling, positions, and the size of options. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "io/source/codec.h"
#include "stream.h"
#if SLUICE_HAVE_ZLIB
#include <zlib.h>
#endif

static sluice_error err;

static sluice_reader_options with_threads(unsigned threads) {
    return (sluice_reader_options){.size = sizeof(sluice_reader_options), .threads = threads};
}

/* Rows `1 N:1` for N from `from` on. */
static text numbered(int from, int n) {
    text t = {0};
    add(&t, "");
    for (int i = from; i < from + n; i++) add(&t, "1 %d:1\n", i);
    return t;
}

/* A file without a name, with these bytes. */
static int file_of(const void *bytes, size_t n) {
    char path[] = "/tmp/sluice-control-XXXXXX";
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    unlink(path);
    CHECK_EQ(write(fd, bytes, n), n);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* ---- file descriptors ------------------------------------------------------------------------------------------- */

TEST(a_descriptor_is_read_from_where_it_stands) {
    text t = numbered(0, 30000);
    int fd = file_of(t.data, t.n);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = with_threads(threads);
        lseek(fd, 6, SEEK_SET);
        sluice_reader *r = sluice_reader_open_fd(fd, "file", &o, &err);
        uint64_t done, total;
        sluice_reader_progress(r, &done, &total);
        CHECK_EQ(total, t.n - 6);
        char *got = drain(r);
        CHECK(strcmp(got, t.data + 6) == 0);
        CHECK(fcntl(fd, F_GETFD) >= 0); /* still open */
        free(got);
    }
    close(fd), free(t.data);
}

TEST(a_pipe_by_its_descriptor) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        int fd[2];
        CHECK_EQ(pipe(fd), 0);
        sluice_reader_options o = with_threads(threads);
        sluice_reader *r = sluice_reader_open_fd(fd[0], "pipe", &o, &err);
        const sluice_batch *b;
        CHECK_EQ(write(fd[1], "1 1:1\n2", 7), 7);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK); /* as it arrives */
        CHECK_EQ(write(fd[1], " x\n", 3), 3);
        close(fd[1]);
        char *got = drain(r);
        CHECK_STR(got, "data pipe:2:3: 'x' is not id:value\n");
        free(got), close(fd[0]);
    }
}

TEST(descriptors_that_cannot_be_read) {
    CHECK(sluice_reader_open_fd(-1, NULL, NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK_STR(err.source, "<fd>");
    int fd = open("/", O_RDONLY);
    CHECK(sluice_reader_open_fd(fd, "folder", NULL, &err) == NULL);
    CHECK_STR(err.source, "folder");
    CHECK_HAS(err.message, "is a directory");
    close(fd);
    fd = open("/dev/null", O_WRONLY);
    sluice_reader *r = sluice_reader_open_fd(fd, "null", NULL, &err);
    char *got = drain(r);
    CHECK_HAS(got, "io null:0:0: cannot be read");
    free(got), close(fd);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

typedef struct supply {
    const char *bytes;
    size_t n, at, piece;
    ptrdiff_t last; /* what it returns behind the bytes */
    int calls_after;
} supply;

static ptrdiff_t give(void *context, void *bytes, size_t room) {
    supply *s = context;
    size_t n = s->n - s->at < s->piece ? s->n - s->at : s->piece;
    if (n == 0) {
        s->calls_after++;
        return s->last;
    }
    if (n > room) n = room;
    memcpy(bytes, s->bytes + s->at, n);
    s->at += n;
    return (ptrdiff_t)n;
}

TEST(a_function_supplies_pieces_of_any_size) {
    text t = numbered(0, 3000);
    static const size_t pieces[] = {1, 5, 4000, 1 << 20};
    for (unsigned threads = 1; threads <= 3; threads++)
        for (size_t i = 0; i < 4; i++) {
            supply s = {t.data, t.n, 0, pieces[i], 0, 0};
            sluice_reader_options o = with_threads(threads);
            char *got = drain(sluice_reader_open_function(give, &s, "f", &o, &err));
            CHECK(strcmp(got, t.data) == 0);
            CHECK_EQ(s.calls_after, 1);
            free(got);
        }
    free(t.data);
}

TEST(a_function_that_fails) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        supply s = {"1 1:1\n2 2:2\n3", 13, 0, 6, -1, 0};
        sluice_reader_options o = with_threads(threads);
        char *got = drain(sluice_reader_open_function(give, &s, NULL, &o, &err));
        CHECK_STR(got, "1 1:1\n2 2:2\nio <function>:0:0: cannot be read: the read function failed\n");
        CHECK_EQ(s.calls_after, 1);
        free(got);
        s = (supply){"1 1:1\n", 6, 0, 6, PTRDIFF_MAX, 0};
        got = drain(sluice_reader_open_function(give, &s, "f", &o, &err));
        CHECK_HAS(got, "1 1:1\nusage f:0:0: the read function returned");
        free(got);
    }
}

#if SLUICE_HAVE_ZLIB
TEST(a_function_supplies_compressed_bytes) {
    text t = numbered(0, 3000);
    unsigned char *packed = malloc(t.n);
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)t.data, z.avail_in = (unsigned)t.n;
    z.next_out = packed, z.avail_out = (unsigned)t.n;
    CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    for (unsigned threads = 1; threads <= 3; threads++) {
        supply s = {(char *)packed, z.total_out, 0, 3, 0, 0};
        sluice_reader_options o = with_threads(threads);
        char *got = drain(sluice_reader_open_function(give, &s, "f", &o, &err));
        CHECK(strcmp(got, t.data) == 0);
        free(got);
    }
    sluice_parser *p = sluice_parser_new(NULL, NULL); /* and so can a parser's be */
    for (size_t piece = 1; piece <= 100; piece += 33) {
        char *got = push_bytes(p, packed, z.total_out, piece);
        CHECK(strcmp(got, t.data) == 0);
        free(got);
        sluice_parser_reset(p);
    }
    sluice_parser_free(p);
    deflateEnd(&z);
    free(packed), free(t.data);
}
#endif

/* ---- cancelling ------------------------------------------------------------------------------------------------- */

static atomic_bool thread_runs;

/* A thread that signals are sent to calls this first. gcc 12's ThreadSanitizer loses a signal that arrives in a
 * thread's first call that may block: let that be this one. */
static void tell_it_runs(void) {
    poll(NULL, 0, 0);
    atomic_store(&thread_runs, true);
}

static void start_thread(pthread_t *thread, void *(*run)(void *), void *argument) {
    atomic_store(&thread_runs, false);
    CHECK_EQ(pthread_create(thread, NULL, run, argument), 0);
    while (!atomic_load(&thread_runs)) sched_yield();
}

static void *next_status(void *reader) {
    const sluice_batch *b;
    tell_it_runs();
    return (void *)(intptr_t)sluice_reader_next(reader, &b);
}

static sluice_reader *signalled;
static void on_signal(int number) {
    (void)number;
    sluice_reader_cancel(signalled);
}

/* Cancels a reader that waits for a pipe, or is about to, by a call or by a signal. */
static void cancel_waiting(unsigned threads, bool by_signal) {
    int fd[2];
    CHECK_EQ(pipe(fd), 0);
    sluice_reader_options o = with_threads(threads);
    sluice_reader *r = sluice_reader_open_fd(fd[0], "pipe", &o, &err);
    const sluice_batch *b;
    CHECK_EQ(write(fd[1], "1 1:1\n1 2", 9), 9);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    pthread_t thread;
    void *status;
    signalled = r;
    start_thread(&thread, next_status, r);
    if (by_signal)
        CHECK_EQ(pthread_kill(thread, SIGUSR1), 0);
    else
        sluice_reader_cancel(r);
    CHECK_EQ(pthread_join(thread, &status), 0);
    CHECK_EQ((intptr_t)status, SLUICE_E_CANCELLED);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
    CHECK_EQ(sluice_reader_error(r)->status, SLUICE_E_CANCELLED);
    CHECK_STR(sluice_reader_error(r)->message, "reading was cancelled");
    size_t input;
    uint64_t offset;
    sluice_reader_position(r, &input, &offset);
    CHECK(input == 0 && offset == 6);
    sluice_reader_cancel(r); /* once more changes nothing */
    sluice_reader_close(r);
    close(fd[0]), close(fd[1]);
}

TEST(a_waiting_reader_is_cancelled) {
    for (unsigned threads = 1; threads <= 3; threads++) cancel_waiting(threads, false);
}

TEST(a_signal_handler_may_cancel) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned threads = 1; threads <= 3; threads++) cancel_waiting(threads, true);
}

TEST(files_and_functions_are_cancelled_between_batches) {
    text t = numbered(0, 200000);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = with_threads(threads);
        const sluice_batch *b;
        sluice_reader *r = sluice_reader_open_memory(t.data, t.n, NULL, &o, &err);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        sluice_reader_cancel(r);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
        CHECK(b == NULL);
        sluice_reader_close(r);
        supply s = {t.data, t.n, 0, 600, 0, 0};
        r = sluice_reader_open_function(give, &s, NULL, &o, &err);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        sluice_reader_cancel(r);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
        sluice_reader_close(r);
        r = sluice_reader_open_memory(t.data, t.n, NULL, &o, &err);
        sluice_reader_cancel(r); /* before anything was read */
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
        sluice_reader_close(r);
    }
    free(t.data);
}

static void *cancel(void *reader) {
    sluice_reader_cancel(reader);
    return NULL;
}

/* Whenever it comes, reading ends: with the last row or as cancelled. */
TEST(cancelling_at_any_moment) {
    text t = numbered(0, 300);
    for (int round = 0; round < 600; round++) {
        sluice_reader_options o = with_threads(1 + (unsigned)round % 3);
        sluice_reader *r = sl_reader_open_memory(t.data, t.n, "mem", &o, 100, &err);
        const sluice_batch *b;
        sluice_status status;
        pthread_t thread;
        CHECK_EQ(pthread_create(&thread, NULL, cancel, r), 0);
        while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) {
        }
        CHECK(status == SLUICE_END || status == SLUICE_E_CANCELLED);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        sluice_reader_close(r);
    }
    free(t.data);
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

static void wake_by_signal(int number) {
    (void)number;
    sluice_reader_wake(signalled);
}

/* What sluice_reader_next() gives a thread of its own. */
typedef struct next_call {
    sluice_reader *reader;
    const sluice_batch *batch;
    sluice_status status;
} next_call;

static void *call_next(void *call) {
    next_call *c = call;
    tell_it_runs();
    c->status = sluice_reader_next(c->reader, &c->batch);
    return NULL;
}

/* A reader that waits for a pipe with half a line in it is woken, and goes on without a loss. */
static void wake_waiting(unsigned threads, bool by_signal) {
    int fd[2];
    CHECK_EQ(pipe(fd), 0);
    sluice_reader_options o = with_threads(threads);
    sluice_reader *r = sluice_reader_open_fd(fd[0], "pipe", &o, &err);
    const sluice_batch *b;
    CHECK_EQ(write(fd[1], "1 1:1\n1 2", 9), 9);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    signalled = r;
    for (int i = 0; i < 3; i++) {
        next_call call = {.reader = r};
        pthread_t thread;
        start_thread(&thread, call_next, &call);
        if (by_signal)
            CHECK_EQ(pthread_kill(thread, SIGUSR1), 0);
        else
            sluice_reader_wake(r);
        CHECK_EQ(pthread_join(thread, NULL), 0);
        CHECK_EQ(call.status, SLUICE_OK);
        CHECK(call.batch && sluice_batch_rows(call.batch) == 0);
    }
    CHECK_EQ(write(fd[1], "3:1\n", 4), 4);
    close(fd[1]);
    char *got = drain(r);
    CHECK_STR(got, "1 23:1\n");
    free(got), close(fd[0]);
}

TEST(a_waiting_reader_is_woken_and_goes_on) {
    struct sigaction action = {.sa_handler = wake_by_signal};
    sigaction(SIGUSR1, &action, NULL);
    for (unsigned threads = 1; threads <= 3; threads++) {
        wake_waiting(threads, false);
        wake_waiting(threads, true);
    }
}

static void *wake_often(void *reader) {
    for (int i = 0; i < 200; i++) sluice_reader_wake(reader);
    return NULL;
}

static void *write_slowly(void *argument) {
    int fd = *(int *)argument;
    for (int i = 0; i < 3000; i++) {
        char line[32];
        int n = snprintf(line, sizeof line, "1 %d:1\n", i);
        CHECK_EQ(write(fd, line, 2), 2);
        CHECK_EQ(write(fd, line + 2, (size_t)n - 2), n - 2);
    }
    close(fd);
    return NULL;
}

TEST(waking_at_any_moment_loses_no_row) {
    text t = numbered(0, 3000);
    for (int round = 0; round < 30; round++) {
        int fd[2];
        CHECK_EQ(pipe(fd), 0);
        sluice_reader_options o = with_threads(1 + (unsigned)round % 3);
        sluice_reader *r = sluice_reader_open_fd(fd[0], "pipe", &o, &err);
        pthread_t waker, writer;
        CHECK_EQ(pthread_create(&waker, NULL, wake_often, r), 0);
        CHECK_EQ(pthread_create(&writer, NULL, write_slowly, &fd[1]), 0);
        text got = {0};
        add(&got, "");
        const sluice_batch *b;
        sluice_status status;
        while ((status = sluice_reader_next(r, &b)) == SLUICE_OK)
            if (sluice_batch_rows(b)) add_rows(&got, b);
        CHECK_EQ(status, SLUICE_END);
        CHECK(strcmp(got.data, t.data) == 0);
        CHECK_EQ(pthread_join(waker, NULL), 0);
        CHECK_EQ(pthread_join(writer, NULL), 0);
        sluice_reader_close(r), close(fd[0]), free(got.data);
    }
    free(t.data);
}

/* Files are not waited for; a call with nothing ready returns. Cancelling after it still works. */
TEST(readers_of_files_may_be_woken_and_cancelled_after_that) {
    text t = numbered(0, 100000);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = with_threads(threads);
        sluice_reader *r = sluice_reader_open_memory(t.data, t.n, NULL, &o, &err);
        const sluice_batch *b;
        size_t rows = 0;
        sluice_reader_wake(r);
        while (sluice_reader_next(r, &b) == SLUICE_OK) rows += sluice_batch_rows(b);
        CHECK_EQ(rows, 100000);
        sluice_reader_close(r);
        r = sluice_reader_open_memory(t.data, t.n, NULL, &o, &err);
        sluice_reader_wake(r);
        sluice_reader_cancel(r);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
        sluice_reader_close(r);
    }
    free(t.data);
}

#if SLUICE_HAVE_ZLIB
TEST(a_compressed_pipe_is_woken_in_the_middle) {
    text t = numbered(0, 3000);
    unsigned char *packed = malloc(t.n);
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)t.data, z.avail_in = (unsigned)t.n;
    z.next_out = packed, z.avail_out = (unsigned)t.n;
    deflate(&z, Z_FINISH);
    size_t n = t.n - z.avail_out;
    deflateEnd(&z);
    for (unsigned threads = 1; threads <= 3; threads++) {
        int fd[2];
        CHECK_EQ(pipe(fd), 0);
        sluice_reader_options o = with_threads(threads);
        sluice_reader *r = sluice_reader_open_fd(fd[0], "pipe", &o, &err);
        text got = {0};
        add(&got, "");
        for (size_t at = 0; at < n; at += 1000) {
            const sluice_batch *b;
            size_t piece = n - at < 1000 ? n - at : 1000;
            CHECK_EQ(write(fd[1], packed + at, piece), piece);
            do {
                sluice_reader_wake(r);
                CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
                if (sluice_batch_rows(b)) add_rows(&got, b);
            } while (sluice_batch_rows(b));
        }
        close(fd[1]);
        char *rest = drain(r);
        CHECK(strncmp(got.data, t.data, got.n) == 0);
        CHECK_STR(rest, t.data + got.n);
        free(rest), free(got.data), close(fd[0]);
    }
    free(packed), free(t.data);
}
#endif

/* ---- positions -------------------------------------------------------------------------------------------------- */

static char *read_from(const char *bytes, size_t n, sluice_reader_options o) {
    o.threads = 1;
    return read_bytes(bytes, n, &o, 1 << 19);
}

/* After every batch, the rows delivered and those behind the position are all rows. */
static void check_positions(const char *bytes, size_t n, sluice_reader_options o) {
    static const size_t blocks[] = {1, 10, 100, 1 << 19};
    o.size = sizeof o;
    char *all = read_from(bytes, n, o);
    for (size_t i = 0; i < 4; i++)
        for (o.threads = 1; o.threads <= 3; o.threads += 2) {
            sluice_reader *r = sl_reader_open_memory(bytes, n, "mem", &o, blocks[i], &err);
            text t = {0};
            add(&t, "");
            const sluice_batch *b;
            size_t input = 9;
            uint64_t offset = 9, before = 0;
            sluice_reader_position(r, &input, &offset);
            CHECK(input == 0 && offset == 0);
            sluice_status status;
            while ((status = sluice_reader_next(r, &b)) == SLUICE_OK) {
                add_rows(&t, b);
                sluice_reader_position(r, &input, &offset);
                CHECK(input == 0 && offset > before && offset <= n);
                CHECK(offset == n || bytes[offset - 1] == '\n');
                before = offset;
                sluice_reader_options rest = o;
                rest.skip_errors = 1; /* the rows, whatever stands between them */
                char *behind = read_from(bytes + offset, n - offset, rest), *want = read_from(bytes, n, rest);
                char *skipped = strstr(behind, "skipped ");
                size_t length = skipped ? (size_t)(skipped - behind) : strlen(behind);
                CHECK(strncmp(want, t.data, t.n) == 0 && strncmp(want + t.n, behind, length) == 0);
                CHECK(strlen(want) == t.n + length || strncmp(want + t.n + length, "skipped ", 8) == 0);
                free(behind), free(want);
            }
            sluice_reader_position(r, &input, &offset);
            if (status == SLUICE_END) CHECK_EQ(offset, n);
            if (status != SLUICE_END) { /* where the bad line begins */
                CHECK(offset < n && (offset == 0 || bytes[offset - 1] == '\n'));
                char *bad = read_from(bytes + offset, n - offset, o);
                CHECK_HAS(bad, "data mem:1:");
                CHECK(strncmp(bad, "data ", 5) == 0);
                free(bad);
            }
            sluice_reader_close(r);
            free(t.data);
        }
    free(all);
}

#define POSITIONS(text, ...) check_positions(text, sizeof(text) - 1, (sluice_reader_options){__VA_ARGS__})

TEST(positions_lie_between_rows) {
    POSITIONS("1 1:1\n2 2:2\r\n\n# comment\n3 3:3\n", .format = "libsvm");
    POSITIONS("1 1:1\n2 2:2\n3 3:3", .format = "libsvm"); /* no newline at the end */
    POSITIONS("1 1:1\nx\n2 2:2\n1 y\n3 3:3\n", .format = "libsvm", .skip_errors = 1);
    POSITIONS("1 1:1\n2 2:2\n\nx\n3 3:3\n", .format = "libsvm");
    POSITIONS("x\n1 1:1\n", .format = "libsvm");
    POSITIONS("1 1:1\n1 1:1 2:2 3:3 4:4 5:5 6:6 7:7\n2 2:2\n", .format = "libsvm", .skip_errors = 1, .max_line = 12);
    POSITIONS("1 |a b:2\n-1 | c\nx |\n1 | d\n", .format = "vw");
    POSITIONS("{\"label\":1,\"a\":2}\n{\"label\":0,\"b\":1}\n{\n", .format = "jsonl");
    POSITIONS("1\tsome words\n0\tother words\nno label\n", .format = "text");
    POSITIONS("1\thttp://a.b/c\n0\thttp://d.e\n", .format = "url");
    POSITIONS("1,2\n0,3\n1,\"a\nb\"\n0,4\n", .format = "csv", .no_header = 1);
}

TEST(a_byte_order_mark_counts) {
    const char marked[] = "\xef\xbb\xbf"
                          "1 1:1\n";
    sluice_reader *r = sluice_reader_open_memory(marked, sizeof marked - 1, NULL, NULL, &err);
    const sluice_batch *b;
    size_t input;
    uint64_t offset;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    sluice_reader_position(r, &input, &offset);
    CHECK_EQ(offset, 9);
    sluice_reader_close(r);
}

TEST(positions_in_several_inputs) {
    char paths[3][32];
    const char *const contents[] = {"1 1:1\n2 2:2\n", "# nothing\n", "3 3:3\n4 x\n"}, *names[3];
    for (int i = 0; i < 3; i++) {
        strcpy(paths[i], "/tmp/sluice-control-XXXXXX");
        names[i] = paths[i];
        int fd = mkstemp(paths[i]);
        CHECK_EQ(write(fd, contents[i], strlen(contents[i])), strlen(contents[i]));
        close(fd);
    }
    sluice_reader *r = sluice_reader_open(names, 3, NULL, &err);
    const sluice_batch *b;
    size_t input;
    uint64_t offset;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    sluice_reader_position(r, &input, &offset);
    CHECK(input == 0 && offset == 12);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    sluice_reader_position(r, &input, &offset);
    CHECK(input == 2 && offset == 6);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_DATA);
    sluice_reader_position(r, &input, &offset);
    CHECK(input == 2 && offset == 6);
    sluice_reader_close(r);
    for (int i = 0; i < 3; i++) unlink(paths[i]);
}

TEST(positions_in_bin_are_those_of_blocks) {
    char path[] = "/tmp/sluice-control-XXXXXX";
    close(mkstemp(path));
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    for (uint64_t i = 0; i < 100000; i++) { /* several blocks */
        sluice_example x = {(const uint64_t[]){i, i + 7}, (const float[]){1, 2}, 2, 1, 1, NULL};
        CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    }
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = with_threads(threads);
        const char *name = path;
        sluice_reader *r = sluice_reader_open(&name, 1, &o, &err);
        const sluice_batch *b;
        size_t input, batches = 0, rows = 0;
        uint64_t offset, before = 15;
        FILE *f = fopen(path, "rb");
        while (sluice_reader_next(r, &b) == SLUICE_OK) {
            sluice_reader_position(r, &input, &offset);
            CHECK(input == 0 && offset > before);
            unsigned char head[8];
            fseek(f, (long)offset, SEEK_SET); /* the head of a block: its bytes and its rows */
            CHECK_EQ(fread(head, 1, 8, f), 8);
            size_t next = head[4] | (size_t)head[5] << 8 | (size_t)head[6] << 16;
            rows += sluice_batch_rows(b);
            CHECK(next ? rows < 100000 : rows == 100000);
            before = offset;
            batches++;
        }
        CHECK(batches > 2 && rows == 100000);
        fclose(f);
        sluice_reader_close(r);
    }
    unlink(path);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

TEST(options_of_any_size_but_none) {
    struct {
        sluice_reader_options o;
        char newer[64];
    } larger = {.o = {.size = sizeof larger, .format = "libsvm", .unlabelled = 1}};
    sluice_reader *r = sluice_reader_open_memory("1 1:1\n", 6, NULL, &larger.o, &err);
    char *got = drain(r);
    CHECK_STR(got, "1 1:1\n");
    free(got);
    for (size_t size = sizeof(size_t); size < sizeof(sluice_reader_options); size++) {
        sluice_reader_options o = {.size = size};
        r = sluice_reader_open_memory("1 1:1\n", 6, NULL, &o, &err);
        got = drain(r);
        CHECK_STR(got, "1 1:1\n");
        free(got);
        sluice_parser *p = sluice_parser_new(&o, &err);
        CHECK(p != NULL);
        sluice_parser_free(p);
    }
    larger.newer[9] = 1; /* an option that this version does not have */
    CHECK(sluice_reader_open_memory("", 0, NULL, &larger.o, &err) == NULL && err.status == SLUICE_E_UNSUPPORTED);
    CHECK(sluice_parser_new(&larger.o, &err) == NULL && err.status == SLUICE_E_UNSUPPORTED);
    sluice_reader_options none = {0};
    CHECK(sluice_reader_open_memory("", 0, NULL, &none, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "sluice_reader_options without its size");
    CHECK(sluice_reader_open(NULL, 0, &none, &err) == NULL && err.status == SLUICE_E_USAGE);
    CHECK(sluice_reader_open_fd(0, NULL, &none, &err) == NULL && err.status == SLUICE_E_USAGE);
    CHECK(sluice_reader_open_function(give, NULL, NULL, &none, &err) == NULL && err.status == SLUICE_E_USAGE);
    CHECK(sluice_parser_new(&none, &err) == NULL && err.status == SLUICE_E_USAGE);
    CHECK(sluice_parser_new(&none, NULL) == NULL);
}

/* ---- functions that have no bytes yet -----------------------------------------------------------------------------
 */

typedef struct slow_supply {
    const char *bytes;
    size_t n;
    atomic_int calls;
} slow_supply;

/* One line, then nothing for as long as it is asked. */
static ptrdiff_t one_line_then_later(void *context, void *to, size_t n) {
    slow_supply *s = context;
    if (atomic_fetch_add(&s->calls, 1) > 0 || n < s->n) return SLUICE_READ_LATER;
    memcpy(to, s->bytes, s->n);
    return (ptrdiff_t)s->n;
}

/* A line at every third call, in two pieces. */
static ptrdiff_t now_and_then(void *context, void *to, size_t n) {
    slow_supply *s = context;
    const int call = atomic_fetch_add(&s->calls, 1);
    if (call >= 300) return 0;
    if (call % 3 == 1 || n < 4) return SLUICE_READ_LATER;
    memcpy(to, call % 3 ? ":1\n" : "1 7", 3);
    return 3;
}

TEST(a_reader_whose_function_has_no_bytes_yet_is_woken_and_cancelled) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        slow_supply s = {"1 1:1\n", 6, 0};
        sluice_reader_options o = with_threads(threads);
        sluice_reader *r = sluice_reader_open_function(one_line_then_later, &s, NULL, &o, &err);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        CHECK_EQ(sluice_batch_rows(b), 1);
        sluice_reader_wake(r);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        CHECK_EQ(sluice_batch_rows(b), 0);
        sluice_reader_cancel(r);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_CANCELLED);
        sluice_reader_close(r);
    }
}

TEST(bytes_that_come_later_lose_no_row) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        slow_supply s = {NULL, 0, 0};
        sluice_reader_options o = with_threads(threads);
        char *got = drain(sluice_reader_open_function(now_and_then, &s, NULL, &o, &err));
        CHECK_EQ(strlen(got), 600);
        for (size_t i = 0; i < strlen(got); i += 6) CHECK(memcmp(got + i, "1 7:1\n", 6) == 0);
        free(got);
    }
}

TEST(bytes_as_they_are_may_begin_like_anything) {
    static const char *const begins[] = {"\x1f\x8b", "\x28\xb5\x2f\xfd", "\xef\xbb\xbf", "sluice\x1a", "BZh91AY"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s\tword\n", begins[i]);
        sluice_reader_options o = with_threads(1);
        o.format = "text", o.as_is = 1, o.words = 1;
        sluice_reader *r = sluice_reader_open_memory(line, strlen(line), NULL, &o, &err);
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
        const sluice_name word = sluice_batch_word(b, 0);
        CHECK(word.n == strlen(begins[i]) && memcmp(word.text, begins[i], word.n) == 0);
        sluice_reader_close(r);
    }
    sluice_reader_options o = with_threads(1);
    o.as_is = 1;
    CHECK(!sluice_reader_open_memory("", 0, NULL, &o, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
}

/* ---- lines that are left out ------------------------------------------------------------------------------------- */

typedef struct bad_lines {
    pthread_mutex_t lock;
    size_t n;
    uint64_t offsets; /* their sum */
    char last[1024];
} bad_lines;

static void take_bad_line(void *context, const sluice_bad_line *bad) {
    bad_lines *all = context;
    pthread_mutex_lock(&all->lock);
    all->n++;
    all->offsets += bad->offset;
    snprintf(all->last, sizeof all->last, "%s %llu:%llu %s: %s", bad->input, (unsigned long long)bad->offset,
             (unsigned long long)bad->column, bad->reason, bad->message);
    pthread_mutex_unlock(&all->lock);
}

static void check_bad_line(const char *format, const char *bytes, const char *expected) {
    bad_lines all = {.lock = PTHREAD_MUTEX_INITIALIZER};
    sluice_reader_options o = with_threads(1);
    o.format = format, o.skip_errors = 1, o.words = 1;
    o.bad_line = take_bad_line, o.bad_line_context = &all;
    free(drain(sluice_reader_open_memory(bytes, strlen(bytes), "in", &o, &err)));
    CHECK_EQ(all.n, 1);
    CHECK_STR(all.last, expected);
}

TEST(lines_that_are_left_out_are_told_with_their_place) {
    check_bad_line("libsvm", "1 1:1\n1 2:x\n", "in 6:5 value: value 'x' of id 2 is not a number");
    check_bad_line("vw", "1 | a\n1 -2 | b\n", "in 6:3 weight: importance '-2' is negative");
    check_bad_line("text", "a\tx\nno tab\n", "in 4:1 label: there is no tab behind 'no tab'; a line is label<TAB>text");
    check_bad_line("jsonl", "{\"label\":1}\n{\n", "in 12:2 field: the line ends where a key should stand");
    check_bad_line("csv", "label,a\n1,\"x\ny\"\n1\n", "in 16:2 field: a row of 1 fields; the header has 2");
}

TEST(every_line_that_is_left_out_is_told_once) {
    text t = {0};
    uint64_t offsets = 0;
    for (int i = 0; i < 100000; i++) {
        if (i % 7 == 3) offsets += t.n;
        add(&t, i % 7 == 3 ? "1 %d:x\n" : "1 %d:1\n", i);
        if (i % 20000 != 10000) continue;
        offsets += t.n; /* one that is longer than a line may be, and than a block is */
        add(&t, "1");
        for (int k = 0; k < 200000; k++) add(&t, " %d:1", k);
        add(&t, "\n");
    }
    for (unsigned threads = 1; threads <= 3; threads++) {
        bad_lines all = {.lock = PTHREAD_MUTEX_INITIALIZER};
        sluice_reader_options o = with_threads(threads);
        o.max_line = 100000, o.skip_errors = 1, o.bad_line = take_bad_line, o.bad_line_context = &all;
        free(drain(sluice_reader_open_memory(t.data, t.n, NULL, &o, &err)));
        CHECK_EQ(all.n, 14286 + 5);
        CHECK_EQ(all.offsets, offsets);
    }
    free(t.data);
}

int main(void) {
    RUN(a_descriptor_is_read_from_where_it_stands);
    RUN(a_pipe_by_its_descriptor);
    RUN(descriptors_that_cannot_be_read);
    RUN(a_function_supplies_pieces_of_any_size);
    RUN(a_function_that_fails);
#if SLUICE_HAVE_ZLIB
    RUN(a_function_supplies_compressed_bytes);
#endif
    RUN(a_waiting_reader_is_cancelled);
    RUN(a_signal_handler_may_cancel);
    RUN(files_and_functions_are_cancelled_between_batches);
    RUN(cancelling_at_any_moment);
    RUN(a_waiting_reader_is_woken_and_goes_on);
    RUN(waking_at_any_moment_loses_no_row);
    RUN(readers_of_files_may_be_woken_and_cancelled_after_that);
#if SLUICE_HAVE_ZLIB
    RUN(a_compressed_pipe_is_woken_in_the_middle);
#endif
    RUN(positions_lie_between_rows);
    RUN(a_byte_order_mark_counts);
    RUN(positions_in_several_inputs);
    RUN(positions_in_bin_are_those_of_blocks);
    RUN(options_of_any_size_but_none);
    RUN(a_reader_whose_function_has_no_bytes_yet_is_woken_and_cancelled);
    RUN(bytes_that_come_later_lose_no_row);
    RUN(bytes_as_they_are_may_begin_like_anything);
    RUN(lines_that_are_left_out_are_told_with_their_place);
    RUN(every_line_that_is_left_out_is_told_once);
    return DONE;
}
