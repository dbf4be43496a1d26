/* Ids from their differences. With vectors, a table of shuffles brings the bytes of four differences to their places,
 * and they add up in two steps. (Sixteen at a time by AVX-512's expansion under a mask is no faster on Zen 4.) */
#include "io/bin/bin_ids.h"

#include "base/bytes.h"

size_t sl_ids_bytes(const uint8_t *control, size_t groups) {
    size_t bytes = 4 * groups;
    for (size_t i = 0; i < groups; i++) {
        unsigned c = control[i];
        bytes += (c & 3) + (c >> 2 & 3) + (c >> 4 & 3) + (c >> 6);
    }
    return bytes;
}

static const uint32_t mask[4] = {0xff, 0xffff, 0xffffff, 0xffffffff}; /* by the length less one */

void sl_numbers_portable(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *number) {
    for (size_t k = 0; k < n; k++) {
        unsigned length = control[k / 4] >> k % 4 * 2 & 3;
        number[k] = sl_get_u32(data) & mask[length];
        data += length + 1;
    }
}

void sl_ids_portable(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *id, sl_id_facts *facts) {
    sl_id_facts f = *facts;
    for (size_t k = 0; k < n; k++) {
        unsigned length = control[k / 4] >> k % 4 * 2 & 3;
        uint32_t difference = sl_get_u32(data) & mask[length];
        data += length + 1;
        f.any |= difference;
        f.zeros += difference == 0;
        id[k] = f.sum += difference;
    }
    *facts = f;
}

bool sl_ids_by_row(uint32_t *id, const size_t *start, size_t rows, const sl_id_facts *facts) {
    /* Where all differences are below 2^31 the first id that is not has its high bit set: no sum passes 2^32 unseen. */
    uint32_t before = 0, any = facts->any, first_zeros = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t from = start[i], to = start[i + 1];
        if (from == to) continue;
        uint32_t last = id[to - 1];
        for (size_t k = from; k < to; k++) {
            id[k] -= before;
            any |= id[k];
        }
        first_zeros += id[from] == 0;
        before = last;
    }
    return any >> 31 == 0 && first_zeros == facts->zeros;
}

#if defined(__x86_64__) || defined(SL_IDS_NEON)
/* For every control byte, where the bytes of its four differences are; 0x80 where there are none: a shuffle makes that
 * a 0. L is the length less one, AT where the difference begins. */
#define BYTES(L, AT) (AT), (L) > 0 ? (AT) + 1 : 0x80, (L) > 1 ? (AT) + 2 : 0x80, (L) > 2 ? (AT) + 3 : 0x80
#define GROUP(A, B, C, D)                                                                                              \
    { BYTES(A, 0), BYTES(B, A + 1), BYTES(C, A + B + 2), BYTES(D, A + B + C + 3) }
#define BY_A(B, C, D) GROUP(0, B, C, D), GROUP(1, B, C, D), GROUP(2, B, C, D), GROUP(3, B, C, D)
#define BY_B(C, D) BY_A(0, C, D), BY_A(1, C, D), BY_A(2, C, D), BY_A(3, C, D)
#define BY_C(D) BY_B(0, D), BY_B(1, D), BY_B(2, D), BY_B(3, D)
static const uint8_t shuffle[256][16] = {BY_C(0), BY_C(1), BY_C(2), BY_C(3)};

/* Where the fourth difference begins, and its length. */
static inline size_t shuffled_bytes(unsigned control) { return shuffle[control][12] + (control >> 6) + 1; }

/* What the vectors hold at the end. */
typedef struct lanes {
    uint32_t sum[4], any[4], zeros[4];
} lanes;

static void note(sl_id_facts *facts, const lanes *l) {
    facts->sum = l->sum[0];
    for (int j = 0; j < 4; j++) facts->any |= l->any[j], facts->zeros += l->zeros[j];
}
#endif

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("ssse3"))) void sl_ids_ssse3(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *id,
                                                   sl_id_facts *facts) {
    __m128i sum = _mm_set1_epi32((int)facts->sum), zero = _mm_setzero_si128(), any = zero, zeros = zero;
    size_t k = 0;
    for (; n - k >= 4; k += 4) {
        unsigned c = *control++;
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)data);
        x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle[c]));
        data += shuffled_bytes(c);
        any = _mm_or_si128(any, x);
        zeros = _mm_sub_epi32(zeros, _mm_cmpeq_epi32(x, zero));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 4));
        x = _mm_add_epi32(x, _mm_slli_si128(x, 8));
        sum = _mm_add_epi32(sum, x);
        _mm_storeu_si128((__m128i *)(void *)(id + k), sum);
        sum = _mm_shuffle_epi32(sum, 0xff); /* the last sum is carried over */
    }
    lanes l;
    _mm_storeu_si128((__m128i *)(void *)l.sum, sum);
    _mm_storeu_si128((__m128i *)(void *)l.any, any);
    _mm_storeu_si128((__m128i *)(void *)l.zeros, zeros);
    note(facts, &l);
    sl_ids_portable(control, data, n - k, id + k, facts);
}

__attribute__((target("ssse3"))) void sl_numbers_ssse3(const uint8_t *control, const uint8_t *data, size_t n,
                                                       uint32_t *number) {
    size_t k = 0;
    for (; n - k >= 4; k += 4) {
        unsigned c = *control++;
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)data);
        x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle[c]));
        data += shuffled_bytes(c);
        _mm_storeu_si128((__m128i *)(void *)(number + k), x);
    }
    sl_numbers_portable(control, data, n - k, number + k);
}
#elif defined(SL_IDS_NEON)
#include <arm_neon.h>

void sl_numbers_neon(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *number) {
    size_t k = 0;
    for (; n - k >= 4; k += 4) {
        unsigned c = *control++;
        vst1q_u32(number + k, vreinterpretq_u32_u8(vqtbl1q_u8(vld1q_u8(data), vld1q_u8(shuffle[c]))));
        data += shuffled_bytes(c);
    }
    sl_numbers_portable(control, data, n - k, number + k);
}

void sl_ids_neon(const uint8_t *control, const uint8_t *data, size_t n, uint32_t *id, sl_id_facts *facts) {
    uint32x4_t sum = vdupq_n_u32(facts->sum), zero = vdupq_n_u32(0), any = zero, zeros = zero;
    size_t k = 0;
    for (; n - k >= 4; k += 4) {
        unsigned c = *control++;
        uint32x4_t x = vreinterpretq_u32_u8(vqtbl1q_u8(vld1q_u8(data), vld1q_u8(shuffle[c])));
        data += shuffled_bytes(c);
        any = vorrq_u32(any, x);
        zeros = vsubq_u32(zeros, vceqzq_u32(x));
        x = vaddq_u32(x, vextq_u32(zero, x, 3));
        x = vaddq_u32(x, vextq_u32(zero, x, 2));
        sum = vaddq_u32(sum, x);
        vst1q_u32(id + k, sum);
        sum = vdupq_laneq_u32(sum, 3); /* the last sum is carried over */
    }
    lanes l;
    vst1q_u32(l.sum, sum);
    vst1q_u32(l.any, any);
    vst1q_u32(l.zeros, zeros);
    note(facts, &l);
    sl_ids_portable(control, data, n - k, id + k, facts);
}
#endif
