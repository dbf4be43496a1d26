/* gzip, zstd, bzip2 and xz through their libraries, each of which a build may do without. What they have in common
 * (several streams in a row, truncation, messages) is in source.c. */
#include "io/source/codec.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#if SLUICE_HAVE_ISAL
#include "io/source/gzip.h"
#elif SLUICE_HAVE_ZLIB
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

static int begins(const uint8_t *bytes, size_t n, const char *magic, size_t length) {
    size_t common = n < length ? n : length;
    if (memcmp(bytes, magic, common) != 0) return 0;
    return n >= length ? 1 : -1;
}

#if (SLUICE_HAVE_ZLIB && !SLUICE_HAVE_ISAL) || SLUICE_HAVE_BZIP2
static unsigned at_most_uint(size_t n) { return n > UINT_MAX / 2 ? UINT_MAX / 2 : (unsigned)n; }
#endif

/* ---- gzip ---- */

static int gzip_match(const uint8_t *bytes, size_t n) { return begins(bytes, n, "\x1f\x8b", 2); }

#if SLUICE_HAVE_ZLIB && !SLUICE_HAVE_ISAL
static void *gzip_open(void) {
    z_stream *z = calloc(1, sizeof *z);
    if (z && inflateInit2(z, 15 + 16) != Z_OK) free(z), z = NULL;
    return z;
}

static sl_codec_result gzip_step(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out,
                                 size_t *out_n) {
    z_stream *z = state;
    unsigned give = at_most_uint(*in_n), room = at_most_uint(*out_n);
    (void)ended;
    z->next_in = (Bytef *)(uintptr_t)*in, z->avail_in = give;
    z->next_out = *out, z->avail_out = room;
    int rc = inflate(z, Z_NO_FLUSH);
    *in += give - z->avail_in, *in_n -= give - z->avail_in;
    *out += room - z->avail_out, *out_n -= room - z->avail_out;
    return rc == Z_STREAM_END                ? SL_CODEC_END
           : rc == Z_OK || rc == Z_BUF_ERROR ? SL_CODEC_MORE
           : rc == Z_MEM_ERROR               ? SL_CODEC_MEMORY
                                             : SL_CODEC_DAMAGED;
}

static bool gzip_restart(void *state) { return inflateReset(state) == Z_OK; }

static void gzip_close(void *state) {
    inflateEnd(state);
    free(state);
}
#endif

/* ---- zstd ---- */

static int zstd_match(const uint8_t *bytes, size_t n) {
    int frame = begins(bytes, n, "\x28\xb5\x2f\xfd", 4);
    if (frame != 0 || n == 0 || (bytes[0] & 0xf0) != 0x50) return frame;
    return n == 1 ? -1 : begins(bytes + 1, n - 1, "\x2a\x4d\x18", 3); /* a skippable frame, as pzstd begins with */
}

#if SLUICE_HAVE_ZSTD
static void *zstd_open(void) {
    ZSTD_DCtx *z = ZSTD_createDCtx();
    if (z) ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, SL_ZSTD_WINDOW_LOG);
    return z;
}

static sl_codec_result zstd_step(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out,
                                 size_t *out_n) {
    ZSTD_inBuffer i = {*in, *in_n, 0};
    ZSTD_outBuffer o = {*out, *out_n, 0};
    (void)ended;
    size_t rc = ZSTD_decompressStream(state, &o, &i);
    *in += i.pos, *in_n -= i.pos;
    *out += o.pos, *out_n -= o.pos;
    if (!ZSTD_isError(rc)) return rc == 0 ? SL_CODEC_END : SL_CODEC_MORE;
    /* zstd_errors.h: the numbers of these two errors are stable */
    const size_t window = (size_t)-16, memory = (size_t)-64;
    return rc == window ? SL_CODEC_LIMIT : rc == memory ? SL_CODEC_MEMORY : SL_CODEC_DAMAGED;
}

static bool zstd_restart(void *state) {
    (void)state; /* the library goes on to the next frame by itself */
    return true;
}

static void zstd_close(void *state) { ZSTD_freeDCtx(state); }
#endif

/* ---- bzip2 ---- */

static int bzip2_match(const uint8_t *bytes, size_t n) {
    int name = begins(bytes, n, "BZh", 3);
    if (name != 1) return name;
    if (n < 6) return -1; /* "BZh" alone might be text: a digit and the magic number of a block or of the end follow */
    bool number = (bytes[4] == 0x31 && bytes[5] == 0x41) || (bytes[4] == 0x17 && bytes[5] == 0x72);
    return bytes[3] >= '1' && bytes[3] <= '9' && number;
}

