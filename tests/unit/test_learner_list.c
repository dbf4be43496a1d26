/* The learners by name, by other names, and by what they are for. */
#include <string.h>

#include "learner/learner.h"
#include "unit/test.h"

TEST(other_names_lead_to_learners_that_have_others) {
    const char *alias, *name = NULL;
    size_t n = 0;
    for (; (alias = sluice_learner_alias(n, &name)); n++) {
        CHECK(sluice_learner_find(alias) == sluice_learner_find(name));
        CHECK_STR(sluice_learner_find(alias)->name, name);
        CHECK(!sl_learner_find(alias)); /* a model's file has the one name */
    }
    CHECK(n > 0);
    CHECK(!sluice_learner_alias(n, &name) && !sluice_learner_find("pa3"));
    CHECK_STR(sluice_learner_find("stsd-1")->name, "olsf-1");
}

TEST(models_sweeps_and_searches_take_other_names) {
    sluice_model *m = sluice_model_new("stsd", NULL, 0, NULL, NULL);
    sluice_model_facts facts = {.size = sizeof facts};
    CHECK_EQ(sluice_model_describe(m, &facts), SLUICE_OK);
    CHECK_STR(facts.learner->name, "olsf");
    sluice_model_free(m);

    sluice_sweep *sweep = sluice_sweep_new("rda-l1", NULL, NULL, 2, NULL, 1, NULL);
    sluice_model *first = sluice_sweep_model(sweep, 0, NULL);
    CHECK_EQ(sluice_model_describe(first, &facts), SLUICE_OK);
    CHECK_STR(facts.learner->name, "rda");
    sluice_model_free(first);
    sluice_sweep_free(sweep);

    sluice_search *search = sluice_search_new(NULL, NULL);
    sluice_error err;
    CHECK_EQ(sluice_search_add_learner(search, "pa2", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_learner(search, "pa-2", NULL, 0, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_grid(search, "pa-2", "C", "1,2", NULL), SLUICE_OK);
    sluice_search_free(search);
}

TEST(learners_of_one_use_follow_each_other) {
    size_t n = 0, uses = 0;
    for (; sluice_learner_at(n); n++) {
        CHECK(sluice_learner_use(n) && *sluice_learner_use(n));
        size_t earlier = 0;
        while (earlier < n && strcmp(sluice_learner_use(earlier), sluice_learner_use(n)) != 0) earlier++;
        CHECK(earlier == n || strcmp(sluice_learner_use(n - 1), sluice_learner_use(n)) == 0);
        uses += earlier == n;
    }
    CHECK(uses > 3 && uses < n);
    CHECK(!sluice_learner_use(n));
}

int main(void) {
    RUN(other_names_lead_to_learners_that_have_others);
    RUN(models_sweeps_and_searches_take_other_names);
    RUN(learners_of_one_use_follow_each_other);
    return DONE;
}
