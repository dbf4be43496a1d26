/* Model files compressed with zstd. A file may be made with ill intent: windows are limited, and so is how much a file
 * may grow, so that no more is read from it, and allocated for it, than for a plain file of some size. */
#include "file/packed/packed_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "base/error.h"
#include "file/model_format.h"

#if SLUICE_HAVE_ZSTD
#include <zstd.h>
#endif

/* 16 MiB: what zstd -19 needs, and not more than a section. A model may be so many times as large as its file, and
 * this more. */
enum { WINDOW_LOG = 24, LEVEL = 3, MOST_TIMES = 1000, MORE = 64 << 20, BUFFER = 1 << 17 };

int sl_packs_path(const char *path) {
    const size_t n = strlen(path);
    return n > 4 && memcmp(path + n - 4, ".zst", 4) == 0;
}

static int is_too_large(uint64_t packed, uint64_t unpacked) { return unpacked > MORE + packed * MOST_TIMES; }

/* A frame, or one that is skipped. */
static int is_packed(const unsigned char *head, size_t n) {
    return n == 4 && (memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0 ||
                      ((head[0] & 0xf0) == 0x50 && memcmp(head + 1, "\x2a\x4d\x18", 3) == 0));
}

#if SLUICE_HAVE_ZSTD

/* ---- writing ----------------------------------------------------------------------------------------------------- */

struct sl_packer {
    ZSTD_CCtx *stream;
    unsigned char out[BUFFER];
    sluice_write_function write;
    void *context;
    uint64_t packed, unpacked;
};

/* Compresses n bytes, or with ZSTD_e_end what is left. */
static int pack(sl_packer *p, const void *bytes, size_t n, ZSTD_EndDirective how) {
    ZSTD_inBuffer in = {bytes, n, 0};
    size_t left = 1;
    while (in.pos < n || (how == ZSTD_e_end && left)) {
        ZSTD_outBuffer out = {p->out, sizeof p->out, 0};
        left = ZSTD_compressStream2(p->stream, &out, &in, how);
        if (ZSTD_isError(left)) return SLUICE_E_MEMORY;
        p->packed += out.pos;
        const int failed = out.pos && p->write ? p->write(p->context, p->out, out.pos) : 0;
        if (failed) return failed;
    }
    p->unpacked += n;
    return 0;
}

sluice_status sl_packer_new(sl_packer **made, sluice_error *err) {
    sl_packer *p = *made = calloc(1, sizeof *p);
    if (p) p->stream = ZSTD_createCCtx();
    if (p && p->stream && !ZSTD_isError(ZSTD_CCtx_setParameter(p->stream, ZSTD_c_compressionLevel, LEVEL)) &&
        !ZSTD_isError(ZSTD_CCtx_setParameter(p->stream, ZSTD_c_checksumFlag, 1)) &&
        pack(p, "", 1, ZSTD_e_end) == 0) /* so that it has its memory */
        return SLUICE_OK;
    sl_packer_free(p);
    *made = NULL;
    return sl_fail(err, SLUICE_E_MEMORY, "no memory to compress the model");
}

void sl_packer_free(sl_packer *p) {
    if (!p) return;
    ZSTD_freeCCtx(p->stream);
    free(p);
}

sluice_status sl_packer_begin(sl_packer *p, sluice_write_function write, void *context, sluice_error *err) {
    static const unsigned char mark[] = "\x50\x2a\x4d\x18\x08\0\0\0" SL_MAGIC; /* a frame that is skipped */
    ZSTD_CCtx_reset(p->stream, ZSTD_reset_session_only);
    p->write = write;
    p->context = context;
    p->packed = p->unpacked = 0;
    if (write(context, mark, sizeof mark - 1) == 0) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_IO, "the write function stopped the save");
}

int sl_packer_write(void *packer, const void *bytes, size_t n) { return pack(packer, bytes, n, ZSTD_e_continue); }

