/* The reader as a pipeline: order, several inputs, threads, live pipes, early ends, the choice of a format. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#if SLUICE_HAVE_ZLIB
#include <zlib.h>
#endif

#include "stream.h"

static char dir[] = "/tmp/sluice-reader-XXXXXX";
static sluice_error err;

static const char *in_dir(const char *name) {
    static char path[8][256];
    static int turn;
    char *p = path[turn++ % 8];
    snprintf(p, 256, "%s/%s", dir, name);
    return p;
}

static const char *file(const char *name, const char *bytes) {
    const char *path = in_dir(name);
    FILE *f = fopen(path, "wb");
    fwrite(bytes, 1, strlen(bytes), f);
    fclose(f);
    return path;
}

static char *read_paths(const char *const *paths, size_t n, const sluice_reader_options *o, size_t block_bytes) {
    sluice_reader *r = sl_reader_open(paths, n, o, block_bytes, &err);
    CHECK(r != NULL);
    return r ? drain(r) : NULL;
}

/* Rows `1 N:1` for N from `from` on. */
static text numbered(int from, int n) {
    text t = {0};
    for (int i = from; i < from + n; i++) add(&t, "1 %d:1\n", i);
    return t;
}

TEST(any_number_of_threads_gives_the_same_rows) {
    text t = numbered(0, 30000);
    for (unsigned threads = 1; threads <= 8; threads++) {
        sluice_reader_options o = {.size = sizeof o, .threads = threads};
        char *got = read_bytes(t.data, t.n, &o, 1000);
        CHECK(strcmp(got, t.data) == 0);
        free(got);
    }
    free(t.data);
}

TEST(inputs_follow_each_other) {
    const char *paths[] = {file("a", "1 1:1\n2 2:2"), file("b", ""), file("c", "# only\n"), file("d", "3 3:3\n4 4:4\n"),
                           file("e", "5 5:5\n6 6:x\n7\n")};
    char want[600];
    snprintf(want, sizeof want, "1 1:1\n2 2:2\n3 3:3\n4 4:4\n5 5:5\ndata %s:2:5: value 'x' of id 6 is not a number\n",
             paths[4]);
    for (unsigned threads = 1; threads <= 4; threads++)
        for (size_t block = 1; block < 100; block += 33) {
            sluice_reader_options o = {.size = sizeof o, .threads = threads};
            char *got = read_paths(paths, 5, &o, block);
            CHECK_STR(got, want);
            free(got);
            o.skip_errors = 1;
            got = read_paths(paths, 5, &o, block);
            CHECK_STR(got, "1 1:1\n2 2:2\n3 3:3\n4 4:4\n5 5:5\n7\nskipped value=1\n");
            free(got);
        }
}

TEST(lines_are_counted_across_blocks) {
    text t = numbered(0, 5000);
    add(&t, "1 x:1\n");
    sluice_reader_options o = {.size = sizeof o, .threads = 4};
    char *got = read_bytes(t.data, t.n, &o, 100);
    CHECK_HAS(got, "data mem:5001:3: id 'x'");
    CHECK(strncmp(got, t.data, t.n - 6) == 0);
    free(got), free(t.data);
}

