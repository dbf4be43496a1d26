/* Readers, parsers and writers when memory runs out at any point: SLUICE_E_MEMORY or the full result, no crash, no
 * leak.
 */
#include <fcntl.h>
#include <unistd.h>

#include "failing_alloc.h"
#include "io/source/codec.h"
#include "stream.h"
#if SLUICE_HAVE_ZLIB
#include <zlib.h>
#endif
#if SLUICE_HAVE_ZSTD
#include <zstd.h>
#endif
#if SLUICE_HAVE_BZIP2
#include <bzlib.h>
#endif
#if SLUICE_HAVE_LZMA
#include <lzma.h>
#endif

static sluice_error err;

/* What a reader delivered: the rows and nonzeros, whatever they are. */
typedef struct outcome {
    sluice_status status;
    size_t rows, nonzeros;
} outcome;

static outcome count_rows(sluice_reader *r) {
    outcome o = {.status = err.status};
    if (!r) return o;
    const sluice_batch *b;
    while ((o.status = sluice_reader_next(r, &b)) == SLUICE_OK) {
        o.rows += sluice_batch_rows(b);
        for (size_t i = 0; i < sluice_batch_rows(b); i++) o.nonzeros += sluice_batch_nonzeros(b, i);
    }
    if (o.status != SLUICE_END) CHECK_EQ(sluice_reader_error(r)->status, o.status);
    sluice_reader_close(r);
    return o;
}

/* Reads with each allocation failing in turn; ends when none failed. */
static void check_reading(const void *bytes, size_t n, sluice_reader_options o, size_t block_bytes) {
    o.size = sizeof o;
    for (o.threads = 1; o.threads <= 3; o.threads += 2) {
        outcome full = count_rows(sl_reader_open_memory(bytes, n, "mem", &o, block_bytes, &err));
        CHECK(full.status == SLUICE_END && full.rows > 0);
        FOR_EACH_FAILED_ALLOCATION {
            err.status = SLUICE_OK;
            outcome got = count_rows(sl_reader_open_memory(bytes, n, "mem", &o, block_bytes, &err));
            bool failed = allocation_failed();
            CHECK(got.rows <= full.rows);
            if (!failed || got.status != SLUICE_E_MEMORY)
                CHECK(got.status == SLUICE_END && got.rows == full.rows && got.nonzeros == full.nonzeros);
        }
        CHECK(allocations_failed > 3);
    }
}

static void check_parsing(const void *bytes, size_t n, sluice_reader_options o) {
    o.size = sizeof o;
    size_t full = 0;
    for (long failing = 0;; failing++) { /* first without a failure */
        fail_allocation(failing);
        sluice_parser *p = sluice_parser_new(&o, &err);
        sluice_status status = p ? SLUICE_OK : err.status;
        const sluice_batch *b;
        size_t rows = 0;
        for (size_t at = 0; p && at < n && status != SLUICE_E_MEMORY; at += 40) {
            CHECK_EQ(sluice_parser_push(p, (const char *)bytes + at, n - at < 40 ? n - at : 40), SLUICE_OK);
            if (n - at <= 40) sluice_parser_finish(p);
            while ((status = sluice_parser_next(p, &b)) == SLUICE_OK) rows += sluice_batch_rows(b);
        }
        bool failed = allocation_failed();
        CHECK(status == SLUICE_E_MEMORY ? failed : status == SLUICE_END && (failing == 0 || rows == full));
        if (failing == 0) full = rows;
        sluice_parser_free(p);
        if (failing && !failed) break;
    }
    CHECK(full > 0);
}

static const char *const texts[][2] = {
    {"libsvm", "1 1:1 5:2\n-1 7:1 3:2 99999999999:1\n1 1:0.5 # x\n1 2:1 1:1\n"},
    {"vw", "1 2 'tag |a b:2 c\n-1 | b b b:3 |d:2 e\n| x\n"},
    {"jsonl", "{\"label\":1,\"a\":{\"b\":[1,2,\"x\"]},\"c\":1,\"c\":2}\n{\"label\":0,\"d\":3}\n"},
    {"csv", "label,a,b=c,b\n1,2,3,\"x \"\"y\"\"\"\n0,,4,z\n"},
    {"text", "1\tsome words and some words more\n0\tother words\n"},
    {"url", "1\thttp://user@www.some.co.uk:80/path/file.php?a=b&c=d#e\n0\tx.org\n"},
};

