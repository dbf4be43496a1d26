/* How rows reach a rule: hashing, scaling, the bias, limits. */
#include <float.h>
#include <math.h>

#include "model/model.h"
#include "unit/test.h"

static sluice_model *model(const char *learner, sluice_settings settings) {
    settings.size = sizeof settings;
    return sluice_model_new(learner, NULL, 0, &settings, NULL);
}

static sluice_status learn(sluice_model *m, uint64_t *ids, float *values, size_t n, double label) {
    sluice_example x = {ids, values, n, label, 1};
    return sluice_model_learn(m, &x, NULL);
}

static double margin(const sluice_model *m, uint64_t *ids, float *values, size_t n) {
    sluice_example x = {ids, values, n, 1, 1};
    double result = NAN;
    CHECK_EQ(sluice_model_margin(m, &x, &result, NULL), SLUICE_OK);
    return result;
}

TEST(the_bias_is_a_feature_without_an_id) {
    sluice_model *m = model("perceptron", (sluice_settings){.bias = 2});
    CHECK_EQ(learn(m, NULL, NULL, 0, 1), SLUICE_OK); /* an empty example: only the bias learns */
    sluice_weight *w;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &w, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 1);
    CHECK(w[0].is_bias && w[0].weight == 2);
    CHECK_NEAR(margin(m, NULL, NULL, 0), 4, 0);
    uint64_t zero = 0;
    float one = 1;
    CHECK_NEAR(margin(m, &zero, &one, 1), 4, 0); /* id 0 is another feature */
    sluice_free(w);
    sluice_model_free(m);
}

TEST(scaling_to_length_one_is_the_same_in_learning_and_prediction) {
    sluice_model *m = model("perceptron", (sluice_settings){.normalize = SLUICE_NORMALIZE_L2});
    uint64_t ids[] = {1, 2};
    float values[] = {3, 4}, larger[] = {30, 40}, zeros[] = {0, 0};
    CHECK_EQ(learn(m, ids, values, 2, 1), SLUICE_OK);
    CHECK_NEAR(margin(m, ids, values, 2), 1, 1e-6);
    CHECK_NEAR(margin(m, ids, larger, 2), 1, 1e-6);
    CHECK_EQ(learn(m, ids, zeros, 2, 1), SLUICE_OK);
    CHECK_NEAR(margin(m, ids, zeros, 2), 0, 0);
    sluice_model_free(m);
}

TEST(features_that_hashing_throws_together_add_up) {
    /* one bit: two slots for many ids */
    sluice_model *m = model("perceptron", (sluice_settings){.hash_bits = 1});
    uint64_t ids[16];
    float values[16];
    for (uint64_t i = 0; i < 16; i++) {
        ids[i] = i * 1000003;
        values[i] = 1;
    }
    CHECK_EQ(learn(m, ids, values, 16, 1), SLUICE_OK);
    sluice_weight *w;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &w, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 2);
    CHECK_NEAR((double)(w[0].weight + w[1].weight), 16, 0);
    CHECK_NEAR(margin(m, ids, values, 16), (double)(w[0].weight * w[0].weight + w[1].weight * w[1].weight), 0);
    sluice_free(w);
    sluice_model_free(m);
}

/* Their sum may be beyond the range of floats: it stays within. */
TEST(features_that_hashing_throws_together_stay_within_floats) {
    for (int sign = -1; sign <= 1; sign += 2) {
        sluice_model *m = model("perceptron", (sluice_settings){.hash_bits = 1});
        uint64_t ids[16];
        float values[16];
        for (uint64_t i = 0; i < 16; i++) ids[i] = i * 1000003, values[i] = (float)sign * 3e38f;
        CHECK_EQ(learn(m, ids, values, 16, 1), SLUICE_OK);
        sluice_weight *w = NULL;
        size_t n = 0;
        CHECK_EQ(sluice_model_weights(m, &w, &n, NULL), SLUICE_OK);
        CHECK_EQ(n, 2);
        for (size_t k = 0; k < n; k++) CHECK(w[k].weight == (float)sign * FLT_MAX);
        CHECK(isfinite(margin(m, ids, values, 16)));
        sluice_free(w);
        sluice_model_free(m);
    }
}