TEST(a_wrong_name_fails_at_once) {
    const char *paths[] = {file("a", "1 1:1\n"), in_dir("missing")};
    CHECK(sluice_reader_open(paths, 2, NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK_STR(err.source, paths[1]);
    CHECK_HAS(err.message, "No such file");
    paths[1] = dir;
    CHECK(sluice_reader_open(paths, 2, NULL, &err) == NULL);
    CHECK_HAS(err.message, "is a directory");
    CHECK(sluice_reader_open(paths, 2, NULL, NULL) == NULL);
}

TEST(formats_by_name_content_and_ending) {
    sluice_reader_options o = {.size = sizeof o, .format = "nonsense", .threads = 1};
    CHECK(sluice_reader_open_memory("1\n", 2, "m", &o, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "'nonsense'");
    CHECK_HAS(err.message, "libsvm, vw, jsonl, bin");
    const char *bin = in_dir("x.dat"), *text_named_bin = file("t.bin", "1 1:1\n");
    sluice_writer *w = sluice_writer_open(bin, "bin", &err);
    sluice_example x = {(const uint64_t[]){7}, (const float[]){1}, 1, 1, 1};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    char *got = read_paths(&bin, 1, NULL, 1 << 19); /* the content says bin */
    CHECK_STR(got, "1 7:1\n");
    free(got);
    got = read_paths(&text_named_bin, 1, NULL, 1 << 19); /* the content says nothing, the ending bin */
    CHECK_HAS(got, "this is not a sluice bin file");
    free(got);
    o.format = "libsvm";
    got = read_paths(&text_named_bin, 1, &o, 1 << 19);
    CHECK_STR(got, "1 1:1\n");
    free(got);
    const char *unknown = file("t.data", "1 1:1\n");
    got = read_paths(&unknown, 1, NULL, 1 << 19);
    CHECK_STR(got, "1 1:1\n");
    free(got);
}

TEST(a_model_is_not_taken_for_examples) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    const char *path = file("m", "");
    CHECK_EQ(sluice_model_save(m, path, NULL), SLUICE_OK);
    char *got = read_paths(&path, 1, NULL, 100), want[600];
    snprintf(want, sizeof want, "data %s:0:0: this is a sluice model, not a stream of examples\n", path);
    CHECK_STR(got, want);
    free(got);
    sluice_model_free(m);
}

TEST(progress_counts_bytes_of_files) {
    text t = numbered(0, 20000);
    const char *paths[] = {file("a", t.data), file("b", t.data)};
    sluice_reader *r = sluice_reader_open(paths, 2, NULL, &err);
    uint64_t done, total;
    sluice_reader_progress(r, &done, &total);
    CHECK_EQ(total, 2 * t.n);
    const sluice_batch *b;
    while (sluice_reader_next(r, &b) == SLUICE_OK) {
    }
    sluice_reader_progress(r, &done, &total);
    CHECK_EQ(done, 2 * t.n);
    sluice_reader_close(r);
    free(t.data);
}

#if SLUICE_HAVE_ZLIB
TEST(failing_input_delivers_the_rows_before) {
    text t = numbered(0, 40000);
    const char *path = in_dir("cut.gz");
    gzFile z = gzopen(path, "wb");
    gzwrite(z, t.data, (unsigned)t.n);
    gzclose(z);
    struct stat st;
    CHECK_EQ(stat(path, &st), 0);
    CHECK_EQ(truncate(path, st.st_size / 2), 0);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = {.size = sizeof o, .threads = threads, .skip_errors = 1};
        char *got = read_paths(&path, 1, &o, 1 << 12), *failure = strstr(got, "data /");
        CHECK(failure != NULL && failure > got + 1000);
        CHECK(failure && strncmp(got, t.data, (size_t)(failure - got)) == 0);
        CHECK_HAS(got, "cut.gz:0:0: gzip data ends in the middle");
        free(got);
    }
    free(t.data);
}

static const char *gzip_file(const char *name, const text *t) {
    const char *path = in_dir(name);
    gzFile z = gzopen(path, "wb");
    gzwrite(z, t->data, (unsigned)t->n);
    gzclose(z);
    return path;
}

TEST(compressed_inputs_among_others) {
    text all = numbered(0, 30000), a = numbered(0, 10000), b = numbered(10000, 5000), c = numbered(15000, 1),
         d = numbered(15001, 14999), none = {0};
    add(&none, "");
    const char *paths[] = {gzip_file("a", &a),    file("b", b.data),  gzip_file("c", &c),
                           gzip_file("e", &none), file("t.data", ""), gzip_file("d", &d)};
    for (unsigned threads = 1; threads <= 5; threads++)
        for (size_t block = 100; block <= 1000000; block *= 100) {
            sluice_reader_options o = {sizeof o, NULL, threads, 0, 0};
            char *got = read_paths(paths, 6, &o, block);
            CHECK(strcmp(got, all.data) == 0);
            free(got);
        }
    free(all.data), free(a.data), free(b.data), free(c.data), free(d.data), free(none.data);
}

TEST(a_compressed_input_with_a_bad_line) {
    text t = numbered(0, 5000);
    add(&t, "1 x:1\n");
    for (int i = 0; i < 5000; i++) add(&t, "1 1:1\n");
    const char *path = gzip_file("a", &t);
    for (unsigned threads = 1; threads <= 4; threads++) {
        sluice_reader_options o = {sizeof o, NULL, threads, 0, 0};
        char *got = read_paths(&path, 1, &o, 500), *failure = strstr(got, "data /");
        CHECK(failure && strncmp(got, t.data, (size_t)(failure - got)) == 0);
        CHECK_HAS(got, "a:5001:3: id 'x'");
        free(got);
    }
    free(t.data);
}

TEST(closing_early_neither_hangs_nor_leaks) {
    text t = numbered(0, 50000);
    const char *packed = gzip_file("a", &t);
    for (unsigned threads = 1; threads <= 4; threads++)
        for (int batches = 0; batches < 5; batches++) {
            sluice_reader_options o = {sizeof o, NULL, threads, 0, 0};
            sluice_reader *r = sl_reader_open(&packed, 1, &o, 2000, &err);
            const sluice_batch *b;
            for (int i = 0; i < batches; i++) CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
            sluice_reader_close(r);
        }
    for (unsigned threads = 1; threads <= 4; threads++)
        for (int batches = 0; batches < 5; batches++) {
            sluice_reader_options o = {.size = sizeof o, .threads = threads};
            sluice_reader *r = sl_reader_open_memory(t.data, t.n, "mem", &o, 2000, &err);
            const sluice_batch *b;
            for (int i = 0; i < batches; i++) CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
            sluice_reader_close(r);
        }
    sluice_reader_close(NULL);
    free(t.data);
}
#endif

TEST(closing_while_a_pipe_is_silent) {
    int fd[2];
    CHECK_EQ(pipe(fd), 0);
    char name[64];
    snprintf(name, sizeof name, "/dev/fd/%d", fd[0]);
    const char *path = name;
    sluice_reader_options o = {.size = sizeof o, .threads = 3};
    sluice_reader *r = sluice_reader_open(&path, 1, &o, &err);
    const sluice_batch *b;
    CHECK_EQ(write(fd[1], "1 1:1\n", 6), 6);
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK); /* some worker now waits, or will, for bytes that never come */
    sluice_reader_close(r);
    close(fd[0]), close(fd[1]);
}

