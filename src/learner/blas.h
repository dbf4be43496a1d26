/* The dense linear algebra of OpenBLAS, for the learners whose state is a matrix.
 *
 * The library is loaded when the first of them learns: it takes milliseconds and starts threads, which other
 * learners do not need. Between sl_blas_begin() and sl_blas_end() every call runs in its caller's thread: how OpenBLAS
 * shares work out among threads shows in the last bits, and results must not depend on the number of threads. What is
 * to run in parallel is cut into pieces by us (base/thread_team.h). */
#ifndef SL_BLAS_H
#define SL_BLAS_H

#include <stdbool.h>

#include "sluice.h"

/* As in cblas.h; matrices here are always stored row after row. */
enum {
    SL_ROWS = 101,
    SL_AS_IS = 111,
    SL_TRANSPOSED = 112,
    SL_LOWER = 122,
    SL_ANY_DIAGONAL = 131,
    SL_LEFT = 141,
    SL_RIGHT = 142,
};

typedef struct sl_blas {
    /* C = alpha A B + beta C */
    void (*dgemm)(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double *a, int lda,
                  const double *b, int ldb, double beta, double *c, int ldc);
    /* C = alpha A A' + beta C, one triangle of it */
    void (*dsyrk)(int order, int uplo, int trans, int n, int k, double alpha, const double *a, int lda, double beta,
                  double *c, int ldc);
    /* B = alpha A^-1 B or alpha B A^-1, A a triangle */
    void (*dtrsm)(int order, int side, int uplo, int trans, int diag, int m, int n, double alpha, const double *a,
                  int lda, double *b, int ldb);
    /* x = A^-1 x, x = A x, A a triangle */
    void (*dtrsv)(int order, int uplo, int trans, int diag, int n, const double *a, int lda, double *x, int incx);
    void (*dtrmv)(int order, int uplo, int trans, int diag, int n, const double *a, int lda, double *x, int incx);
    /* Cholesky factor; by Fortran's rules: columns, so that the lower triangle is "U" of ours */
    void (*dpotrf)(const char *uplo, const int *n, double *a, const int *lda, int *info);
} sl_blas;

/* NULL, and why, where OpenBLAS is not installed or has no room for so many threads (0: as many as there are cores). */
const sl_blas *sl_blas_begin(unsigned threads, sluice_error *err);
/* Whether any of it was called meanwhile. */
void sl_blas_end(bool called);

#endif
