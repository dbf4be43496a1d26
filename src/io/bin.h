/* The binary format of examples: docs/bin-format.md. What the reading and the writing half share. */
#ifndef SL_BIN_H
#define SL_BIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/batch.h"

/* Neither text nor anything a newline conversion leaves alone. */
#define SL_BIN_MAGIC "\x89SLB\r\n\x1a\n"
#define SL_BIN_MAGIC_BYTES 8
#define SL_BIN_VERSION 1

enum {
    SL_BIN_FILE_HEADER = 16,   /* magic, version (u32), 0 (u32) */
    SL_BIN_BLOCK_HEADER = 24,  /* payload bytes, rows, nonzeros, flags (u32 each), checksum (u64) */
    SL_BIN_NONZEROS = 1 << 16, /* a block is closed when it has so many, or so many rows */
};
#define SL_BIN_MAX_PAYLOAD ((uint32_t)1 << 30)

/* Flags of a block. */
enum {
    SL_BIN_LABELS_FLOAT = 1, /* else one bit each: 1 is +1, 0 is -1 */
    SL_BIN_WEIGHTS = 2,
    SL_BIN_VALUES = 3 << 2, /* one of the four below */
    SL_BIN_VALUES_ONE = 0 << 2,
    SL_BIN_VALUES_U8 = 1 << 2,
    SL_BIN_VALUES_U16 = 2 << 2,
    SL_BIN_VALUES_F32 = 3 << 2,
    SL_BIN_IDS_ANY = 1 << 4, /* else all ids are below 2^31 and ascend in each row */
    SL_BIN_END = 1 << 5,     /* no rows: the payload is the number of rows of the file (u64) */
    SL_BIN_FLAGS = (1 << 6) - 1,
};

static inline uint32_t sl_get_u32(const void *p) {
    uint8_t b[4];
    memcpy(b, p, 4);
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}
static inline uint64_t sl_get_u64(const void *p) {
    return sl_get_u32(p) | (uint64_t)sl_get_u32((const char *)p + 4) << 32;
}
static inline float sl_get_f32(const void *p) {
    uint32_t bits = sl_get_u32(p);
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static inline void sl_put_u32(void *p, uint32_t v) {
    uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
    memcpy(p, b, 4);
}
static inline void sl_put_u64(void *p, uint64_t v) {
    sl_put_u32(p, (uint32_t)v);
    sl_put_u32((char *)p + 4, (uint32_t)(v >> 32));
}
static inline void sl_put_f32(void *p, float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    sl_put_u32(p, bits);
}

/* The checksum of a block: of its payload, seeded with that of the header's first 16 bytes. */
uint64_t sl_bin_checksum(const void *header, const void *payload, size_t n);

/* Bytes that grow. */
typedef struct sl_bytes {
    uint8_t *data;
    size_t n, room;
} sl_bytes;

/* Appends: the file header; a batch as one block; the end. False when there is no memory. */
bool sl_bin_put_header(sl_bytes *out);
bool sl_bin_put_block(sl_bytes *out, const sluice_batch *b);
bool sl_bin_put_end(sl_bytes *out, uint64_t rows);

#endif
