/* Rows in memory: what goes in comes out, in the order asked for, in batches and folds. */
#include "unit/held_rows.h"

#include <math.h>

static void check_row(const sluice_example *x, double label, double weight, size_t n, uint64_t id, float value) {
    CHECK(x->label == label && x->weight == weight);
    CHECK_EQ(x->n, n);
    if (n) CHECK(x->ids[n - 1] == id && x->values[n - 1] == value);
}

TEST(rows_are_held_as_they_came) {
    sluice_dataset *d = hold_text("1 3:0.5 7:2\n-1\n0 18446744073709551615:1\n", "libsvm");
    sluice_example x;
    CHECK_EQ(sluice_dataset_rows(d), 3);
    CHECK(sluice_dataset_dimension(d) == UINT64_MAX);
    CHECK_EQ(sluice_dataset_longest(d), 2);
    CHECK(!sluice_dataset_names(d));
    sluice_dataset_row(d, 0, &x);
    check_row(&x, 1, 1, 2, 7, 2);
    sluice_dataset_row(d, 1, &x);
    check_row(&x, -1, 1, 0, 0, 0);
    sluice_dataset_original(d, 2, &x);
    CHECK(x.n == 1 && x.ids[0] == UINT64_MAX && !x.names);
    sluice_dataset_free(d);
    sluice_dataset_free(NULL);
}

TEST(ids_become_names_when_names_follow) {
    sluice_dataset *d = hold_text("1 30:0.5 7:2\n", "libsvm");
    add_rows(d, "-1 | seven:3 7:4\n", "vw");
    sluice_example x;
    const sluice_names *names = sluice_dataset_names(d);
    CHECK(names);
    if (!names) return;
    CHECK_EQ(sluice_names_count(names), 3);
    CHECK_EQ(sluice_dataset_dimension(d), 2);
    sluice_dataset_row(d, 1, &x);
    CHECK(x.ids[1] == 1 || x.ids[0] == 1); /* the 7 of the first row */
    sluice_dataset_original(d, 0, &x);
    CHECK(!x.names && x.ids[0] + x.ids[1] == 37);
    sluice_dataset_original(d, 1, &x);
    CHECK(x.names && x.names[0].n + x.names[1].n == 6);
    sluice_dataset_forget_rows(d);
    CHECK_EQ(sluice_dataset_rows(d), 0);
    CHECK(sluice_dataset_names(d) == names);
    add_rows(d, "1 | seven:1\n", "vw"); /* and it can be used again */
    sluice_dataset_row(d, 0, &x);
    CHECK_EQ(x.ids[0], 2);
    sluice_dataset_free(d);
}

TEST(what_was_read_before_an_error_stays) {
    sluice_error err = {0};
    sluice_dataset *d = sluice_dataset_new(NULL);
    sluice_reader *r = open_rows("1 1:1\n1 x:1\n", "libsvm");
    CHECK_EQ(sluice_dataset_read(d, r, NULL, NULL, &err), SLUICE_E_DATA);
    CHECK_EQ(err.line, 2);
    CHECK_EQ(sluice_dataset_rows(d), 1);
    sluice_reader_close(r);
    sluice_dataset_free(d);
}

TEST(reading_can_be_cancelled) {
    sluice_error err = {0};
    patience p = {.most = 1};
    sluice_dataset *d = sluice_dataset_new(NULL);
    sluice_reader *r = open_rows("1 1:1\n", "libsvm");
    CHECK_EQ(sluice_dataset_read(d, r, be_patient, &p, &err), SLUICE_E_CANCELLED);
    CHECK_EQ(err.status, SLUICE_E_CANCELLED);
    CHECK_STR(sluice_status_name(err.status), "cancelled");
    CHECK(p.calls == 1 && p.total == 6);
    sluice_reader_close(r);
    sluice_dataset_free(d);
}

static uint64_t sum_of_order(const sluice_dataset *d, size_t *n) {
    const size_t *order = sluice_dataset_order(d, n);
    uint64_t sum = 0;
    for (size_t i = 0; i < *n; i++) sum += order[i];
    return sum;
}

