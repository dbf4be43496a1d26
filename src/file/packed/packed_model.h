/* Model files compressed with zstd: the bytes of a model file, in frames behind a skippable one that says so. */
#ifndef SL_PACKED_MODEL_H
#define SL_PACKED_MODEL_H

#include "sluice.h"

/* Whether a file of this name is compressed when it is saved: its ending is .zst. */
int sl_packs_path(const char *path);

/* Compresses what is written. */
typedef struct sl_packer sl_packer;

/* Allocates all memory that compressing takes. */
sluice_status sl_packer_new(sl_packer **made, sluice_error *err);
void sl_packer_free(sl_packer *p);
/* Begins a file, which goes to `write`. */
sluice_status sl_packer_begin(sl_packer *p, sluice_write_function write, void *context, sluice_error *err);
/* A sluice_write_function whose context is a packer. */
int sl_packer_write(void *packer, const void *bytes, size_t n);
/* Ends the file. */
sluice_status sl_packer_end(sl_packer *p, sluice_error *err);

/* Reads a model file, compressed or not. */
typedef struct sl_unpacker {
    sluice_read_function read;
    void *context;
    unsigned char head[4]; /* the first bytes of the file */
    size_t head_n, head_at;
    void *stream; /* of zstd; NULL: it is not compressed */
    unsigned char *in;
    size_t in_n, in_at, wanted; /* bytes that the next step may take without going beyond the frame */
    uint64_t packed, unpacked;  /* bytes so far */
    int between;                /* frames: no byte of the next one was read */
    sluice_status failure;      /* what is wrong with the compressed bytes, */
    const char *why;            /* and what that is */
} sl_unpacker;

/* Looks whether it is compressed. False: a failure, which the unpacker has. */
int sl_unpacker_start(sl_unpacker *u, sluice_read_function read, void *context);
/* A sluice_read_function whose context is an unpacker. */
ptrdiff_t sl_unpacker_read(void *unpacker, void *bytes, size_t n);
/* Behind the end of the model: whether the frame ends there, too. */
int sl_unpacker_finish(sl_unpacker *u);
void sl_unpacker_end(sl_unpacker *u);

#endif
