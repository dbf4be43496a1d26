/* Eight fields at a time. Numbers are loaded so that their last character comes last in a lane, 8 bytes for an id, 16
 * for a value; what stood before them is zeroed, the point is closed up, and then all digits are worth the same in
 * every lane: three multiplications make numbers of them. Scalar loads fetch the bytes: gather instructions are slower.
 *
 * What cannot be done so (more digits, exponents, halfway cases of rounding, errors) ends the run; common_rows.c goes
 * on from there. */
#include "io/libsvm/fields.h"

#include "base/digits.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,bmi")))
#define AVX512_INLINE static inline __attribute__((always_inline, target("avx512f,avx512bw,avx512dq,avx512vl,bmi")))

/* Eight bytes of text that lie anywhere, as what vectors are loaded from. */
AVX512_INLINE double load_8(const char *end) {
    double bytes;
    memcpy(&bytes, end - 8, 8);
    return bytes;
}

/* The eight bytes before each of at[0], at[2], ..., at[14]. */
AVX512_INLINE __m512i load_ids(const char *text, const uint32_t *at) {
    __m128i two[4];
    for (int i = 0; i < 4; i++)
        two[i] = _mm_castpd_si128(_mm_setr_pd(load_8(text + at[4 * i]), load_8(text + at[4 * i + 2])));
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(two[0]), two[1], 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(two[2]), two[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

AVX512_INLINE __m128i load_16(const char *end) { return _mm_loadu_si128((const __m128i *)(const void *)(end - 16)); }

/* The 16 bytes before each of end[0], end[4], end[8], end[12]. */
AVX512_INLINE __m512i load_values(const char *text, const uint32_t *end) {
    __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(text + end[0])), load_16(text + end[4]), 1);
    __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(load_16(text + end[8])), load_16(text + end[12]), 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Digits to numbers of four digits, in 32 bits each. */
AVX512_INLINE __m512i fours(__m512i digits) {
    __m512i pairs = _mm512_maddubs_epi16(digits, _mm512_set1_epi16(0x010A)); /* 10, 1 */
    return _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00010064));          /* 100, 1 */
}

/* Four values, one to a lane of 16 bytes. */
typedef struct values {
    __m512i fours;
    __m512i point;        /* its position in the lane, as two parts to be added; 0: there is none */
    __m512i negative;     /* not zero: there is a minus */
    __mmask64 not_digits; /* bytes that are neither digits nor a sign or point in its place */
} values;

/* first: in every byte of a lane where its value begins. */
AVX512_INLINE values convert_values(__m512i text, __m512i first) {
    const __m512i place = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    __mmask64 minus = _mm512_mask_cmpeq_epi8_mask(_mm512_cmpeq_epi8_mask(place, first), text, _mm512_set1_epi8('-'));
    __mmask64 inside = _mm512_cmpge_epu8_mask(place, first);
    __mmask64 point = _mm512_mask_cmpeq_epi8_mask(inside, text, _mm512_set1_epi8('.'));
    __m512i digits = _mm512_maskz_sub_epi8(inside & ~minus, text, _mm512_set1_epi8('0'));
    values v;
    /* with two points this is wrong, but then one of them is left among the digits and found */
    v.point = _mm512_sad_epu8(_mm512_maskz_mov_epi8(point, place), _mm512_setzero_si512());
    __m512i both = _mm512_add_epi64(v.point, _mm512_shuffle_epi32(v.point, _MM_PERM_BADC));
    __m512i point_place = _mm512_shuffle_epi8(both, _mm512_setzero_si512());
    /* what is before the point moves over it; where there is none that is the first byte, which is empty */
    digits = _mm512_mask_mov_epi8(digits, _mm512_cmple_epu8_mask(place, point_place), _mm512_bslli_epi128(digits, 1));
    v.not_digits = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
    v.negative = _mm512_maskz_mov_epi8(minus, place);
    v.fours = fours(digits);
    return v;
}

/* The low halves of all lanes of a and b in turn, and the high halves, together. */
AVX512_INLINE __m512i halves(__m512i a, __m512i b) {
    return _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
}