TEST(shuffling_keeps_every_row_and_depends_on_the_seed_alone) {
    sluice_dataset *a = hold_rows(100, 1, 0), *b = hold_rows(100, 1, 0);
    size_t n, differ = 0;
    sluice_dataset_shuffle(a, 5);
    sluice_dataset_shuffle(b, 5);
    CHECK_EQ(sum_of_order(a, &n), 99 * 50);
    CHECK_EQ(n, 100);
    CHECK(memcmp(sluice_dataset_order(a, &n), sluice_dataset_order(b, &n), n * sizeof(size_t)) == 0);
    for (size_t i = 0; i < n; i++) differ += sluice_dataset_order(a, &n)[i] != i;
    CHECK(differ > 80);
    sluice_dataset_reset_order(a, 7);
    CHECK_EQ(sum_of_order(a, &n), 21);
    CHECK_EQ(n, 7);
    sluice_dataset_reset_order(a, 1000); /* not more than there are */
    CHECK_EQ(sum_of_order(a, &n), 99 * 50);
    sluice_dataset_free(a);
    sluice_dataset_free(b);
}

TEST(sampling_gives_the_ratio_of_classes_asked_for) {
    sluice_dataset *d = hold_text("1 1:1\n-1 2:1\n1 3:1\n-1 4:1\n1 5:1\n1 9:1\n", "libsvm");
    size_t n;
    sluice_dataset_sample(d, 1, 1, 3);
    const size_t *order = sluice_dataset_order(d, &n);
    CHECK_EQ(n, 4);
    uint64_t largest = 0;
    int positive = 0;
    for (size_t i = 0; i < n; i++) {
        sluice_example x;
        sluice_dataset_row(d, order[i], &x);
        positive += x.label > 0;
        if (x.ids[0] > largest) largest = x.ids[0];
        CHECK(!i || order[i] > order[i - 1]);
    }
    CHECK_EQ(positive, 2);
    CHECK(sluice_dataset_dimension(d) == largest); /* of the rows drawn */
    sluice_dataset_free(d);
}

TEST(batches_leave_out_rows_of_importance_0) {
    sluice_error err = {0};
    sluice_dataset *d = hold_text("1 1 | a\n-1 0 | b\n-1 2 | c\n1 1 | d\n", "vw");
    sluice_batch *b = sluice_dataset_batch(d, 1, SIZE_MAX, &err), *learn, *test;
    CHECK_EQ(sluice_batch_rows(b), 2);
    CHECK(sluice_batch_weight(b, 0) == 2 && !sluice_batch_has_names(b));
    sluice_batch_free(b);
    b = sluice_dataset_batch(d, 9, 1, &err); /* past the end */
    CHECK_EQ(sluice_batch_rows(b), 0);
    sluice_batch_free(b);
    CHECK_EQ(sluice_dataset_hold_out(d, 2, &learn, &test, &err), SLUICE_OK);
    CHECK_EQ(sluice_batch_rows(learn), 2);
    CHECK_EQ(sluice_batch_rows(test), 1); /* the second that counts, not the second */
    CHECK(sluice_batch_weight(test, 0) == 2);
    sluice_batch_free(learn);
    sluice_batch_free(test);
    CHECK_EQ(sluice_dataset_hold_out(d, 0, &learn, &test, &err), SLUICE_E_USAGE);
    CHECK(!learn && !test);
    sluice_dataset_free(d);
}

TEST(scales_are_those_of_the_columns) {
    sluice_dataset *d = hold_text("1 1:1 2:3\n-1 1:3 2:3\n1 2:3\n", "libsvm");
    double mean[3], deviation[3];
    CHECK_EQ(sluice_dataset_scales(d, mean, deviation, NULL), SLUICE_OK);
    CHECK_NEAR(mean[0], 0, 0);
    CHECK_NEAR(mean[1], 4.0 / 3, 1e-15);
    CHECK_NEAR(deviation[1], sqrt((1.0 / 9 + 25.0 / 9 + 16.0 / 9) / 2), 1e-15);
    CHECK_NEAR(mean[2], 3, 0);
    CHECK_NEAR(deviation[2], 0, 0); /* constant */
    sluice_dataset_free(d);
}

