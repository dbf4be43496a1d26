/* Calls of the public header about one model: weights by id and name, snapshots, memory, versions and how it was built.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

static sluice_example example(const uint64_t *ids, const float *values, size_t n, double label) {
    return (sluice_example){.ids = ids, .values = values, .n = n, .label = label, .weight = 1};
}

static void learn(sluice_model *m, size_t rows) {
    for (size_t i = 0; i < rows; i++) {
        uint64_t ids[] = {i % 7, 100 + i % 11, (uint64_t)1 << 50 | i % 3};
        float values[] = {1, -0.5f, 0.25f};
        sluice_example x = example(ids, values, 3, i % 7 < 3 ? 1 : -1);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
}

TEST(a_weight_by_id_is_the_one_in_the_list) {
    sluice_settings settings = {.size = sizeof settings, .bias = 1};
    sluice_model *m = sluice_model_new("arow", NULL, 0, &settings, NULL);
    CHECK(sluice_model_bias_weight(m) == 0);
    learn(m, 500);
    sluice_weight *weights;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &weights, &n, NULL), SLUICE_OK);
    CHECK(n > 10);
    for (size_t i = 0; i < n; i++) {
        double w = weights[i].is_bias ? sluice_model_bias_weight(m) : sluice_model_weight_of_id(m, weights[i].id);
        CHECK(w == (double)weights[i].weight && w != 0);
    }
    CHECK(sluice_model_weight_of_id(m, 99) == 0);
    CHECK(sluice_model_weight_of_id(m, UINT64_MAX) == 0);
    CHECK(sluice_model_weight_of_name(m, (sluice_name){"3", 1}) == sluice_model_weight_of_id(m, 3));
    CHECK(sluice_model_weight_of_name(m, (sluice_name){"no such", 7}) == 0);
    sluice_free(weights);
    sluice_model_free(m);
}

TEST(a_weight_by_name_is_the_one_in_the_list) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    sluice_name names[] = {{"word", 4}, {"a longer name", 13}, {"17", 2}};
    sluice_example x = {.names = names, .values = (float[]){1, 2, 3}, .n = 3, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    double w = sluice_model_weight_of_name(m, names[0]);
    CHECK(w > 0);
    CHECK_NEAR(sluice_model_weight_of_name(m, names[1]), 2 * w, 1e-6);
    CHECK_NEAR(sluice_model_weight_of_id(m, 17), 3 * w, 1e-6);
    CHECK(sluice_model_weight_of_name(m, (sluice_name){"wor", 3}) == 0);
    sluice_model_free(m);
}

TEST(a_snapshot_predicts_what_the_model_did_and_stays) {
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    learn(m, 300);
    sluice_model *snapshot = sluice_model_snapshot(m, NULL);
    uint64_t ids[] = {1, 105, (uint64_t)1 << 50};
    float values[] = {1, 2, 3};
    sluice_example x = example(ids, values, 3, 0);
    double before, later, model;
    CHECK_EQ(sluice_model_margin(m, &x, &before, NULL), SLUICE_OK);
    learn(m, 300);
    CHECK_EQ(sluice_model_margin(snapshot, &x, &later, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margin(m, &x, &model, NULL), SLUICE_OK);
    CHECK_NEAR(later, before, 1e-9);
    CHECK(model != before);
    CHECK_EQ(sluice_model_learn(snapshot, &x, NULL), SLUICE_E_UNSUPPORTED);
    sluice_model_free(snapshot);
    sluice_model_free(m);
}

TEST(a_snapshot_leaves_the_unfinished_batch_alone) {
    sluice_model *m = sluice_model_new("sbcw", (const char *[]){"batch=100"}, 1, NULL, NULL);
    learn(m, 150);
    CHECK_EQ(sluice_model_waiting(m), 50);
    sluice_model *snapshot = sluice_model_snapshot(m, NULL), *final = sluice_model_final(m, NULL);
    uint64_t ids[] = {1, 105, (uint64_t)1 << 50};
    float values[] = {1, 2, 3};
    sluice_example x = example(ids, values, 3, 0);
    double stands, snapped, finished;
    CHECK_EQ(sluice_model_margin(m, &x, &stands, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margin(snapshot, &x, &snapped, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margin(final, &x, &finished, NULL), SLUICE_OK);
    CHECK_NEAR(stands, snapped, 1e-9);
    CHECK(finished != snapped);
    sluice_model_free(snapshot), sluice_model_free(final);
    sluice_model_free(m);
}

TEST(memory_grows_with_the_features_and_a_predict_only_model_needs_less) {
    sluice_model *m = sluice_model_new("arow", NULL, 0, NULL, NULL);
    uint64_t empty = sluice_model_memory(m);
    CHECK(empty > 0);
    for (uint64_t i = 0; i < 100000; i++) {
        uint64_t id = (i + 1) << 32;
        sluice_example x = example(&id, (float[]){1}, 1, 1);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    uint64_t full = sluice_model_memory(m);
    CHECK(full > empty + 100000 * 16); /* an id and two numbers for each */
    sluice_model *small = sluice_model_final(m, NULL);
    CHECK(sluice_model_memory(small) < full);
    CHECK_EQ(sluice_model_set_metadata(m, "k", (char[1000]){0}, 1000), SLUICE_OK);
    CHECK(sluice_model_memory(m) >= full + 1000);
    sluice_model_free(small);
    sluice_model_free(m);
}

