/* Forgetting: models with and without it, files, merging. The rule itself: tests/reference. */
#include <math.h>

#include "model/model.h"
#include "unit/every_learner.h"
#include "unit/model_bytes.h"

/* A model of a learner with this value of `forget` (NULL: none is given) that has learned some rows. */
static sluice_model *learned(const char *learner, const char *forget) {
    sluice_model *m = sluice_model_new(learner, &forget, forget ? 1 : 0, NULL, NULL);
    for (uint64_t t = 0; m && t < 200; t++) {
        uint64_t ids[] = {t % 7, 10 + t % 3, 20 + t};
        float values[] = {1, 0.5f, -0.25f};
        sluice_example x = {ids, values, 3, t % 5 < 2 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    return m;
}

static size_t forgetting_learners(const char *names[]) {
    size_t n = 0;
    for (size_t i = 0; sl_learners[i]; i++)
        if (sl_learners[i]->forgetting) names[n++] = sl_learners[i]->info.name;
    return n;
}

TEST(forget_1_is_the_plain_model_byte_for_byte) {
    const char *names[64];
    const size_t n = forgetting_learners(names);
    CHECK_EQ(n, 7); /* arow, scw-1, scw-2, ssol, cs-ssol, ftrl, ada-rda */
    for (size_t i = 0; i < n; i++) {
        sluice_model *plain = learned(names[i], NULL), *one = learned(names[i], "forget=1"),
                     *some = learned(names[i], "forget=0.999");
        CHECK(same_bytes(plain, one) && !same_bytes(plain, some));
        CHECK(one->rule == sl_learner_find(names[i]) && some->rule == one->rule->forgetting);
        sluice_model_free(plain);
        sluice_model_free(one);
        sluice_model_free(some);
    }
}

/* Sweeps take single models out of lanes that have the counter of rounds: the plain struct is the beginning. */
TEST(the_plain_state_is_the_beginning_of_the_one_that_forgets) {
    for (size_t i = 0; sl_learners[i]; i++) {
        const sl_learner *plain = sl_learners[i], *form = plain->forgetting;
        if (!form) continue;
        CHECK_EQ(form->n_fields, plain->n_fields + 1);
        for (size_t k = 0; k < plain->n_fields; k++) {
            CHECK_STR(form->fields[k].name, plain->fields[k].name);
            CHECK_EQ(form->fields[k].type, plain->fields[k].type);
            CHECK_EQ(form->fields[k].offset, plain->fields[k].offset);
        }
        CHECK_STR(plain->info.params[plain->forget].name, "forget");
        CHECK_STR(form->info.params[form->forget].name, "forget");
    }
}

TEST(models_that_forget_do_not_merge) {
    sluice_model *a = learned("ada-rda", "forget=0.99"), *b = learned("ada-rda", "forget=0.99"),
                 *c = learned("ada-rda", NULL);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_UNSUPPORTED);
    CHECK_STR(sluice_model_error(a)->message,
              "ada-rda models that forget (forget < 1) do not merge: what is left depends on the order");
    CHECK_EQ(sluice_model_merge(c, a), SLUICE_E_USAGE);
    CHECK(same_bytes(a, b));
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(c);
}

TEST(files_say_forget_and_have_the_counter_or_neither) {
    file plain = file_of("ssol"), f = copy_of(&plain);
    char *modl = modl_of(&plain);
    CHECK(!strstr(modl, "forget") && !strstr(modl, "round"));
    free(modl);
    replace(&f, "param schedule=", "param forget=0.9\nparam schedule=");
    refuse(&f, "the model's state is not that of ssol in this version");
    f = copy_of(&plain);
    replace(&f, "param schedule=", "param forget=1\nparam schedule=");
    accept(&f, &plain);
    free(plain.bytes);
    file some = file_from(learned("ssol", "forget=0.9"));
    modl = modl_of(&some);
    CHECK_HAS(modl, "fields=theta:f32 a:f32 round:u32\n");
    CHECK_HAS(modl, "param forget=0.9\n");
    free(modl);
    f = copy_of(&some);
    replace(&f, "param forget=0.9\n", "");
    refuse(&f, "the model's state is not that of ssol in this version");
    /* any round is possible: what it says is how long ago, modulo 2^32 */
    f = copy_of(&some);
    memset(f.bytes + section(&f, "FEAT") + section_length(&f, "FEAT") - 8, 0xff, 8);
    sluice_error err = {0};
    sluice_model *m = parse(&f, &err);
    CHECK_STR(err.message, "");
    uint64_t id = 3;
    float value = 1;
    sluice_example x = {&id, &value, 1, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    sluice_model_free(m);
    free(some.bytes);
}

/* Prediction catches up on the side. */
TEST(a_model_at_rest_does_not_change) {
    sluice_model *m = learned("ssol", "forget=0.9");
    uint64_t id = 21; /* came once, long ago */
    float value = 1;
    sluice_example x = {&id, &value, 1, 1, 1}, empty = {&id, &value, 0, 1, 1};
    double before, after;
    CHECK_EQ(sluice_model_margin(m, &x, &before, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margin(m, &x, &after, NULL), SLUICE_OK);
    CHECK(before == after);
    for (int i = 0; i < 10; i++) CHECK_EQ(sluice_model_learn(m, &empty, NULL), SLUICE_OK);
    sluice_model *back = NULL;
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    CHECK((back = sluice_model_parse(bytes, n, NULL)));
    CHECK_EQ(sluice_model_margin(back, &x, &after, NULL), SLUICE_OK);
    CHECK(fabs(after) < fabs(before) || before == 0); /* rounds without the feature age it all the same */
    sluice_free(bytes);
    sluice_model_free(back);
    sluice_model_free(m);
}

int main(void) {
    RUN(forget_1_is_the_plain_model_byte_for_byte);
    RUN(the_plain_state_is_the_beginning_of_the_one_that_forgets);
    RUN(models_that_forget_do_not_merge);
    RUN(files_say_forget_and_have_the_counter_or_neither);
    RUN(a_model_at_rest_does_not_change);
    return DONE;
}
