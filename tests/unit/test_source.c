/* Sources: files, pipes and memory; every codec, whole, in several streams, truncated, damaged; messages with a name.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/source/codec.h"
#include "io/source/source.h"
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
#include "test.h"

enum { ROOM = 1 << 21 };
static char dir[] = "/tmp/sluice-source-XXXXXX";
static unsigned char packed[ROOM], plain[ROOM], back[ROOM];
static size_t plain_n;
static _Atomic uint64_t consumed;
static sluice_error err;

static const char *in_dir(const char *name) {
    static char path[4][256];
    static int turn;
    char *p = path[turn++ % 4];
    snprintf(p, 256, "%s/%s", dir, name);
    return p;
}

static void make_plain(size_t n) {
    uint64_t seed = 5;
    for (plain_n = 0; plain_n < n; plain_n++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        plain[plain_n] = (unsigned char)("0123456789: \n"[(seed >> 33) % 13]);
    }
}

#if SLUICE_HAVE_ZLIB
static size_t gzip(const unsigned char *from, size_t n, unsigned char *to) {
    z_stream z = {0};
    deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    z.next_in = (unsigned char *)(uintptr_t)from, z.avail_in = (unsigned)n;
    z.next_out = to, z.avail_out = ROOM;
    deflate(&z, Z_FINISH);
    size_t size = z.total_out;
    deflateEnd(&z);
    return size;
}
#endif
#if SLUICE_HAVE_ZSTD
static size_t zstd(const unsigned char *from, size_t n,
                   unsigned char *to) { /* with a checksum, as the program writes it */
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(c, to, ROOM, from, n);
    ZSTD_freeCCtx(c);
    return size;
}
#endif
#if SLUICE_HAVE_BZIP2
static size_t bzip2(const unsigned char *from, size_t n, unsigned char *to) {
    unsigned size = ROOM;
    BZ2_bzBuffToBuffCompress((char *)to, &size, (char *)(uintptr_t)from, (unsigned)n, 9, 0, 0);
    return size;
}
#endif
#if SLUICE_HAVE_LZMA
static size_t xz(const unsigned char *from, size_t n, unsigned char *to) {
    size_t at = 0;
    lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, from, n, to, &at, ROOM);
    return at;
}
#endif

static const struct {
    const char *name;
    size_t (*pack)(const unsigned char *, size_t, unsigned char *);
} codecs[] = {
#if SLUICE_HAVE_ZLIB
    {"gzip", gzip},
#endif
#if SLUICE_HAVE_ZSTD
    {"zstd", zstd},
#endif
#if SLUICE_HAVE_BZIP2
    {"bzip2", bzip2},
#endif
#if SLUICE_HAVE_LZMA
    {"xz", xz},
#endif
    {NULL, NULL},
};
static const size_t CODECS = sizeof codecs / sizeof *codecs - 1; /* may be 0: no enum, which compilers would warn of */

/* Reads everything in steps; returns the status and leaves the bytes in `back`. */
static sluice_status read_all(sl_source *s, size_t step, size_t *n) {
    *n = 0;
    for (;;) {
        size_t got = 0, room = sizeof back - *n;
        sluice_status status = sl_source_read(s, back + *n, step < room ? step : room, &got, &err);
        *n += got;
        if (status != SLUICE_OK || got == 0) return status;
    }
}

static sluice_status read_memory(const void *bytes, size_t n, size_t step, size_t *got) {
    sl_source *s = sl_source_open_memory(bytes, n, "mem", &consumed, &err);
    sluice_status status = read_all(s, step, got);
    sl_source_close(s);
    return status;
}

TEST(plain_bytes_pass_unchanged) {
    size_t n;
    make_plain(300000);
    CHECK_EQ(read_memory(plain, plain_n, 4096, &n), SLUICE_OK);
    CHECK(n == plain_n && memcmp(back, plain, n) == 0);
    for (size_t k = 0; k < 10; k++) { /* shorter than any magic */
        CHECK_EQ(read_memory(plain, k, 3, &n), SLUICE_OK);
        CHECK(n == k && memcmp(back, plain, n) == 0);
    }
    const char *alike[] = {"\x1f",     "\x1fx",   "\x28\xb5", "BZ",   "BZh",     "BZh9",
                           "BZh9 1:1", "\3757zX", "P*",       "P*M1", "\xef\xbb"};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) { /* that only begin like compressed data */
        CHECK_EQ(read_memory(alike[i], strlen(alike[i]), 100, &n), SLUICE_OK);
        CHECK(n == strlen(alike[i]) && memcmp(back, alike[i], n) == 0);
    }
}

