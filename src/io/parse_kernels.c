/* The table of the parsers' kernels. */
#include "io/parse_kernels.h"

/* A processor with AVX2 or AVX-512 has SSSE3 too. */
static const sl_parse_kernels kernels[] = {
    {SL_CPU_PORTABLE, sl_separators_portable, NULL, NULL, sl_ids_portable, sl_numbers_portable, NULL,
     sl_read_url_portable, sl_marks_portable, NULL},
#if defined(__x86_64__)
    {SL_CPU_AVX2, sl_separators_avx2, NULL, NULL, sl_ids_ssse3, sl_numbers_ssse3, sl_letters_avx2, sl_read_url_avx2,
     sl_marks_avx2, sl_quotes_avx2},
    {SL_CPU_AVX512, sl_separators_avx512, sl_fields_avx512, sl_values_avx512, sl_ids_ssse3, sl_numbers_ssse3,
     sl_letters_avx512, sl_read_url_avx512, sl_marks_avx512, sl_quotes_avx512},
#elif defined(SL_SEPARATORS_NEON)
    {SL_CPU_NEON, sl_separators_neon, NULL, NULL, sl_ids_neon, sl_numbers_neon, NULL, sl_read_url_portable,
     sl_marks_portable, NULL},
#endif
};

const sl_parse_kernels *sl_parse_kernels_for(sl_cpu cpu) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].cpu == cpu && sl_cpu_runs(cpu) && (cpu != SL_CPU_AVX512 || sl_cpu_shuffles_bytes()))
            return &kernels[i];
    return NULL;
}

const sl_parse_kernels *sl_parse_kernels_chosen(void) {
    sl_cpu cpu = sl_cpu_kernels();
    const sl_parse_kernels *chosen = sl_parse_kernels_for(cpu);
    if (!chosen && cpu == SL_CPU_AVX512) chosen = sl_parse_kernels_for(SL_CPU_AVX2);
    return chosen ? chosen : kernels; /* big-endian aarch64 has no NEON version */
}
