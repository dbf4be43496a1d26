/* Searches: grids and points, and cross-validation that is the same at any number of threads. */
#include "unit/held_rows.h"

#include <math.h>

static sluice_search *new_search(uint64_t random, uint64_t seed) {
    sluice_search_options o = {.size = sizeof o, .random = random, .seed = seed};
    return sluice_search_new(&o, NULL);
}

static sluice_status grid(sluice_search *s, const char *learner, const char *param, const char *values) {
    return sluice_search_add_grid(s, learner, param, values, NULL);
}

/* The values of the only grid of the only learner, as one text. */
static void values_of(const char *param, const char *values, char text[1000]) {
    sluice_search *s = new_search(0, 0);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(grid(s, "ssol", param, values), SLUICE_OK);
    CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
    *text = 0;
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        CHECK(p->n_params == 1 && p->n_fixed == 0 && p->order == i && !p->runs);
        sprintf(text + strlen(text), "%s%s", i ? " " : "", strchr(p->params[0], '=') + 1);
    }
    sluice_search_free(s);
}

TEST(grids_are_lists_powers_and_ranges) {
    char text[1000];
    values_of("eta", "0.1,1,0.1,2^-1..2^2", text);
    CHECK_STR(text, "0.1 1 0.5 2 4");
    values_of("eta", "10^-2..10^1", text);
    CHECK_STR(text, "0.01 0.1 1 10");
    values_of("eta", "1..100:3", text);
    CHECK_STR(text, "1 10 100");
    values_of("eta", "0.5^3..0.5^1", text);
    CHECK_STR(text, "0.125 0.25 0.5");
    values_of("schedule", "sqrt,constant", text);
    CHECK_STR(text, "sqrt constant");
}

TEST(wrong_grids_are_refused_and_leave_the_search_as_it_was) {
    static const char *const wrong[][2] = {
        {"1,x", "'x' is no number"},  {"", "is no value"},          {"2..1:3", "runs backwards"},
        {"0..1:3", "begins above 0"}, {"1..10", "how many values"}, {"1..10:1", "from 2 to 10000"},
        {"1e13", "eta of ssol"},
    };
    sluice_search *s = new_search(0, 0);
    sluice_error err = {0};
    CHECK_EQ(sluice_search_add_learner(s, "ssol", NULL, 0, NULL), SLUICE_OK);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_EQ(sluice_search_add_grid(s, "ssol", "eta", wrong[i][0], &err), SLUICE_E_USAGE);
        CHECK(strstr(err.message, wrong[i][1]));
    }
    CHECK_EQ(grid(s, "ssol", "eta", "1,2"), SLUICE_OK);
    CHECK_EQ(grid(s, "ssol", "eta", "3"), SLUICE_E_USAGE);
    CHECK_EQ(grid(s, "ssol", "zeta", "3"), SLUICE_E_USAGE);
    CHECK_EQ(grid(s, "pa", "C", "3"), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 2);
    CHECK_EQ(grid(s, "ssol", "lambda", "3"), SLUICE_E_USAGE); /* too late */
    CHECK(!sluice_search_point(s, 2));
    sluice_search_free(s);
    sluice_search_free(NULL);
}