TEST(the_dimension_and_the_scales_follow_the_order) {
    sluice_dataset *d = hold_text("1 1:1\n-1 2:1\n1 900:1\n1 901:1\n1 902:1\n1 903:1\n", "libsvm");
    for (uint64_t seed = 0; seed < 50 && sluice_dataset_dimension(d) == 903; seed++)
        sluice_dataset_sample(d, 1, 1, seed); /* each draws one positive row or keeps it */
    sluice_dataset_reset_order(d, SIZE_MAX);
    CHECK_EQ(sluice_dataset_dimension(d), 903);
    double *mean = malloc(904 * sizeof *mean), *deviation = malloc(904 * sizeof *deviation);
    CHECK_EQ(sluice_dataset_scales(d, mean, deviation, NULL), SLUICE_OK);
    CHECK_NEAR(mean[903], 1.0 / 6, 1e-15);
    sluice_dataset_reset_order(d, 2);
    CHECK_EQ(sluice_dataset_dimension(d), 2);
    free(mean);
    free(deviation);
    sluice_dataset_free(d);
}

TEST(ids_too_large_for_a_table_have_no_scales) {
    static const char *const texts[] = {"1 18446744073709551615:1\n", "1 4000000000:1\n"};
    for (size_t i = 0; i < 2; i++) {
        sluice_error err = {0};
        sluice_dataset *d = hold_text(texts[i], "libsvm");
        double mean = 7, deviation = 7;
        CHECK_EQ(sluice_dataset_scales(d, &mean, &deviation, &err), SLUICE_E_LIMIT);
        CHECK_HAS(err.message, i ? "4000000000" : "18446744073709551615");
        CHECK(mean == 7 && deviation == 7);
        sluice_dataset_free(d);
    }
}

TEST(an_empty_batch_adds_nothing) {
    sluice_dataset *d = sluice_dataset_new(NULL);
    sluice_batch *none = sluice_batch_new(NULL);
    CHECK_EQ(sluice_dataset_add(d, none, NULL), SLUICE_OK);
    CHECK_EQ(sluice_dataset_rows(d), 0);
    add_rows(d, "1 1:1\n", "libsvm");
    sluice_dataset_forget_rows(d);
    CHECK_EQ(sluice_dataset_add(d, none, NULL), SLUICE_OK);
    CHECK_EQ(sluice_dataset_rows(d), 0);
    sluice_batch_free(none);
    sluice_dataset_free(d);
}