/* How many of the next separators are colon and space in turn, as within a row. */
AVX512_INLINE unsigned separators_that_fit(const char *kind) {
    __m128i k = _mm_loadu_si128((const __m128i *)(const void *)kind);
    unsigned fit =
        (_mm_cmpeq_epi8_mask(k, _mm_set1_epi8(':')) & 0x5555u) | (_mm_cmpeq_epi8_mask(k, _mm_set1_epi8(' ')) & 0xAAAAu);
    return (unsigned)__builtin_ctz(~fit);
}

/* What eight fields of which `here` count have for values. */
typedef struct eight_values {
    __m256 value;
    bool fine; /* else some are not of a common kind */
} eight_values;

/* end, colon: the positions behind the values and before them, as at[1], at[3], ... and at[0], at[2], ... */
AVX512_INLINE eight_values convert_eight(const char *text, const uint32_t *at, __m512i end, __m512i colon,
                                         __mmask8 here) {
    const __m512i one = _mm512_set1_epi64(1);
    const __m512d tens_0 = _mm512_loadu_pd(&sl_pow10_table[-15 - SL_POW10_MIN]);
    const __m512d tens_1 = _mm512_loadu_pd(&sl_pow10_table[-7 - SL_POW10_MIN]);
    __m512i value_n = _mm512_maskz_sub_epi64(here, end, _mm512_add_epi64(colon, one));
    __mmask8 bad = _mm512_mask_cmpgt_epu64_mask(here, _mm512_sub_epi64(value_n, one), _mm512_set1_epi64(14));

    /* even fields in one vector, odd in the other: so that packing and unpacking leave them in order */
    __m512i first = _mm512_sub_epi64(_mm512_set1_epi64(16), value_n);
    values even = convert_values(load_values(text, at + 1), _mm512_shuffle_epi8(first, _mm512_setzero_si512()));
    values odd = convert_values(load_values(text, at + 3), _mm512_shuffle_epi8(first, _mm512_set1_epi8(8)));
    __m512i eights =
        _mm512_madd_epi16(_mm512_packus_epi32(even.fours, odd.fours), _mm512_set1_epi32(0x00012710)); /* 10^4, 1 */
    __m512i w = _mm512_add_epi64(_mm512_mul_epu32(eights, _mm512_set1_epi64(100000000)), _mm512_srli_epi64(eights, 32));
    __m512i point = halves(even.point, odd.point), minus = halves(even.negative, odd.negative);
    __mmask8 has_point = _mm512_test_epi64_mask(point, point);
    __mmask8 negative = _mm512_test_epi64_mask(minus, minus);
    __m512i first_digit = _mm512_mask_add_epi64(first, negative, first, one);
    __m512i whole_end = _mm512_mask_mov_epi64(_mm512_set1_epi64(16), has_point, point);
    bad |= _mm512_mask_cmple_epi64_mask(here, whole_end, first_digit); /* no digit before the point */

    /* as sl_short_float(): 10^-places lies at 15 - places in the table, which is where the point is */
    __m512i index = _mm512_mask_mov_epi64(_mm512_set1_epi64(15), has_point, point);
    __m512d d = _mm512_mul_pd(_mm512_cvtepi64_pd(w), _mm512_permutex2var_pd(tens_0, index, tens_1));
    __m512i dropped = _mm512_and_si512(_mm512_sub_epi64(_mm512_castpd_si512(d), _mm512_set1_epi64(0x10000000 - 8)),
                                       _mm512_set1_epi64(0x1FFFFFFF));
    bad |= _mm512_mask_cmple_epu64_mask(here, dropped, _mm512_set1_epi64(16));
    __m256 f = _mm512_cvtpd_ps(d);
    return (eight_values){
        .value = _mm256_mask_xor_ps(f, negative, f, _mm256_set1_ps(-0.0f)),
        .fine = !(bad | ((even.not_digits | odd.not_digits) != 0)),
    };
}