TEST(values_that_cancel_in_one_slot_are_no_feature_of_the_example) {
    sluice_model *m = model("pa", (sluice_settings){.hash_bits = 1});
    uint64_t ids[2] = {0, 1};
    float one = 1, values[] = {1, -1};
    CHECK_EQ(learn(m, ids, &one, 1, 1), SLUICE_OK);
    while (m->features.space.seen ==
           1) { /* look for an id that falls into the other slot; those before fall into the same */
        sluice_model *copy = sluice_model_copy(m, NULL);
        CHECK_EQ(learn(copy, ids + 1, &one, 1, 1), SLUICE_OK);
        bool same_slot = copy->features.space.seen == 1;
        sluice_model_free(copy);
        if (same_slot) break;
        ids[1]++;
    }
    uint64_t updates = m->updates;
    CHECK_EQ(learn(m, ids, values, 2, -1), SLUICE_OK);
    CHECK_EQ(m->updates, updates); /* nothing left of the example */
    sluice_model_free(m);
}

TEST(dense_learners_refuse_features_beyond_their_limit_and_stay_as_they_were) {
    sluice_model *m = model("ssol-full", (sluice_settings){.bias = 0});
    uint64_t *ids = malloc((SLUICE_MAX_DENSE_FEATURES + 1) * sizeof *ids);
    float *values = malloc((SLUICE_MAX_DENSE_FEATURES + 1) * sizeof *values);
    for (uint64_t i = 0; i <= SLUICE_MAX_DENSE_FEATURES; i++) {
        ids[i] = i * 3;
        values[i] = 1;
    }
    CHECK_EQ(learn(m, ids, values, 3, 1), SLUICE_OK);
    CHECK_EQ(learn(m, ids, values, SLUICE_MAX_DENSE_FEATURES + 1, 1), SLUICE_E_LIMIT);
    CHECK_HAS(sluice_model_error(m)->message, "at most 16384 of them; use ssol, ");
    CHECK_EQ(m->features.space.seen, 3);
    CHECK_EQ(m->state.t, 1);
    CHECK_EQ(learn(m, ids, values, 3, 1), SLUICE_OK);
    free(ids);
    free(values);
    sluice_model_free(m);
}

TEST(a_dense_learner_counts_hashed_features_once) {
    const char *no_params[1] = {NULL};
    sluice_settings s = {.size = sizeof s, .hash_bits = 4};
    sluice_model *m = sluice_model_new("ssol-full", no_params, 0, &s, NULL);
    enum { N = SLUICE_MAX_DENSE_FEATURES + 100 };
    uint64_t *ids = malloc(N * sizeof *ids);
    float *values = malloc(N * sizeof *values);
    for (uint64_t i = 0; i < N; i++) {
        ids[i] = i;
        values[i] = 1e-3f;
    }
    CHECK_EQ(learn(m, ids, values, N, 1), SLUICE_OK);
    CHECK_EQ(m->features.space.seen, 16);
    free(ids);
    free(values);
    sluice_model_free(m);
}

/* Reads text and learns it; the model's failure has the place of the row. */
TEST(a_failure_of_the_model_has_the_place_of_the_row) {
    const char text[] = "# eta is huge\n1 1:1\n\n-1 1:3e38 2:1 # this one overflows\n1 1:3e38\n-1 1:1\n";
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "some.svm", NULL, NULL);
    const char *params[] = {"eta=1e12"};
    sluice_model *m = sluice_model_new("perceptron", params, 1, NULL, NULL);
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    while (status == SLUICE_OK && sluice_reader_next(r, &batch) == SLUICE_OK)
        status = sluice_model_learn_batch(m, batch, NULL);
    CHECK_EQ(status, SLUICE_E_NUMERIC);
    CHECK_STR(sluice_model_error(m)->source, "some.svm");
    CHECK_EQ(sluice_model_error(m)->line, 5);
    CHECK_EQ(m->broken, 1);
    sluice_reader_close(r);
    sluice_model_free(m);
}