#if SLUICE_HAVE_BZIP2
static void *bzip2_open(void) {
    bz_stream *z = calloc(1, sizeof *z);
    if (z && BZ2_bzDecompressInit(z, 0, 0) != BZ_OK) free(z), z = NULL;
    return z;
}

static sl_codec_result bzip2_step(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out,
                                  size_t *out_n) {
    bz_stream *z = state;
    unsigned give = at_most_uint(*in_n), room = at_most_uint(*out_n);
    (void)ended;
    z->next_in = (char *)(uintptr_t)*in, z->avail_in = give;
    z->next_out = (char *)*out, z->avail_out = room;
    int rc = BZ2_bzDecompress(z);
    *in += give - z->avail_in, *in_n -= give - z->avail_in;
    *out += room - z->avail_out, *out_n -= room - z->avail_out;
    return rc == BZ_STREAM_END  ? SL_CODEC_END
           : rc == BZ_OK        ? SL_CODEC_MORE
           : rc == BZ_MEM_ERROR ? SL_CODEC_MEMORY
                                : SL_CODEC_DAMAGED;
}

static bool bzip2_restart(void *state) {
    BZ2_bzDecompressEnd(state);
    memset(state, 0, sizeof(bz_stream));
    return BZ2_bzDecompressInit(state, 0, 0) == BZ_OK;
}

static void bzip2_close(void *state) {
    BZ2_bzDecompressEnd(state);
    free(state);
}
#endif

/* ---- xz ---- */

static int xz_match(const uint8_t *bytes, size_t n) {
    return begins(bytes, n,
                  "\xfd"
                  "7zXZ\0",
                  6);
}

#if SLUICE_HAVE_LZMA
static void *xz_open(void) {
    lzma_stream *z = malloc(sizeof *z);
    if (!z) return NULL;
    *z = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(z, SL_XZ_MEMORY, LZMA_CONCATENATED) != LZMA_OK) free(z), z = NULL;
    return z;
}

static sl_codec_result xz_step(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out,
                               size_t *out_n) {
    lzma_stream *z = state;
    z->next_in = *in, z->avail_in = *in_n;
    z->next_out = *out, z->avail_out = *out_n;
    lzma_ret rc = lzma_code(z, ended ? LZMA_FINISH : LZMA_RUN);
    *in = z->next_in, *in_n = z->avail_in;
    *out = z->next_out, *out_n = z->avail_out;
    return rc == LZMA_STREAM_END                   ? SL_CODEC_END
           : rc == LZMA_OK || rc == LZMA_BUF_ERROR ? SL_CODEC_MORE
           : rc == LZMA_MEMLIMIT_ERROR             ? SL_CODEC_LIMIT
           : rc == LZMA_MEM_ERROR                  ? SL_CODEC_MEMORY
                                                   : SL_CODEC_DAMAGED;
}

static bool xz_restart(void *state) {
    /* keeps what it has allocated */
    return lzma_stream_decoder(state, SL_XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static void xz_close(void *state) {
    lzma_end(state);
    free(state);
}
#endif

/* Everything but the match is missing where the build has no library for it. */
#if SLUICE_HAVE_ISAL
#define GZIP sl_gzip_open, sl_gzip_step, sl_gzip_restart, sl_gzip_close
#elif SLUICE_HAVE_ZLIB
#define GZIP gzip_open, gzip_step, gzip_restart, gzip_close
#else
#define GZIP NULL, NULL, NULL, NULL
#endif
#if SLUICE_HAVE_ZSTD
#define ZSTD zstd_open, zstd_step, zstd_restart, zstd_close
#else
#define ZSTD NULL, NULL, NULL, NULL
#endif
#if SLUICE_HAVE_BZIP2
#define BZIP2 bzip2_open, bzip2_step, bzip2_restart, bzip2_close
#else
#define BZIP2 NULL, NULL, NULL, NULL
#endif
#if SLUICE_HAVE_LZMA
#define XZ xz_open, xz_step, xz_restart, xz_close
#else
#define XZ NULL, NULL, NULL, NULL
#endif

const sl_codec sl_codecs[] = {
    {"gzip", "ISA-L or zlib", gzip_match, GZIP},
    {"zstd", "libzstd", zstd_match, ZSTD},
    {"bzip2", "libbz2", bzip2_match, BZIP2},
    {"xz", "liblzma", xz_match, XZ},
    {0},
};
