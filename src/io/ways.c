#include "io/ways.h"

static bool always(void) { return true; }

#if defined(__x86_64__)
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi");
}
#endif

const sl_way sl_ways[] = {
    {"portable", sl_separators_portable, NULL, NULL, always},
#if defined(__x86_64__)
    {"avx2", sl_separators_avx2, NULL, NULL, has_avx2},
    {"avx512", sl_separators_avx512, sl_fields_avx512, sl_values_avx512, has_avx512},
#elif defined(SL_SEPARATORS_NEON)
    {"neon", sl_separators_neon, NULL, NULL, always}, /* part of the architecture */
#endif
    {0},
};

const sl_way *sl_best_way(void) {
    const sl_way *best = sl_ways;
    for (const sl_way *w = sl_ways; w->name; w++)
        if (w->runs_here()) best = w;
    return best;
}
