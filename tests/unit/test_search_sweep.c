/* Sweeps of a search: error against sparsity over held rows and streams, repeats, and the search for sparsities. */
#include "unit/held_rows.h"

#include <math.h>

static sluice_search *sweep_search(void) {
    sluice_search *s = sluice_search_new(NULL, NULL);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_learner(s, "sofs", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_grid(s, "ssol", "lambda", "100,0.01,1,10", NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_grid(s, "sofs", "features", "2,6", NULL), SLUICE_OK);
    return s;
}

/* Rows to learn, and a batch of rows to measure on, of one dataset. */
static sluice_dataset *rows_and_test(size_t n, size_t n_test, int names, sluice_batch **test) {
    sluice_dataset *d = hold_rows(n + n_test, 11, names);
    *test = sluice_dataset_batch(d, n, n_test, NULL);
    sluice_dataset_reset_order(d, n);
    return d;
}

/* Everything that came out, but seconds. */
static char *results(const sluice_search *s) {
    char *text = calloc(sluice_search_points(s) + 1, 400), *t = text;
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        t += sprintf(t, "%s %s %d %a %a %llu %llu %a %a %a %a\n", p->learner->name, p->params[p->n_params - 1],
                     p->searched, p->mean, p->deviation, (unsigned long long)p->examples,
                     (unsigned long long)p->mistakes, p->nonzeros, p->sparsity, p->features_seen, p->test->auc);
    }
    return text;
}

TEST(points_come_by_learner_and_value_and_are_those_of_train) {
    sluice_batch *test;
    sluice_dataset *d = rows_and_test(400, 200, 0, &test);
    sluice_search *s = sweep_search();
    sluice_sweep_options o = {.size = sizeof o, .test = test, .passes = 2, .threads = 2};
    CHECK_EQ(sluice_search_sweep(s, d, &o, NULL), SLUICE_OK);
    static const char *const order[] = {"lambda=0.01", "lambda=1",   "lambda=10",
                                        "lambda=100",  "features=2", "features=6"};
    for (size_t i = 0; i < 6; i++) {
        const sluice_point *p = sluice_search_point(s, i);
        CHECK_STR(p->params[p->n_params - 1], order[i]);
        sluice_model *m = sluice_search_model(s, i, NULL);
        CHECK_EQ(sluice_dataset_learn(d, m, 2, NULL, NULL, NULL), SLUICE_OK);
        sluice_weight *weights;
        size_t n;
        CHECK_EQ(sluice_model_weights(m, &weights, &n, NULL), SLUICE_OK);
        CHECK(p->nonzeros == (double)n && p->features_seen == 12);
        CHECK_NEAR(p->sparsity, 1 - (double)n / 12, 1e-15);
        CHECK_EQ(p->examples, 400);
        double margins[200];
        size_t wrong = 0;
        CHECK_EQ(sluice_model_margins(m, test, margins, NULL), SLUICE_OK);
        for (size_t k = 0; k < 200; k++) wrong += (margins[k] > 0) != (sluice_batch_label(test, k) > 0);
        CHECK_EQ(p->test->mistakes, wrong);
        CHECK_NEAR(p->mean, (double)wrong / 200, 1e-15);
        CHECK(p->n_runs == 1 && p->runs[0] == p->mean && isnan(p->deviation));
        sluice_free(weights);
        sluice_model_free(m);
    }
    CHECK_NEAR(sluice_search_dimension(s), 12, 0);
    CHECK(sluice_search_can_reach(s, 0.9) && !sluice_search_can_reach(s, 0.99));
    sluice_search_free(s);
    sluice_batch_free(test);
    sluice_dataset_free(d);
}

