/* Feature selection: which features are chosen for each budget, and how good their models are. */
#include "unit/held_rows.h"

#include <math.h>

typedef struct rows {
    sluice_dataset *data;
    sluice_batch *learn, *test;
} rows;

static rows make(int names) {
    rows r = {.data = hold_rows(500, 21, names)};
    CHECK_EQ(sluice_dataset_hold_out(r.data, 5, &r.learn, &r.test, NULL), SLUICE_OK);
    return r;
}

static void free_rows(rows r) {
    sluice_batch_free(r.learn);
    sluice_batch_free(r.test);
    sluice_dataset_free(r.data);
}

static const uint64_t budgets[] = {6, 2, 6, 4};

static sluice_selection *choose(const rows *r, const char *learner, unsigned threads, sluice_progress_function progress,
                                void *context, sluice_error *err) {
    sluice_select_options o = {.size = sizeof o,
                               .learner = learner,
                               .budgets = budgets,
                               .n_budgets = 4,
                               .names = sluice_dataset_names(r->data),
                               .threads = threads,
                               .progress = progress,
                               .context = context};
    return sluice_select(r->learn, r->test, &o, err);
}

/* The features that matter are the first four: ids 1 to 4, or names f1 to f4. */
static int matters(const sluice_weight *w) {
    return w->name.text ? w->name.n == 2 && w->name.text[1] >= '1' && w->name.text[1] <= '4' : w->id >= 1 && w->id <= 4;
}