TEST(a_live_stream_is_delivered_as_it_arrives) {
    for (unsigned threads = 1; threads <= 3; threads++) {
        int fd[2];
        CHECK_EQ(pipe(fd), 0);
        char name[64];
        snprintf(name, sizeof name, "/dev/fd/%d", fd[0]);
        const char *path = name;
        sluice_reader_options o = {.size = sizeof o, .threads = threads};
        sluice_reader *r = sluice_reader_open(&path, 1, &o, &err);
        const sluice_batch *b;
        for (int i = 0; i < 20; i++) { /* hangs if a row waits for the next one; each second row comes in two pieces */
            char row[32];
            int n = sprintf(row, "%s1 %d:1\n1 9", i ? ":1\n" : "", i);
            CHECK_EQ(write(fd[1], row, (size_t)n), n);
            for (size_t rows = 0, want = i ? 2 : 1; rows < want; rows += sluice_batch_rows(b)) {
                CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
                if (!b) break;
            }
        }
        close(fd[1]);
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_DATA); /* the last half is all there is of its line: "1 9" */
        CHECK_EQ(sluice_reader_error(r)->line, 40);
        sluice_reader_close(r);
        close(fd[0]);
    }
}

#if SLUICE_HAVE_ZLIB
/* Writes a row to the pipe so that all of it can be decompressed. */
static void write_packed(z_stream *z, int fd, const char *row) {
    unsigned char out[256];
    z->next_in = (unsigned char *)(uintptr_t)row, z->avail_in = (unsigned)strlen(row);
    z->next_out = out, z->avail_out = sizeof out;
    CHECK_EQ(deflate(z, Z_SYNC_FLUSH), Z_OK);
    size_t n = sizeof out - z->avail_out;
    CHECK_EQ(write(fd, out, n), n);
}