TEST(every_codec_gives_back_the_bytes) {
    size_t sizes[] = {0, 1, 1000, 300000};
    for (size_t c = 0; c < CODECS; c++)
        for (size_t i = 0; i < 4; i++) {
            make_plain(sizes[i]);
            size_t n, packed_n = codecs[c].pack(plain, plain_n, packed);
            for (size_t step = 1; step <= 100000; step = step * 300 + 7) {
                if (step == 1 && sizes[i] > 1000) continue;
                CHECK_EQ(read_memory(packed, packed_n, step, &n), SLUICE_OK);
                CHECK(n == plain_n && memcmp(back, plain, n) == 0);
            }
        }
}

TEST(several_streams_in_a_row) {
    make_plain(50000);
    for (size_t c = 0; c < CODECS; c++) {
        size_t n, a = codecs[c].pack(plain, 20000, packed), b = codecs[c].pack(plain + 20000, 0, packed + a),
                  d = codecs[c].pack(plain + 20000, 30000, packed + a + b);
        CHECK_EQ(read_memory(packed, a + b + d, 999, &n), SLUICE_OK);
        CHECK(n == plain_n && memcmp(back, plain, n) == 0);
        memcpy(packed + a, "garbage!", 8);
        sluice_status status = read_memory(packed, a + 8, 999, &n);
        CHECK_EQ(status, SLUICE_E_DATA);
        CHECK_HAS(err.message, codecs[c].name);
        CHECK_STR(err.source, "mem");
        memcpy(packed + a, packed, 1); /* garbage that begins well */
        CHECK_EQ(read_memory(packed, a + 1, 999, &n), SLUICE_E_DATA);
    }
}

TEST(every_truncation_is_noticed) {
    make_plain(700);
    for (size_t c = 0; c < CODECS; c++) {
        size_t n, packed_n = codecs[c].pack(plain, plain_n, packed);
        for (size_t k = 6; k < packed_n; k++) {
            sluice_status status = read_memory(packed, k, 100, &n);
            if (status != SLUICE_E_DATA) fprintf(stderr, "%s cut at %zu of %zu\n", codecs[c].name, k, packed_n);
            CHECK_EQ(status, SLUICE_E_DATA);
            CHECK(n <= plain_n && memcmp(back, plain, n) == 0);
            CHECK_HAS(err.message, codecs[c].name);
        }
    }
}

TEST(damage_is_noticed) {
    make_plain(700);
    for (size_t c = 0; c < CODECS; c++) {
        size_t n, packed_n = codecs[c].pack(plain, plain_n, packed), noticed = 0;
        for (size_t k = 12; k < packed_n; k++) {
            packed[k] ^= 0x10;
            sluice_status status = read_memory(packed, packed_n, 100, &n);
            CHECK(status == SLUICE_OK || status == SLUICE_E_DATA || status == SLUICE_E_LIMIT);
            if (status != SLUICE_OK)
                noticed++;
            else
                CHECK(n == plain_n && memcmp(back, plain, n) == 0); /* a bit that means nothing */
            packed[k] ^= 0x10;
        }
        CHECK(noticed > (packed_n - 12) * 9 / 10);
    }
}

/* What each codec's streams begin with. */
static const struct {
    const char *name, *bytes;
    size_t n;
} beginnings[] = {{"gzip", "\x1f\x8b\x08\0\0\0\0\0", 8},
                  {"zstd", "\x28\xb5\x2f\xfd\x24\0\0\0", 8},
                  {"bzip2", "BZh91AY&", 8},
                  {"xz", "\3757zXZ\0\0\0", 8}};

TEST(a_codec_that_the_build_lacks_is_named) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const sl_codec *c = sl_codecs;
        while (strcmp(c->name, beginnings[i].name) != 0) c++;
        size_t n;
        sluice_status status = read_memory(beginnings[i].bytes, beginnings[i].n, 100, &n);
        CHECK_EQ(status, c->open ? SLUICE_E_DATA : SLUICE_E_UNSUPPORTED);
        CHECK_HAS(err.message, beginnings[i].name);
        if (!c->open) CHECK_HAS(err.message, "this build of sluice reads no");
        if (!c->open) CHECK_HAS(err.message, c->library);
    }
}

#if SLUICE_HAVE_ISAL && SLUICE_HAVE_ZLIB
/* What zlib makes of a gzip stream: whether it is whole and undamaged, and its bytes. */
static bool zlib_reads(const unsigned char *from, size_t n, unsigned char *to, size_t *to_n) {
    z_stream z = {0};
    inflateInit2(&z, 15 + 16);
    z.next_in = (unsigned char *)(uintptr_t)from, z.avail_in = (unsigned)n;
    z.next_out = to, z.avail_out = ROOM;
    const bool whole = inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0;
    *to_n = z.total_out;
    inflateEnd(&z);
    return whole;
}

