/* Loops over dense vectors, compiled once for each kernel set. */
#include "learner/learner.h"

#ifndef SL_SET
#define SL_SET portable
#endif
#define SL_JOIN_(a, b) a##b
#define SL_JOIN(a, b) SL_JOIN_(a, b)

/* Sixteen sums side by side in every set: the result does not depend on the width of vectors. */
static double dot(const double *a, const double *b, size_t n) {
    enum { SUMS = 16 };
    double sum[SUMS] = {0};
    size_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (size_t j = 0; j < SUMS; j++) sum[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i < n; i++, j++) sum[j] += a[i] * b[i];
    for (size_t half = SUMS / 2; half; half /= 2)
        for (size_t j = 0; j < half; j++) sum[j] += sum[j + half];
    return sum[0];
}

static void turn(double *column, double *Sx, size_t n, double lambda, double g) {
    for (size_t i = 0; i < n; i++) {
        double before = column[i];
        column[i] = before + lambda * Sx[i];
        Sx[i] += g * before;
    }
}

extern const sl_vector_kernels SL_JOIN(sl_vectors_, SL_SET);
const sl_vector_kernels SL_JOIN(sl_vectors_, SL_SET) = {dot, turn};