TEST(learners_are_checked_when_they_are_added) {
    sluice_search *s = new_search(0, 0);
    sluice_error err = {0};
    const char *fixed[] = {"eta=0.5"}, *wrong[] = {"eta=-1"};
    CHECK_EQ(sluice_search_add_learner(s, "nobody", NULL, 0, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", wrong, 1, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", fixed, 1, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", fixed, 1, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_grid(s, "ssol", "eta", "1,2", &err), SLUICE_E_USAGE);
    CHECK_STR(err.message, "eta has a fixed value already");
    CHECK_EQ(sluice_search_add_default_grids(s, "ssol", SLUICE_GRIDS_TUNE, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_add_default_grids(s, "ssol", SLUICE_GRIDS_TUNE, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_make_points(s, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 25);
    const sluice_point *p = sluice_search_point(s, 0);
    CHECK(p->n_fixed == 1 && p->n_params == 3);
    CHECK_STR(p->params[0], "eta=0.5");
    sluice_model *m = sluice_search_model(s, 0, &err);
    CHECK(m && sluice_model_param(m, 0) == 0.5);
    sluice_model_free(m);
    CHECK(!sluice_search_model(s, 25, &err));
    sluice_search_free(s);
}

TEST(a_grid_has_all_combinations_and_too_many_are_refused) {
    sluice_search *s = new_search(0, 0);
    sluice_error err = {0};
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    grid(s, "ssol", "eta", "1,2");
    grid(s, "ssol", "lambda", "3,4,5");
    CHECK_EQ(sluice_search_make_points(s, &err), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 6);
    CHECK_STR(sluice_search_point(s, 4)->params[0], "eta=2");
    CHECK_STR(sluice_search_point(s, 4)->params[1], "lambda=4");
    sluice_search_free(s);
    s = new_search(0, 0);
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    grid(s, "ssol", "eta", "1..2:1000");
    grid(s, "ssol", "lambda", "1..2:1000");
    CHECK_EQ(sluice_search_make_points(s, &err), SLUICE_E_LIMIT);
    CHECK_EQ(sluice_search_points(s), 0);
    sluice_search_free(s);
}

TEST(points_are_drawn_by_the_seed) {
    char text[2][2000] = {"", ""};
    for (int i = 0; i < 2; i++) {
        sluice_search *s = new_search(20, 7);
        sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
        CHECK_EQ(grid(s, "ssol", "eta", "0.01..100"), SLUICE_OK); /* a range needs no number of values here */
        CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
        CHECK_EQ(sluice_search_points(s), 20);
        for (size_t k = 0; k < 20; k++) {
            double value = 0;
            CHECK(sluice_parse_number(strchr(sluice_search_point(s, k)->params[0], '=') + 1, &value));
            CHECK(value >= 0.01 && value <= 100);
            strcat(text[i], sluice_search_point(s, k)->params[0]);
        }
        sluice_search_free(s);
    }
    CHECK_STR(text[0], text[1]);
}

/* ---- cross-validation -------------------------------------------------------------------------------------------- */

/* Everything that came out, but seconds. */
static char *results(const sluice_search *s) {
    char *text = calloc(sluice_search_points(s) + 1, 400), *t = text;
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        t += sprintf(t, "%s %s %zu %s %a %a %llu %llu %a %a %a %llu|", p->learner->name, p->params[p->n_params - 1],
                     p->order, p->failure ? p->failure : "", p->mean, p->deviation, (unsigned long long)p->examples,
                     (unsigned long long)p->mistakes, p->nonzeros, p->sparsity, p->test->auc,
                     (unsigned long long)p->test->examples);
        for (size_t k = 0; k < p->n_runs; k++) t += sprintf(t, " %a", p->runs[k]);
    }
    return text;
}

static sluice_search *tune_search(void) {
    sluice_search *s = new_search(0, 0);
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    sluice_search_add_learner(s, "pa-1", NULL, 0, NULL);
    grid(s, "ssol", "lambda", "10^-2..10^2");
    grid(s, "ssol", "eta", "0.1,1,10,100");
    grid(s, "pa-1", "C", "0.01,1");
    return s;
}

TEST(tune_sorts_by_the_measure_and_is_the_same_at_any_number_of_threads) {
    sluice_dataset *d = hold_rows(300, 4, 0);
    sluice_folds *f = sluice_folds_new(d, 4, 1, NULL);
    char *first = NULL;
    for (unsigned threads = 1; threads < 5; threads += 2) {
        sluice_search *s = tune_search();
        sluice_error err = {0};
        patience p = {.most = 1000000};
        sluice_tune_options o = {
            .size = sizeof o, .threads = threads, .progress = be_patient, .context = &p, .choose = SLUICE_CHOOSE_BEST};
        CHECK_EQ(sluice_search_tune(s, f, &o, &err), SLUICE_OK);
        CHECK_STR(err.message, "");
        CHECK_EQ(sluice_search_points(s), 22);
        CHECK(p.done == 88 && p.total == 88); /* models */
        for (size_t i = 1; i < 22; i++)
            CHECK(sluice_search_point(s, i - 1)->mean <= sluice_search_point(s, i)->mean + 1e-9);
        const sluice_point *best = sluice_search_point(s, 0);
        CHECK(best->mean < 0.2 && best->n_runs == 4 && best->test->examples == 300);
        CHECK_NEAR((best->runs[0] + best->runs[1] + best->runs[2] + best->runs[3]) / 4, best->mean, 1e-12);
        CHECK_EQ(best->examples, 3 * 300); /* each row is learned three times */
        char *text = results(s);
        if (!first)
            first = text;
        else {
            CHECK_STR(text, first);
            free(text);
        }
        sluice_search_free(s);
    }
    free(first);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

/* Learned fold by fold, rows must not come sorted by their labels: of folds of one row the first half had one class. */
TEST(folds_of_few_rows_do_not_come_class_after_class) {
    sluice_dataset *d = hold_rows(300, 4, 0);
    for (size_t n = 60; n <= 300; n += 240) {
        sluice_folds *f = sluice_folds_new(d, n, 1, NULL);
        size_t changes = 0, rows = 0;
        double before = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < sluice_batch_rows(sluice_folds_part(f, i)); k++, rows++) {
                const double label = sluice_batch_label(sluice_folds_part(f, i), k);
                changes += label != before;
                before = label;
            }
        CHECK_EQ(rows, 300);
        CHECK(changes > 100); /* 150 by chance, 2 where they are sorted */
        sluice_folds_free(f);
    }
    sluice_dataset_free(d);
}

/* Every point is what a model learned fold by fold gives. */
TEST(tune_measures_what_models_of_the_other_folds_predict) {
    sluice_dataset *d = hold_rows(90, 5, 1);
    sluice_folds *f = sluice_folds_new(d, 3, 2, NULL);
    sluice_search *s = tune_search();
    sluice_tune_options o = {
        .size = sizeof o, .measure = SLUICE_MEASURE_AUC, .threads = 2, .passes = 2, .choose = SLUICE_CHOOSE_BEST};
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        CHECK(!i || p->mean <= sluice_search_point(s, i - 1)->mean + 1e-9); /* the larger the better */
        for (size_t fold = 0; fold < 3; fold++) {
            sluice_model *m = sluice_search_model(s, i, NULL);
            for (size_t k = 0; k < 6; k++)
                if (k % 3 != fold) CHECK_EQ(sluice_model_learn_batch(m, sluice_folds_part(f, k % 3), NULL), SLUICE_OK);
            const sluice_batch *held = sluice_folds_part(f, fold);
            double margins[90];
            CHECK_EQ(sluice_model_margins(m, held, margins, NULL), SLUICE_OK);
            sluice_meter_options exact = {.size = sizeof exact, .exact_auc = 1};
            sluice_meter *meter = sluice_meter_new(&exact, NULL);
            sluice_meter_add_batch(meter, held, margins);
            sluice_measures measures = {.size = sizeof measures};
            sluice_meter_read(meter, &measures);
            CHECK(measures.auc == p->runs[fold]);
            sluice_meter_free(meter);
            sluice_model_free(m);
        }
    }
    sluice_search_free(s);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

static double least_nonzeros(const sluice_search *s, double limit) {
    double least = INFINITY;
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        if (!p->failure && p->mean >= limit && p->nonzeros > 0 && p->nonzeros < least) least = p->nonzeros;
    }
    return least;
}

TEST(tune_prefers_the_sparsest_point_within_a_standard_error) {
    sluice_dataset *d = hold_rows(90, 5, 1);
    sluice_folds *f = sluice_folds_new(d, 3, 2, NULL);
    sluice_search *s = tune_search(), *plain = tune_search();
    sluice_tune_options o = {.size = sizeof o, .threads = 1, .measure = SLUICE_MEASURE_AUC, .passes = 2};
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
    o.choose = SLUICE_CHOOSE_BEST;
    CHECK_EQ(sluice_search_tune(plain, f, &o, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_best_mean(plain), 0);
    CHECK_EQ(sluice_search_best_mean(s), 1); /* a sparser one was preferred */
    const sluice_point *least = sluice_search_point(plain, 0), *chosen = sluice_search_point(s, 0);
    const double limit = least->mean - least->deviation / sqrt(3);
    CHECK(chosen->mean >= limit - 1e-12 && chosen->nonzeros < least->nonzeros);
    CHECK_EQ(chosen->nonzeros, least_nonzeros(plain, limit - 1e-12));
    CHECK_EQ(sluice_search_point(s, 1)->order, least->order);
    for (size_t i = 2; i < 22; i++)
        CHECK(sluice_search_point(s, i - 1)->mean >= sluice_search_point(s, i)->mean - 1e-9);
    o.choose = 7;
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_E_USAGE);
    sluice_search_free(s);
    sluice_search_free(plain);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

/* Every row has a feature of its own: all models say -1 of the rows that are left out. */
TEST(tune_takes_no_model_without_weights) {
    char text[2000], *end = text;
    for (int i = 0; i < 90; i++) end += sprintf(end, "%d %d:1\n", i % 9 ? -1 : 1, i + 1);
    sluice_dataset *d = hold_text(text, "libsvm");
    sluice_folds *f = sluice_folds_new(d, 3, 1, NULL);
    sluice_search *s = new_search(0, 0);
    sluice_search_add_learner(s, "fsol", NULL, 0, NULL);
    grid(s, "fsol", "lambda", "0,1e9");
    CHECK_EQ(sluice_search_tune(s, f, NULL, NULL), SLUICE_OK);
    const sluice_point *first = sluice_search_point(s, 0), *second = sluice_search_point(s, 1);
    CHECK_EQ(second->nonzeros, 0);
    CHECK(first->nonzeros > 0 && first->mean == second->mean);
    sluice_search_free(s);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

/* A setting is tried like a parameter, and models have it. */
TEST(settings_have_grids) {
    sluice_dataset *d = hold_rows(120, 4, 0);
    sluice_folds *f = sluice_folds_new(d, 3, 1, NULL);
    for (uint64_t random = 0; random < 60; random += 40) {
        sluice_search *s = new_search(random, 3);
        sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
        CHECK_EQ(grid(s, "ssol", "normalize", "none,l2"), SLUICE_OK);
        CHECK_EQ(grid(s, "ssol", "eta", "1,2,3,4,5"), SLUICE_OK);
        CHECK_EQ(grid(s, "ssol", "bias", "0,0.5"), SLUICE_OK);
        CHECK_EQ(grid(s, "ssol", "bias", "1"), SLUICE_E_USAGE); /* it has one */
        CHECK_EQ(grid(s, "ssol", "transform", "cubic"), SLUICE_E_USAGE);
        CHECK_EQ(grid(s, "ssol", "hash", "3"), SLUICE_E_USAGE);
        sluice_tune_options o = {.size = sizeof o, .threads = 2};
        CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
        if (!random) CHECK_EQ(sluice_search_points(s), 20);
        int normalized = 0;
        for (size_t i = 0; i < sluice_search_points(s); i++) {
            const sluice_point *p = sluice_search_point(s, i);
            const sluice_settings *has = p->settings;
            CHECK_EQ(p->n_params, 1);
            CHECK_EQ(p->n_varied, 2);
            CHECK_STR(p->varied[0], has->normalize ? "normalize=l2" : "normalize=none");
            CHECK_STR(p->varied[1], has->bias != 0 ? "bias=0.5" : "bias=0");
            normalized += has->normalize == SLUICE_NORMALIZE_L2;
            sluice_model *m = sluice_search_model(s, i, NULL);
            CHECK_EQ(sluice_model_settings(m)->normalize, has->normalize);
            CHECK(sluice_model_settings(m)->bias == has->bias);
            for (size_t k = 1; k < 3; k++)
                CHECK_EQ(sluice_model_learn_batch(m, sluice_folds_part(f, k), NULL), SLUICE_OK);
            double margins[120];
            const sluice_batch *held = sluice_folds_part(f, 0);
            CHECK_EQ(sluice_model_margins(m, held, margins, NULL), SLUICE_OK);
            sluice_meter *meter = sluice_meter_new(NULL, NULL);
            sluice_meter_add_batch(meter, held, margins);
            sluice_measures measures = {.size = sizeof measures};
            sluice_meter_read(meter, &measures);
            CHECK(measures.error_rate == p->runs[0]);
            sluice_meter_free(meter);
            sluice_model_free(m);
        }
        CHECK(normalized > 4 && normalized < (int)sluice_search_points(s) - 4);
        sluice_search_free(s);
    }
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

TEST(tune_can_be_cancelled_and_run_again) {
    sluice_dataset *d = hold_rows(120, 6, 0);
    sluice_folds *f = sluice_folds_new(d, 3, 1, NULL);
    sluice_search *s = tune_search(), *fresh = tune_search();
    sluice_tune_options o = {.size = sizeof o, .threads = 2, .progress = be_patient};
    for (int most = 1; most < 5; most += 3) {
        patience p = {.most = most};
        sluice_error err = {0};
        o.context = &p;
        CHECK_EQ(sluice_search_tune(s, f, &o, &err), SLUICE_E_CANCELLED);
        CHECK_EQ(err.status, SLUICE_E_CANCELLED);
        CHECK_EQ(p.calls, most); /* not called again */
        CHECK(!sluice_search_point(s, 0)->runs);
    }
    o.progress = NULL;
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK); /* and again */
    CHECK_EQ(sluice_search_tune(fresh, f, &o, NULL), SLUICE_OK);
    char *x = results(s), *y = results(fresh);
    CHECK_STR(x, y);
    free(x);
    free(y);
    sluice_search_free(s);
    sluice_search_free(fresh);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

TEST(points_that_fail_come_last) {
    sluice_dataset *d = hold_text("1 1:1e30\n-1 2:1e30\n1 1:1e30\n-1 2:1e30\n1 1:1e30\n-1 2:1e30\n", "libsvm");
    sluice_folds *f = sluice_folds_new(d, 2, 1, NULL);
    sluice_search *s = new_search(0, 0);
    sluice_search_add_learner(s, "perceptron", NULL, 0, NULL);
    grid(s, "perceptron", "eta", "1e12,1");
    CHECK_EQ(sluice_search_tune(s, f, NULL, NULL), SLUICE_OK);
    const sluice_point *last = sluice_search_point(s, 1);
    CHECK(!sluice_search_point(s, 0)->failure);
    CHECK(last->failure && strstr(last->failure, "number"));
    CHECK_STR(last->params[0], "eta=1e12");
    sluice_search_free(s);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

TEST(the_end_of_a_range_is_noted) {
    sluice_dataset *d = hold_rows(200, 8, 0);
    sluice_folds *f = sluice_folds_new(d, 2, 1, NULL);
    sluice_search *s = new_search(0, 0);
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    grid(s, "ssol", "lambda", "1e5,1e6,1e7"); /* all far too large: the smallest is best */
    CHECK_EQ(sluice_search_tune(s, f, NULL, NULL), SLUICE_OK);
    int ends = 0;
    for (size_t i = 0; i < 3; i++) ends += sluice_search_at_end(s, i, 0);
    CHECK_EQ(ends, 2);
    CHECK(!sluice_search_at_end(s, 0, 1) && !sluice_search_at_end(s, 3, 0));
    sluice_tune_options o = {.size = sizeof o, .measure = 99};
    CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_E_USAGE);
    sluice_search_free(s);
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

/* Options of a program that was compiled with an older or a newer header. */
TEST(options_of_other_sizes_are_taken) {
    struct {
        sluice_search_options o;
        char more[64];
    } newer;
    sluice_error err = {0};
    memset(&newer, 0, sizeof newer);
    newer.o = (sluice_search_options){.size = sizeof newer, .random = 3, .seed = 1};
    newer.more[7] = 1; /* something that this library does not have */
    CHECK(!sluice_search_new(&newer.o, &err));
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    newer.more[7] = 0;
    sluice_search *s = sluice_search_new(&newer.o, NULL);
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    CHECK_EQ(grid(s, "ssol", "eta", "1..2"), SLUICE_OK);
    CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 3);
    sluice_search_free(s);
    CHECK(!sluice_search_new(&(sluice_search_options){.random = 3}, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE); /* without its size */
    sluice_search_options older = {.size = offsetof(sluice_search_options, random), .random = 3};
    s = sluice_search_new(&older, NULL);
    sluice_search_add_learner(s, "ssol", NULL, 0, NULL);
    CHECK_EQ(grid(s, "ssol", "eta", "1..2"), SLUICE_E_USAGE); /* `random` is not part of it */
    sluice_search_free(s);
}

int main(void) {
    RUN(grids_are_lists_powers_and_ranges);
    RUN(wrong_grids_are_refused_and_leave_the_search_as_it_was);
    RUN(learners_are_checked_when_they_are_added);
    RUN(a_grid_has_all_combinations_and_too_many_are_refused);
    RUN(points_are_drawn_by_the_seed);
    RUN(tune_sorts_by_the_measure_and_is_the_same_at_any_number_of_threads);
    RUN(tune_measures_what_models_of_the_other_folds_predict);
    RUN(folds_of_few_rows_do_not_come_class_after_class);
    RUN(tune_prefers_the_sparsest_point_within_a_standard_error);
    RUN(tune_takes_no_model_without_weights);
    RUN(settings_have_grids);
    RUN(tune_can_be_cancelled_and_run_again);
    RUN(points_that_fail_come_last);
    RUN(the_end_of_a_range_is_noted);
    RUN(options_of_other_sizes_are_taken);
    return DONE;
}