TEST(no_passes_are_one_pass) {
    sluice_dataset *d = hold_rows(20, 4, 0);
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    sluice_model_facts facts = {.size = sizeof facts};
    CHECK_EQ(sluice_dataset_learn(d, m, 0, NULL, NULL, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_describe(m, &facts), SLUICE_OK);
    CHECK_EQ(facts.examples, 20);
    sluice_model_free(m);
    sluice_dataset_free(d);
}

TEST(a_model_learns_a_dataset_as_it_learns_the_stream) {
    for (int names = 0; names < 2; names++) {
        char *text = make_rows(200, 3, names);
        const char *format = names ? "vw" : "libsvm";
        sluice_dataset *d = hold_text(text, format);
        sluice_model *a = sluice_model_new("ssol", NULL, 0, NULL, NULL), *b = sluice_model_copy(a, NULL);
        CHECK_EQ(sluice_dataset_learn(d, a, 2, NULL, NULL, NULL), SLUICE_OK);
        for (int pass = 0; pass < 2; pass++) {
            const sluice_batch *batch;
            sluice_reader *r = open_rows(text, format);
            while (sluice_reader_next(r, &batch) == SLUICE_OK)
                CHECK_EQ(sluice_model_learn_batch(b, batch, NULL), SLUICE_OK);
            sluice_reader_close(r);
        }
        sluice_weight *x, *y;
        size_t n, m;
        CHECK_EQ(sluice_model_weights(a, &x, &n, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_weights(b, &y, &m, NULL), SLUICE_OK);
        CHECK(n == m && n > 3);
        for (size_t i = 0; i < n && i < m; i++) {
            CHECK(x[i].id == y[i].id && x[i].weight == y[i].weight && x[i].name.n == y[i].name.n);
            CHECK(x[i].name.n == 0 || memcmp(x[i].name.text, y[i].name.text, x[i].name.n) == 0);
        }
        CHECK_EQ(sluice_weights_heaviest(x, n, 3), 3);
        CHECK(fabsf(x[0].weight) >= fabsf(x[1].weight) && fabsf(x[1].weight) >= fabsf(x[2].weight));
        for (size_t i = 3; i < n; i++) CHECK(fabsf(x[i].weight) <= fabsf(x[2].weight));
        sluice_free(x);
        sluice_free(y);
        sluice_model_free(a);
        sluice_model_free(b);
        sluice_dataset_free(d);
        free(text);
    }
}

TEST(folds_have_the_same_sizes_and_classes) {
    sluice_error err = {0};
    sluice_dataset *d = hold_rows(103, 2, 0);
    sluice_folds *f = sluice_folds_new(d, 5, 1, &err);
    CHECK(f);
    if (!f) return;
    uint64_t positives = 0, rows = sluice_folds_rows(f, &positives), counted = 0, positive = 0;
    CHECK_EQ(rows, 103);
    CHECK_EQ(sluice_folds_count(f), 5);
    for (size_t i = 0; i < 5; i++) {
        const sluice_batch *part = sluice_folds_part(f, i);
        size_t n = sluice_batch_rows(part), here = 0;
        for (size_t k = 0; k < n; k++) here += sluice_batch_label(part, k) > 0;
        CHECK(n == 20 || n == 21);
        CHECK(here == positives / 5 || here == positives / 5 + 1);
        counted += n;
        positive += here;
    }
    CHECK(counted == rows && positive == positives && positives > 20);
    CHECK(!sluice_folds_part(f, 5));
    size_t n;
    CHECK_EQ(sum_of_order(d, &n), 103 * 51); /* the dataset is as it was */
    sluice_folds_free(f);
    CHECK(!sluice_folds_new(d, 104, 1, &err));
    CHECK_EQ(err.status, SLUICE_E_DATA);
    CHECK_STR(err.message, "only 103 examples: too few for 104 folds");
    CHECK(!sluice_folds_new(d, 1, 1, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    sluice_folds_free(NULL);
    sluice_dataset_free(d);
}

/* The first values of xoshiro256** seeded with 1 by splitmix64: they never change. */
TEST(random_numbers_are_always_the_same) {
    sluice_random r, s;
    sluice_random_seed(&r, 1);
    sluice_random_seed(&s, 1);
    uint64_t first = sluice_random_next(&r);
    CHECK(first == 0xb3f2af6d0fc710c5u);
    CHECK(sluice_random_uniform(&s) == (double)(first >> 11) * 0x1p-53);
    double sum = 0, squares = 0;
    int below[3] = {0};
    for (int i = 0; i < 20000; i++) {
        double x = sluice_random_normal(&r);
        sum += x;
        squares += x * x;
        below[sluice_random_below(&s, 3)]++;
    }
    CHECK_NEAR(sum / 20000, 0, 0.03);
    CHECK_NEAR(squares / 20000, 1, 0.05);
    for (int i = 0; i < 3; i++) CHECK_NEAR(below[i], 20000.0 / 3, 300);
}

int main(void) {
    RUN(rows_are_held_as_they_came);
    RUN(ids_become_names_when_names_follow);
    RUN(what_was_read_before_an_error_stays);
    RUN(reading_can_be_cancelled);
    RUN(shuffling_keeps_every_row_and_depends_on_the_seed_alone);
    RUN(sampling_gives_the_ratio_of_classes_asked_for);
    RUN(batches_leave_out_rows_of_importance_0);
    RUN(scales_are_those_of_the_columns);
    RUN(the_dimension_and_the_scales_follow_the_order);
    RUN(ids_too_large_for_a_table_have_no_scales);
    RUN(an_empty_batch_adds_nothing);
    RUN(no_passes_are_one_pass);
    RUN(a_model_learns_a_dataset_as_it_learns_the_stream);
    RUN(folds_have_the_same_sizes_and_classes);
    RUN(random_numbers_are_always_the_same);
    return DONE;
}
