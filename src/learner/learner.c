/* Which version of a rule's functions runs: the best that the processor has, or the one that SLUICE_CPU names. */
#include "learner/learner.h"

#include "base/cpu.h"

/* The place of a kernel set in the tables. NEON is the portable set of its architecture. */
static size_t set_here(void) {
    sl_cpu cpu = sl_cpu_kernels();
    return cpu == SL_CPU_AVX512 ? 2 : cpu == SL_CPU_AVX2 ? 1 : 0;
}

const sl_learner *sl_learner_for(const sl_learner *learner, const double *params) {
    return learner->forgetting && params[learner->forget] < 1 ? learner->forgetting : learner;
}

sl_kernels sl_learner_kernels(const sl_learner *learner) {
    if (!learner->sets) return learner->kernels;
    size_t i = set_here();
    while (i && !learner->sets->single[i]) i--;
    sl_kernels kernels = *learner->sets->single[i];
    if (!learner->counts_rounds) kernels.settle = NULL;
    return kernels;
}

const sl_lane_kernels *sl_learner_lanes(const sl_learner *learner) {
    if (!learner->sets) return NULL;
    size_t i = set_here();
    while (i && !learner->sets->lanes[i]) i--;
    return learner->sets->lanes[i];
}

extern const sl_vector_kernels sl_vectors_portable;
#ifdef SLUICE_KERNELS_X86
extern const sl_vector_kernels sl_vectors_avx2, sl_vectors_avx512;
static const sl_vector_kernels *const vectors[3] = {&sl_vectors_portable, &sl_vectors_avx2, &sl_vectors_avx512};
#else
static const sl_vector_kernels *const vectors[3] = {&sl_vectors_portable, &sl_vectors_portable, &sl_vectors_portable};
#endif

const sl_vector_kernels *sl_vector_kernels_here(void) { return vectors[set_here()]; }