TEST(a_stream_gives_the_same_points_as_held_rows) {
    for (int names = 0; names < 2; names++) {
        char *text = make_rows(300, 12, names);
        sluice_dataset *d = hold_text(text, names ? "vw" : "libsvm");
        sluice_search *held = sweep_search(), *streamed = sweep_search();
        sluice_sweep_options o = {.size = sizeof o, .dimension = 100};
        CHECK_EQ(sluice_search_sweep(held, d, &o, NULL), SLUICE_OK);
        const sluice_batch *batch;
        sluice_reader *r = open_rows(text, names ? "vw" : "libsvm");
        CHECK_EQ(sluice_search_begin(streamed, &o, NULL), SLUICE_OK);
        while (sluice_reader_next(r, &batch) == SLUICE_OK)
            CHECK_EQ(sluice_search_learn_batch(streamed, batch, NULL), SLUICE_OK);
        CHECK_EQ(sluice_search_end(streamed, NULL), SLUICE_OK);
        sluice_reader_close(r);
        char *x = results(held), *y = results(streamed);
        CHECK_STR(x, y);
        CHECK(isnan(sluice_search_point(held, 0)->mean)); /* no test rows */
        CHECK_NEAR(sluice_search_point(held, 4)->sparsity, 0.98, 1e-12);
        free(x);
        free(y);
        sluice_search_free(held);
        sluice_search_free(streamed);
        sluice_dataset_free(d);
        free(text);
    }
}

