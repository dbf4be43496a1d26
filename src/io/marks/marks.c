/* Finding marks: compares give a bit per byte, the bits become positions. */
#include "io/marks/marks.h"

#include "base/digits.h"

/* Positions of the set bits. Four at a time without asking how many are left. */
static inline size_t put_positions(uint64_t bits, size_t from, uint32_t *at) {
    const size_t n = (size_t)__builtin_popcountll(bits);
    for (size_t k = 0; k < n; k += 4)
        for (size_t j = 0; j < 4; j++) {
            at[k + j] = (uint32_t)from + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
            bits &= bits - 1;
        }
    return n;
}

#define EACH 0x0101010101010101u

/* High bits where a byte of x is c. */
static inline uint64_t is_byte(uint64_t x, char c) {
    const uint64_t y = x ^ EACH * (unsigned char)c;
    return ~(((y & EACH * 0x7F) + EACH * 0x7F) | y) & EACH * 0x80;
}

static inline uint64_t mark_bits(const char *text, const sl_mark_bytes *marks) {
    /* a byte of ASCII plus this overflows into its high bit from `below` on */
    const uint64_t overflow = EACH * (uint64_t)(marks->below > 0 ? 0x80 - marks->below : 0);
    const uint64_t negative = marks->below > 0 ? EACH * 0x80 : 0;
    uint64_t bits = 0;
    for (unsigned i = 0; i < SL_MARKS_WINDOW; i += 8) {
        const uint64_t x = sl_load8(text + i);
        uint64_t high = is_byte(x, marks->byte[0]) | is_byte(x, marks->byte[1]) | is_byte(x, marks->byte[2]) |
                        is_byte(x, marks->byte[3]);
        high |= (~((x & EACH * 0x7F) + overflow) | x) & negative;
        bits |= (((high >> 7) * 0x0102040810204080u) >> 56) << i;
    }
    return bits;
}

size_t sl_marks_portable(const char *text, size_t from, size_t windows, const sl_mark_bytes *marks, uint32_t *at) {
    size_t n = 0;
    for (; windows; windows--, from += SL_MARKS_WINDOW) n += put_positions(mark_bits(text + from, marks), from, at + n);
    return n;
}

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2,bmi,bmi2,popcnt"))) size_t sl_marks_avx2(const char *text, size_t from, size_t windows,
                                                                     const sl_mark_bytes *marks, uint32_t *at) {
    const __m256i a = _mm256_set1_epi8(marks->byte[0]), b = _mm256_set1_epi8(marks->byte[1]),
                  c = _mm256_set1_epi8(marks->byte[2]), d = _mm256_set1_epi8(marks->byte[3]),
                  below = _mm256_set1_epi8((char)marks->below);
    size_t n = 0;
    for (; windows; windows--, from += SL_MARKS_WINDOW) {
        uint64_t bits = 0;
        for (unsigned i = 0; i < SL_MARKS_WINDOW; i += 32) {
            const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + from + i));
            const __m256i ab = _mm256_or_si256(_mm256_cmpeq_epi8(x, a), _mm256_cmpeq_epi8(x, b)),
                          cd = _mm256_or_si256(_mm256_cmpeq_epi8(x, c), _mm256_cmpeq_epi8(x, d)),
                          all = _mm256_or_si256(_mm256_or_si256(ab, cd), _mm256_cmpgt_epi8(below, x));
            bits |= (uint64_t)(uint32_t)_mm256_movemask_epi8(all) << i;
        }
        n += put_positions(bits, from, at + n);
    }
    return n;
}

__attribute__((target("avx512f,avx512bw,avx512vbmi2,popcnt"))) size_t
sl_marks_avx512(const char *text, size_t from, size_t windows, const sl_mark_bytes *marks, uint32_t *at) {
    static const uint8_t count[SL_MARKS_WINDOW] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
    };
    const __m512i places = _mm512_loadu_si512(count), a = _mm512_set1_epi8(marks->byte[0]),
                  b = _mm512_set1_epi8(marks->byte[1]), c = _mm512_set1_epi8(marks->byte[2]),
                  d = _mm512_set1_epi8(marks->byte[3]), below = _mm512_set1_epi8((char)marks->below);
    size_t n = 0;
    for (; windows; windows--, from += SL_MARKS_WINDOW) {
        const __m512i x = _mm512_loadu_si512(text + from), first = _mm512_set1_epi32((int)(uint32_t)from);
        const uint64_t bits = _mm512_cmpeq_epi8_mask(x, a) | _mm512_cmpeq_epi8_mask(x, b) |
                              _mm512_cmpeq_epi8_mask(x, c) | _mm512_cmpeq_epi8_mask(x, d) |
                              _mm512_cmplt_epi8_mask(x, below);
        const size_t found = (size_t)__builtin_popcountll(bits);
        const __m512i packed = _mm512_maskz_compress_epi8(bits, places);
        _mm512_storeu_si512(at + n, _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed))));
        if (found > 16)
            _mm512_storeu_si512(at + n + 16,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 1))));
        if (found > 32) {
            _mm512_storeu_si512(at + n + 32,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 2))));
            _mm512_storeu_si512(at + n + 48,
                                _mm512_add_epi32(first, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(packed, 3))));
        }
        n += found;
    }
    return n;
}

__attribute__((target("avx2"))) sl_quote_bits sl_quotes_avx2(const char *text, char separator) {
    const __m256i quote = _mm256_set1_epi8('"'), newline = _mm256_set1_epi8('\n'), other = _mm256_set1_epi8(separator);
    sl_quote_bits bits = {0, 0, 0};
    for (unsigned i = 0; i < SL_MARKS_WINDOW; i += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + i));
        bits.quotes |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, quote)) << i;
        bits.newlines |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, newline)) << i;
        bits.separators |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, other)) << i;
    }
    return bits;
}

__attribute__((target("avx512f,avx512bw"))) sl_quote_bits sl_quotes_avx512(const char *text, char separator) {
    const __m512i x = _mm512_loadu_si512(text);
    return (sl_quote_bits){.quotes = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('"')),
                           .newlines = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\n')),
                           .separators = _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8(separator))};
}
#endif

void sl_marks_begin(sl_marks *m, sl_find_marks *find, sl_mark_bytes bytes, const char *text, size_t end, size_t from) {
    m->find = find, m->bytes = bytes; /* not by an initializer: the array is large */
    m->text = text, m->end = end;
    m->scanned = from, m->next = m->n = 0;
}

bool sl_marks_more(sl_marks *m) {
    for (m->next = m->n = 0; m->n == 0 && m->scanned < m->end;) {
        size_t windows = (m->end - m->scanned + SL_MARKS_WINDOW - 1) / SL_MARKS_WINDOW;
        if (windows > SL_MARKS_WINDOWS) windows = SL_MARKS_WINDOWS;
        m->n = m->find(m->text, m->scanned, windows, &m->bytes, m->at);
        m->scanned += windows * SL_MARKS_WINDOW;
    }
    return m->n > 0;
}

void sl_marks_go_to(sl_marks *m, size_t p) {
    while (m->next < m->n && m->at[m->next] < p) m->next++;
    if (m->next == m->n && m->scanned < p) m->scanned = p;
}
