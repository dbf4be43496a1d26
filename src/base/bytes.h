/* Little-endian numbers in files, on any machine. */
#ifndef SL_BYTES_H
#define SL_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void sl_put_le(void *to, uint64_t value, size_t bytes) {
    unsigned char *b = (unsigned char *)to;
    for (size_t i = 0; i < bytes; i++) b[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t sl_get_le(const void *from, size_t bytes) {
    const unsigned char *b = (const unsigned char *)from;
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)b[i] << (8 * i);
    return value;
}

static inline uint32_t sl_get_u32(const void *p) { return (uint32_t)sl_get_le(p, 4); }
static inline uint64_t sl_get_u64(const void *p) { return sl_get_le(p, 8); }
static inline void sl_put_u32(void *p, uint32_t v) { sl_put_le(p, v, 4); }
static inline void sl_put_u64(void *p, uint64_t v) { sl_put_le(p, v, 8); }

static inline float sl_get_f32(const void *p) {
    uint32_t bits = sl_get_u32(p);
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline void sl_put_f32(void *p, float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    sl_put_u32(p, bits);
}

#endif