TEST(every_format_of_text) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        sluice_reader_options o = {.format = texts[i][0], .weight = NULL};
        check_reading(texts[i][1], strlen(texts[i][1]), o, 1 << 19);
        check_reading(texts[i][1], strlen(texts[i][1]), o, 20);
        o.label = i == 2 || i == 3 ? "label" : NULL; /* texts of options are copied */
        o.weight = i == 2 ? "w" : NULL;
        check_reading(texts[i][1], strlen(texts[i][1]), o, 1 << 19);
        check_parsing(texts[i][1], strlen(texts[i][1]), o);
    }
}

TEST(lines_longer_than_a_block) {
    text t = {0};
    for (int line = 0; line < 4; line++) {
        add(&t, "1");
        for (int k = 0; k < (line % 2 ? 3 : 300); k++) add(&t, " %d:1", k);
        add(&t, "\n");
    }
    check_reading(t.data, t.n, (sluice_reader_options){.format = "libsvm"}, 50);
    check_reading(t.data, t.n, (sluice_reader_options){.format = "libsvm", .max_line = 100, .skip_errors = 1}, 50);
    check_reading(t.data, t.n - 1, (sluice_reader_options){.format = "libsvm"}, t.n - 1); /* room for a newline */
    check_parsing(t.data, t.n, (sluice_reader_options){.format = "libsvm", .max_line = 100, .skip_errors = 1});
    free(t.data);
}

/* Many names in one row: the table of names grows. */
TEST(rows_of_many_names) {
    text t = {0};
    add(&t, "1 |");
    for (int k = 0; k < 2000; k++) add(&t, " name%d", k);
    add(&t, "\n");
    check_reading(t.data, t.n, (sluice_reader_options){.format = "vw"}, 1 << 19);
    free(t.data);
}

/* ---- bin -------------------------------------------------------------------------------------------------------- */

static char path[] = "/tmp/sluice-memory-XXXXXX";

static size_t file_bytes(char *bytes, size_t room) {
    FILE *f = fopen(path, "rb");
    size_t n = fread(bytes, 1, room, f);
    fclose(f);
    return n;
}

static const sluice_name names[] = {{"a", 1}, {"", 0}, {"long-name", 9}};

/* Writes a few rows of ids, or of names; the first failure. */
static sluice_status write_rows(const char *format, bool named) {
    err.status = SLUICE_OK;
    sluice_writer *w = sluice_writer_open(path, format, &err);
    if (!w) return err.status;
    sluice_status status = SLUICE_OK;
    for (uint64_t i = 0; i < 40 && status == SLUICE_OK; i++) {
        const uint64_t ids[] = {i, i % 2 ? UINT64_MAX - i : i + 3, i + 9};
        const float values[] = {1, (float)i, -0.5f};
        sluice_example x = {ids, values, 3, i % 2 ? 1 : -1, 1, named ? names : NULL};
        if (strcmp(format, "libsvm") != 0 && i % 5 == 0) x.weight = 2;
        if (named && strcmp(format, "vw") == 0) x.names = names + 2, x.n = 1;
        status = sluice_writer_put(w, &x);
    }
    if (status == SLUICE_OK) status = sluice_writer_commit(w);
    if (status != SLUICE_OK) CHECK_EQ(sluice_writer_error(w)->status, status);
    sluice_writer_close(w);
    return status;
}

TEST(writers) {
    static const char *const formats[] = {"libsvm", "vw", "jsonl", "bin"};
    for (size_t i = 0; i < 4; i++)
        for (int named = i == 0 ? 0 : 1; named >= 0; named--) {
            CHECK_EQ(write_rows(formats[i], named), SLUICE_OK);
            FOR_EACH_FAILED_ALLOCATION {
                sluice_status status = write_rows(formats[i], named);
                CHECK(status == SLUICE_OK || (allocation_failed() && status == SLUICE_E_MEMORY));
            }
            CHECK(allocations_failed > 3);
        }
}

