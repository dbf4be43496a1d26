/* Learning in batches, and the linear algebra of bcw. */
#include <math.h>

#include "model/model.h"
#include "unit/test.h"

enum { MOST = 700 };

static uint64_t state = 1;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53 - 0.5;
}

/* Rows of n of `dimension` features, all of them where n is that; a fixed plane decides. */
static void learn(sluice_model *m, uint64_t seed, size_t rows, size_t n, size_t dimension) {
    uint64_t ids[MOST];
    float values[MOST];
    state = seed;
    for (size_t i = 0; i < rows; i++) {
        double margin = 0;
        size_t first = (size_t)((uniform() + 0.5) * (double)dimension);
        for (size_t k = 0; k < n; k++) {
            ids[k] = (first + k * 11) % dimension; /* 11 divides none of the dimensions here */
            values[k] = (float)uniform();
            margin += (ids[k] % 3 ? 1 : -1) * (double)values[k];
        }
        sluice_example x = {ids, values, n, margin > 0 ? 1 : -1, i % 5 ? 1 : 2.5};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
}

static sluice_model *new_model(const char *learner, const char *params) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_new(learner, &params, 1, NULL, &err);
    if (!m) fprintf(stderr, "%s\n", err.message);
    return m;
}

static bool same(sluice_model *a, sluice_model *b) {
    void *x, *y;
    size_t nx, ny;
    CHECK_EQ(sluice_model_bytes(a, &x, &nx, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &ny, NULL), SLUICE_OK);
    bool equal = nx == ny && memcmp(x, y, nx) == 0;
    sluice_free(x);
    sluice_free(y);
    return equal;
}

static uint64_t waiting(const sluice_model *m) {
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    return f.waiting;
}

TEST(a_batch_waits_until_it_is_full) {
    sluice_model *m = new_model("bcw", "batch=10");
    learn(m, 1, 9, 5, 40);
    CHECK_EQ(waiting(m), 9);
    CHECK_EQ(m->state.dense.order, 0);
    learn(m, 2, 1, 5, 40);
    CHECK_EQ(waiting(m), 0);
    CHECK(m->state.dense.order > 0);
    learn(m, 3, 4, 5, 40);
    CHECK_EQ(sluice_model_end_run(m), SLUICE_OK); /* the batch has a size: it goes on waiting */
    CHECK_EQ(waiting(m), 4);
    sluice_model *finished = sluice_model_finished(m, NULL);
    CHECK_EQ(waiting(finished), 0);
    CHECK_EQ(waiting(m), 4);
    sluice_model_free(finished);
    sluice_model_free(m);
}

TEST(a_run_is_a_batch_where_none_is_given) {
    sluice_model *run = new_model("bcw", "batch=0"), *batch = new_model("bcw", "batch=30");
    learn(run, 1, 30, 5, 40);
    CHECK_EQ(waiting(run), 30);
    CHECK_EQ(sluice_model_end_run(run), SLUICE_OK);
    CHECK_EQ(waiting(run), 0);
    learn(batch, 1, 30, 5, 40);
    CHECK_EQ(run->state.dense.order, batch->state.dense.order);
    CHECK(memcmp(run->state.dense.vector, batch->state.dense.vector, run->state.dense.order * sizeof(double)) == 0);
    sluice_model_free(run);
    sluice_model_free(batch);
}

/* Matrices of several tiles; dense and sparse batches. */
TEST(the_number_of_threads_leaves_no_trace) {
    for (int sparse = 0; sparse < 2; sparse++) {
        size_t n = sparse ? 12 : MOST;
        sluice_model *one = new_model("bcw", "batch=150"), *many = new_model("bcw", "batch=150");
        sluice_model_set_threads(one, 1);
        sluice_model_set_threads(many, 5);
        learn(one, 1, 320, n, MOST + 100 * (size_t)sparse);
        learn(many, 1, 320, n, MOST + 100 * (size_t)sparse);
        CHECK(one->state.dense.order > 384);
        CHECK(same(one, many));
        sluice_model_free(one);
        sluice_model_free(many);
    }
}

