/* Classifying the bytes of a URL, a window at a time. */
#include "io/url/url_bytes.h"

#include <string.h>

/* Which bytes of the window that begins at `from` belong to a URL of n bytes. */
static inline uint64_t within(size_t n, size_t from) {
    return n - from < SL_URL_WINDOW ? ((uint64_t)1 << (n - from)) - 1 : UINT64_MAX;
}

/* ---- for every processor ----------------------------------------------------------------------------------------- */

/* A byte has one of these classes; those of the URL are put together from them. */
enum { BACKSLASH = SL_URL_CLASSES, LETTER, OTHER, ALL_CLASSES };

#define R4(c) c, c, c, c
#define R16(c) R4(c), R4(c), R4(c), R4(c)
#define R26(c) R16(c), R4(c), R4(c), c, c
static const unsigned char classes[256] = {
    /* 0x00 */ R16(OTHER),
    R16(OTHER),
    /* space */ OTHER,
    OTHER,
    OTHER,
    SL_URL_HASH,
    OTHER,
    SL_URL_PERCENT,
    SL_URL_PAIR,
    OTHER,
    /* ( */ OTHER,
    OTHER,
    OTHER,
    OTHER,
    OTHER,
    SL_URL_HYPHEN,
    SL_URL_DOT,
    SL_URL_SLASH,
    /* 0 */ R4(SL_URL_DIGIT),
    R4(SL_URL_DIGIT),
    SL_URL_DIGIT,
    SL_URL_DIGIT,
    /* : */ SL_URL_COLON,
    SL_URL_PAIR,
    OTHER,
    SL_URL_EQUALS,
    OTHER,
    SL_URL_QUESTION,
    SL_URL_AT,
    /* A */ R26(SL_URL_UPPER),
    /* [ */ OTHER,
    BACKSLASH,
    OTHER,
    OTHER,
    OTHER,
    OTHER,
    /* a */ R26(LETTER),
    /* { */ R4(OTHER),
    OTHER,
    /* 0x80 */ R16(LETTER),
    R16(LETTER),
    R16(LETTER),
    R16(LETTER),
    R16(LETTER),
    R16(LETTER),
    R16(LETTER),
    R16(LETTER),
};

