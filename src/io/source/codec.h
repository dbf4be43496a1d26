/* Compressed streams, recognised by their first bytes and decoded piece by piece in bounded memory. */
#ifndef SL_CODEC_H
#define SL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What decoding may hold: the largest window zstd uses by default, and enough for xz -9 four times over. */
#define SL_ZSTD_WINDOW_LOG 27
#define SL_XZ_MEMORY ((uint64_t)256 << 20)

enum { SL_CODEC_MAGIC = 6 }; /* bytes that tell */

typedef enum sl_codec_result {
    SL_CODEC_MORE, /* went on as far as input and room allow */
    SL_CODEC_END,  /* a stream ended; another may follow */
    SL_CODEC_DAMAGED,
    SL_CODEC_LIMIT,  /* would need more memory than allowed */
    SL_CODEC_MEMORY, /* there is none */
} sl_codec_result;

typedef struct sl_codec {
    const char *name;
    /* Whether a stream that begins with these bytes is ours: 1 yes, 0 no, -1 if more bytes are needed to tell. */
    int (*match)(const uint8_t *bytes, size_t n);
    void *(*open)(void);
    /* Decodes from *in to *out, moving both. `ended`: there is no input behind this. */
    sl_codec_result (*step)(void *state, const uint8_t **in, size_t *in_n, bool ended, uint8_t **out, size_t *out_n);
    /* Makes ready for a further stream. */
    bool (*restart)(void *state);
    void (*close)(void *state);
} sl_codec;

/* Ended by one without a name. */
extern const sl_codec sl_codecs[];

#endif