/* With all that a header may have, as gzip -N and bgzip write it. */
static size_t gzip_with_header(const unsigned char *from, size_t n, int level, int strategy, unsigned char *to) {
    z_stream z = {0};
    unsigned char extra[] = "BC\2\0xy", name[] = "mail.svm", comment[] = "of a day";
    gz_header head = {
        .text = 1, .time = 77, .os = 3, .extra = extra, .extra_len = 6, .name = name, .comment = comment, .hcrc = 1};
    deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, strategy);
    deflateSetHeader(&z, &head);
    z.next_in = (unsigned char *)(uintptr_t)from, z.avail_in = (unsigned)n;
    z.next_out = to, z.avail_out = ROOM;
    deflate(&z, Z_FINISH);
    size_t size = z.total_out;
    deflateEnd(&z);
    return size;
}

TEST(gzip_is_read_as_zlib_reads_it) {
    static unsigned char by_zlib[ROOM];
    const int strategies[] = {Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED, Z_RLE};
    uint64_t seed = 9;
    for (int turn = 0; turn < 20000; turn++) {
        const int level = turn % 10, strategy = strategies[turn / 10 % 4];
        make_plain((size_t)turn % 1500);
        size_t n, zlib_n, packed_n = gzip_with_header(plain, plain_n, level, strategy, packed);
        for (int damage = turn % 3; damage > 0; damage--) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            packed[2 + (seed >> 33) % (packed_n - 2)] ^= (unsigned char)(1u << (seed >> 60) % 8);
        }
        const bool whole = zlib_reads(packed, packed_n, by_zlib, &zlib_n);
        const sluice_status status = read_memory(packed, packed_n, 1 + (size_t)turn % 700, &n);
        if (whole) CHECK(status == SLUICE_OK && n == zlib_n && memcmp(back, by_zlib, n) == 0);
        /* zlib also refuses tables of codes that are wrong in a place that the data does not use */
        if (!whole) CHECK(status == SLUICE_E_DATA || (n == plain_n && memcmp(back, plain, n) == 0));
    }
}
#endif

#if SLUICE_HAVE_ZSTD
TEST(windows_beyond_the_limit_are_refused) {
    unsigned char frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8 /* a window of 2^31 */, 0x01, 0x00, 0x00, 0, 0, 0};
    size_t n;
    CHECK_EQ(read_memory(frame, sizeof frame, 100, &n), SLUICE_E_LIMIT);
    CHECK_HAS(err.message, "memory");
}
#endif

static void write_file(const char *path, const void *bytes, size_t n) {
    FILE *f = fopen(path, "wb");
    fwrite(bytes, 1, n, f);
    fclose(f);
}

TEST(files_and_their_facts) {
    make_plain(200000);
    sl_source_facts facts;
    write_file(in_dir("a"), plain, plain_n);
    CHECK_EQ(sl_source_check(in_dir("a"), &facts, &err), SLUICE_OK);
    CHECK(!facts.live && facts.size == plain_n);
    consumed = 0;
    sl_source *s = sl_source_open(in_dir("a"), "a", -1, &consumed, &err);
    size_t n;
    CHECK_EQ(read_all(s, 70000, &n), SLUICE_OK);
    CHECK(n == plain_n && memcmp(back, plain, n) == 0);
    CHECK(consumed == plain_n && sl_source_offset(s) == plain_n && !sl_source_is_live(s));
    sl_source_close(s);
#if SLUICE_HAVE_ZLIB
    size_t packed_n = gzip(plain, plain_n, packed);
    write_file(in_dir("a.gz"), packed, packed_n);
    consumed = 0;
    s = sl_source_open(in_dir("a.gz"), "a.gz", -1, &consumed, &err);
    CHECK_EQ(read_all(s, 70000, &n), SLUICE_OK);
    CHECK(n == plain_n && consumed == packed_n && sl_source_offset(s) == plain_n);
    sl_source_close(s);
#endif
}

