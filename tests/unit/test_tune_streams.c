/* Tuning along a stream: folds in order, what is predicted before learning, readings, and what is left when the work is
 * cancelled. */
#include "unit/held_rows.h"

#include <math.h>

static sluice_search *new_search(const char *learner, const char *param, const char *values) {
    sluice_search *s = sluice_search_new(NULL, NULL);
    CHECK_EQ(sluice_search_add_learner(s, learner, NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_grid(s, learner, param, values, NULL), SLUICE_OK);
    return s;
}

TEST(folds_in_order_are_parts_of_equal_size) {
    sluice_dataset *d = hold_rows(103, 4, 0);
    sluice_error err = {0};
    size_t row = 0;
    for (size_t n = 1; n <= 103; n += 17, row = 0) {
        sluice_folds *f = sluice_folds_in_order(d, n, NULL);
        CHECK_EQ(sluice_folds_count(f), n);
        CHECK_EQ(sluice_folds_rows(f, NULL), 103);
        for (size_t i = 0; i < n; i++) {
            const sluice_batch *part = sluice_folds_part(f, i);
            for (size_t k = 0; k < sluice_batch_rows(part); k++, row++) {
                sluice_example x;
                sluice_dataset_row(d, row, &x);
                CHECK((sluice_batch_label(part, k) > 0) == (x.label > 0));
                CHECK_EQ(sluice_batch_nonzeros(part, k), x.n);
            }
            CHECK_EQ(row, 103 * (i + 1) / n);
        }
        sluice_folds_free(f);
    }
    CHECK(!sluice_folds_in_order(d, 0, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK(!sluice_folds_in_order(d, 104, &err));
    CHECK_EQ(err.status, SLUICE_E_DATA);
    sluice_dataset_free(d);
}

/* Three points are learned one by one, five side by side, learners without lanes each by itself. */
static const char *const tried[][3] = {
    {"ssol", "eta", "1,2,3"}, {"ssol", "eta", "1,2,3,4,5"}, {"sofs", "features", "2,4,6,8"}, {"bcw", "batch", "0,7"}};
enum { TRIED = sizeof tried / sizeof *tried, ROWS = 120 };

static void check_forward(const sluice_search *s, const sluice_folds *f, size_t i, uint64_t passes) {
    const sluice_point *p = sluice_search_point(s, i);
    CHECK_EQ(p->n_runs, 4);
    for (size_t run = 0; run < p->n_runs; run++) {
        sluice_model *m = sluice_search_model(s, i, NULL);
        for (uint64_t pass = 0; pass < passes; pass++)
            for (size_t k = 0; k <= run; k++)
                CHECK_EQ(sluice_model_learn_batch(m, sluice_folds_part(f, k), NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
        sluice_model *finished = sluice_model_finished(m, NULL);
        double margins[ROWS];
        sluice_meter *meter = sluice_meter_new(&(sluice_meter_options){.size = sizeof(sluice_meter_options)}, NULL);
        CHECK_EQ(sluice_model_margins(finished, sluice_folds_part(f, run + 1), margins, NULL), SLUICE_OK);
        sluice_meter_add_batch(meter, sluice_folds_part(f, run + 1), margins);
        sluice_measures measures = {.size = sizeof measures};
        sluice_meter_read(meter, &measures);
        CHECK(measures.error_rate == p->runs[run]);
        sluice_meter_free(meter);
        sluice_model_free(finished);
        sluice_model_free(m);
    }
}

TEST(every_part_is_predicted_from_those_before_it) {
    sluice_dataset *d = hold_rows(ROWS, 5, 1);
    sluice_folds *f = sluice_folds_in_order(d, 5, NULL);
    for (size_t t = 0; t < TRIED; t++)
        for (uint64_t passes = 1; passes < 3; passes++) {
            sluice_search *s = new_search(tried[t][0], tried[t][1], tried[t][2]);
            patience p = {.most = 1000000};
            sluice_tune_options o = {
                .size = sizeof o, .threads = 2, .passes = passes, .progress = be_patient, .context = &p};
            CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
            CHECK_EQ(p.done, 4 * sluice_search_points(s));
            for (size_t i = 0; i < sluice_search_points(s); i++) check_forward(s, f, i, passes);
            sluice_search_free(s);
        }
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

TEST(progressive_measures_are_those_of_a_model_that_learns) {
    sluice_dataset *d = hold_rows(ROWS, 6, 0);
    sluice_folds *f = sluice_folds_in_order(d, 4, NULL);
    for (size_t t = 0; t < TRIED; t++) {
        sluice_search *s = new_search(tried[t][0], tried[t][1], tried[t][2]);
        sluice_tune_options o = {.size = sizeof o, .threads = 2, .progressive = 1, .measure = SLUICE_MEASURE_AUC};
        CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
        for (size_t i = 0; i < sluice_search_points(s); i++) {
            const sluice_point *p = sluice_search_point(s, i);
            sluice_model *m = sluice_search_model(s, i, NULL);
            sluice_meter *meter = sluice_meter_new(NULL, NULL);
            sluice_measures measures = {.size = sizeof measures};
            for (size_t k = 0; k < 4; k++) {
                uint64_t examples, before = sluice_meter_mistakes(meter, &examples);
                CHECK_EQ(sluice_model_learn_batch(m, sluice_folds_part(f, k), meter), SLUICE_OK);
                CHECK_NEAR(p->by_part[k], (double)(sluice_meter_mistakes(meter, &examples) - before) / 30, 1e-15);
            }
            sluice_meter_read(meter, &measures);
            CHECK(p->n_runs == 1 && p->n_parts == 4 && p->mean == measures.auc && isnan(p->deviation));
            CHECK(p->mistakes == measures.mistakes && p->test->error_rate == measures.error_rate);
            sluice_meter_free(meter);
            sluice_model_free(m);
        }
        sluice_search_free(s);
    }
    sluice_folds_free(f);
    sluice_dataset_free(d);
}

TEST(what_does_not_fit_a_stream_is_refused) {
    sluice_dataset *d = hold_rows(60, 6, 0);
    sluice_folds *random = sluice_folds_new(d, 4, 1, NULL), *one = sluice_folds_in_order(d, 1, NULL);
    sluice_search *s = new_search("ssol", "eta", "1,2");
    sluice_tune_options o = {.size = sizeof o, .progressive = 1};
    CHECK_EQ(sluice_search_tune(s, random, &o, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_tune(s, one, &o, NULL), SLUICE_OK);
    o.passes = 2;
    CHECK_EQ(sluice_search_tune(s, one, &o, NULL), SLUICE_E_USAGE);
    o.progressive = 0;
    CHECK_EQ(sluice_search_tune(s, one, &o, NULL), SLUICE_E_USAGE);
    o.measure = SLUICE_MEASURE_RECALL_AT_PRECISION;
    CHECK_EQ(sluice_search_tune(s, random, &o, NULL), SLUICE_E_USAGE);
    o.precision = 1.5;
    CHECK_EQ(sluice_search_tune(s, random, &o, NULL), SLUICE_E_USAGE);
    o.precision = 0.5;
    CHECK_EQ(sluice_search_tune(s, random, &o, NULL), SLUICE_OK);
    sluice_search_free(s);
    sluice_folds_free(random);
    sluice_folds_free(one);
    sluice_dataset_free(d);
}

/* Points are done in bunches: after the first one there are results, and they come first. */
TEST(points_that_were_done_before_the_end_have_results) {
    sluice_dataset *d = hold_rows(60, 6, 0);
    sluice_folds *f[] = {sluice_folds_new(d, 3, 1, NULL), sluice_folds_in_order(d, 4, NULL)};
    for (int kind = 0; kind < 3; kind++) {
        sluice_search *s = new_search("ssol", "eta", "1..9:40"), *whole = new_search("ssol", "eta", "1..9:40");
        sluice_tune_options o = {.size = sizeof o, .threads = 1, .progressive = kind == 2, .progress = be_patient};
        size_t some = 0;
        for (int most = 1; !some; most++) {
            patience p = {.most = most};
            o.context = &p;
            sluice_status status = sluice_search_tune(s, f[kind > 0], &o, NULL);
            CHECK_EQ(status, SLUICE_E_CANCELLED);
            if (status != SLUICE_E_CANCELLED) break;
            while (sluice_search_point(s, some)->runs) some++;
        }
        CHECK(some >= 16 && some < 40);
        for (size_t i = some; i < 40; i++) CHECK(!sluice_search_point(s, i)->runs);
        o.progress = NULL;
        CHECK_EQ(sluice_search_tune(whole, f[kind > 0], &o, NULL), SLUICE_OK);
        for (size_t i = 0; i < some; i++) {
            const sluice_point *p = sluice_search_point(s, i), *same = NULL;
            for (size_t k = 0; k < 40 && (!same || same->order != p->order); k++) same = sluice_search_point(whole, k);
            CHECK(p->mean == same->mean && p->nonzeros == same->nonzeros);
            CHECK(i < 2 || sluice_search_point(s, i - 1)->mean <= p->mean + 1e-12);
        }
        sluice_search_free(s);
        sluice_search_free(whole);
    }
    sluice_folds_free(f[0]);
    sluice_folds_free(f[1]);
    sluice_dataset_free(d);
}

TEST(readings_are_texts_and_are_tuned_one_after_the_other) {
    sluice_search *s = new_search("ssol", "eta", "1,2");
    sluice_error err = {0};
    size_t n;
    CHECK_EQ(sluice_search_add_learner(s, "pa", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_reading(s, "ssol", "ngrams", "1,x y", NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_reading(s, "ssol", "ngrams", "3", &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_reading(s, "ssol", "a=b", "3", &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_reading(s, "ssol", "tf", "3,,4", &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_reading(s, "nobody", "tf", "3", &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_search_add_grid(s, "ssol", "bias", "0,1", NULL), SLUICE_OK); /* goes before readings */
    CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_points(s), 9);
    CHECK_EQ(sluice_search_readings(s), 3); /* pa has none */
    CHECK_STR(sluice_search_reading(s, 1, &n)[0], "ngrams=x y");
    CHECK_EQ(n, 1);
    CHECK(sluice_search_reading(s, 2, &n) != NULL && n == 0);
    CHECK(sluice_search_reading(s, 3, &n) == NULL && n == 0);
    sluice_dataset *d = hold_rows(60, 6, 0);
    sluice_folds *f = sluice_folds_new(d, 3, 1, NULL);
    for (size_t reading = 1, done = 0; reading <= 3; reading++) {
        sluice_tune_options o = {.size = sizeof o, .reading = reading};
        CHECK_EQ(sluice_search_tune(s, f, &o, NULL), SLUICE_OK);
        for (done = 0; done < 9 && sluice_search_point(s, done)->runs;) done++;
        CHECK_EQ(done, reading < 3 ? 4 * reading : 9);
    }
    for (size_t i = 0; i < 9; i++) {
        const sluice_point *p = sluice_search_point(s, i);
        if (p->n_varied) CHECK(p->settings->bias == (strcmp(p->varied[0], "bias=1") == 0));
    }
    sluice_search_free(s);
    sluice_folds_free(f);
    sluice_dataset_free(d);
    s = new_search("pa-1", "C", "1,2");
    CHECK_EQ(sluice_search_make_points(s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_readings(s), 1);
    CHECK_EQ(sluice_search_add_reading(s, "pa-1", "tf", "3", &err), SLUICE_E_USAGE); /* too late */
    sluice_search_free(s);
}

TEST(measures_say_which_way_is_better) {
    size_t n = 0, larger = 0;
    for (const sluice_measure_info *m; (m = sluice_measure_at(n)); n++) {
        CHECK(*m->name && *m->figure && *m->title);
        larger += m->larger_is_better != 0;
    }
    CHECK(n == SLUICE_MEASURE_RECALL_AT_PRECISION + 1 && larger == 5);
    CHECK_STR(sluice_measure_at(SLUICE_MEASURE_LOG_LOSS)->figure, "log_loss");
    CHECK(!sluice_measure_at(SLUICE_MEASURE_LOG_LOSS)->larger_is_better);
}

int main(void) {
    RUN(folds_in_order_are_parts_of_equal_size);
    RUN(every_part_is_predicted_from_those_before_it);
    RUN(progressive_measures_are_those_of_a_model_that_learns);
    RUN(what_does_not_fit_a_stream_is_refused);
    RUN(points_that_were_done_before_the_end_have_results);
    RUN(readings_are_texts_and_are_tuned_one_after_the_other);
    RUN(measures_say_which_way_is_better);
    return DONE;
}