TEST(writing_the_rows_of_a_batch) {
    sluice_reader_options o = {.size = sizeof o, .format = "vw", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(texts[1][1], strlen(texts[1][1]), NULL, &o, &err);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    FOR_EACH_FAILED_ALLOCATION {
        sluice_writer *w = sluice_writer_open(path, "bin", &err);
        sluice_status status = w ? sluice_writer_put_batch(w, b) : err.status;
        if (status == SLUICE_OK) status = sluice_writer_commit(w);
        sluice_writer_close(w);
        CHECK(status == SLUICE_OK || (allocation_failed() && status == SLUICE_E_MEMORY));
    }
    sluice_reader_close(r);
}

TEST(bin) {
    char *bytes = malloc(1 << 20);
    for (int named = 0; named < 2; named++) {
        CHECK_EQ(write_rows("bin", named), SLUICE_OK);
        size_t n = file_bytes(bytes, 1 << 20);
        check_reading(bytes, n, (sluice_reader_options){.format = NULL}, 1 << 19);
        check_parsing(bytes, n, (sluice_reader_options){.format = "bin"});
    }
    free(bytes);
}

/* ---- codecs ----------------------------------------------------------------------------------------------------- */

/* Two streams in a row, so that the second one begins anew. */
static inline void check_packed(const unsigned char *packed, size_t n) {
    unsigned char twice[2048];
    CHECK(n > 0 && 2 * n <= sizeof twice);
    memcpy(twice, packed, n);
    memcpy(twice + n, packed, n);
    check_reading(twice, 2 * n, (sluice_reader_options){.format = "libsvm"}, 64);
}

TEST(codecs) {
    char rows[300] = "";
    for (int i = 0; i < 30; i++) sprintf(rows + strlen(rows), "1 %d:1\n", i);
    unsigned char packed[1024];
    size_t n = strlen(rows);
    (void)packed, (void)n;
#if SLUICE_HAVE_ZLIB
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)rows, z.avail_in = (unsigned)n;
    z.next_out = packed, z.avail_out = sizeof packed;
    CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    check_packed(packed, z.total_out);
    deflateEnd(&z);
#endif
#if SLUICE_HAVE_ZSTD
    check_packed(packed, ZSTD_compress(packed, sizeof packed, rows, n, 3));
#endif
#if SLUICE_HAVE_BZIP2
    unsigned size = sizeof packed;
    BZ2_bzBuffToBuffCompress((char *)packed, &size, rows, (unsigned)n, 1, 0, 0);
    check_packed(packed, size);
#endif
#if SLUICE_HAVE_LZMA
    size_t at = 0;
    lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, (uint8_t *)rows, n, packed, &at, sizeof packed);
    check_packed(packed, at);
#endif
}

/* ---- other ways to open a reader -------------------------------------------------------------------------------- */

static ptrdiff_t three_rows(void *context, void *bytes, size_t room) {
    int *calls = context;
    CHECK(room >= 6);
    if (++*calls > 3) return 0;
    memcpy(bytes, "1 1:1\n", 6);
    return 6;
}

TEST(descriptors_functions_and_paths) {
    static const char *const paths[] = {path, path};
    CHECK_EQ(write_rows("libsvm", false), SLUICE_OK);
    int fd = open(path, O_RDONLY);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .threads = threads};
        for (int kind = 0; kind < 3; kind++) {
            FOR_EACH_FAILED_ALLOCATION {
                int calls = 0;
                lseek(fd, 0, SEEK_SET);
                err.status = SLUICE_OK;
                outcome got = count_rows(kind == 0   ? sluice_reader_open_fd(fd, NULL, &o, &err)
                                         : kind == 1 ? sluice_reader_open_function(three_rows, &calls, NULL, &o, &err)
                                                     : sl_reader_open(paths, 2, &o, 100, &err));
                size_t full = kind == 0 ? 40 : kind == 1 ? 3 : 80;
                if (got.status != SLUICE_E_MEMORY || !allocation_failed())
                    CHECK(got.status == SLUICE_END && got.rows == full);
            }
            CHECK(allocations_failed > 3);
        }
    }
    close(fd);
}

int main(void) {
    close(mkstemp(path));
    RUN(every_format_of_text);
    RUN(lines_longer_than_a_block);
    RUN(rows_of_many_names);
    RUN(writers);
    RUN(writing_the_rows_of_a_batch);
    RUN(bin);
    RUN(codecs);
    RUN(descriptors_functions_and_paths);
    unlink(path);
    return DONE;
}
