/* Which kernels this process runs: the best that the processor has, or the one that SLUICE_CPU names. */
#ifndef SL_CPU_H
#define SL_CPU_H

#include <stdbool.h>

typedef enum sl_cpu { SL_CPU_PORTABLE, SL_CPU_AVX2, SL_CPU_AVX512, SL_CPU_NEON } sl_cpu;

/* The kernel set in use. SLUICE_CPU=portable|avx2|avx512|neon names one; a name that the processor cannot run, or that
 * does not exist, is ignored. Read once per object that chooses a kernel, never per row. */
sl_cpu sl_cpu_kernels(void);
/* Whether the processor can run a kernel set. */
bool sl_cpu_runs(sl_cpu kernels);
/* Whether AVX-512 has the instructions on bytes that the parsers use; the first processors with AVX-512 lack them. */
bool sl_cpu_shuffles_bytes(void);
const char *sl_cpu_name(sl_cpu kernels);

#endif