/* How many of the eight fields ahead are whole; *more: and there are more of the row behind them. */
AVX512_INLINE unsigned fields_ahead(const char *kind, bool *more) {
    unsigned fit = separators_that_fit(kind);
    if (__builtin_expect(fit == 16, 1)) return SL_FIELDS_AT_ONCE; /* a branch: full groups need not wait for a count */
    *more = false;
    return fit / 2 + (fit % 2 && (kind[fit] == '\n' || kind[fit] == '\r'));
}

AVX512 size_t sl_fields_avx512(const char *text, const uint32_t *at, const char *kind, size_t n, uint32_t *id,
                               float *value, sl_row_facts *facts) {
    const __m512i low_half = _mm512_set1_epi64(UINT32_MAX), one = _mm512_set1_epi64(1);
    __m512i last = _mm512_set1_epi64(facts->last);
    __mmask8 zeros = 0, unsorted = 0;
    size_t taken = 0;
    for (bool more = true; more && n - 2 * taken >= 16;) {
        const uint32_t *a = at + 2 * taken;
        unsigned fields = fields_ahead(kind + 2 * taken, &more);
        __mmask8 here = (__mmask8)((1u << fields) - 1);
        __m512i ends = _mm512_loadu_si512(a);
        __m512i colon = _mm512_and_si512(ends, low_half), end = _mm512_srli_epi64(ends, 32);
        __m512i before = _mm512_and_si512(_mm512_loadu_si512(a - 1), low_half);
        __m512i id_n = _mm512_maskz_sub_epi64(here, colon, _mm512_add_epi64(before, one));
        __mmask8 bad = _mm512_mask_cmpgt_epu64_mask(here, _mm512_sub_epi64(id_n, one), _mm512_set1_epi64(7));

        __m512i outside = _mm512_sub_epi64(_mm512_set1_epi64(64), _mm512_slli_epi64(id_n, 3)); /* bits */
        __m512i digits = _mm512_xor_si512(load_ids(text, a), _mm512_set1_epi8('0'));
        digits = _mm512_and_si512(digits, _mm512_sllv_epi64(_mm512_set1_epi64(-1), outside));
        __mmask64 not_digits = _mm512_cmpgt_epu8_mask(digits, _mm512_set1_epi8(9));
        __m512i id_fours = fours(digits);
        __m512i ids =
            _mm512_add_epi64(_mm512_mul_epu32(id_fours, _mm512_set1_epi64(10000)), _mm512_srli_epi64(id_fours, 32));

        eight_values v = convert_eight(text, a, end, colon, here);
        if (bad | (not_digits != 0) | !v.fine) break;
        zeros |= _mm256_mask_cmp_ps_mask(here, v.value, _mm256_setzero_ps(), _CMP_EQ_OQ);
        unsorted |= _mm512_mask_cmple_epi64_mask(here, ids, _mm512_alignr_epi64(ids, last, 7));
        last = ids;
        _mm256_storeu_si256((__m256i *)(void *)(id + taken), _mm512_cvtepi64_epi32(ids));
        _mm256_storeu_ps(value + taken, v.value);
        taken += fields;
    }
    if (taken) facts->last = id[taken - 1];
    facts->zeros |= zeros != 0;
    facts->unsorted |= unsorted != 0;
    return taken;
}

AVX512 size_t sl_values_avx512(const char *text, const uint32_t *at, const char *kind, size_t n, float *value) {
    const __m512i low_half = _mm512_set1_epi64(UINT32_MAX);
    size_t taken = 0;
    for (bool more = true; more && n - 2 * taken >= 16;) {
        const uint32_t *a = at + 2 * taken;
        unsigned fields = fields_ahead(kind + 2 * taken, &more);
        __m512i ends = _mm512_loadu_si512(a);
        eight_values v = convert_eight(text, a, _mm512_srli_epi64(ends, 32), _mm512_and_si512(ends, low_half),
                                       (__mmask8)((1u << fields) - 1));
        if (!v.fine) break;
        _mm256_storeu_ps(value + taken, v.value);
        taken += fields;
    }
    return taken;
}
#endif
