/* The matrix of the -full learners: kept as U D U', it is the one that the plain step makes. */
#include "algo/shared/dense.h"

#include <math.h>

#include "unit/test.h"

enum { D = 40 };

static sl_dense features[D];
static sl_state state;

static void start(void) {
    memset(features, 0, sizeof features);
    state = (sl_state){.features = features, .vectors = sl_vector_kernels_here()};
}

static void end(void) {
    free(state.dense.matrix);
    free(state.dense.vector);
    free(state.dense.work);
}

static double number(void) { return (double)rand() / RAND_MAX * 2 - 1; }

/* n of the features, chosen anew every time */
static sl_row make_row(size_t n) {
    static uint32_t slot[D];
    static float value[D];
    for (uint32_t i = 0; i < D; i++) slot[i] = i;
    for (size_t k = 0; k < n; k++) {
        size_t other = k + (size_t)rand() % (D - k);
        uint32_t swap = slot[k];
        slot[k] = slot[other];
        slot[other] = swap;
        value[k] = (float)number();
    }
    return (sl_row){.slot = slot, .value = value, .n = n, .y = 1, .h = 1};
}

/* S -= (Sx)(Sx)'/(r + x'Sx) as it stands, by slots; x'Sx. */
static double plain_shrink(double S[D][D], double Sx[D], const sl_row *x, double r) {
    double v = 0;
    for (size_t i = 0; i < D; i++) {
        Sx[i] = 0;
        for (size_t k = 0; k < x->n; k++) Sx[i] += S[i][x->slot[k]] * (double)x->value[k];
    }
    for (size_t k = 0; k < x->n; k++) v += Sx[x->slot[k]] * (double)x->value[k];
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) S[i][j] -= Sx[i] * Sx[j] / (r + v);
    return v;
}

static void compare(size_t nonzeros) {
    static double S[D][D], Sx[D];
    memset(S, 0, sizeof S);
    for (size_t i = 0; i < D; i++) S[i][i] = 1;
    start();
    for (size_t t = 0; t < 200; t++) {
        sl_row x = make_row(nonzeros);
        double r = 0.1 + fabs(number());
        CHECK(sl_dense_prepare(&state, &x));
        double v = sl_dense_variance(&state, &x), expected = plain_shrink(S, Sx, &x, r);
        sl_dense_shrink(&state, r);
        CHECK_NEAR(v, expected, 1e-12);
        for (uint32_t i = 0; i < D; i++)
            if (features[i].column) CHECK_NEAR(sl_dense_Sx(&state)[features[i].column - 1], Sx[i], 1e-12);
    }
    CHECK(!state.dense.lost);
    end();
}

TEST(it_is_the_matrix_of_the_plain_step) {
    compare(1); /* the few ways and the many */
    compare(2);
    compare(7);
    compare(D);
}

TEST(an_empty_row_changes_nothing) {
    start();
    sl_row x = make_row(3), empty = {.n = 0};
    CHECK(sl_dense_prepare(&state, &x) && state.dense.order == 3);
    sl_dense_variance(&state, &x);
    sl_dense_shrink(&state, 1);
    double before[6];
    memcpy(before, state.dense.matrix, sizeof before);
    CHECK_NEAR(sl_dense_variance(&state, &empty), 0, 0);
    sl_dense_shrink(&state, 1);
    CHECK(memcmp(before, state.dense.matrix, sizeof before) == 0);
    end();
}

TEST(the_loss_of_definiteness_is_noticed_at_once) {
    start();
    sl_row x = make_row(1);
    CHECK(sl_dense_prepare(&state, &x));
    state.dense.matrix[0] = 5e-324; /* the least there is: any step takes it to 0 */
    ((float *)x.value)[0] = 3e38f;
    sl_dense_variance(&state, &x);
    sl_dense_shrink(&state, 1e-300);
    CHECK(state.dense.lost);
    end();
}

int main(void) {
    RUN(it_is_the_matrix_of_the_plain_step);
    RUN(an_empty_row_changes_nothing);
    RUN(the_loss_of_definiteness_is_noticed_at_once);
    return DONE;
}
