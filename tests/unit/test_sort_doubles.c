/* Sorting numbers: the same as by comparison, for any of them. */
#include "eval/sort_doubles.h"

#include <float.h>
#include <math.h>

#include "unit/test.h"

static uint64_t state = 5;
static uint64_t next(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 11;
}

static double any_number(void) { return ldexp((double)next() - 0x1p52, (int)(next() % 200) - 150); }
static double small_integer(void) { return (double)(next() % 7) - 3; }
static double positive_share(void) { return (double)next() * 0x1p-53; }

static void check_sorted(double (*draw)(void), size_t n) {
    double *x = malloc((n + 1) * sizeof *x), sum = 0, after = 0;
    for (size_t i = 0; i < n; i++) x[i] = draw();
    for (size_t i = 0; i < n; i++) sum += fmod(x[i], 1024);
    sl_sort_doubles(x, n);
    for (size_t i = 0; i < n; i++) after += fmod(x[i], 1024);
    for (size_t i = 1; i < n; i++) CHECK(x[i - 1] <= x[i]);
    CHECK_NEAR(sum, after, 1e-6 * (1 + fabs(sum)));
    free(x);
}

TEST(any_number_of_numbers_ends_in_order) {
    static const size_t sizes[] = {0, 1, 2, 511, 512, 513, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_sorted(any_number, sizes[i]);
        check_sorted(small_integer, sizes[i]);
        check_sorted(positive_share, sizes[i]);
    }
}

TEST(the_ends_of_the_range_are_in_their_places) {
    enum { N = 600 };
    static const double odd[] = {-INFINITY, -DBL_MAX, -1, -DBL_MIN, -0x1p-1074, 0,
                                 0x1p-1074, DBL_MIN,  1,  DBL_MAX,  INFINITY};
    const size_t kinds = sizeof odd / sizeof *odd;
    double x[N];
    for (size_t i = 0; i < N; i++) x[i] = odd[(i * 7) % kinds];
    sl_sort_doubles(x, N);
    for (size_t i = 1; i < N; i++) CHECK(x[i - 1] <= x[i]);
    CHECK(x[0] == -INFINITY && x[N - 1] == INFINITY);
    size_t each[sizeof odd / sizeof *odd] = {0};
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < kinds; k++) each[k] += x[i] == odd[k];
    for (size_t k = 0; k < kinds; k++) CHECK(each[k] == N / kinds || each[k] == N / kinds + 1);
}

int main(void) {
    RUN(any_number_of_numbers_ends_in_order);
    RUN(the_ends_of_the_range_are_in_their_places);
    return DONE;
}