TEST(what_cannot_be_opened) {
    sl_source_facts facts;
    CHECK_EQ(sl_source_check(in_dir("missing"), &facts, &err), SLUICE_E_IO);
    CHECK_HAS(err.message, "No such file");
    CHECK_HAS(err.source, "missing");
    CHECK_EQ(sl_source_check(dir, &facts, &err), SLUICE_E_IO);
    CHECK_HAS(err.message, "is a directory");
    CHECK(sl_source_open(dir, dir, -1, &consumed, &err) == NULL);
    CHECK(sl_source_open(in_dir("missing"), "missing", -1, &consumed, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_IO);
    if (geteuid() != 0) {
        write_file(in_dir("secret"), "1\n", 2);
        chmod(in_dir("secret"), 0);
        CHECK_EQ(sl_source_check(in_dir("secret"), &facts, &err), SLUICE_E_IO);
        CHECK_HAS(err.message, "Permission denied");
    }
}

TEST(looking_ahead_takes_nothing_away) {
    sl_source *s = sl_source_open_memory("abcdefghijklmnopqrstuvwxyz", 26, "mem", &consumed, &err);
    bool yes;
    CHECK_EQ(sl_source_begins(s, "abd", 3, &yes, &err), SLUICE_OK);
    CHECK(!yes);
    CHECK_EQ(sl_source_begins(s, "abcdefgh", 8, &yes, &err), SLUICE_OK);
    CHECK(yes && sl_source_offset(s) == 0);
    size_t n;
    CHECK_EQ(sl_source_read(s, back, 3, &n, &err), SLUICE_OK);
    CHECK(n == 3);
    CHECK_EQ(sl_source_begins(s, "defghijklmnopqrs", 16, &yes, &err), SLUICE_OK);
    CHECK(yes);
    CHECK_EQ(read_all(s, 5, &n), SLUICE_OK);
    CHECK(n == 23 && memcmp(back, "defghijklmnopqrstuvwxyz", 23) == 0);
    CHECK_EQ(sl_source_begins(s, "x", 1, &yes, &err), SLUICE_OK);
    CHECK(!yes);
    sl_source_close(s);
}

TEST(a_pipe_gives_what_is_there) {
    const char *path = in_dir("fifo");
    CHECK_EQ(mkfifo(path, 0600), 0);
    sl_source_facts facts;
    CHECK_EQ(sl_source_check(path, &facts, &err), SLUICE_OK); /* nobody writes to it, and it does not hang */
    CHECK(facts.live);
    sl_source *s = sl_source_open(path, "fifo", -1, &consumed, &err);
    int w = open(path, O_WRONLY);
    CHECK(w >= 0);
    size_t n;
    CHECK_EQ(write(w, "1 1:1\n", 6), 6);
    CHECK_EQ(sl_source_read(s, back, 1000, &n, &err), SLUICE_OK);
    size_t first = n;
    while (n < 6) {
        CHECK_EQ(sl_source_read(s, back + n, 1000, &first, &err), SLUICE_OK);
        n += first;
    }
    CHECK(n == 6 && memcmp(back, "1 1:1\n", 6) == 0);
    CHECK_EQ(write(w, "2", 1), 1);
    CHECK_EQ(sl_source_read(s, back, 1000, &n, &err), SLUICE_OK);
    CHECK(n == 1);
    close(w);
    CHECK_EQ(sl_source_read(s, back, 1000, &n, &err), SLUICE_OK);
    CHECK(n == 0);
    sl_source_close(s);
}

/* A thread that waits in a read; it is woken whether it is waiting already or will be. */
static void *read_silent_pipe(void *source) {
    size_t n;
    return (void *)(intptr_t)sl_source_read(source, back, 10, &n, &err);
}

TEST(a_waiting_read_can_be_woken) {
    int data[2], wake[2];
    CHECK_EQ(pipe(data), 0);
    CHECK_EQ(pipe(wake), 0);
    char path[64];
    snprintf(path, sizeof path, "/dev/fd/%d", data[0]);
    sl_source *s = sl_source_open(path, "pipe", wake[0], &consumed, &err);
    CHECK(s != NULL);
    pthread_t thread;
    void *status;
    CHECK_EQ(pthread_create(&thread, NULL, read_silent_pipe, s), 0);
    close(wake[1]);
    CHECK_EQ(pthread_join(thread, &status), 0);
    CHECK_EQ((intptr_t)status, SLUICE_END);
    sl_source_close(s);
    close(data[0]), close(data[1]), close(wake[0]);
}

int main(void) {
    if (!mkdtemp(dir)) return 1;
    RUN(plain_bytes_pass_unchanged);
    RUN(every_codec_gives_back_the_bytes);
    RUN(several_streams_in_a_row);
    RUN(every_truncation_is_noticed);
    RUN(damage_is_noticed);
    RUN(a_codec_that_the_build_lacks_is_named);
#if SLUICE_HAVE_ISAL && SLUICE_HAVE_ZLIB
    RUN(gzip_is_read_as_zlib_reads_it);
#endif
#if SLUICE_HAVE_ZSTD
    RUN(windows_beyond_the_limit_are_refused);
#endif
    RUN(files_and_their_facts);
    RUN(what_cannot_be_opened);
    RUN(looking_ahead_takes_nothing_away);
    RUN(a_pipe_gives_what_is_there);
    RUN(a_waiting_read_can_be_woken);
    const char *left[] = {"a", "a.gz", "fifo", "secret"};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) unlink(in_dir(left[i]));
    rmdir(dir);
    return DONE;
}