TEST(a_compressed_live_stream_is_delivered_as_it_arrives) {
    for (unsigned threads = 1; threads <= 3; threads++)
        for (int rest = 0; rest < 2; rest++) {
            int fd[2];
            CHECK_EQ(pipe(fd), 0);
            char name[64];
            snprintf(name, sizeof name, "/dev/fd/%d", fd[0]);
            const char *path = name;
            sluice_reader_options o = {sizeof o, NULL, threads, 0, 0};
            sluice_reader *r = sluice_reader_open(&path, 1, &o, &err);
            const sluice_batch *b;
            z_stream z = {0};
            deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
            for (int i = 0; i < 20; i++) { /* would hang if a row waited for the next one */
                char row[32];
                sprintf(row, "1 %d:1\n", i);
                write_packed(&z, fd[1], row);
                CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
                CHECK(b && sluice_batch_rows(b) == 1);
            }
            if (rest) { /* cut: the stream has no end */
                close(fd[1]);
                CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_DATA);
                CHECK_HAS(sluice_reader_error(r)->message, "gzip data ends in the middle");
                sluice_reader_close(r);
            } else { /* silent: the thread that decompresses waits for bytes that never come */
                sluice_reader_close(r);
                close(fd[1]);
            }
            deflateEnd(&z);
            close(fd[0]);
        }
}
#endif

static void *write_when_open(void *path) {
    int w = open(path, O_WRONLY); /* waits for the reader to open it */
    CHECK_EQ(write(w, "2 2:2\n", 6), 6);
    close(w);
    return NULL;
}

TEST(a_pipe_in_the_middle_of_files) {
    const char *paths[] = {file("a", "1 1:1\n"), in_dir("fifo"), file("c", "3 3:3\n")};
    CHECK_EQ(mkfifo(paths[1], 0600), 0);
    for (unsigned threads = 1; threads <= 3; threads++) {
        sluice_reader_options o = {.size = sizeof o, .threads = threads};
        sluice_reader *r = sluice_reader_open(paths, 3, &o, &err); /* does not wait for a writer */
        const sluice_batch *b;
        CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK); /* nor does the first file */
        pthread_t writer;
        pthread_create(&writer, NULL, write_when_open, (void *)(uintptr_t)paths[1]);
        char *rest = drain(r);
        pthread_join(writer, NULL);
        CHECK_STR(rest, "2 2:2\n3 3:3\n");
        free(rest);
    }
}

TEST(long_lines_come_and_go) {
    text t = {0};
    for (int line = 0; line < 6; line++) {
        add(&t, "1");
        for (int k = 0; k < (line % 2 ? 1 : 30000); k++) add(&t, " %d:1", k);
        add(&t, "\n");
    }
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        sluice_reader_options o = {.size = sizeof o, .threads = threads};
        char *got = read_bytes(t.data, t.n, &o, 500);
        CHECK(strcmp(got, t.data) == 0);
        free(got);
        o.max_line = 1000, o.skip_errors = 1;
        got = read_bytes(t.data, t.n, &o, 500);
        CHECK_STR(got, "1 0:1\n1 0:1\n1 0:1\nskipped line-too-long=3\n");
        free(got);
    }
    free(t.data);
}

TEST(options_from_an_older_program) {
    sluice_reader_options o = {offsetof(sluice_reader_options, threads), "libsvm", 77, 1, 1};
    sluice_reader *r = sluice_reader_open_memory("1 1:1\nx\n", 8, NULL, &o, &err);
    char *got = drain(r); /* fields behind its size are not looked at */
    CHECK_STR(got, "1 1:1\ndata memory:2:1: label 'x' is not a number\n");
    free(got);
}

TEST(the_formats_are_listed) {
    const char *summary = NULL, *name;
    size_t n = 0;
    for (; (name = sluice_format_at(n, &summary)); n++) CHECK(*name && *summary);
    CHECK_EQ(n, 7);
    CHECK_STR(sluice_format_at(0, NULL), "libsvm");
    CHECK(sluice_format_at(1000, &summary) == NULL && summary == NULL);
}

/* Opens a file of this name with this content and a hint; which format was read. */
static const char *format_with_hint(const char *name, const char *content, const char *hint) {
    static char format[16];
    const char *path = file(name, content);
    sluice_reader_options o = {.size = sizeof o, .hint = hint, .skip_errors = 1};
    sluice_reader *r = sluice_reader_open(&path, 1, &o, &err);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    strcpy(format, sluice_reader_format(r));
    sluice_reader_close(r);
    unlink(path);
    return format;
}

