/* Finding letters and lower-casing them, a window of bytes at a time. */
#include "io/text/letters.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* All ones where first <= x < first + n. */
__attribute__((target("avx2"))) static inline __m256i among(__m256i x, char first, char n) {
    const __m256i from_first = _mm256_sub_epi8(x, _mm256_set1_epi8(first));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(from_first, _mm256_set1_epi8((char)(n - 1))), from_first);
}

__attribute__((target("avx2"))) sl_letter_bits sl_letters_avx2(const char *text, char *lower) {
    sl_letter_bits bits = {0, 0};
    for (unsigned i = 0; i < SL_LETTERS_WINDOW; i += 32) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(text + i));
        const __m256i low = _mm256_or_si256(x, _mm256_and_si256(among(x, 'A', 26), _mm256_set1_epi8(0x20)));
        const __m256i letters = _mm256_or_si256(among(low, 'a', 26), among(x, '0', 10));
        _mm256_storeu_si256((__m256i *)(void *)(lower + i), low);
        bits.letters |= (uint64_t)(uint32_t)_mm256_movemask_epi8(letters) << i;
        bits.high |= (uint64_t)(uint32_t)_mm256_movemask_epi8(x) << i;
    }
    return bits;
}

__attribute__((target("avx512f,avx512bw"))) sl_letter_bits sl_letters_avx512(const char *text, char *lower) {
    const __m512i x = _mm512_loadu_si512(text);
    const __mmask64 capital = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8('A')), _mm512_set1_epi8(26));
    const __m512i low = _mm512_mask_add_epi8(x, capital, x, _mm512_set1_epi8(0x20));
    const __mmask64 letter = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(low, _mm512_set1_epi8('a')), _mm512_set1_epi8(26)),
                    digit = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(x, _mm512_set1_epi8('0')), _mm512_set1_epi8(10));
    _mm512_storeu_si512(lower, low);
    return (sl_letter_bits){letter | digit, _mm512_movepi8_mask(x)};
}
#endif
