/* Writers: what is written reads back exactly; what a reader would refuse is refused; nothing appears before the
 * commit. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream.h"

static char dir[] = "/tmp/sluice-writer-XXXXXX";
static sluice_error err;

static const char *in_dir(const char *name) {
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, 256, "%s/%s", dir, name);
    return p;
}

static char *contents(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *bytes = calloc(1, 1 << 20);
    CHECK(fread(bytes, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return bytes;
}

static char *read_back(const char *path) {
    sluice_reader *r = sluice_reader_open(&path, 1, NULL, &err);
    CHECK(r != NULL);
    return drain(r);
}

static sluice_status put(sluice_writer *w, const uint64_t *ids, const float *values, size_t n, double label,
                         double weight) {
    sluice_example x = {ids, values, n, label, weight};
    return sluice_writer_put(w, &x);
}

static const uint64_t ids[] = {3, 0, UINT64_MAX, 2147483648u};
static const float values[] = {0.1f, -0.0f, 3.4028235e38f, 1};

TEST(text_is_short_and_exact) {
    const char *path = in_dir("a.svm");
    sluice_writer *w = sluice_writer_open(path, NULL, &err);
    CHECK_EQ(put(w, ids, values, 4, 1, 1), SLUICE_OK);
    CHECK_EQ(put(w, NULL, NULL, 0, -1, 1), SLUICE_OK);
    CHECK_EQ(put(w, ids, values, 1, 0, 1), SLUICE_OK);
    CHECK_EQ(put(w, ids, values, 1, 2.5, 1), SLUICE_OK);
    CHECK(access(path, F_OK) != 0); /* not there before it is complete */
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    CHECK_EQ(put(w, ids, values, 1, 1, 1), SLUICE_E_USAGE);
    sluice_writer_close(w);
    char *got = contents(path);
    CHECK_STR(got, "1 3:0.1 0:-0 18446744073709551615:3.4028235e38 2147483648:1\n-1\n0 3:0.1\n2.5 3:0.1\n");
    char *rows = read_back(path);
    CHECK_STR(rows, got);
    free(got), free(rows);
}

TEST(bin_is_exact_with_weights) {
    const char *path = in_dir("a.bin");
    sluice_writer *w = sluice_writer_open(path, NULL, &err);
    CHECK_EQ(put(w, ids, values, 4, 1, 1), SLUICE_OK);
    CHECK_EQ(put(w, ids, values, 2, -3, 0.25), SLUICE_OK);
    CHECK_EQ(put(w, NULL, NULL, 0, -1, 0), SLUICE_OK);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    sluice_writer_close(w);
    char *rows = read_back(path);
    CHECK_STR(rows, "1*1 3:0.1 0:-0 18446744073709551615:3.4028235e38 2147483648:1\n-3*0.25 3:0.1 0:-0\n-1*0\n");
    free(rows);
}

TEST(nothing_written_is_still_a_file) {
    const char *names[] = {"e.svm", "e.bin"};
    for (int i = 0; i < 2; i++) {
        const char *path = in_dir(names[i]);
        sluice_writer *w = sluice_writer_open(path, NULL, &err);
        CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
        sluice_writer_close(w);
        char *rows = read_back(path);
        CHECK_STR(rows, "");
        free(rows);
    }
}

