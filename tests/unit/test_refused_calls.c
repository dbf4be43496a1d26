/* Calls that the library refuses: each says why, changes nothing, and has a message for the user. */
#include <math.h>
#include <stdbool.h>

#include "sluice.h"
#include "unit/test.h"

static sluice_error err;

static bool refused(const char *learner, sluice_settings s, const char *says) {
    s.size = sizeof s;
    err = (sluice_error){0};
    sluice_model *m = sluice_model_new(learner, NULL, 0, &s, &err);
    sluice_model_free(m);
    return !m && err.status == SLUICE_E_USAGE && strstr(err.message, says);
}

TEST(settings_that_make_no_sense) {
    CHECK(refused("ssol", (sluice_settings){.hash_bits = SLUICE_MAX_HASH_BITS + 1}, "1 to 30 bits, not 31"));
    CHECK(refused("ssol", (sluice_settings){.max_features = (uint64_t)SLUICE_MAX_FEATURES + 1}, "4000000000"));
    CHECK(refused("ssol", (sluice_settings){.max_features = 5, .hash_bits = 5}, "not both"));
    CHECK(refused("ssol", (sluice_settings){.normalize = 7}, "normali"));
    CHECK(refused("ssol", (sluice_settings){.bias = NAN}, "bias"));
    CHECK(refused("ssol-full", (sluice_settings){.max_features = 5}, "a matrix over all features"));
    CHECK(refused("sbcw", (sluice_settings){.max_features = 5}, "the features of a whole batch"));
}

static sluice_model *learned(const char *learner, const char *param, double bias, uint64_t max_features) {
    sluice_settings s = {.size = sizeof s, .bias = bias, .max_features = max_features};
    sluice_model *m = sluice_model_new(learner, &param, param != NULL, &s, NULL);
    uint64_t id = 3;
    float value = 1;
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){&id, &value, 1, 1, 1}, NULL), SLUICE_OK);
    return m;
}

/* Merges b into a, which must be refused, and frees both. */
static void check_no_merge(sluice_model *a, sluice_model *b, sluice_status status, const char *says) {
    void *before, *after;
    size_t n_before, n_after;
    CHECK_EQ(sluice_model_bytes(a, &before, &n_before, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_merge(a, b), status);
    CHECK_HAS(sluice_model_error(a)->message, says);
    CHECK_EQ(sluice_model_bytes(a, &after, &n_after, NULL), SLUICE_OK);
    CHECK(n_before == n_after && memcmp(before, after, n_before) == 0);
    sluice_free(before);
    sluice_free(after);
    if (a != b) sluice_model_free(a);
    sluice_model_free(b);
}

TEST(parameters_that_do_not_exist_have_no_value) {
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    const sluice_learner_info *l = sluice_learner_find("ssol");
    for (size_t i = 0; i < l->n_params; i++) CHECK(sluice_model_param(m, i) == l->params[i].value);
    CHECK(isnan(sluice_model_param(m, l->n_params)) && isnan(sluice_model_param(m, SIZE_MAX)));
    sluice_model_free(m);
}

TEST(models_that_do_not_merge) {
    sluice_model *a = learned("rda", NULL, 0, 0), *final = sluice_model_final(a, NULL);
    check_no_merge(final, a, SLUICE_E_UNSUPPORTED, "predict-only models do not merge");
    a = learned("rda", NULL, 0, 0);
    check_no_merge(a, a, SLUICE_E_USAGE, "does not merge with itself");
    const char *same = "the same learner, parameters and settings";
    check_no_merge(learned("rda", NULL, 0, 0), learned("ada-rda", NULL, 0, 0), SLUICE_E_USAGE, same);
    check_no_merge(learned("rda", NULL, 0, 0), learned("rda", "lambda=0.5", 0, 0), SLUICE_E_USAGE, same);
    check_no_merge(learned("rda", NULL, 0, 0), learned("rda", NULL, 1, 0), SLUICE_E_USAGE, same);
    check_no_merge(learned("rda", NULL, 0, 9), learned("rda", NULL, 0, 8), SLUICE_E_USAGE, same);
    check_no_merge(learned("rda", NULL, 0, 9), learned("rda", NULL, 0, 9), SLUICE_E_UNSUPPORTED, "limit");
    check_no_merge(learned("olsf", NULL, 0, 0), learned("olsf", NULL, 0, 0), SLUICE_E_UNSUPPORTED, "olsf");
}

TEST(rows_that_the_batch_does_not_have) {
    sluice_batch *b = sluice_batch_new(NULL);
    uint64_t id = 1;
    float value = 1;
    for (int i = 0; i < 3; i++) CHECK_EQ(sluice_batch_add(b, &(sluice_example){&id, &value, 1, 1, 1}, NULL), SLUICE_OK);
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_learn_rows(m, b, 4, 0, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_learn_rows(m, b, 2, 2, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_learn_rows(m, b, 1, SIZE_MAX, NULL), SLUICE_E_USAGE);
    CHECK_HAS(sluice_model_error(m)->message, "only 3 rows");
    CHECK_EQ(sluice_model_learn_rows(m, b, 3, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_rows(m, b, 1, 2, NULL), SLUICE_OK);
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_EQ(f.examples, 2);
    sluice_model_free(m);
    sluice_batch_free(b);
}

TEST(names_that_are_too_long) {
    static char text[SLUICE_MAX_NAME + 1];
    memset(text, 'x', sizeof text);
    sluice_name longest = {text, SLUICE_MAX_NAME}, too_long = {text, SLUICE_MAX_NAME + 1};
    float value = 1;
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){NULL, &value, 1, 1, 1, &too_long}, NULL), SLUICE_E_DATA);
    CHECK_HAS(sluice_model_error(m)->message, "longer than 65535 bytes");
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){NULL, &value, 1, 1, 1, &longest}, NULL), SLUICE_OK);
    sluice_names *names = sluice_names_new();
    CHECK(sluice_names_number(names, too_long) == UINT64_MAX);
    CHECK_EQ(sluice_names_number(names, longest), 0);
    CHECK_EQ(sluice_names_name(names, 0).n, SLUICE_MAX_NAME);
    CHECK(memcmp(sluice_names_name(names, 0).text, text, SLUICE_MAX_NAME) == 0);
    CHECK_EQ(sluice_names_name(names, 1).n, 0); /* there is none */
    sluice_names_free(names);
    sluice_model_free(m);
}