void sl_read_url_portable(const char *url, size_t n, sl_url_bytes *out) {
    out->n = n;
    memset(out->count, 0, sizeof out->count);
    for (size_t from = 0; from < n; from += SL_URL_WINDOW) {
        uint64_t bits[ALL_CLASSES] = {0}, *to = out->bits[from / SL_URL_WINDOW];
        const size_t stop = n - from < SL_URL_WINDOW ? n - from : SL_URL_WINDOW;
        for (size_t i = 0; i < stop; i++) {
            const unsigned char c = (unsigned char)url[from + i], class = classes[c];
            bits[class] |= (uint64_t)1 << i;
            out->lower[from + i] = (char)(class == SL_URL_UPPER ? c + 32 : c);
        }
        bits[SL_URL_WORD] = bits[LETTER] | bits[SL_URL_UPPER] | bits[SL_URL_DIGIT];
        bits[SL_URL_STOP] = bits[SL_URL_SLASH] | bits[SL_URL_QUESTION] | bits[SL_URL_HASH] | bits[BACKSLASH];
        memcpy(to, bits, sizeof out->bits[0]);
        for (size_t i = 0; i < SL_URL_COUNTED; i++) out->count[i] += (size_t)__builtin_popcountll(bits[i]);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* ---- with vectors of 32 bytes ------------------------------------------------------------------------------------ */

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

typedef struct two {
    __m256i a, b;
} two;

AVX2 static inline uint64_t bits_of(two x) {
    return (uint32_t)_mm256_movemask_epi8(x.a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(x.b) << 32;
}

AVX2 static inline uint64_t equal(two x, char c) {
    const __m256i all = _mm256_set1_epi8(c);
    return bits_of((two){_mm256_cmpeq_epi8(x.a, all), _mm256_cmpeq_epi8(x.b, all)});
}

/* All ones where first <= x < first + n. */
AVX2 static inline __m256i among(__m256i x, char first, char n) {
    const __m256i from_first = _mm256_sub_epi8(x, _mm256_set1_epi8(first));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, _mm256_set1_epi8((char)(n - 1))), from_first);
}

AVX2 static inline two both_among(two x, char first, char n) {
    return (two){among(x.a, first, n), among(x.b, first, n)};
}

AVX2 void sl_read_url_avx2(const char *url, size_t n, sl_url_bytes *out) {
    size_t count[SL_URL_COUNTED] = {0};
    const __m256i bit = _mm256_set1_epi8(0x20);
    for (size_t from = 0; from < n; from += SL_URL_WINDOW) {
        uint64_t *const to = out->bits[from / SL_URL_WINDOW], in = within(n, from);
        const two x = {_mm256_loadu_si256((const __m256i *)(const void *)(url + from)),
                       _mm256_loadu_si256((const __m256i *)(const void *)(url + from + 32))};
        const two capital = both_among(x, 'A', 26);
        const two low = {_mm256_or_si256(x.a, _mm256_and_si256(capital.a, bit)),
                         _mm256_or_si256(x.b, _mm256_and_si256(capital.b, bit))};
        _mm256_storeu_si256((__m256i *)(void *)(out->lower + from), low.a);
        _mm256_storeu_si256((__m256i *)(void *)(out->lower + from + 32), low.b);
        const uint64_t digit = bits_of(both_among(x, '0', 10)) & in, slash = equal(x, '/') & in,
                       question = equal(x, '?') & in, hash = equal(x, '#') & in;
        to[SL_URL_DIGIT] = digit;
        to[SL_URL_HYPHEN] = equal(x, '-') & in;
        to[SL_URL_DOT] = equal(x, '.') & in;
        to[SL_URL_AT] = equal(x, '@') & in;
        to[SL_URL_PERCENT] = equal(x, '%') & in;
        to[SL_URL_UPPER] = bits_of(capital) & in;
        to[SL_URL_WORD] = ((bits_of(both_among(low, 'a', 26)) | bits_of(x)) & in) | digit;
        to[SL_URL_SLASH] = slash;
        to[SL_URL_QUESTION] = question;
        to[SL_URL_HASH] = hash;
        to[SL_URL_STOP] = slash | question | hash | (equal(x, '\\') & in);
        to[SL_URL_PAIR] = (equal(x, '&') | equal(x, ';')) & in;
        to[SL_URL_EQUALS] = equal(x, '=') & in;
        to[SL_URL_COLON] = equal(x, ':') & in;
        for (size_t i = 0; i < SL_URL_COUNTED; i++) count[i] += (size_t)__builtin_popcountll(to[i]);
    }
    out->n = n;
    memcpy(out->count, count, sizeof count);
}

/* ---- with vectors of 64 bytes ------------------------------------------------------------------------------------ */

#define AVX512 __attribute__((target("avx512f,avx512bw,bmi,bmi2,popcnt")))

AVX512 static inline uint64_t equal64(__m512i x, char c, uint64_t in) {
    return _mm512_mask_cmpeq_epi8_mask(in, x, _mm512_set1_epi8(c));
}

AVX512 static inline uint64_t among64(__m512i x, char first, char n, uint64_t in) {
    return _mm512_mask_cmplt_epu8_mask(in, _mm512_sub_epi8(x, _mm512_set1_epi8(first)), _mm512_set1_epi8(n));
}

AVX512 void sl_read_url_avx512(const char *url, size_t n, sl_url_bytes *out) {
    size_t count[SL_URL_COUNTED] = {0};
    for (size_t from = 0; from < n; from += SL_URL_WINDOW) {
        uint64_t *const to = out->bits[from / SL_URL_WINDOW], in = within(n, from);
        const __m512i x = _mm512_loadu_si512(url + from);
        const uint64_t capital = among64(x, 'A', 26, in), digit = among64(x, '0', 10, in), slash = equal64(x, '/', in),
                       question = equal64(x, '?', in), hash = equal64(x, '#', in);
        const __m512i low = _mm512_mask_add_epi8(x, capital, x, _mm512_set1_epi8(0x20));
        _mm512_storeu_si512(out->lower + from, low);
        to[SL_URL_DIGIT] = digit;
        to[SL_URL_HYPHEN] = equal64(x, '-', in);
        to[SL_URL_DOT] = equal64(x, '.', in);
        to[SL_URL_AT] = equal64(x, '@', in);
        to[SL_URL_PERCENT] = equal64(x, '%', in);
        to[SL_URL_UPPER] = capital;
        to[SL_URL_WORD] = among64(low, 'a', 26, in) | digit | (_mm512_movepi8_mask(x) & in);
        to[SL_URL_SLASH] = slash;
        to[SL_URL_QUESTION] = question;
        to[SL_URL_HASH] = hash;
        to[SL_URL_STOP] = slash | question | hash | equal64(x, '\\', in);
        to[SL_URL_PAIR] = equal64(x, '&', in) | equal64(x, ';', in);
        to[SL_URL_EQUALS] = equal64(x, '=', in);
        to[SL_URL_COLON] = equal64(x, ':', in);
        for (size_t i = 0; i < SL_URL_COUNTED; i++) count[i] += (size_t)__builtin_popcountll(to[i]);
    }
    out->n = n;
    memcpy(out->count, count, sizeof count);
}
#endif