TEST(a_margin_or_a_merged_sum_that_is_no_number_is_a_failure) {
    sluice_model *a = model("perceptron", (sluice_settings){.bias = 0});
    uint64_t id = 1;
    float large = 3e38f, nan_value = NAN;
    CHECK_EQ(learn(a, &id, &large, 1, 1), SLUICE_OK);
    sluice_model *b = sluice_model_copy(a, NULL);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_NUMERIC);
    sluice_error err = {0};
    double m;
    sluice_example x = {&id, &large, 1, 1, 1}, y = {&id, &nan_value, 1, 1, 1};
    CHECK_EQ(sluice_model_margin(a, &x, &m, &err), SLUICE_E_NUMERIC);
    CHECK(err.message[0]);
    CHECK_EQ(sluice_model_margin(b, &y, &m, &err), SLUICE_E_DATA);
    CHECK_STR(err.message, "the value of feature 1 is not finite");
    sluice_weight *w;
    size_t n;
    CHECK_EQ(sluice_model_weights(a, &w, &n, &err), SLUICE_E_NUMERIC);
    CHECK(!sluice_model_final(a, &err) && err.status == SLUICE_E_NUMERIC);
    sluice_model_free(a);
    sluice_model_free(b);
}

TEST(settings_pass_a_gate) {
    sluice_error err = {0};
    sluice_settings s = {.size = sizeof s, .hash_bits = 31};
    CHECK(!sluice_model_new("pa", NULL, 0, &s, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    s = (sluice_settings){.size = sizeof s, .bias = INFINITY};
    CHECK(!sluice_model_new("pa", NULL, 0, &s, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    s = (sluice_settings){.size = sizeof s, .bias = 1e-60}; /* would be no bias at all */
    CHECK(!sluice_model_new("pa", NULL, 0, &s, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    s = (sluice_settings){.bias = 1}; /* forgot the size */
    CHECK(!sluice_model_new("pa", NULL, 0, &s, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK(!sluice_model_new("nobody", NULL, 0, NULL, &err));
    CHECK_STR(err.message, "there is no learner 'nobody'");
}

/* ftrl's importance multiplies the gradient: worked out by hand for one feature from zero. */
TEST(ftrl_scales_the_gradient_by_the_importance) {
    const char *params[] = {"alpha=0.5", "beta=1", "l1=0.25", "l2=0.125"};
    sluice_model *m = sluice_model_new("ftrl", params, 4, NULL, NULL);
    uint64_t id = 3;
    float value = 2;
    sluice_example x = {&id, &value, 1, 1, 3};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    /* g = 3 (0.5 - 1) 2 = -3; n = 9; z = -3; w = (3 - 0.25)/((1 + 3)/0.5 + 0.125) */
    CHECK_NEAR(margin(m, &id, &value, 1), 2 * (float)(2.75 / 8.125), 1e-12);
    sluice_model_free(m);
}

/* narow's r, which it chooses itself, is divided by the importance: by hand for one feature from zero. */
TEST(narow_divides_its_r_by_the_importance) {
    static const char *const learners[] = {"narow", "narow-full"};
    const char *params[] = {"b=2"};
    uint64_t id = 3;
    float value = 2;
    for (size_t i = 0; i < 2; i++) {
        sluice_model *m = sluice_model_new(learners[i], params, 1, NULL, NULL);
        sluice_example x = {&id, &value, 1, 1, 3};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        /* v = 4, r = 4/(2 4 - 1)/3 = 4/21, w = 2/(4 + r) = 21/44 */
        CHECK_NEAR(margin(m, &id, &value, 1), 2 * (float)(21.0 / 44), 1e-12);
        sluice_model_free(m);
    }
}

TEST(who_takes_only_the_weights_0_and_1_says_who_takes_others) {
    static const char *const learners[][2] = {
        {"pa", "use pa-1 or pa-2"},    {"olsf", "use olsf-1 or olsf-2"},
        {"cw", "use scw-1 or scw-2"},  {"cw-full", "use scw-1-full or scw-2-full"},
        {"sop-full", "use arow-full"},
    };
    uint64_t id = 3;
    float value = 2;
    for (size_t i = 0; i < SL_COUNT(learners); i++) {
        sluice_model *m = model(learners[i][0], (sluice_settings){.bias = 0});
        sluice_example x = {&id, &value, 1, 1, 2};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_E_DATA);
        CHECK_HAS(sluice_model_error(m)->message, learners[i][1]);
        sluice_model_free(m);
    }
}

/* One example with a value of 2e9, as times have, and r = 0.1: S is 2.5e-20 then, which 1 - 1 would not give. */
TEST(a_huge_value_leaves_its_feature_some_variance) {
    static const char *const learners[] = {"arow", "arow-full"};
    uint64_t id = 3;
    for (size_t i = 0; i < 2; i++) {
        const char *params[] = {"r=0.1"};
        sluice_model *m = sluice_model_new(learners[i], params, 1, NULL, NULL);
        float values[] = {2e9f, 2e9f};
        CHECK_EQ(learn(m, &id, values, 1, 1), SLUICE_OK);
        CHECK_NEAR(margin(m, &id, values, 1), 1, 1e-6);
        CHECK_EQ(learn(m, &id, values, 1, -1), SLUICE_OK); /* half of the variance is left: to the middle */
        CHECK_NEAR(margin(m, &id, values, 1), 0, 1e-6);
        sluice_model_free(m);
    }
}

/* It takes the ends of the range of numbers: r/h = 1e-320 and v = 1e77. */
TEST(a_matrix_that_is_no_longer_positive_definite_breaks_the_model) {
    const char *params[] = {"r=1e-12"};
    sluice_model *m = sluice_model_new("arow-full", params, 1, NULL, NULL);
    uint64_t id = 3;
    float one = 1, huge = 3e38f;
    CHECK_EQ(learn(m, &id, &one, 1, 1), SLUICE_OK);
    sluice_example x = {&id, &huge, 1, -1, 1e308};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_E_NUMERIC);
    CHECK_HAS(sluice_model_error(m)->message, "positive definite");
    CHECK_EQ(learn(m, &id, &one, 1, 1), SLUICE_E_NUMERIC);
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_E_NUMERIC);
    sluice_model_free(m);
}

int main(void) {
    RUN(the_bias_is_a_feature_without_an_id);
    RUN(scaling_to_length_one_is_the_same_in_learning_and_prediction);
    RUN(features_that_hashing_throws_together_add_up);
    RUN(features_that_hashing_throws_together_stay_within_floats);
    RUN(values_that_cancel_in_one_slot_are_no_feature_of_the_example);
    RUN(dense_learners_refuse_features_beyond_their_limit_and_stay_as_they_were);
    RUN(a_dense_learner_counts_hashed_features_once);
    RUN(a_failure_of_the_model_has_the_place_of_the_row);
    RUN(a_margin_or_a_merged_sum_that_is_no_number_is_a_failure);
    RUN(settings_pass_a_gate);
    RUN(ftrl_scales_the_gradient_by_the_importance);
    RUN(narow_divides_its_r_by_the_importance);
    RUN(who_takes_only_the_weights_0_and_1_says_who_takes_others);
    RUN(a_huge_value_leaves_its_feature_some_variance);
    RUN(a_matrix_that_is_no_longer_positive_definite_breaks_the_model);
    return DONE;
}
