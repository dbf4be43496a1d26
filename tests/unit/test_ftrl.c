/* ftrl where its formula divides by nothing: beta = l1 = l2 = 0, and features without a gradient yet. */
#include <math.h>
#include <stdbool.h>

#include "sluice.h"
#include "unit/test.h"

enum { CONFIGURATIONS = 11, ROWS = 80 };

static sluice_batch *make_rows(void) {
    sluice_batch *b = sluice_batch_new(NULL);
    for (size_t t = 0; t < ROWS; t++) { /* every row has features that no row had before */
        uint64_t ids[] = {t % 5, 5 + t % 7, 100 + t, 300 + 2 * t};
        float values[] = {1, -0.5f, 0.25f, t % 2 ? 2.0f : -2.0f};
        sluice_example x = {ids, values, 4, t % 3 ? 1 : -1, 1};
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

static bool same(sluice_model *a, sluice_model *b) {
    void *x, *y;
    size_t nx, ny;
    if (sluice_model_bytes(a, &x, &nx, NULL) != SLUICE_OK) return false;
    if (sluice_model_bytes(b, &y, &ny, NULL) != SLUICE_OK) return sluice_free(x), false;
    bool equal = nx == ny && memcmp(x, y, nx) == 0;
    sluice_free(x);
    sluice_free(y);
    return equal;
}

TEST(a_feature_without_a_gradient_weighs_nothing_alone_and_in_sweeps) {
    static char alpha[CONFIGURATIONS][32];
    const char *given[CONFIGURATIONS][5];
    const char *const *params[CONFIGURATIONS];
    size_t n_params[CONFIGURATIONS];
    sluice_model *alone[CONFIGURATIONS];
    sluice_batch *b = make_rows();
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        snprintf(alpha[i], sizeof alpha[i], "alpha=%g", 0.1 * (double)(i + 1));
        given[i][0] = alpha[i];
        given[i][1] = "beta=0";
        given[i][2] = i % 4 == 3 ? "l1=0.1" : "l1=0";
        given[i][3] = i % 5 == 4 ? "l2=0.01" : "l2=0";
        given[i][4] = i % 2 ? "loss=hinge" : "loss=logistic";
        params[i] = given[i];
        n_params[i] = 5;
        alone[i] = sluice_model_new("ftrl", params[i], 5, NULL, NULL);
        CHECK_EQ(sluice_model_learn_batch(alone[i], b, NULL), SLUICE_OK); /* 0/0 would be SLUICE_E_NUMERIC */
    }
    sluice_error err = {0};
    sluice_sweep *sweep = sluice_sweep_new("ftrl", params, n_params, CONFIGURATIONS, NULL, 1, &err);
    CHECK(sweep);
    CHECK_EQ(sluice_sweep_learn_batch(sweep, b), SLUICE_OK);
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        sluice_model *m = sluice_sweep_model(sweep, i, &err);
        CHECK(m && same(m, alone[i]));
        sluice_weight *w = NULL;
        size_t n = 0;
        CHECK_EQ(sluice_model_weights(alone[i], &w, &n, NULL), SLUICE_OK);
        CHECK(n > 20); /* and it did learn */
        for (size_t k = 0; k < n; k++) CHECK(isfinite(w[k].weight));
        sluice_free(w);
        sluice_model_free(m);
        sluice_model_free(alone[i]);
    }
    sluice_sweep_free(sweep);
    sluice_batch_free(b);
}

/* A zero is a feature without a gradient too; it is predicted before and after others have learned. */
TEST(unseen_and_zero_features_have_margin_0) {
    const char *params[] = {"beta=0", "l1=0", "l2=0"};
    sluice_model *m = sluice_model_new("ftrl", params, 3, NULL, NULL);
    uint64_t ids[] = {1, 2};
    float values[] = {1, 0};
    double margin = NAN;
    sluice_example x = {ids, values, 2, 1, 1}, unseen = {ids + 1, values, 1, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, &margin), SLUICE_OK);
    CHECK(margin == 0);
    CHECK_EQ(sluice_model_margin(m, &unseen, &margin, NULL), SLUICE_OK);
    CHECK(margin == 0);
    CHECK_EQ(sluice_model_margin(m, &x, &margin, NULL), SLUICE_OK);
    CHECK(margin > 0);
    sluice_model_free(m);
}

int main(void) {
    RUN(a_feature_without_a_gradient_weighs_nothing_alone_and_in_sweeps);
    RUN(unseen_and_zero_features_have_margin_0);
    return DONE;
}
