/* Compressed streams, recognised by their first bytes and decoded piece by piece in bounded memory. */
#ifndef SL_CODEC_H
#define SL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system.h"

/* Limits on the memory that decoding takes: the largest window that zstd uses by default, and for xz four times what
 * xz -9 needs. */
#define SL_ZSTD_WINDOW_LOG 27
#define SL_XZ_MEMORY ((uint64_t)256 << 20)

enum { SL_CODEC_MAGIC = 6 }; /* bytes that are enough to recognise every codec */

typedef enum sl_codec_result {
    SL_CODEC_MORE, /* decoded as far as input and room allow */
    SL_CODEC_END,  /* a stream ended; another may follow */
    SL_CODEC_DAMAGED,
    SL_CODEC_LIMIT,  /* needs more memory than the limits allow */
    SL_CODEC_MEMORY, /* no memory */
} sl_codec_result;

typedef struct sl_codec {
    const char *name, *library;
    /* Whether a stream that begins with these bytes is of this codec: 1 yes, 0 no, -1 if more bytes are needed. */
    int (*match)(const uint8_t *bytes, size_t n);
    void *(*open)(void); /* NULL, as all below: this build has no library for it */
    /* Decodes from *in to *out, moving both. `ended`: there is no input behind this. */
    sl_codec_result (*step)(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out, size_t *out_n);
    /* Prepares for a further stream. */
    bool (*restart)(void *state);
    void (*close)(void *state);
} sl_codec;

/* Ended by one without a name. */
extern const sl_codec sl_codecs[];

#endif