/* A batch of names has no ids, which valgrind and msan see where they are read. */
TEST(rows_of_names_are_measured_as_each_model_alone_measures_them) {
    enum { TESTED = 60 };
    char *text = make_rows(TESTED, 13, 1);
    const sluice_batch *batch;
    sluice_reader *r = open_rows(text, "vw");
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    CHECK(sluice_batch_has_names(batch) && sluice_batch_rows(batch) == TESTED);
    sluice_search *s = sweep_search();
    sluice_sweep_options o = {.size = sizeof o, .test = batch};
    CHECK_EQ(sluice_search_begin(s, &o, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_learn_batch(s, batch, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_end(s, NULL), SLUICE_OK);
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        double margins[TESTED];
        uint64_t wrong = 0;
        sluice_model *m = sluice_search_model(s, i, NULL);
        CHECK_EQ(sluice_model_learn_batch(m, batch, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margins(m, batch, margins, NULL), SLUICE_OK);
        for (size_t k = 0; k < TESTED; k++) wrong += (margins[k] > 0) != (sluice_batch_label(batch, k) > 0);
        CHECK_EQ(sluice_search_point(s, i)->test->mistakes, wrong);
        sluice_model_free(m);
    }
    sluice_search_free(s);
    sluice_reader_close(r);
    free(text);
}

TEST(mistakes_of_a_second_pass_do_not_count) {
    char *text = make_rows(300, 12, 0);
    sluice_dataset *d = hold_text(text, "libsvm");
    sluice_search *held = sweep_search(), *streamed = sweep_search(), *once = sweep_search();
    sluice_sweep_options o = {.size = sizeof o, .dimension = 100, .passes = 2};
    CHECK_EQ(sluice_search_sweep(held, d, &o, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_begin(streamed, &o, NULL), SLUICE_OK);
    for (int pass = 0; pass < 2; pass++) {
        const sluice_batch *batch;
        sluice_reader *r = open_rows(text, "libsvm");
        if (pass == 1) CHECK_EQ(sluice_search_end_first_pass(streamed, NULL), SLUICE_OK);
        while (sluice_reader_next(r, &batch) == SLUICE_OK)
            CHECK_EQ(sluice_search_learn_batch(streamed, batch, NULL), SLUICE_OK);
        sluice_reader_close(r);
    }
    CHECK_EQ(sluice_search_end(streamed, NULL), SLUICE_OK);
    char *x = results(held), *y = results(streamed);
    CHECK_STR(x, y);
    o.passes = 1;
    CHECK_EQ(sluice_search_sweep(once, d, &o, NULL), SLUICE_OK);
    for (size_t i = 0; i < sluice_search_points(once); i++) {
        CHECK_EQ(sluice_search_point(held, i)->examples, 300);
        CHECK_EQ(sluice_search_point(held, i)->mistakes, sluice_search_point(once, i)->mistakes);
    }
    free(x);
    free(y);
    sluice_search_free(held);
    sluice_search_free(streamed);
    sluice_search_free(once);
    sluice_dataset_free(d);
    free(text);
}

TEST(a_stream_that_was_not_begun_is_refused) {
    sluice_search *s = sweep_search();
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_search_learn_batch(s, b, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_end_first_pass(s, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_end(s, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_begin(s, NULL, NULL), SLUICE_OK); /* freed while it is under way */
    sluice_batch_free(b);
    sluice_search_free(s);
}

TEST(more_runs_than_results_can_be_held_are_refused) {
    sluice_batch *test;
    sluice_dataset *d = rows_and_test(10, 5, 0, &test);
    static const uint64_t repeats[] = {UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX / 16 + 1, 1000000000};
    for (size_t i = 0; i < 4; i++) {
        sluice_error err = {0};
        sluice_search *s = sweep_search();
        sluice_sweep_options o = {.size = sizeof o, .test = test, .repeats = repeats[i]};
        CHECK_EQ(sluice_search_sweep(s, d, &o, &err), SLUICE_E_LIMIT);
        CHECK_HAS(err.message, "results");
        sluice_search_free(s);
    }
    sluice_batch_free(test);
    sluice_dataset_free(d);
}

TEST(repeats_shuffle_by_the_seed_and_do_not_depend_on_threads) {
    sluice_batch *test;
    sluice_dataset *d = rows_and_test(300, 100, 1, &test);
    char *first = NULL;
    for (unsigned threads = 1; threads < 4; threads += 2) {
        sluice_search *s = sweep_search();
        patience p = {.most = 1000};
        sluice_sweep_options o = {.size = sizeof o,
                                  .test = test,
                                  .repeats = 3,
                                  .seed = 5,
                                  .threads = threads,
                                  .passes = 2,
                                  .progress = be_patient,
                                  .context = &p};
        CHECK_EQ(sluice_search_sweep(s, d, &o, NULL), SLUICE_OK);
        const sluice_point *q = sluice_search_point(s, 0);
        CHECK(q->n_runs == 3 && q->deviation > 0 && q->examples == 3 * 300);
        CHECK(p.calls == 6 && p.done == 6 && p.total == 6);
        char *text = results(s);
        if (first) {
            CHECK_STR(text, first);
            free(text);
        } else {
            first = text;
        }
        sluice_search_free(s);
    }
    free(first);
    /* the first run has the order of the rows, unless it is shuffled too: then it is another */
    sluice_search *plain = sweep_search(), *shuffled = sweep_search();
    sluice_sweep_options o = {.size = sizeof o, .test = test, .seed = 5};
    CHECK_EQ(sluice_search_sweep(plain, d, &o, NULL), SLUICE_OK);
    o.shuffle_first = 1;
    CHECK_EQ(sluice_search_sweep(shuffled, d, &o, NULL), SLUICE_OK);
    char *x = results(plain), *y = results(shuffled);
    CHECK(strcmp(x, y) != 0);
    sluice_dataset_shuffle(d, 5); /* as the first run was */
    o.shuffle_first = 0;
    CHECK_EQ(sluice_search_sweep(plain, d, &o, NULL), SLUICE_OK);
    char *z = results(plain);
    CHECK_STR(z, y);
    free(x);
    free(y);
    free(z);
    sluice_search_free(plain);
    sluice_search_free(shuffled);
    sluice_batch_free(test);
    sluice_dataset_free(d);
}

TEST(sparsities_are_found_between_the_points) {
    sluice_dataset *d = hold_rows(500, 13, 0);
    sluice_search *s = sluice_search_new(NULL, NULL);
    const double wanted[] = {0.5, 0.75, 0.99};
    sluice_error err = {0};
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    sluice_search_add_grid(s, "ssol", "lambda", "1e-6,1e4", NULL); /* nothing is sparse, everything is */
    sluice_sweep_options o = {.size = sizeof o, .threads = 2};
    CHECK_EQ(sluice_search_find(s, d, &o, wanted, 3, &err), SLUICE_E_USAGE); /* before the sweep */
    CHECK_EQ(sluice_search_sweep(s, d, &o, &err), SLUICE_OK);
    const double wrong[] = {1};
    CHECK_EQ(sluice_search_find(s, d, &o, wrong, 1, &err), SLUICE_E_USAGE);
    char *before = results(s);
    patience p = {.most = 1};
    o.progress = be_patient;
    o.context = &p;
    CHECK_EQ(sluice_search_find(s, d, &o, wanted, 3, &err), SLUICE_E_CANCELLED);
    char *after = results(s);
    CHECK_STR(after, before); /* the points of the round that was not finished are gone */
    free(before);
    free(after);
    o.progress = NULL;
    CHECK_EQ(sluice_search_findings(s), 0);
    CHECK_EQ(sluice_search_find(s, d, &o, wanted, 3, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_findings(s), 3);
    for (size_t i = 0; i < 3; i++) {
        const sluice_finding *f = sluice_search_finding(s, i);
        CHECK(f->wanted == wanted[i] && f->closest);
        CHECK_STR(f->learner->name, "ssol");
        CHECK_EQ(f->reached, i < 2); /* 12 features: 0.99 leaves no weight */
        if (i == 0) CHECK(f->closest->searched && f->closest->nonzeros == 6);
        if (i == 2) CHECK(f->closest->nonzeros >= 1);
    }
    CHECK(!sluice_search_finding(s, 3));
    size_t searched = 0;
    for (size_t i = 0; i < sluice_search_points(s); i++) searched += (size_t)sluice_search_point(s, i)->searched;
    CHECK_EQ(searched, sluice_search_points(s) - 2);
    CHECK_EQ(sluice_search_find(s, d, &o, wanted, 3, &err), SLUICE_E_USAGE); /* once */
    CHECK_EQ(sluice_search_sweep(s, d, &o, &err), SLUICE_E_USAGE);
    sluice_search_free(s);
    sluice_dataset_free(d);
}

TEST(a_sweep_needs_the_grid_of_the_parameter_that_makes_sparse) {
    sluice_error err = {0};
    sluice_dataset *d = hold_rows(20, 1, 0);
    CHECK_STR(sluice_learner_sparsity_param(sluice_learner_find("ssol"))->name, "lambda");
    CHECK_STR(sluice_learner_sparsity_param(sluice_learner_find("sofs"))->name, "features");
    CHECK(!sluice_learner_sparsity_param(sluice_learner_find("perceptron")));
    CHECK_STR(sluice_learner_param(sluice_learner_find("ssol"), "eta=3")->name, "eta");
    CHECK(!sluice_learner_param(sluice_learner_find("ssol"), "et"));
    sluice_search *s = sluice_search_new(NULL, NULL);
    CHECK_EQ(sluice_search_sweep(s, d, NULL, &err), SLUICE_E_USAGE); /* no learner */
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    CHECK_EQ(sluice_search_sweep(s, d, NULL, &err), SLUICE_E_USAGE); /* no grid */
    CHECK_EQ(sluice_search_add_default_grids(s, "ssol", SLUICE_GRIDS_SPARSITY, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_sweep(s, d, NULL, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 16);
    sluice_search_free(s);
    s = sluice_search_new(NULL, NULL);
    sluice_search_add_learner(s, "perceptron", NULL, 0, NULL);
    CHECK_EQ(sluice_search_add_default_grids(s, "perceptron", SLUICE_GRIDS_SPARSITY, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_sweep(s, d, NULL, &err), SLUICE_E_USAGE);
    sluice_search_free(s);
    sluice_dataset_free(d);
}

TEST(a_sweep_can_be_cancelled_and_run_again) {
    sluice_dataset *d = hold_rows(100, 1, 0);
    sluice_search *s = sweep_search();
    patience p = {.most = 2};
    sluice_sweep_options o = {.size = sizeof o, .repeats = 4, .progress = be_patient, .context = &p};
    CHECK_EQ(sluice_search_sweep(s, d, &o, NULL), SLUICE_E_CANCELLED);
    CHECK_EQ(p.calls, 2);
    CHECK(!sluice_search_point(s, 0)->runs);
    o.progress = NULL;
    CHECK_EQ(sluice_search_sweep(s, d, &o, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_point(s, 0)->n_runs, 4);
    sluice_search_free(s);
    sluice_dataset_free(d);
}

int main(void) {
    RUN(points_come_by_learner_and_value_and_are_those_of_train);
    RUN(a_stream_gives_the_same_points_as_held_rows);
    RUN(rows_of_names_are_measured_as_each_model_alone_measures_them);
    RUN(mistakes_of_a_second_pass_do_not_count);
    RUN(a_stream_that_was_not_begun_is_refused);
    RUN(more_runs_than_results_can_be_held_are_refused);
    RUN(repeats_shuffle_by_the_seed_and_do_not_depend_on_threads);
    RUN(sparsities_are_found_between_the_points);
    RUN(a_sweep_needs_the_grid_of_the_parameter_that_makes_sparse);
    RUN(a_sweep_can_be_cancelled_and_run_again);
    return DONE;
}
