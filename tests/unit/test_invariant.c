/* Importance-invariant steps: one example of importance h is h examples. The rules: tests/reference. */
#include <math.h>

#include "sluice.h"
#include "unit/test.h"

/* The margin of a row after it was learned `times` times with importance h, by a model that has learned another. */
static double margin_after(const char *learner, const char *const *params, size_t n_params, int times, double h) {
    sluice_model *m = sluice_model_new(learner, params, n_params, NULL, NULL);
    uint64_t ids[] = {1, 2, 3};
    float before[] = {0.5f, -1, 0.25f}, values[] = {1, 0.75f, -0.5f};
    sluice_example first = {ids, before, 3, 1, 1}, x = {ids, values, 3, -1, h};
    double margin = NAN;
    CHECK_EQ(sluice_model_learn(m, &first, NULL), SLUICE_OK);
    for (int i = 0; i < times; i++) CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margin(m, &x, &margin, NULL), SLUICE_OK);
    sluice_model_free(m);
    return margin;
}

TEST(importance_h_is_h_examples) {
    static const char *const learners[] = {"fsol", "stg", "cs-ogd"};
    const char *params[] = {"eta=0.125", "invariant=1", "lambda=0"};
    for (size_t l = 0; l < 3; l++) {
        const size_t n = strcmp(learners[l], "cs-ogd") == 0 ? 2 : 3;
        for (int h = 1; h <= 16; h *= 2)
            CHECK_NEAR(margin_after(learners[l], params, n, 1, h), margin_after(learners[l], params, n, h, 1), 1e-6);
        CHECK_NEAR(margin_after(learners[l], params, n, 1, 1e6), -1, 1e-6); /* and never beyond what is wanted */
    }
}

TEST(plain_steps_go_as_far_as_importance_says) {
    const char *params[] = {"eta=0.125", "lambda=0"};
    CHECK(margin_after("fsol", params, 2, 1, 1e6) < -1e4);
}

/* The closed form of the logistic loss holds for every importance, and more of it goes further. */
TEST(logistic_steps_of_any_importance_are_finite_and_grow) {
    const char *params[] = {"alpha=0.5", "l1=0", "invariant=1"};
    double last = margin_after("ftrl", params, 3, 1, 1e-9);
    CHECK(isfinite(last));
    for (double h = 1e-6; h < 1e15; h *= 10) {
        const double next = margin_after("ftrl", params, 3, 1, h);
        CHECK(isfinite(next) && next < last);
        last = next;
    }
    CHECK(last < -10 && last > -100); /* the logarithm of what was asked for */
}

TEST(a_cost_is_an_importance) {
    const char *costs[] = {"invariant=1", "cost_neg=7", "eta=0.0625"}, *none[] = {"invariant=1", "eta=0.0625"};
    CHECK(margin_after("cs-ogd", costs, 3, 1, 1) == margin_after("cs-ogd", none, 2, 1, 7));
    CHECK(margin_after("cs-ssol", costs, 3, 1, 1) == margin_after("cs-ssol", none, 2, 1, 7));
}

int main(void) {
    RUN(importance_h_is_h_examples);
    RUN(plain_steps_go_as_far_as_importance_says);
    RUN(logistic_steps_of_any_importance_are_finite_and_grow);
    RUN(a_cost_is_an_importance);
    return DONE;
}