/* mu and S^-1 as the definition has them, whatever way the Gram matrix was made: (S^-1 - I)/C is a sum of squares. */
TEST(the_covariance_is_the_sum_over_all_batches) {
    for (size_t n = 8; n <= 64; n += 56) { /* few of 64 features, or all: products one by one, or tiles */
        sluice_model *m = new_model("bcw", "C=0.5");
        double expected[64][64] = {{0}};
        uint64_t ids[64];
        float values[64];
        state = 5;
        for (size_t i = 0; i < 40; i++) {
            double h = i % 3 ? 1 : 0.25;
            for (size_t k = 0; k < n; k++) {
                ids[k] = (i * 11 + k) % 64;
                values[k] = (float)uniform();
            }
            for (size_t k = 0; k < n; k++)
                for (size_t l = 0; l < n; l++)
                    expected[ids[k]][ids[l]] += 0.5 * h * (double)values[k] * (double)values[l];
            sluice_example x = {ids, values, n, uniform() > 0 ? 1 : -1, h};
            CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
            if (i % 13 == 12) CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
        }
        CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
        CHECK_EQ(m->state.dense.order, 64);
        for (uint32_t a = 0; a < 64; a++)
            for (uint32_t b = 0; b < 64; b++) {
                size_t i = *sl_column(m->features.space.features, m->features.space.size, a) - 1;
                size_t j = *sl_column(m->features.space.features, m->features.space.size, b) - 1;
                if (j <= i) CHECK_NEAR(m->state.dense.matrix[sl_triangle(i) + j], expected[a][b] + (a == b), 1e-12);
            }
        sluice_model_free(m);
    }
}

TEST(values_beyond_64_bits_are_refused_and_the_model_is_not_saved) {
    sluice_model *m = new_model("bcw", "C=1");
    uint64_t ids[] = {1, 2};
    float values[] = {1e9f, 1e9f}; /* beside their squares the identity vanishes */
    for (int i = 0; i < 40; i++) {
        sluice_example x = {ids, values, 2, i % 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_end_run(m), SLUICE_E_NUMERIC);
    CHECK_HAS(sluice_model_error(m)->message, "positive definite");
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_E_NUMERIC);
    sluice_model_free(m);
}

/* Two columns that are the same have the same weight, or it is said that they have none. */
TEST(a_covariance_that_is_mostly_rounding_is_refused) {
    static const char *const learners[] = {"bcw", "sbcw"};
    for (size_t l = 0; l < 2; l++)
        for (uint64_t seed = 0; seed < 6; seed++)
            for (double size = 1; size < 1e12; size *= 10) {
                sluice_model *m = new_model(learners[l], "batch=0");
                uint64_t ids[] = {1, 2, 3};
                state = seed;
                for (int i = 0; i < 30; i++) {
                    float x = (float)(size * uniform()), values[] = {x, x, (float)(size * uniform())};
                    sluice_example e = {ids, values, 3, (double)values[0] + 0.3 * (double)values[2] > 0 ? 1 : -1, 1};
                    CHECK_EQ(sluice_model_learn(m, &e, NULL), SLUICE_OK);
                }
                sluice_weight *w = NULL;
                size_t n = 0;
                if (sluice_model_end_run(m) == SLUICE_OK && sluice_model_weights(m, &w, &n, NULL) == SLUICE_OK) {
                    CHECK(n >= 2 && fabs((double)w[0].weight / (double)w[1].weight - 1) < 1e-2);
                    CHECK(size < 1e9);
                } else {
                    CHECK_EQ(sluice_model_error(m)->status, SLUICE_E_NUMERIC);
                    CHECK(size > 1e4);
                }
                sluice_free(w);
                sluice_model_free(m);
            }
}

/* What is not there costs nothing. */
TEST(groups_are_as_large_as_the_features_there_are) {
    const char *params[] = {"features=100000", "iterations=1"};
    sluice_model *m = sluice_model_new("sbcw", params, 2, NULL, NULL);
    learn(m, 1, 30, 5, 40);
    CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
    CHECK(m->state.dense.order <= 512);
    sluice_model_free(m);
}

TEST(later_batches_fill_what_the_first_left_open) {
    static const char *const iterations[] = {"iterations=1", "iterations=2", "iterations=4", "iterations=20"};
    for (size_t i = 0; i < 4; i++) {
        const char *params[] = {"features=30", "batch=8", iterations[i]};
        sluice_model *m = sluice_model_new("fgm", params, 3, NULL, NULL);
        learn(m, 1, 400, 2, 400);
        sluice_model_facts f = {.size = sizeof f};
        sluice_model_describe(m, &f);
        CHECK(f.nonzeros >= (i ? 24 : 10));
        sluice_model_free(m);
    }
}

TEST(examples_without_values_are_a_batch_too) {
    sluice_model *m = new_model("bcw", "batch=2");
    uint64_t id = 7;
    float zero = 0;
    for (int i = 0; i < 5; i++) {
        sluice_example x = {&id, &zero, 1, 1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(waiting(m), 1);
    sluice_model_free(m);
}

int main(void) {
    RUN(a_batch_waits_until_it_is_full);
    RUN(a_run_is_a_batch_where_none_is_given);
    RUN(the_number_of_threads_leaves_no_trace);
    RUN(the_covariance_is_the_sum_over_all_batches);
    RUN(values_beyond_64_bits_are_refused_and_the_model_is_not_saved);
    RUN(a_covariance_that_is_mostly_rounding_is_refused);
    RUN(groups_are_as_large_as_the_features_there_are);
    RUN(later_batches_fill_what_the_first_left_open);
    RUN(examples_without_values_are_a_batch_too);
    return DONE;
}