TEST(a_calibration_can_be_dropped) {
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    const double margins[] = {-1, 1, 2, -2}, labels[] = {-1, 1, 1, -1};
    CHECK_EQ(sluice_model_calibrate(m, margins, labels, NULL, 4, SLUICE_CALIBRATION_PLATT), SLUICE_OK);
    CHECK(sluice_model_has_probability(m));
    CHECK_EQ(sluice_model_calibrate(m, NULL, NULL, NULL, 0, SLUICE_CALIBRATION_NONE), SLUICE_OK);
    CHECK_EQ(sluice_model_calibration(m), SLUICE_CALIBRATION_NONE);
    CHECK(!sluice_model_has_probability(m) && isnan(sluice_model_probability(m, 1)));
    sluice_model_free(m);
}

TEST(options_of_a_meter_that_make_no_sense) {
    const sluice_meter_options wrong[] = {{.size = sizeof *wrong, .cost_missed = -1},
                                          {.size = sizeof *wrong, .cost_alarm = NAN},
                                          {.size = sizeof *wrong, .mu_pos = 1.5},
                                          {.size = sizeof *wrong, .mu_pos = -0.5, .exact_auc = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        err = (sluice_error){0};
        CHECK(!sluice_meter_new(&wrong[i], &err));
        CHECK_EQ(err.status, SLUICE_E_USAGE);
        CHECK_HAS(err.message, "mu_pos");
    }
}

/* The end of a path tells more than its beginning. */
TEST(a_long_path_is_shown_by_its_end) {
    char name[700];
    memset(name, 'd', sizeof name);
    memcpy(name + sizeof name - 8, "end.svm", 8);
    sluice_reader_options o = {.size = sizeof o, .format = "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory("x 1:1\n", 6, name, &o, NULL);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_E_DATA);
    const char *source = sluice_reader_error(r)->source;
    CHECK_EQ(strlen(source), sizeof err.source - 1);
    CHECK(strncmp(source, "...d", 4) == 0 && strcmp(source + strlen(source) - 8, "dend.svm") == 0);
    sluice_reader_close(r);
}

int main(void) {
    RUN(settings_that_make_no_sense);
    RUN(parameters_that_do_not_exist_have_no_value);
    RUN(models_that_do_not_merge);
    RUN(rows_that_the_batch_does_not_have);
    RUN(names_that_are_too_long);
    RUN(a_calibration_can_be_dropped);
    RUN(options_of_a_meter_that_make_no_sense);
    RUN(a_long_path_is_shown_by_its_end);
    return DONE;
}