TEST(what_a_reader_would_refuse_is_refused) {
    for (int i = 0; i < 2; i++) {
        const char *path = in_dir("r");
        sluice_writer *w = sluice_writer_open(path, i ? "bin" : "libsvm", &err);
        const uint64_t twice[] = {5, 7, 5};
        const float good[] = {1, 1, 1}, bad[] = {1, NAN, 1}, infinite[] = {1, 1, -INFINITY};
        CHECK_EQ(put(w, ids, good, 3, 1, 1), SLUICE_OK);
        CHECK_EQ(put(w, twice, good, 3, 1, 1), SLUICE_E_DATA);
        CHECK_HAS(sluice_writer_error(w)->message, "id 5 stands twice");
        CHECK_EQ(put(w, ids, bad, 3, 1, 1), SLUICE_E_DATA);
        CHECK_HAS(sluice_writer_error(w)->message, "value of id 0 is not finite");
        CHECK_EQ(put(w, ids, infinite, 3, 1, 1), SLUICE_E_DATA);
        CHECK_EQ(put(w, ids, good, 3, NAN, 1), SLUICE_E_DATA);
        CHECK_EQ(put(w, ids, good, 3, 1e39, 1), SLUICE_E_DATA);
        CHECK_EQ(put(w, ids, good, 3, 1, -1), SLUICE_E_DATA);
        CHECK_EQ(put(w, ids, good, 3, 1, NAN), SLUICE_E_DATA);
        CHECK_EQ(put(w, ids, good, 3, 1, 2), i ? SLUICE_OK : SLUICE_E_UNSUPPORTED);
        CHECK_EQ(put(w, ids, good, 2, -1, 1), SLUICE_OK); /* and the writer goes on */
        CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
        sluice_writer_close(w);
        char *rows = read_back(path);
        CHECK_STR(rows, i ? "1*1 3:1 0:1 18446744073709551615:1\n1*2 3:1 0:1 18446744073709551615:1\n-1*1 3:1 0:1\n"
                          : "1 3:1 0:1 18446744073709551615:1\n-1 3:1 0:1\n");
        free(rows);
    }
}

TEST(what_is_not_committed_leaves_the_old_file) {
    const char *path = in_dir("old.svm");
    for (int i = 0; i < 2; i++) {
        sluice_writer *w = sluice_writer_open(path, NULL, &err);
        CHECK_EQ(put(w, NULL, NULL, 0, i + 1, 1), SLUICE_OK);
        if (i == 0) CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
        sluice_writer_close(w);
        char *got = contents(path);
        CHECK_STR(got, "1\n");
        free(got);
    }
    sluice_writer_close(NULL);
}

TEST(paths_and_formats_that_cannot_be) {
    CHECK(sluice_writer_open("/nonexistent/x", NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    CHECK(sluice_writer_open(in_dir("x"), "csv2", &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "libsvm, vw, jsonl, bin");
    CHECK(!sluice_writer_open(in_dir("a.svm.gz"), NULL, &err)); /* it would be plain text under that name */
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "compressed");
}

TEST(batches_of_many_blocks_go_from_format_to_format) {
    text t = {0};
    for (int i = 0; i < 9000; i++) {
        add(&t, "%d", i % 2 ? 1 : -1);
        for (int k = 0; k < 20; k++) add(&t, " %d:0.%d", i + k * 37, k + i % 9 + 1);
        add(&t, "\n");
    }
    char *want = read_bytes(t.data, t.n, NULL, 1 << 19);
    const char *names[] = {"m.bin", "m.svm", "m2.bin"};
    const char *from = NULL;
    for (int i = 0; i < 3; i++) {
        sluice_reader *r =
            from ? sluice_reader_open(&from, 1, NULL, &err) : sluice_reader_open_memory(t.data, t.n, "mem", NULL, &err);
        sluice_writer *w = sluice_writer_open(from = in_dir(names[i]), NULL, &err);
        const sluice_batch *b;
        while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_writer_put_batch(w, b), SLUICE_OK);
        CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
        sluice_writer_close(w);
        sluice_reader_close(r);
        char *rows = read_back(from);
        CHECK(strcmp(rows, want) == 0);
        free(rows);
    }
    free(want), free(t.data);
}

TEST(a_full_disk_is_reported) {
    if (access("/dev/full", W_OK) != 0) return;
    sluice_writer *w = sluice_writer_open("/dev/full", "libsvm", &err);
    CHECK(w != NULL);
    if (!w) return;
    sluice_status status = put(w, NULL, NULL, 0, 1, 1);
    if (status == SLUICE_OK) status = sluice_writer_commit(w);
    CHECK_EQ(status, SLUICE_E_IO);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_E_IO);
    sluice_writer_close(w);
}

