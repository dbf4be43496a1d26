/* Counters of 32 bits in the features survive streams of more than 2^32 examples. */
#include <math.h>

#include "sweep/sweep.h"
#include "unit/test.h"

/* Runs the same rows from round `start`: shrinkage depends on rounds passed, not on when it began. */
static sluice_model *run_from(const char *learner, const char *const *params, size_t n_params, uint64_t start) {
    sluice_model *m = sluice_model_new(learner, params, n_params, NULL, NULL);
    m->state.t = start;
    for (uint64_t t = 0; t < 100; t++) {
        uint64_t ids[] = {t == 0 ? 1000 : 5, t % 7, 10 + t % 3}; /* feature 1000 comes once and is not touched again */
        float values[] = {1, 0.5f, -0.25f};
        if (ids[0] == ids[1]) ids[0] = 8;
        sluice_example x = {ids, values, 3, t % 5 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    return m;
}

static void compare(const char *learner, const char *const *params, size_t n_params, uint64_t start) {
    sluice_model *a = run_from(learner, params, n_params, 0), *b = run_from(learner, params, n_params, start);
    sluice_weight *u, *v;
    size_t nu, nv;
    CHECK_EQ(sluice_model_weights(a, &u, &nu, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_weights(b, &v, &nv, NULL), SLUICE_OK);
    CHECK(nu > 3);
    CHECK_EQ(nu, nv);
    for (size_t i = 0; i < nu && i < nv; i++) {
        CHECK_EQ(u[i].id, v[i].id);
        CHECK_NEAR((double)u[i].weight, (double)v[i].weight, 1e-5);
    }
    sluice_free(u);
    sluice_free(v);
    sluice_model_free(a);
    sluice_model_free(b);
}

TEST(stg_crosses_its_settling_rounds) {
    const char *params[] = {"k=2", "eta=0.5", "lambda=0.003"};
    compare("stg", params, 3, SL_SETTLE_EVERY - 50);
    compare("stg", params, 3, 2 * SL_SETTLE_EVERY - 50);
    compare("stg", params, 3, 5 * SL_SETTLE_EVERY - 98);
}

TEST(ada_fobos_crosses_its_settling_rounds) {
    const char *params[] = {"eta=0.5", "lambda=0.003"};
    compare("ada-fobos", params, 2, SL_SETTLE_EVERY - 50);
    compare("ada-fobos", params, 2, 2 * SL_SETTLE_EVERY - 50);
    compare("ada-fobos", params, 2, 5 * SL_SETTLE_EVERY - 1);
}

/* Rules that forget count rounds, too. */
TEST(forgetting_crosses_the_settling_rounds) {
    const char *ssol[] = {"lambda=0", "forget=0.97"}, *arow[] = {"r=0.5", "forget=0.97"},
               *ftrl[] = {"l1=0", "alpha=0.5", "forget=0.97"}, *ada_rda[] = {"lambda=0", "forget=0.97"};
    for (uint64_t k = 1; k <= 5; k += 2) {
        compare("ssol", ssol, 2, k * SL_SETTLE_EVERY - 50);
        compare("arow", arow, 2, k * SL_SETTLE_EVERY - 98);
        compare("ftrl", ftrl, 3, k * SL_SETTLE_EVERY - 50);
        compare("ada-rda", ada_rda, 2, k * SL_SETTLE_EVERY - 1);
    }
}

/* Without settling, 2^32 rounds would be none. */
TEST(what_was_learned_ages_ago_is_forgotten) {
    const char *params[] = {"lambda=0", "forget=0.999"};
    static const unsigned kinds[] = {SLUICE_CLASSES_TWO, SLUICE_CLASSES_OVR, SLUICE_CLASSES_MATRIX};
    for (size_t c = 0; c < SL_COUNT(kinds); c++) {
        const sluice_settings settings = {.size = sizeof settings, .classes = kinds[c]};
        sluice_model *m = sluice_model_new("ssol", params, 2, &settings, NULL);
        uint64_t once = 1, often = 2;
        float value = 1;
        sluice_example x = {&once, &value, 1, 1, 1}, y = {&often, &value, 1, -1, 1};
        for (int i = 0; i < 5; i++) {
            y.label = i % 2 ? 1 : -1; /* two classes before the row */
            CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
        }
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        sluice_weight *w;
        size_t n, old[2] = {0};
        for (int late = 0; late < 2; late++) {
            CHECK_EQ(sl_model_weights_inside(m, 0, &w, &n, NULL), SLUICE_OK);
            for (size_t i = 0; i < n; i++) old[late] += w[i].id == once;
            sluice_free(w);
            for (int k = 1; k <= 2 && !late; k++) { /* as if the rounds between had passed */
                m->state.t = (uint64_t)k * SL_SETTLE_EVERY - 1;
                CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
            }
        }
        CHECK_EQ(old[0], 1);
        CHECK_EQ(old[1], 0);
        sluice_model_free(m);
    }
}

static sluice_batch *make_rows(void) {
    sluice_error err = {0};
    sluice_batch *rows = sluice_batch_new(&err);
    for (uint64_t t = 0; t < 100; t++) {
        uint64_t ids[] = {t == 0 ? 1000 : 50, t % 7, 10 + t % 3};
        float values[] = {1, 0.5f, -0.25f};
        sluice_example x = {ids, values, 3, t % 5 ? 1 : -1, 1};
        CHECK_EQ(sluice_batch_add(rows, &x, &err), SLUICE_OK);
    }
    return rows;
}

/* In a sweep as alone. */
static void compare_sweep(const char *learner, bool forgets, uint64_t start) {
    static const char *const a[] = {"eta=0.5", "lambda=0.003", "forget=0.97"}, *const b[] = {"eta=0.25", "lambda=0.02",
                                                                                             "forget=1"};
    const char *const *params[] = {a, b};
    const size_t n = forgets ? 3 : 2, n_params[] = {n, n};
    sluice_error err = {0};
    sluice_sweep *sweep = sluice_sweep_new(learner, params, n_params, 2, NULL, 1, &err);
    sluice_batch *rows = make_rows();
    CHECK_EQ(sweep->n_parts, 1);
    sweep->parts[0].model->state.t = start;
    CHECK_EQ(sluice_sweep_learn_batch(sweep, rows), SLUICE_OK);
    for (size_t i = 0; i < 2; i++) {
        sluice_model *alone = sluice_model_new(learner, params[i], n, NULL, NULL), *m;
        alone->state.t = start;
        CHECK_EQ(sluice_model_learn_batch(alone, rows, NULL), SLUICE_OK);
        CHECK((m = sluice_sweep_model(sweep, i, &err)));
        void *x, *y;
        size_t nx, ny;
        CHECK_EQ(sluice_model_bytes(m, &x, &nx, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_bytes(alone, &y, &ny, NULL), SLUICE_OK);
        CHECK(nx == ny && memcmp(x, y, nx) == 0);
        sluice_free(x);
        sluice_free(y);
        sluice_model_free(alone);
        sluice_model_free(m);
    }
    sluice_batch_free(rows);
    sluice_sweep_free(sweep);
}

TEST(sweeps_cross_the_settling_rounds) {
    compare_sweep("stg", false, SL_SETTLE_EVERY - 50);
    compare_sweep("stg", false, 5 * SL_SETTLE_EVERY - 98);
    compare_sweep("ada-fobos", false, SL_SETTLE_EVERY - 50);
    compare_sweep("ada-fobos", false, 5 * SL_SETTLE_EVERY - 1);
    compare_sweep("ada-rda", true, SL_SETTLE_EVERY - 50);
    compare_sweep("ssol", true, 2 * SL_SETTLE_EVERY - 50);
}

/* Without settling a feature that waits for 2^32 rounds would look as if it had waited for none. */
TEST(a_feature_untouched_for_ages_is_still_shrunk) {
    const char *params[] = {"eta=0.5", "lambda=1e-9"};
    sluice_model *m = sluice_model_new("ada-fobos", params, 2, NULL, NULL);
    uint64_t once = 1, often = 2;
    float value = 1;
    sluice_example x = {&once, &value, 1, 1, 1}, y = {&often, &value, 1, -1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    double w0, w1;
    sluice_model_margin(m, &x, &w0, NULL);
    for (int k = 1; k <= 3; k++) { /* as if the rounds between had passed */
        m->state.t = (uint64_t)k * SL_SETTLE_EVERY - 1;
        CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
    }
    sluice_model_margin(m, &x, &w1, NULL);
    CHECK(w0 > 0.2);
    CHECK_EQ(w1 == 0, 1); /* 6e9 rounds of 2.5e-10 */
    sluice_model_free(m);
}

/* A feature that is seen in every round is shrunk in every round, however little. */
static void check_tiny_shrinkage(const char *learner, const char *const *params, size_t n_params, double each) {
    sluice_model *m = sluice_model_new(learner, params, n_params, NULL, NULL);
    uint64_t id = 1;
    float value = 2;
    sluice_example x = {&id, &value, 1, 1, 1};
    double first = 0, last = 0;
    enum { ROUNDS = 200000 };
    for (int t = 0; t <= ROUNDS + 1; t++) {
        CHECK_EQ(sluice_model_learn(m, &x, t <= 1 ? &first : &last), SLUICE_OK);
    }
    CHECK(first >= 1); /* satisfied after the first round: from then on it only shrinks */
    CHECK_NEAR((first - last) / 2, ROUNDS * each, ROUNDS * each * 1e-3);
    sluice_model_free(m);
}

TEST(shrinkage_below_the_last_bit_of_a_float_is_not_lost) {
    const char *stg[] = {"k=1", "eta=0.5", "lambda=1e-9"};
    check_tiny_shrinkage("stg", stg, 3, 0.5e-9);
    const char *ada[] = {"eta=2", "lambda=1e-9", "delta=1"}; /* G = 4: the step is eta/3 */
    check_tiny_shrinkage("ada-fobos", ada, 3, 2e-9 / 3);
}

int main(void) {
    RUN(stg_crosses_its_settling_rounds);
    RUN(ada_fobos_crosses_its_settling_rounds);
    RUN(forgetting_crosses_the_settling_rounds);
    RUN(what_was_learned_ages_ago_is_forgotten);
    RUN(sweeps_cross_the_settling_rounds);
    RUN(a_feature_untouched_for_ages_is_still_shrunk);
    RUN(shrinkage_below_the_last_bit_of_a_float_is_not_lost);
    return DONE;
}