/* Mistakes on the test rows of a model that keeps to so many features itself. */
static uint64_t mistakes_within(const rows *r, uint64_t features) {
    char param[32];
    const char *params[] = {param};
    double margins[100];
    uint64_t wrong = 0;
    snprintf(param, sizeof param, "features=%llu", (unsigned long long)features);
    sluice_model *m = sluice_model_new("sofs", params, 1, NULL, NULL);
    CHECK_EQ(sluice_model_learn_batch(m, r->learn, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margins(m, r->test, margins, NULL), SLUICE_OK);
    for (size_t i = 0; i < 100; i++) wrong += (margins[i] > 0) != (sluice_batch_label(r->test, i) > 0);
    sluice_model_free(m);
    return wrong;
}

TEST(the_features_that_matter_are_chosen) {
    static const char *const learners[] = {"ssol", "sofs", "sbcw"}; /* ranked, with a budget of its own, in batches */
    for (int names = 0; names < 2; names++)
        for (size_t l = 0; l < 3; l++) {
            rows r = make(names);
            sluice_error err = {0};
            patience p = {.most = 1000000};
            sluice_selection *s = choose(&r, learners[l], 2, be_patient, &p, &err);
            CHECK(s);
            if (!s) return;
            CHECK_EQ(sluice_selection_count(s), 3); /* ascending, each once */
            CHECK_EQ(p.total, l == 0 ? 4 : 3);      /* models */
            CHECK(p.done == p.total);
            for (size_t i = 0; i < 3; i++) {
                const sluice_budget *b = sluice_selection_budget(s, i);
                CHECK_EQ(b->features, 2 + 2 * i);
                CHECK(b->n <= b->features && b->n >= 2);
                CHECK_EQ(b->test->examples, 100);
                if (l == 1) CHECK_EQ(b->test->mistakes, mistakes_within(&r, b->features));
                size_t good = 0;
                for (size_t k = 0; k < b->n; k++) {
                    good += (size_t)matters(&b->chosen[k]);
                    CHECK(!k || b->scores[k] <= b->scores[k - 1]);
                    CHECK(b->scores[k] > 0 && !b->chosen[k].is_bias && (b->chosen[k].name.text != NULL) == names);
                }
                if (l != 1) CHECK(good >= (b->n < 4 ? b->n : 3) && b->test->error_rate < 0.2);
            }
            CHECK(!sluice_selection_budget(s, 3));
            CHECK_EQ(sluice_selection_since(s, sluice_selection_budget(s, 0)->chosen[0].id), 2);
            CHECK_EQ(sluice_selection_since(s, 12345), 0);
            sluice_selection_free(s);
            free_rows(r);
        }
}

TEST(a_selection_is_the_same_at_any_number_of_threads) {
    rows r = make(0);
    sluice_selection *a = choose(&r, "ssol", 1, NULL, NULL, NULL), *b = choose(&r, "ssol", 3, NULL, NULL, NULL);
    for (size_t i = 0; i < 3; i++) {
        const sluice_budget *x = sluice_selection_budget(a, i), *y = sluice_selection_budget(b, i);
        CHECK(x->n == y->n && x->test->auc == y->test->auc);
        for (size_t k = 0; k < x->n; k++)
            CHECK(x->chosen[k].id == y->chosen[k].id && x->chosen[k].weight == y->chosen[k].weight);
    }
    sluice_selection_free(a);
    sluice_selection_free(b);
    sluice_selection_free(NULL);
    free_rows(r);
}

TEST(a_selection_can_be_cancelled) {
    rows r = make(0);
    for (int most = 1; most < 4; most++) {
        sluice_error err = {0};
        patience p = {.most = most};
        CHECK(!choose(&r, "ssol", 2, be_patient, &p, &err));
        CHECK_EQ(err.status, SLUICE_E_CANCELLED);
        CHECK_EQ(p.calls, most);
    }
    free_rows(r);
}

static sluice_status refusal(const rows *r, const sluice_batch *learn, const sluice_batch *test,
                             const sluice_settings *settings, const char *says) {
    sluice_error err = {0};
    sluice_select_options o = {.size = sizeof o, .settings = settings, .budgets = budgets, .n_budgets = 4};
    CHECK(!sluice_select(learn ? learn : r->learn, test ? test : r->test, &o, &err));
    CHECK_HAS(err.message, says);
    return err.status;
}

TEST(features_that_have_no_ids_are_not_selected) {
    rows r = make(0);
    sluice_batch *named = sluice_batch_new(NULL);
    sluice_example x = {.names = &(sluice_name){"f", 1}, .values = (float[]){1}, .n = 1, .label = 1, .weight = 1};
    CHECK_EQ(sluice_batch_add(named, &x, NULL), SLUICE_OK);
    CHECK_EQ(refusal(&r, named, NULL, NULL, "by ids"), SLUICE_E_UNSUPPORTED);
    CHECK_EQ(refusal(&r, NULL, named, NULL, "by ids"), SLUICE_E_UNSUPPORTED);
    sluice_settings s = {.size = sizeof s, .hash_bits = 3};
    CHECK_EQ(refusal(&r, NULL, NULL, &s, "hashed"), SLUICE_E_UNSUPPORTED);
    s = (sluice_settings){.size = sizeof s, .max_features = 3};
    CHECK_EQ(refusal(&r, NULL, NULL, &s, "limit"), SLUICE_E_UNSUPPORTED);
    sluice_batch_free(named);
    free_rows(r);
}

TEST(wrong_options_are_refused) {
    rows r = make(0);
    sluice_error err = {0};
    const char *features[] = {"features=3"};
    const uint64_t zero[] = {3, 0};
    sluice_select_options o = {.size = sizeof o, .learner = "nobody", .budgets = budgets, .n_budgets = 1};
    CHECK(!sluice_select(r.learn, r.test, &o, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    o.learner = "sofs";
    o.params = features;
    o.n_params = 1;
    CHECK(!sluice_select(r.learn, r.test, &o, &err));
    CHECK_STR(err.message, "features=3: the budgets set this parameter");
    o.n_params = 0;
    o.n_budgets = 0;
    CHECK(!sluice_select(r.learn, r.test, &o, &err));
    o.n_budgets = 2;
    o.budgets = zero;
    CHECK(!sluice_select(r.learn, r.test, &o, &err));
    CHECK(!sluice_select(r.learn, r.test, NULL, NULL));
    free_rows(r);
}

int main(void) {
    RUN(the_features_that_matter_are_chosen);
    RUN(a_selection_is_the_same_at_any_number_of_threads);
    RUN(a_selection_can_be_cancelled);
    RUN(features_that_have_no_ids_are_not_selected);
    RUN(wrong_options_are_refused);
    return DONE;
}
