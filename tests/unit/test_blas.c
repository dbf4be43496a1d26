/* OpenBLAS as the learners call it. */
#include "learner/blas.h"
#include "unit/test.h"

TEST(blas_solves_what_it_factorised) {
    sluice_error err = {0};
    const sl_blas *blas = sl_blas_begin(2, &err);
    CHECK(blas);
    if (!blas) return;
    double a[4] = {4, 0, 2, 5}, x[2] = {2, 7}; /* the lower triangle of a matrix, row after row; its factor is 2; 1 2 */
    int n = 2, info = -1;
    blas->dpotrf("U", &n, a, &n, &info);
    CHECK_EQ(info, 0);
    CHECK_NEAR(a[0], 2, 1e-15);
    CHECK_NEAR(a[2], 1, 1e-15);
    CHECK_NEAR(a[3], 2, 1e-15);
    blas->dtrsv(SL_ROWS, SL_LOWER, SL_AS_IS, SL_ANY_DIAGONAL, 2, a, 2, x, 1);
    CHECK_NEAR(x[0], 1, 1e-15);
    CHECK_NEAR(x[1], 3, 1e-15);
    CHECK(sl_blas_begin(2, &err) == blas); /* nested */
    sl_blas_end(true);
    sl_blas_end(true);
}

int main(void) {
    RUN(blas_solves_what_it_factorised);
    return DONE;
}
