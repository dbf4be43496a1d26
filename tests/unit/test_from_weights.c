/* Models made of weights from elsewhere: they have these weights, predict with them and learn on. */
#include <math.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

static const sluice_weight weights[] = {{.weight = 0.5f, .is_bias = 1},
                                        {.id = 3, .weight = 1.5f},
                                        {.id = 0, .weight = -2},
                                        {.id = UINT64_MAX, .weight = 0}};

static sluice_model *make(const char *learner, int predict_only, const sluice_name *labels, sluice_error *err) {
    const sluice_settings s = {.size = sizeof s, .bias = 2};
    const sluice_given_weights given = {
        .size = sizeof given, .weights = weights, .n = 4, .labels = labels, .predict_only = predict_only};
    return sluice_model_from_weights(learner, NULL, 0, &s, &given, err);
}

static double margin_of(const sluice_model *m, uint64_t id, float value) {
    const sluice_example x = {.ids = &id, .values = &value, .n = 1};
    double margin = NAN;
    CHECK_EQ(sluice_model_margin(m, &x, &margin, NULL), SLUICE_OK);
    return margin;
}

TEST(margins_are_those_of_the_weights) {
    for (int predict_only = 0; predict_only < 2; predict_only++) {
        sluice_model *m = make("arow", predict_only, NULL, NULL);
        CHECK(m);
        CHECK(margin_of(m, 3, 2) == 4 && margin_of(m, 0, 1) == -1 && margin_of(m, 9, 1) == 1);
        sluice_model_facts f = {.size = sizeof f};
        CHECK_EQ(sluice_model_describe(m, &f), SLUICE_OK);
        CHECK(f.nonzeros == 3 && f.examples == 0 && !f.is_final == !predict_only);
        CHECK_EQ(f.features_seen, 4);
        sluice_model_free(m);
    }
}

TEST(the_second_label_is_positive_and_ties_go_to_the_first) {
    const sluice_name labels[2][2] = {{{"ham", 3}, {"spam", 4}}, {{"spam", 4}, {"ham", 3}}};
    for (size_t i = 0; i < 2; i++) {
        sluice_model *m = make("perceptron", 1, labels[i], NULL);
        CHECK(m);
        CHECK(margin_of(m, 3, 2) == 4);
        CHECK(strncmp(sluice_model_label(m, 4).text, labels[i][1].text, labels[i][1].n) == 0);
        CHECK(strncmp(sluice_model_label(m, 0).text, labels[i][0].text, labels[i][0].n) == 0);
        sluice_model_free(m);
    }
}

TEST(a_model_goes_on_learning_as_one_that_learned_the_weights) {
    const uint64_t ids[] = {1, 2};
    const float values[] = {1, -2}, more[] = {3, 1};
    const sluice_example first = {.ids = ids, .values = values, .n = 2, .label = 1, .weight = 1},
                         second = {.ids = ids, .values = more, .n = 2, .label = -1, .weight = 1};
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_learn(m, &first, NULL), SLUICE_OK);
    sluice_weight *learned;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &learned, &n, NULL), SLUICE_OK);
    const sluice_given_weights given = {.size = sizeof given, .weights = learned, .n = n};
    sluice_model *other = sluice_model_from_weights("perceptron", NULL, 0, NULL, &given, NULL);
    CHECK(other);
    CHECK_EQ(sluice_model_learn(m, &second, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn(other, &second, NULL), SLUICE_OK);
    for (uint64_t id = 1; id <= 2; id++)
        CHECK(sluice_model_weight_of_id(m, id) == sluice_model_weight_of_id(other, id));
    CHECK(sluice_model_weight_of_id(m, 1) == -2);
    sluice_free(learned);
    sluice_model_free(m);
    sluice_model_free(other);
}

/* Whether this is refused with the status, and says why. */
static int is_refused(const char *learner, const sluice_settings *s, const sluice_given_weights *given,
                      sluice_status status) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_from_weights(learner, NULL, 0, s, given, &err);
    sluice_model_free(m);
    return !m && err.status == status && err.message[0];
}

TEST(what_cannot_be_is_refused) {
    const sluice_settings plain = {.size = sizeof plain},
                          several = {.size = sizeof plain, .classes = SLUICE_CLASSES_OVR},
                          hashed = {.size = sizeof plain, .hash_bits = 8},
                          scaled = {.size = sizeof plain, .scale = SLUICE_SCALE_MAXABS};
    const sluice_name same[] = {{"1.0", 3}, {"1", 1}}, none[] = {{"", 0}, {"a", 1}};
    sluice_weight wrong[] = {{.id = 1, .weight = 1}, {.id = 1, .weight = 2}};
    sluice_given_weights given = {.size = sizeof given, .weights = wrong, .n = 1};
    CHECK(is_refused("none such", &plain, &given, SLUICE_E_USAGE));
    CHECK(is_refused("ftrl", &plain, &given, SLUICE_E_UNSUPPORTED));
    CHECK(is_refused("arow", &several, &given, SLUICE_E_UNSUPPORTED));
    CHECK(is_refused("arow", &hashed, &given, SLUICE_E_UNSUPPORTED));
    CHECK(is_refused("arow", &scaled, &given, SLUICE_E_UNSUPPORTED));
    given.labels = same;
    CHECK(is_refused("arow", &plain, &given, SLUICE_E_USAGE));
    given.labels = none;
    CHECK(is_refused("arow", &plain, &given, SLUICE_E_USAGE));
    given.labels = NULL;
    given.n = 2;
    CHECK(is_refused("arow", &plain, &given, SLUICE_E_DATA));
    wrong[1] = (sluice_weight){.is_bias = 1, .weight = 1};
    CHECK(is_refused("arow", &plain, &given, SLUICE_E_USAGE));
    wrong[1] = (sluice_weight){.id = 2, .weight = INFINITY};
    CHECK(is_refused("arow", &plain, &given, SLUICE_E_DATA));
}

int main(void) {
    RUN(margins_are_those_of_the_weights);
    RUN(the_second_label_is_positive_and_ties_go_to_the_first);
    RUN(a_model_goes_on_learning_as_one_that_learned_the_weights);
    RUN(what_cannot_be_is_refused);
    return DONE;
}
