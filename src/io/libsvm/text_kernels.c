#include "io/libsvm/text_kernels.h"

static bool always(void) { return true; }

#if defined(__x86_64__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi");
}
#endif

const sl_text_kernel sl_text_kernels[] = {
    {"portable", sl_separators_portable, NULL, NULL, always},
#if defined(__x86_64__)
    {"avx2", sl_separators_avx2, NULL, NULL, has_avx2},
    {"avx512", sl_separators_avx512, sl_fields_avx512, sl_values_avx512, has_avx512},
#elif defined(SL_SEPARATORS_NEON)
    {"neon", sl_separators_neon, NULL, NULL, always}, /* part of the architecture */
#endif
    {0},
};

const sl_text_kernel *sl_text_kernel_best(void) {
    const sl_text_kernel *best = sl_text_kernels;
    for (const sl_text_kernel *w = sl_text_kernels; w->name; w++)
        if (w->runs_here()) best = w;
    return best;
}