TEST(quick_facts_are_the_facts_without_the_nonzeros) {
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    learn(m, 300);
    sluice_model_facts all = {.size = sizeof all}, quick = all;
    CHECK_EQ(sluice_model_describe(m, &all), SLUICE_OK);
    CHECK_EQ(sluice_model_quick_facts(m, &quick), SLUICE_OK);
    CHECK_EQ(quick.nonzeros, 0);
    CHECK(all.nonzeros > 0);
    CHECK_EQ(sluice_model_nonzeros(m), all.nonzeros);
    CHECK_EQ(quick.examples, 300);
    CHECK_EQ(quick.features_seen, all.features_seen);
    CHECK_EQ(sluice_model_quick_facts(m, &(sluice_model_facts){0}), SLUICE_E_USAGE);
    sluice_model_free(m);
}

TEST(the_version_of_the_library_is_that_of_the_header) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR, SLUICE_VERSION_PATCH);
    CHECK_STR(sluice_version(), text);
    CHECK_EQ(sluice_version_number(), SLUICE_VERSION_NUMBER);
    sluice_build_facts facts = {.size = sizeof facts};
    CHECK_EQ(sluice_build_info(&facts), SLUICE_OK);
    CHECK_STR(facts.version, text);
    CHECK(*facts.compiler && *facts.kernels && facts.codecs);
    CHECK(strstr("portable avx2 avx512 neon", facts.kernels) != NULL);
    CHECK_EQ(sluice_build_info(&(sluice_build_facts){0}), SLUICE_E_USAGE);
}

TEST(every_status_has_a_name_of_its_own) {
    for (int i = SLUICE_OK; i <= SLUICE_E_LOCKED; i++)
        for (int k = SLUICE_OK; k < i; k++)
            CHECK(strcmp(sluice_status_name((sluice_status)i), sluice_status_name((sluice_status)k)) != 0);
    CHECK_STR(sluice_status_name(SLUICE_E_LOCKED), "locked");
    CHECK_STR(sluice_status_name((sluice_status)(SLUICE_E_LOCKED + 1)), "unknown");
}

TEST(a_batch_keeps_the_sign_of_labels_beyond_the_range_of_floats) {
    sluice_batch *b = sluice_batch_new(NULL);
    const double labels[] = {1e300, -1e300, 1e-300, -1e-300, 0, 3.5};
    for (size_t i = 0; i < 6; i++) {
        sluice_example x = example(NULL, NULL, 0, labels[i]);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
        CHECK_EQ(sluice_batch_label(b, i) > 0, labels[i] > 0);
        CHECK(isfinite(sluice_batch_label(b, i)));
    }
    CHECK(sluice_batch_label(b, 5) == 3.5);
    sluice_batch_free(b);
}

int main(void) {
    RUN(a_weight_by_id_is_the_one_in_the_list);
    RUN(a_weight_by_name_is_the_one_in_the_list);
    RUN(a_snapshot_predicts_what_the_model_did_and_stays);
    RUN(a_snapshot_leaves_the_unfinished_batch_alone);
    RUN(memory_grows_with_the_features_and_a_predict_only_model_needs_less);
    RUN(quick_facts_are_the_facts_without_the_nonzeros);
    RUN(the_version_of_the_library_is_that_of_the_header);
    RUN(every_status_has_a_name_of_its_own);
    RUN(a_batch_keeps_the_sign_of_labels_beyond_the_range_of_floats);
    return DONE;
}
