/* Parameters: reading and checking "name=value". */
#include "learner/param.h"

#include "unit/test.h"

static sluice_status read_params(const char *learner, const char *const *given, size_t n, double *values,
                                 sluice_error *err) {
    const sluice_learner_info *info = sluice_learner_find(learner);
    return sluice_params_read(learner, info->params, info->n_params, given, n, values, err);
}

static sluice_status set(const char *learner, const char *text, double *values, sluice_error *err) {
    return read_params(learner, &text, 1, values, err);
}

TEST(what_is_not_given_has_its_default) {
    double p[SL_MAX_PARAMS];
    CHECK_EQ(read_params("stg", NULL, 0, p, NULL), SLUICE_OK);
    CHECK(p[2] == 10 && p[3] == INFINITY);
}

TEST(unknown_names_are_answered_with_those_that_exist) {
    double p[SL_MAX_PARAMS];
    sluice_error err;
    CHECK_EQ(set("ada-rda", "gamma=1", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "ada-rda has no parameter 'gamma'; it has eta, lambda, delta, forget, invariant");
    CHECK_EQ(set("pa", "C=1", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "pa has no parameter 'C'; it has none");
    CHECK_EQ(set("pa-1", "C", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "parameter 'C' has no value; write name=value");
}

TEST(values_out_of_range_name_the_range) {
    double p[SL_MAX_PARAMS];
    sluice_error err;
    CHECK_EQ(set("fsol", "lambda=-1", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "parameter lambda of fsol lies between 0 and 1e12, not at '-1'");
    CHECK_EQ(set("stg", "k=2.5", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "parameter k of stg wants a whole number, not '2.5'");
    CHECK_EQ(set("fsol", "eta=fast", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "parameter eta of fsol wants a number, not 'fast'");
    CHECK_EQ(set("fsol", "schedule=slow", p, &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "parameter schedule of fsol is one of constant, inverse, sqrt, not 'slow'");
}

TEST(a_limit_can_be_switched_off_where_that_is_its_default) {
    double p[SL_MAX_PARAMS];
    CHECK_EQ(set("stg", "theta=inf", p, NULL), SLUICE_OK);
    CHECK(p[3] == INFINITY);
    CHECK_EQ(set("stg", "theta=0.5", p, NULL), SLUICE_OK);
    CHECK(p[3] == 0.5);
    CHECK_EQ(set("stg", "eta=inf", p, NULL), SLUICE_E_USAGE);
}

TEST(twice_the_same_is_fine_twice_different_is_not) {
    double p[SL_MAX_PARAMS];
    const char *same[] = {"eta=2", "eta=2.0"}, *other[] = {"eta=2", "eta=3"};
    CHECK_EQ(read_params("fsol", same, 2, p, NULL), SLUICE_OK);
    CHECK_EQ(read_params("fsol", other, 2, p, NULL), SLUICE_E_USAGE);
}

TEST(what_is_written_reads_back_exactly) {
    for (size_t k = 0; sl_learners[k]; k++) {
        const sluice_learner_info *info = &sl_learners[k]->info;
        for (size_t i = 0; i < info->n_params; i++) {
            double p[SL_MAX_PARAMS], odd = info->params[i].value;
            if (!info->params[i].integer && odd != INFINITY) odd = odd / 3 + 0.1;
            char text[128];
            sl_param_write(text, &info->params[i], odd);
            CHECK_EQ(set(info->name, text, p, NULL), SLUICE_OK);
            CHECK(p[i] == odd);
        }
    }
}

int main(void) {
    RUN(what_is_not_given_has_its_default);
    RUN(unknown_names_are_answered_with_those_that_exist);
    RUN(values_out_of_range_name_the_range);
    RUN(a_limit_can_be_switched_off_where_that_is_its_default);
    RUN(twice_the_same_is_fine_twice_different_is_not);
    RUN(what_is_written_reads_back_exactly);
    return DONE;
}