TEST(a_hint_counts_where_the_ending_says_nothing) {
    CHECK_STR(format_with_hint("h.data", "1 | a\n", "vw"), "vw");
    CHECK_STR(format_with_hint("h.svm", "1 1:1\n", "vw"), "libsvm");
    CHECK_STR(format_with_hint("h.tsv", "1\ttext\n", "text"), "text"); /* tabs are in several formats */
    CHECK_STR(format_with_hint("h.url.tsv", "1\tx.org\n", "text"), "url");
    CHECK_STR(format_with_hint("h.tsv", "label\ta\n1\t2\n", ""), "csv");
    sluice_reader_options o = {.size = sizeof o, .hint = "nonsense"};
    CHECK(sluice_reader_open_memory("", 0, NULL, &o, &err) == NULL && err.status == SLUICE_E_USAGE);
}

TEST(options_out_of_range) {
    sluice_reader_options o = {.size = sizeof o, .ngrams = SLUICE_MAX_NGRAMS + 1};
    CHECK(sluice_reader_open_memory("", 0, NULL, &o, &err) == NULL && err.status == SLUICE_E_USAGE);
    o.ngrams = 1, o.tf = SLUICE_TF_LOG + 1;
    CHECK(sluice_reader_open_memory("", 0, NULL, &o, &err) == NULL && err.status == SLUICE_E_USAGE);
    CHECK_HAS(err.message, "tf is binary, count or log");
    text t = numbered(0, 3000);
    o = (sluice_reader_options){.size = sizeof o, .threads = 100000}; /* as many as there may be */
    char *got = read_bytes(t.data, t.n, &o, 100);
    CHECK(strcmp(got, t.data) == 0);
    free(got), free(t.data);
}

TEST(standard_input) {
    const char *path = file("in", "1 1:1\n2 2:2\n"), *dash = "-";
    int saved = dup(0), fd = open(path, O_RDONLY);
    CHECK_EQ(dup2(fd, 0), 0);
    char *got = drain(sluice_reader_open(NULL, 0, NULL, &err));
    CHECK_STR(got, "1 1:1\n2 2:2\n");
    free(got);
    lseek(0, 6, SEEK_SET); /* from where it stands */
    got = drain(sluice_reader_open(&dash, 1, NULL, &err));
    CHECK_STR(got, "2 2:2\n");
    free(got);
    lseek(0, 1000, SEEK_SET); /* behind the end */
    got = drain(sluice_reader_open(&dash, 1, NULL, &err));
    CHECK_STR(got, "");
    free(got);
    dup2(saved, 0), close(saved), close(fd), unlink(path);
}

int main(void) {
    if (!mkdtemp(dir)) return 1;
    RUN(any_number_of_threads_gives_the_same_rows);
    RUN(inputs_follow_each_other);
    RUN(lines_are_counted_across_blocks);
    RUN(a_wrong_name_fails_at_once);
    RUN(formats_by_name_content_and_ending);
    RUN(a_model_is_not_taken_for_examples);
    RUN(progress_counts_bytes_of_files);
#if SLUICE_HAVE_ZLIB
    RUN(failing_input_delivers_the_rows_before);
    RUN(compressed_inputs_among_others);
    RUN(a_compressed_input_with_a_bad_line);
    RUN(closing_early_neither_hangs_nor_leaks);
    RUN(a_compressed_live_stream_is_delivered_as_it_arrives);
#endif
    RUN(closing_while_a_pipe_is_silent);
    RUN(a_live_stream_is_delivered_as_it_arrives);
    RUN(a_pipe_in_the_middle_of_files);
    RUN(long_lines_come_and_go);
    RUN(options_from_an_older_program);
    RUN(the_formats_are_listed);
    RUN(a_hint_counts_where_the_ending_says_nothing);
    RUN(options_out_of_range);
    RUN(standard_input);
    const char *left[] = {"a", "b", "c", "d", "e", "x.dat", "t.bin", "t.data", "cut.gz", "fifo"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) unlink(in_dir(left[i]));
    rmdir(dir);
    return DONE;
}