TEST(rows_of_names_and_of_ids_in_one_bin_file) {
    const char *path = in_dir("mixed.bin");
    const sluice_name name[] = {{"a", 1}, {"b", 1}};
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    for (int i = 0; i < 4; i++) { /* blocks change where the kind does */
        sluice_example x = {ids, values, 2, 1, i == 3 ? 0.5 : 1, i % 2 ? name : NULL};
        CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    }
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK);
    CHECK_EQ(sluice_writer_commit(w), SLUICE_OK); /* once more changes nothing */
    sluice_writer_close(w);
    char *got = read_back(path);
    CHECK_STR(got, "1 3:0.1 0:-0\n1 a:0.1 b:-0\n1 3:0.1 0:-0\n1*0.5 a:0.1 b:-0\n");
    free(got);
    unlink(path);
}

TEST(limits_of_examples) {
    const char *path = in_dir("limits");
    sluice_writer *w = sluice_writer_open(path, "bin", &err);
    sluice_example x = {ids, values, ((size_t)1 << 24) + 1, 1, 1, NULL};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_E_LIMIT);
    char *bytes = malloc(70000);
    memset(bytes, 'x', 70000);
    sluice_name names[2] = {{bytes, 65535}, {bytes, 65536}};
    x = (sluice_example){NULL, values, 2, 1, 1, names};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_E_DATA);
    CHECK_HAS(sluice_writer_error(w)->message, "longer than 65535 bytes");
    x.n = 1;
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_OK);
    enum { MANY = 2100 }; /* together more bytes than bin has room for in a row */
    sluice_name *many = malloc(MANY * sizeof *many);
    float *ones = malloc(MANY * sizeof *ones);
    for (size_t i = 0; i < MANY; i++) many[i] = (sluice_name){bytes, 65535}, ones[i] = 1;
    x = (sluice_example){NULL, ones, MANY, 1, 1, many};
    CHECK_EQ(sluice_writer_put(w, &x), SLUICE_E_LIMIT);
    CHECK_HAS(sluice_writer_error(w)->message, "bytes; bin has room for");
    static const double weights[] = {-1, 1e39, 1e-60, NAN};
    x = (sluice_example){ids, values, 1, 1, 1, NULL};
    for (size_t i = 0; i < 4; i++) {
        x.weight = weights[i];
        CHECK_EQ(sluice_writer_put(w, &x), SLUICE_E_DATA);
    }
    sluice_writer_close(w);
    free(bytes), free(many), free(ones);
}

TEST(batches_of_ones_own_are_written) { /* they have no source and no lines to name */
    sluice_batch *b = sluice_batch_new(&err);
    const sluice_name name = {"not a number", 12};
    sluice_example x = {NULL, values, 1, 1, 1, &name};
    CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_OK);
    sluice_writer *w = sluice_writer_open(in_dir("own.svm"), NULL, &err);
    CHECK_EQ(sluice_writer_put_batch(w, b), SLUICE_E_UNSUPPORTED);
    CHECK_STR(sluice_writer_error(w)->source, "");
    CHECK_EQ(sluice_writer_error(w)->line, 0);
    sluice_writer_close(w);
    sluice_batch_free(b);
}

int main(void) {
    if (!mkdtemp(dir)) return 1;
    RUN(text_is_short_and_exact);
    RUN(bin_is_exact_with_weights);
    RUN(nothing_written_is_still_a_file);
    RUN(what_a_reader_would_refuse_is_refused);
    RUN(what_is_not_committed_leaves_the_old_file);
    RUN(paths_and_formats_that_cannot_be);
    RUN(batches_of_many_blocks_go_from_format_to_format);
    RUN(a_full_disk_is_reported);
    RUN(rows_of_names_and_of_ids_in_one_bin_file);
    RUN(limits_of_examples);
    RUN(batches_of_ones_own_are_written);
    const char *left[] = {"a.svm", "a.bin", "e.svm", "e.bin", "r", "old.svm", "m.bin", "m.svm", "m2.bin"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) unlink(in_dir(left[i]));
    rmdir(dir);
    return DONE;
}