sluice_status sl_packer_end(sl_packer *p, sluice_error *err) {
    if (pack(p, "", 0, ZSTD_e_end) != 0) return sl_fail(err, SLUICE_E_IO, "the write function stopped the save");
    if (!is_too_large(p->packed, p->unpacked)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_LIMIT,
                   "compressed, the model is less than 1/%d as large, which would not be loaded: "
                   "save it under a name without .zst",
                   MOST_TIMES);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static int open_stream(sl_unpacker *u) {
    u->stream = ZSTD_createDCtx();
    u->in = malloc(BUFFER);
    if (u->stream && u->in && !ZSTD_isError(ZSTD_DCtx_setParameter(u->stream, ZSTD_d_windowLogMax, WINDOW_LOG))) {
        memcpy(u->in, u->head, u->head_n);
        u->in_n = u->head_n;
        u->packed = u->head_n;
        return 1;
    }
    u->failure = SLUICE_E_MEMORY;
    u->why = "no memory to decompress the model";
    return 0;
}

static ptrdiff_t bad(sl_unpacker *u, const char *why) {
    u->failure = SLUICE_E_FORMAT;
    u->why = why;
    return -1;
}

/* The next bytes of the frame. Returns how many, 0 at the end of the file, less at a failure. */
static ptrdiff_t fetch(sl_unpacker *u) {
    const size_t most = u->between ? 1 : u->wanted < BUFFER ? u->wanted : BUFFER;
    const ptrdiff_t got = u->read(u->context, u->in, most ? most : 1);
    u->in_at = 0;
    u->in_n = got > 0 ? (size_t)got : 0;
    u->packed += u->in_n;
    return got;
}

/* One step: decompresses some bytes into `bytes`, perhaps none. Returns how many; -1: a failure, or -2: the end. */
static ptrdiff_t step(sl_unpacker *u, void *bytes, size_t n) {
    if (u->in_at == u->in_n) {
        const ptrdiff_t got = fetch(u);
        if (got < 0) return -1;
        if (got == 0) return u->between ? -2 : bad(u, "it is cut short");
    }
    ZSTD_inBuffer in = {u->in, u->in_n, u->in_at};
    ZSTD_outBuffer out = {bytes, n, 0};
    const size_t rc = ZSTD_decompressStream(u->stream, &out, &in);
    const size_t window = (size_t)-16; /* zstd_errors.h: its number is stable */
    u->in_at = in.pos;
    if (rc == window)
        return bad(u, "it needs more memory than a compressed model may; compress it with zstd -19 or less");
    if (ZSTD_isError(rc)) return bad(u, "the compressed data is wrong");
    u->wanted = rc;
    u->between = rc == 0;
    u->unpacked += out.pos;
    if (is_too_large(u->packed, u->unpacked)) return bad(u, "it grows more than a compressed model may");
    return (ptrdiff_t)out.pos;
}

static ptrdiff_t unpack(sl_unpacker *u, void *bytes, size_t n) {
    ptrdiff_t got;
    while ((got = step(u, bytes, n)) == 0) {
    }
    return got == -2 ? 0 : got;
}

int sl_unpacker_finish(sl_unpacker *u) {
    unsigned char more;
    ptrdiff_t got = 0;
    while (u->stream && !u->between && (got = step(u, &more, 1)) == 0) {
    }
    if (got > 0) bad(u, "there is more behind its end");
    return got == 0;
}

void sl_unpacker_end(sl_unpacker *u) {
    ZSTD_freeDCtx(u->stream);
    free(u->in);
}

#else

sluice_status sl_packer_new(sl_packer **made, sluice_error *err) {
    *made = NULL;
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "this build of sluice does without zstd: save under a name without .zst");
}

void sl_packer_free(sl_packer *p) { (void)p; }

sluice_status sl_packer_begin(sl_packer *p, sluice_write_function write, void *context, sluice_error *err) {
    (void)p, (void)write, (void)context;
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "this build of sluice does without zstd");
}

int sl_packer_write(void *packer, const void *bytes, size_t n) {
    (void)packer, (void)bytes, (void)n;
    return SLUICE_E_UNSUPPORTED;
}

sluice_status sl_packer_end(sl_packer *p, sluice_error *err) { return sl_packer_begin(p, NULL, NULL, err); }

static int open_stream(sl_unpacker *u) {
    (void)is_too_large;
    u->failure = SLUICE_E_UNSUPPORTED;
    u->why = "it is compressed, and this build of sluice does without zstd";
    return 0;
}

static ptrdiff_t unpack(sl_unpacker *u, void *bytes, size_t n) {
    (void)u, (void)bytes, (void)n;
    return -1;
}

int sl_unpacker_finish(sl_unpacker *u) {
    (void)u;
    return 1;
}

void sl_unpacker_end(sl_unpacker *u) { (void)u; }

#endif

int sl_unpacker_start(sl_unpacker *u, sluice_read_function read, void *context) {
    *u = (sl_unpacker){.read = read, .context = context};
    while (u->head_n < sizeof u->head) {
        const ptrdiff_t got = read(context, u->head + u->head_n, sizeof u->head - u->head_n);
        if (got <= 0 || (size_t)got > sizeof u->head - u->head_n) break;
        u->head_n += (size_t)got;
    }
    return !is_packed(u->head, u->head_n) || open_stream(u);
}

ptrdiff_t sl_unpacker_read(void *unpacker, void *bytes, size_t n) {
    sl_unpacker *u = unpacker;
    if (u->stream) return unpack(u, bytes, n);
    if (u->head_at == u->head_n) return u->read(u->context, bytes, n);
    const size_t left = u->head_n - u->head_at, give = n < left ? n : left;
    memcpy(bytes, u->head + u->head_at, give);
    u->head_at += give;
    return (ptrdiff_t)give;
}
