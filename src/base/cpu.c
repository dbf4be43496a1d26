/* Chooses the kernel set: by processor, or by the environment variable SLUICE_CPU. */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"portable", "avx2", "avx512", "neon"};
enum { N_NAMES = sizeof names / sizeof *names };

bool sl_cpu_runs(sl_cpu kernels) {
    switch (kernels) {
    case SL_CPU_PORTABLE:
        return true;
#if defined(__x86_64__)
    case SL_CPU_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    case SL_CPU_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
#elif defined(__aarch64__)
    case SL_CPU_NEON: /* part of the architecture */
        return true;
#endif
    default:
        return false;
    }
}

bool sl_cpu_shuffles_bytes(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi");
#else
    return false;
#endif
}

sl_cpu sl_cpu_kernels(void) {
    const char *asked = getenv("SLUICE_CPU");
    sl_cpu best = SL_CPU_PORTABLE;
    for (sl_cpu k = 0; k < (sl_cpu)N_NAMES; k++) {
        if (!sl_cpu_runs(k)) continue;
        if (asked && strcmp(asked, names[k]) == 0) return k;
        best = k;
    }
    return best;
}

const char *sl_cpu_name(sl_cpu kernels) { return names[kernels]; }
