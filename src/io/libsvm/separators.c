/* Finding separators, 64 bytes at a time: compares give a bit per byte, the bits become positions. */
#include "io/libsvm/separators.h"

#include "base/digits.h"

/* Positions of the set bits. Four at a time without asking how many are left. */
static inline size_t positions(uint64_t bits, const char *text, size_t from, uint32_t *at, char *kind) {
    size_t n = (size_t)__builtin_popcountll(bits);
    for (size_t k = 0; k < n; k += 4)
        for (size_t j = 0; j < 4; j++) {
            size_t p = from + (size_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
            at[k + j] = (uint32_t)p;
            kind[k + j] = text[p];
            bits &= bits - 1;
        }
    return n;
}

/* One bit per byte: the high bits of the bytes, gathered by a multiplication. */
static inline uint64_t gather_high_bits(uint64_t high) { return ((high >> 7) * 0x0102040810204080u) >> 56; }

static inline uint64_t separator_bits(const char *text) {
    const uint64_t low = 0x7F7F7F7F7F7F7F7Fu, each = 0x0101010101010101u;
    uint64_t bits = 0;
    for (unsigned i = 0; i < SL_WINDOW; i += 8) {
        uint64_t x = sl_load8(text + i);
        /* without carries between bytes: the seven low bits plus a number that overflows them exactly where wanted */
        uint64_t above_space = ((x & low) + each * (0x7F - ' ')) | x;
        uint64_t y = x ^ each * ':';
        uint64_t not_colon = ((y & low) + low) | y;
        bits |= gather_high_bits(~(above_space & not_colon) & ~low) << i;
    }
    return bits;
}

size_t sl_separators_portable(const char *text, size_t from, size_t windows, uint32_t *at, char *kind) {
    size_t n = 0;
    for (; windows; windows--, from += SL_WINDOW)
        n += positions(separator_bits(text + from), text, from, at + n, kind + n);
    return n;
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,bmi,bmi2,popcnt"))) size_t sl_separators_avx2(const char *text, size_t from, size_t windows,
                                                                          uint32_t *at, char *kind) {
    const __m256i space = _mm256_set1_epi8(' '), colon = _mm256_set1_epi8(':');
    size_t n = 0;
    for (; windows; windows--, from += SL_WINDOW) {
        uint64_t bits = 0;
        for (unsigned i = 0; i < SL_WINDOW; i += 32) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + from + i));
            __m256i is = _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_min_epu8(x, space), x), _mm256_cmpeq_epi8(x, colon));
            bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(is) << i;
        }
        n += positions(bits, text, from, at + n, kind + n);
    }
    return n;
}

__attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt"))) size_t
sl_separators_avx512(const char *text, size_t from, size_t windows, uint32_t *at, char *kind) {
    static const uint8_t count[SL_WINDOW] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    const __m512i places = _mm512_loadu_si512(count), space = _mm512_set1_epi8(' '), colon = _mm512_set1_epi8(':');
    size_t n = 0;
    for (; windows; windows--, from += SL_WINDOW) {
        __m512i x = _mm512_loadu_si512(text + from);
        uint64_t bits = _mm512_cmple_epu8_mask(x, space) | _mm512_cmpeq_epi8_mask(x, colon);
        size_t found = (size_t)__builtin_popcountll(bits);
        __m512i packed = _mm512_maskz_compress_epi8(bits, places), first = _mm512_set1_epi32((int)(uint32_t)from);
        _mm512_storeu_si512(kind + n, _mm512_maskz_compress_epi8(bits, x));
        _mm512_storeu_si512(at + n, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed))));
        if (found > 16) {
            _mm512_storeu_si512(at + n + 16,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 1))));
            _mm512_storeu_si512(at + n + 32,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 2))));
            _mm512_storeu_si512(at + n + 48,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 3))));
        }
        n += found;
    }
    return n;
}
#elif defined(SL_SEPARATORS_NEON)
#include <arm_neon.h>

/* All ones where a separator is. */
static inline uint8x16_t separators_in(const char *text) {
    uint8x16_t x = vld1q_u8((const uint8_t *)text);
    return vorrq_u8(vcleq_u8(x, vdupq_n_u8(' ')), vceqq_u8(x, vdupq_n_u8(':')));
}

size_t sl_separators_neon(const char *text, size_t from, size_t windows, uint32_t *at, char *kind) {
    /* each byte keeps the bit of its place among eight; three additions of neighbours gather them */
    const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
    size_t n = 0;
    for (; windows; windows--, from += SL_WINDOW) {
        const char *p = text + from;
        uint8x16_t a = vandq_u8(separators_in(p), place), b = vandq_u8(separators_in(p + 16), place),
                   c = vandq_u8(separators_in(p + 32), place), d = vandq_u8(separators_in(p + 48), place);
        uint8x16_t ab = vpaddq_u8(a, b), cd = vpaddq_u8(c, d), all = vpaddq_u8(ab, cd);
        uint64_t bits = vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
        n += positions(bits, text, from, at + n, kind + n);
    }
    return n;
}
#endif
