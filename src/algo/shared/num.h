/* The number type that a rule is written over.
 *
 * A rule's file is compiled several times, with `num` being
 *   - double (SL_WIDTH 1): one model;
 *   - a vector of 2, 4 or 8 doubles: lanes, each of which is one configuration of a sweep.
 * Every operation acts on each lane by itself, and is the same IEEE operation at every width, so a lane computes to the
 * bit what the model would compute alone. `mask` is what a comparison gives, `count` an unsigned 32-bit counter. */
#ifndef SL_NUM_H
#define SL_NUM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef SL_WIDTH
#define SL_WIDTH 1
#define SL_SET portable
#define SL_MAKES_RECORDS 1 /* the compilation that also makes the learners' records */
#endif

#define RULE static inline __attribute__((always_inline, unused))

#if SL_WIDTH == 1 /* ---- one model ---------------------------------------------------------------------------------  \
                   */

typedef double num;
typedef bool mask;
typedef uint32_t count;

RULE num all(double v) { return v; }
RULE count all_counts(uint32_t v) { return v; }
RULE num of_count(count v) { return (double)v; }
RULE num absolute(num v) { return fabs(v); }
RULE num with_sign(num size, num sign) { return copysign(size, sign); } /* size >= 0 */
RULE num where(mask m, num yes, num no) { return m ? yes : no; }
RULE num if_positive(num condition, num v) { return condition > 0 ? v : 0; } /* v where the condition is > 0, else 0 */
RULE num smaller(num a, num b) { return a < b ? a : b; }
RULE num larger(num a, num b) { return a > b ? a : b; }
RULE num root(num v) { return sqrt(v); }
RULE num f32(num v) { return (double)(float)v; }
RULE bool any(mask m) { return m; }
RULE mask only_if(bool condition, mask m) { return condition && m; }
RULE double lane_of(num v, int i) { return (void)i, v; }
RULE void set_lane(num *v, int i, double to) { (void)i, *v = to; }
RULE void set_count(count *v, int i, uint32_t to) { (void)i, *v = to; }

#else /* ---- lanes of configurations                                                                                  \
         --------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" /* vectors are passed to inlined functions only */
#endif

typedef double num __attribute__((vector_size(8 * SL_WIDTH)));
typedef int64_t mask __attribute__((vector_size(8 * SL_WIDTH))); /* all bits of a lane, or none */
typedef uint32_t count __attribute__((vector_size(4 * SL_WIDTH)));
typedef float f32s __attribute__((vector_size(4 * SL_WIDTH)));
/* the same in memory, at any address */
typedef double num_at __attribute__((vector_size(8 * SL_WIDTH), aligned(8), may_alias));
typedef int64_t mask_at __attribute__((vector_size(8 * SL_WIDTH), aligned(8), may_alias));
typedef uint32_t count_at __attribute__((vector_size(4 * SL_WIDTH), aligned(4), may_alias));
typedef float f32s_at __attribute__((vector_size(4 * SL_WIDTH), aligned(4), may_alias));

RULE num all(double v) { return v - (num){0}; } /* v + 0 would make 0 of -0 */
RULE count all_counts(uint32_t v) { return v + (count){0}; }
RULE num of_count(count v) { return __builtin_convertvector(v, num); }
RULE num absolute(num v) { return (num)((mask)v & ~(mask)all(-0.0)); }
RULE num with_sign(num size, num sign) { return (num)((mask)size | ((mask)sign & (mask)all(-0.0))); } /* size >= 0 */
RULE mask only_if(bool condition, mask m) { return condition ? m : (mask){0}; }
RULE double lane_of(num v, int i) { return v[i]; }
RULE void set_lane(num *v, int i, double to) { (*v)[i] = to; }
RULE void set_count(count *v, int i, uint32_t to) { (*v)[i] = to; }

#if SL_WIDTH == 8 && defined(__AVX512F__)
RULE num where(mask m, num yes, num no) {
    return (num)_mm512_mask_blend_pd(_mm512_test_epi64_mask((__m512i)m, (__m512i)m), (__m512d)no, (__m512d)yes);
}
RULE num if_positive(num condition, num v) {
    __mmask8 m = _mm512_cmp_pd_mask((__m512d)condition, _mm512_setzero_pd(), _CMP_GT_OQ);
    return (num)_mm512_maskz_mov_pd(m, (__m512d)v);
}
RULE num smaller(num a, num b) { return (num)_mm512_min_pd((__m512d)a, (__m512d)b); }
RULE num larger(num a, num b) { return (num)_mm512_max_pd((__m512d)a, (__m512d)b); }
RULE num root(num v) { return (num)_mm512_sqrt_pd((__m512d)v); }
RULE bool any(mask m) { return _mm512_test_epi64_mask((__m512i)m, (__m512i)m) != 0; }
RULE num widened(f32s v) { return (num)_mm512_cvtps_pd((__m256)v); }
RULE f32s narrowed(num v) { return (f32s)_mm512_cvtpd_ps((__m512d)v); }
#elif SL_WIDTH == 4 && defined(__AVX2__)
RULE num where(mask m, num yes, num no) { return (num)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)m); }
RULE num if_positive(num condition, num v) { return (num)((mask)v & (condition > 0)); }
RULE num smaller(num a, num b) { return (num)_mm256_min_pd((__m256d)a, (__m256d)b); }
RULE num larger(num a, num b) { return (num)_mm256_max_pd((__m256d)a, (__m256d)b); }
RULE num root(num v) { return (num)_mm256_sqrt_pd((__m256d)v); }
RULE bool any(mask m) { return _mm256_movemask_pd((__m256d)m) != 0; }
RULE num widened(f32s v) { return (num)_mm256_cvtps_pd((__m128)v); }
RULE f32s narrowed(num v) { return (f32s)_mm256_cvtpd_ps((__m256d)v); }
#else
RULE num where(mask m, num yes, num no) { return (num)(((mask)yes & m) | ((mask)no & ~m)); }
RULE num if_positive(num condition, num v) { return (num)((mask)v & (condition > 0)); }
RULE num smaller(num a, num b) { return where(a < b, a, b); }
RULE num larger(num a, num b) { return where(a > b, a, b); }
#if SL_WIDTH == 2 && defined(__SSE2__)
RULE num root(num v) { return (num)_mm_sqrt_pd((__m128d)v); }
#elif SL_WIDTH == 2 && defined(__aarch64__)
RULE num root(num v) { return (num)vsqrtq_f64((float64x2_t)v); }
#else
RULE num root(num v) {
    for (int i = 0; i < SL_WIDTH; i++) v[i] = sqrt(v[i]);
    return v;
}
#endif
RULE bool any(mask m) {
    int64_t bits = 0;
    for (int i = 0; i < SL_WIDTH; i++) bits |= m[i];
    return bits != 0;
}
RULE num widened(f32s v) { return __builtin_convertvector(v, num); }
RULE f32s narrowed(num v) { return __builtin_convertvector(v, f32s); }
#endif

RULE num f32(num v) { return widened(narrowed(v)); }

#endif /* ---- for both                                                                                                \
          ------------------------------------------------------------------------------------------------ */

/* max(0, v) */
RULE num positive(num v) { return if_positive(v, v); }
/* soft(v, k) = sign(v) max(|v| - k, 0) */
RULE num soft(num v, num k) {
    num size = absolute(v) - k;
    return if_positive(size, with_sign(size, v));
}
/* The v whose soft(v, k) is `by` times as large; where that is 0, v as it is. */
RULE num soft_times(num v, num k, double by) {
    num size = absolute(v) - k;
    return where(size > 0, with_sign(by * size + k, v), v);
}

#endif
