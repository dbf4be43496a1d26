/* Measures of several classes: against brute force over random sets, and against numbers of scikit-learn. */
#include <math.h>

#include "eval/class_counts.h"
#include "sluice.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

#define NONE SLUICE_NO_CLASS

typedef struct answer {
    uint32_t truth, predicted, rank;
    double probability;
} answer;

static sluice_meter *meter_of(const answer *a, size_t n) {
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    for (size_t i = 0; i < n; i++)
        CHECK_EQ(sluice_meter_add_class(m, a[i].truth, a[i].predicted, a[i].rank, a[i].probability), SLUICE_OK);
    return m;
}

static sluice_measures read(sluice_meter *m) {
    sluice_measures r = {.size = sizeof r};
    CHECK_EQ(sluice_meter_read(m, &r), SLUICE_OK);
    return r;
}

static sluice_class_measures class_of(sluice_meter *m, size_t i) {
    sluice_class_measures r = {.size = sizeof r};
    CHECK_EQ(sluice_meter_class(m, i, &r), SLUICE_OK);
    return r;
}

static void check_nan(double x) { CHECK(isnan(x)); }

static void check_same(double a, double b) {
    if (isnan(b))
        check_nan(a);
    else
        CHECK_NEAR(a, b, 1e-12);
}

/* ---- brute force ------------------------------------------------------------------------------------------------- */

static uint64_t count(const answer *a, size_t n, int64_t truth, int64_t predicted) { /* -1: any */
    uint64_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += (truth < 0 || a[i].truth == truth) && (predicted < 0 || a[i].predicted == predicted);
    return found;
}

static double over(double a, double b) { return b > 0 ? a / b : 0; }

static void check_averages(sluice_meter *m, const answer *a, size_t n, uint32_t classes) {
    double p_sum = 0, r_sum = 0, f_sum = 0, weighted = 0, hits = 0, occurring = 0, supported = 0, known = 0, said = 0;
    for (uint32_t c = 0; c < classes; c++) {
        double tp = (double)count(a, n, c, c), support = (double)count(a, n, c, -1), by = (double)count(a, n, -1, c);
        double p = over(tp, by), r = over(tp, support), f = over(2 * p * r, p + r);
        sluice_class_measures of = class_of(m, c);
        CHECK_EQ(of.support, support);
        CHECK_EQ(of.predicted, by);
        CHECK_EQ(of.hits, tp);
        check_same(of.precision, p);
        check_same(of.recall, r);
        check_same(of.f1, f);
        p_sum += p, r_sum += r, f_sum += f, weighted += f * support, hits += tp, known += support, said += by;
        occurring += support > 0 || by > 0;
        supported += support > 0;
    }
    sluice_measures r = read(m);
    check_same(r.macro_precision, occurring > 0 ? p_sum / occurring : NAN);
    check_same(r.macro_recall, occurring > 0 ? r_sum / occurring : NAN);
    check_same(r.macro_f1, occurring > 0 ? f_sum / occurring : NAN);
    check_same(r.balanced_accuracy, supported > 0 ? r_sum / supported : NAN);
    check_same(r.micro_f1, known + said > 0 ? 2 * hits / (known + said) : NAN);
    check_same(r.weighted_f1, known > 0 ? weighted / known : NAN);
}

static void check_rates(sluice_meter *m, const answer *a, size_t n) {
    sluice_measures r = read(m);
    uint64_t wrong = 0, unknown = count(a, n, NONE, -1), examples;
    double loss = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += a[i].truth == NONE || a[i].truth != a[i].predicted;
        loss -= log(a[i].truth == NONE ? 0x1p-52 : a[i].probability);
    }
    CHECK_EQ(r.examples, n);
    CHECK_EQ(r.mistakes, wrong);
    CHECK_EQ(r.unknown_labels, unknown);
    CHECK_EQ(sluice_meter_mistakes(m, &examples), wrong);
    CHECK_EQ(examples, n);
    check_same(r.error_rate, n ? (double)wrong / (double)n : NAN);
    check_same(r.accuracy, n ? 1 - (double)wrong / (double)n : NAN);
    if (n) CHECK_NEAR(r.log_loss, loss / (double)n, 1e-9);
    for (size_t k = 1; k <= SLUICE_TOP_ACCURACIES; k++) {
        double found = 0;
        for (size_t i = 0; i < n; i++) found += a[i].truth != NONE && a[i].predicted != NONE && a[i].rank <= k;
        check_same(r.top_accuracy[k - 1], n ? found / (double)n : NAN);
        check_same(sluice_meter_top_accuracy(m, k), r.top_accuracy[k - 1]);
    }
    check_nan(sluice_meter_top_accuracy(m, SLUICE_TOP_ACCURACIES + 1));
    check_nan(sluice_meter_top_accuracy(m, 0));
}

static void check_cells(const sluice_meter *m, const answer *a, size_t n) {
    size_t all = sluice_meter_confusions(m, NULL, 0), sum = 0;
    sluice_confusion *cell = malloc((all + 1) * sizeof *cell);
    if (all) {
        cell[0].examples = 77;
        CHECK_EQ(sluice_meter_confusions(m, cell, all - 1), all);
        CHECK_EQ(cell[0].examples, 77); /* no room for all: none */
    }
    CHECK_EQ(sluice_meter_confusions(m, cell, all), all);
    for (size_t i = 0; i < all; i++) {
        CHECK_EQ(cell[i].examples, count(a, n, cell[i].truth, cell[i].predicted));
        CHECK(cell[i].examples > 0);
        if (i)
            CHECK(cell[i - 1].truth < cell[i].truth ||
                  (cell[i - 1].truth == cell[i].truth && cell[i - 1].predicted < cell[i].predicted));
        sum += cell[i].examples;
    }
    CHECK_EQ(sum, n);
    free(cell);
}

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t n) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

TEST(random_sets_give_what_brute_force_gives) {
    enum { MOST = 400 };
    answer a[MOST];
    for (int round = 0; round < 300; round++) {
        const uint32_t classes = 1 + random_below(round % 3 ? 6 : 60);
        const size_t n = round % 10 ? random_below(MOST) : random_below(3);
        const uint32_t odd = round % 2 ? 0 : 10; /* every tenth label is unknown, every tenth answer missing */
        for (size_t i = 0; i < n; i++) {
            a[i].truth = odd && random_below(odd) == 0 ? NONE : random_below(classes);
            a[i].predicted = odd && random_below(odd) == 0 ? NONE
                             : random_below(2)             ? a[i].truth
                                                           : random_below(classes);
            a[i].rank = a[i].truth == a[i].predicted ? 1 : 2 + random_below(8);
            a[i].probability = (1 + random_below(1000)) / 1001.0;
        }
        sluice_meter *m = meter_of(a, n);
        if (n) {
            check_averages(m, a, n, classes + 2);
            check_rates(m, a, n);
        }
        check_cells(m, a, n);
        sluice_meter_free(m);
    }
}

/* ---- scikit-learn 1.9.1 ------------------------------------------------------------------------------------------ */

/* y = [0,0,0,1,1,2,2,2,2,3], p = [0,1,0,1,2,2,2,0,2,2]: precision_recall_fscore_support(y, p, zero_division=0, average=
 * None and "macro", "weighted"), f1_score(average="micro"), balanced_accuracy_score, log_loss, top_k_accuracy_score. */
static const answer ten[] = {{0, 0, 1, 0.9},  {0, 1, 2, 0.3}, {0, 0, 1, 0.5}, {1, 1, 1, 0.8},  {1, 2, 4, 0.05},
                             {2, 2, 1, 0.75}, {2, 2, 1, 0.6}, {2, 0, 3, 0.2}, {2, 2, 1, 0.99}, {3, 2, 4, 0.01}};

TEST(numbers_are_those_of_scikit_learn) {
    sluice_meter *m = meter_of(ten, 10);
    sluice_measures r = read(m);
    static const double of[4][3] = {{2 / 3.0, 2 / 3.0, 2 / 3.0}, {0.5, 0.5, 0.5}, {0.6, 0.75, 2 / 3.0}, {0, 0, 0}};
    CHECK_EQ(r.classes, 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_NEAR(class_of(m, i).precision, of[i][0], 1e-12);
        CHECK_NEAR(class_of(m, i).recall, of[i][1], 1e-12);
        CHECK_NEAR(class_of(m, i).f1, of[i][2], 1e-12);
    }
    CHECK_NEAR(r.macro_precision, 0.44166666666666665, 1e-12);
    CHECK_NEAR(r.macro_recall, 0.47916666666666663, 1e-12);
    CHECK_NEAR(r.macro_f1, 0.45833333333333326, 1e-12);
    CHECK_NEAR(r.weighted_f1, 0.5666666666666667, 1e-12);
    CHECK_NEAR(r.micro_f1, 0.6, 1e-12);
    CHECK_NEAR(r.balanced_accuracy, 0.47916666666666663, 1e-12);
    CHECK_NEAR(r.log_loss, 1.2244522455905371, 1e-12);
    static const double top[] = {0.6, 0.7, 0.8, 1, 1};
    for (size_t k = 0; k < 5; k++) CHECK_NEAR(r.top_accuracy[k], top[k], 1e-12);
    sluice_meter_free(m);
}

/* y = [0,0,1,1,2,9,9], p = [0,1,1,4,2,0,2], labels=[0,1,2,4]: the model knows no 9; no example is of class 4. */
TEST(labels_that_the_model_does_not_know_count_against_what_was_predicted) {
    static const answer some[] = {{0, 0, 0, NAN}, {0, 1, 0, NAN},    {1, 1, 0, NAN},   {1, 4, 0, NAN},
                                  {2, 2, 0, NAN}, {NONE, 0, 0, NAN}, {NONE, 2, 0, NAN}};
    sluice_meter *m = meter_of(some, 7);
    sluice_measures r = read(m);
    CHECK_NEAR(r.accuracy, 0.42857142857142855, 1e-12);
    CHECK_NEAR(r.macro_precision, 0.375, 1e-12);
    CHECK_NEAR(r.macro_recall, 0.5, 1e-12);
    CHECK_NEAR(r.macro_f1, 0.41666666666666663, 1e-12);
    CHECK_NEAR(r.weighted_f1, 0.5333333333333333, 1e-12);
    CHECK_NEAR(r.micro_f1, 0.5, 1e-12);
    CHECK_NEAR(r.balanced_accuracy, 2 / 3.0, 1e-12); /* class 4 has no examples */
    CHECK_EQ(r.unknown_labels, 2);
    check_nan(r.log_loss);
    CHECK_NEAR(r.top_accuracy[0], 3 / 7.0, 1e-12);
    check_nan(r.top_accuracy[1]); /* ranks are not known */
    sluice_meter_free(m);
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

TEST(figures_of_two_classes_do_not_exist_for_several) {
    sluice_meter *m = meter_of(ten, 10);
    sluice_measures r = read(m);
    const double none[] = {
        r.sensitivity, r.specificity, r.sum,        r.cost,  r.precision,         r.recall,
        r.f1,          r.auc,         r.hinge_loss, r.brier, r.calibration_error, r.average_precision};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) check_nan(none[i]);
    sluice_cut cuts[8];
    sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS];
    sluice_chosen chosen = {.size = sizeof chosen};
    CHECK_EQ(sluice_meter_curve(m, cuts, 8), 0);
    CHECK_EQ(sluice_meter_bins(m, bins), 0);
    CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_F1, 0, &chosen), SLUICE_E_DATA);
    CHECK_EQ(sluice_meter_add(m, 1, 1), SLUICE_E_USAGE);
    CHECK_HAS(sluice_meter_error(m)->message, "several classes");
    CHECK_EQ(read(m).examples, 10);
    sluice_meter_free(m);
}

TEST(a_meter_of_two_classes_does_not_change_to_several) {
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_add(m, 1, 1), SLUICE_OK);
    CHECK_EQ(sluice_meter_add_class(m, 0, 0, 1, 1), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_class(m, 0, &(sluice_class_measures){.size = sizeof(sluice_class_measures)}),
             SLUICE_E_UNSUPPORTED);
    CHECK_EQ(sluice_meter_confusions(m, NULL, 0), 0);
    sluice_measures r = read(m);
    CHECK_EQ(r.examples, 1);
    CHECK_EQ(r.classes, 0);
    check_nan(r.macro_f1);
    check_nan(r.top_accuracy[4]);
    sluice_meter_free(m);
}

TEST(nothing_and_one_class_can_be_measured) {
    sluice_settings how = {.size = sizeof how, .classes = SLUICE_CLASSES_OVR};
    sluice_model *model = sluice_model_new("pa", NULL, 0, &how, NULL);
    sluice_meter_options o = {.size = sizeof o, .model = model};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    sluice_measures r = read(m);
    CHECK_EQ(r.examples, 0);
    const double none[] = {r.error_rate, r.accuracy,    r.balanced_accuracy, r.macro_precision, r.macro_recall,
                           r.macro_f1,   r.weighted_f1, r.micro_f1,          r.log_loss,        r.top_accuracy[0]};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) check_nan(none[i]);
    sluice_meter_free(m);
    sluice_model_free(model);
    m = meter_of(&(answer){0, 0, 1, 1}, 1);
    r = read(m);
    CHECK_EQ(r.classes, 1);
    CHECK_NEAR(r.macro_f1, 1, 0);
    CHECK_NEAR(r.balanced_accuracy, 1, 0);
    CHECK_NEAR(r.log_loss, 0, 0);
    sluice_meter_free(m);
}

TEST(a_probability_of_0_has_a_finite_loss) {
    sluice_meter *m = meter_of(&(answer){0, 1, 2, 0}, 1);
    CHECK_NEAR(read(m).log_loss, 52 * log(2), 1e-9);
    CHECK_EQ(sluice_meter_add_class(m, 0, 1, 2, NAN), SLUICE_OK);
    check_nan(read(m).log_loss); /* one example has none */
    sluice_meter_free(m);
}

TEST(ranks_are_counted_as_far_as_asked_for) {
    sluice_meter_options o = {.size = sizeof o, .top_classes = 20};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    for (uint32_t i = 0; i < 40; i++) CHECK_EQ(sluice_meter_add_class(m, i, i ? 0 : i, i + 1, NAN), SLUICE_OK);
    for (size_t k = 1; k <= 20; k++) CHECK_NEAR(sluice_meter_top_accuracy(m, k), (double)k / 40, 1e-12);
    check_nan(sluice_meter_top_accuracy(m, 21));
    sluice_meter_free(m);
    o.top_classes = SLUICE_MAX_TOP_CLASSES + 1;
    CHECK(!sluice_meter_new(&o, NULL));
}

TEST(classes_that_the_model_does_not_have_are_refused) {
    sluice_settings how = {.size = sizeof how, .classes = SLUICE_CLASSES_MATRIX};
    sluice_model *model = sluice_model_new("pa", NULL, 0, &how, NULL);
    sluice_meter_options o = {.size = sizeof o, .model = model};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    CHECK_EQ(sluice_meter_add_class(m, 0, NONE, 0, NAN), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_add_class(m, NONE, 0, 0, NAN), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_add_class(m, NONE, NONE, 0, NAN), SLUICE_OK);
    CHECK_EQ(read(m).mistakes, 1);
    sluice_meter_free(m);
    sluice_model_free(model);
    m = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_add_class(m, SL_MOST_CLASSES, 0, 0, NAN), SLUICE_E_USAGE); /* not an allocation of its size */
    sluice_meter_free(m);
}

/* 100,000 classes, each confused with two others: what is held grows with the cells, not with the square. */
TEST(many_classes_take_memory_for_the_cells_that_occur) {
    enum { CLASSES = 100000 };
    sl_class_counts c = {.ranks = 5};
    for (uint32_t i = 0; i < CLASSES; i++)
        for (uint32_t k = 0; k < 3; k++) CHECK(sl_class_counts_add(&c, i, (i + k * 31) % CLASSES, 1 + k, 0.5));
    CHECK_EQ(c.n, CLASSES);
    CHECK_EQ(c.cells, 2 * CLASSES);
    CHECK_EQ(sl_class_counts_cells(&c, NULL, 0), 3 * CLASSES);
    CHECK((((size_t)1 << c.bits) * sizeof *c.cell + c.room * sizeof *c.of) < 128 * (size_t)CLASSES);
    sl_class_counts copy;
    CHECK(sl_class_counts_copy(&copy, &c));
    CHECK(sl_class_counts_add(&c, 7, 8, 2, 0.5)); /* the copy is its own */
    CHECK_EQ(copy.examples, 3 * CLASSES);
    CHECK_EQ(copy.cells, 2 * CLASSES);
    CHECK_NEAR(sl_class_counts_top(&copy, 2), 2 / 3.0, 1e-12);
    sl_class_counts_free(&copy);
    sl_class_counts_free(&c);
}

TEST(a_prediction_that_there_is_no_memory_for_is_not_counted) {
    size_t refused = 0;
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    for (uint32_t i = 0; i < 500; i++) {
        FOR_EACH_FAILED_ALLOCATION {
            sluice_status status = sluice_meter_add_class(m, i, i % 7, 2, 0.5);
            if (allocation_failed()) {
                CHECK_EQ(status, SLUICE_E_MEMORY);
                CHECK_EQ(sluice_meter_error(m)->status, SLUICE_E_MEMORY);
                CHECK_EQ(read(m).examples, i);
                refused++;
            } else {
                CHECK_EQ(status, SLUICE_OK);
            }
        }
    }
    CHECK(refused > 3);
    sluice_measures r = read(m);
    CHECK_EQ(r.examples, 500);
    CHECK_EQ(r.classes, 500);
    sluice_meter_free(m);
    sl_class_counts from = {.ranks = 5}, to;
    CHECK(sl_class_counts_add(&from, 0, 1, 2, 0.5));
    FOR_EACH_FAILED_ALLOCATION {
        bool fine = sl_class_counts_copy(&to, &from);
        CHECK_EQ(fine, !allocation_failed());
        CHECK_EQ(to.examples, fine);
        sl_class_counts_free(&to);
    }
    CHECK_EQ(allocations_failed, 3);
    sl_class_counts_free(&from);
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* The meter counts what the model answered before it learned each row; the first row has no answer. */
static void check_learning(unsigned kind) {
    enum { ROWS = 300, CLASSES = 5 };
    sluice_settings how = {.size = sizeof how, .classes = kind};
    sluice_model *m = sluice_model_new("pa", NULL, 0, &how, NULL), *slow = sluice_model_new("pa", NULL, 0, &how, NULL);
    sluice_meter_options o = {.size = sizeof o, .model = m};
    sluice_meter *meter = sluice_meter_new(&o, NULL);
    answer expected[ROWS];
    sluice_batch *all = sluice_batch_new(NULL);
    static const char *const word[CLASSES] = {"ant", "bee", "cat", "dog", "eel"};
    uint32_t seen[CLASSES], n_seen = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const uint32_t c = random_below(CLASSES);
        uint64_t ids[] = {1 + c, 10 + random_below(CLASSES)};
        float values[] = {1, 2};
        sluice_example x = {.ids = ids, .values = values, .n = 2, .weight = 1, .word = {word[c], 3}};
        CHECK_EQ(sluice_batch_add(all, &x, NULL), SLUICE_OK);
        uint32_t best;
        sluice_class_answers of = {.size = sizeof of, .top = 1, .best = &best};
        sluice_batch *one = sluice_batch_new(NULL);
        CHECK_EQ(sluice_batch_add(one, &x, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_classify(slow, one, 0, 1, &of, NULL), SLUICE_OK);
        expected[i].predicted = best;
        uint32_t truth = 0;
        while (truth < n_seen && seen[truth] != c) truth++;
        if (truth == n_seen) seen[n_seen++] = c;
        expected[i].truth = truth;
        CHECK_EQ(sluice_model_learn_batch(slow, one, NULL), SLUICE_OK);
        sluice_batch_free(one);
    }
    CHECK_EQ(sluice_model_learn_batch(m, all, meter), SLUICE_OK);
    check_averages(meter, expected, ROWS, CLASSES);
    check_cells(meter, expected, ROWS);
    CHECK_EQ(read(meter).classes, CLASSES);
    double margins[ROWS] = {0};
    CHECK_EQ(sluice_meter_add_batch(meter, all, margins), SLUICE_E_USAGE);
    sluice_batch_free(all);
    sluice_meter_free(meter);
    sluice_model_free(m);
    sluice_model_free(slow);
}

TEST(learning_counts_the_answers_before_each_row) {
    check_learning(SLUICE_CLASSES_OVR);
    check_learning(SLUICE_CLASSES_OVO);
    check_learning(SLUICE_CLASSES_MATRIX);
}

/* Testing a batch counts what sluice_model_classify() says, whatever pieces the batch is tested in. */
static void check_testing(unsigned kind, size_t classes, int known) {
    enum { ROWS = 700 };
    sluice_settings how = {.size = sizeof how, .classes = kind};
    sluice_model *m = sluice_model_new("pa", NULL, 0, &how, NULL);
    sluice_batch *learned = sluice_batch_new(NULL), *tested = sluice_batch_new(NULL);
    for (size_t i = 0; i < 2 * ROWS; i++) {
        char word[20];
        const uint32_t c = i < classes ? (uint32_t)i : random_below((uint32_t)classes);
        uint64_t ids[] = {1 + c % 17, 100 + c % 23, 1000 + random_below(9)};
        float values[] = {1, 2, 3};
        const int length = snprintf(word, sizeof word, "%s%u", i % 9 || i < ROWS || known ? "c" : "unknown ", c);
        sluice_example x = {.ids = ids, .values = values, .n = 3, .weight = i % 31 ? 1 : 0};
        x.word = (sluice_name){word, (size_t)length};
        if (i < ROWS) x.weight = 1;
        CHECK_EQ(sluice_batch_add(i < ROWS ? learned : tested, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_learn_batch(m, learned, NULL), SLUICE_OK);
    uint32_t *best = malloc(ROWS * classes * sizeof *best), truth[ROWS];
    double *p = malloc(ROWS * classes * sizeof *p);
    sluice_class_answers all = {.size = sizeof all, .top = classes, .best = best, .probabilities = p};
    CHECK_EQ(sluice_model_classify(m, tested, 0, ROWS, &all, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_truths(m, tested, 0, ROWS, truth, NULL), SLUICE_OK);
    answer expected[ROWS];
    size_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        if ((i + ROWS) % 31 == 0) continue; /* of importance 0 */
        uint32_t rank = 0;
        while (rank < classes && best[i * classes + rank] != truth[i]) rank++;
        expected[n++] =
            (answer){truth[i], best[i * classes], rank + 1, truth[i] == NONE ? 0 : p[i * classes + truth[i]]};
    }
    CHECK(isfinite(p[0]));
    sluice_meter_options o = {.size = sizeof o, .model = m};
    sluice_meter *meter = sluice_meter_new(&o, NULL);
    CHECK_EQ(sluice_meter_test_batch(meter, tested), SLUICE_OK);
    check_averages(meter, expected, n, (uint32_t)classes);
    for (size_t i = 0; i < n; i++)
        if (expected[i].probability < 0x1p-52) expected[i].probability = 0x1p-52;
    check_rates(meter, expected, n);
    check_cells(meter, expected, n);
    CHECK_EQ(read(meter).classes, classes);
    CHECK_EQ(read(meter).unknown_labels > 0, !known);
    sluice_meter_free(meter);
    free(best);
    free(p);
    sluice_batch_free(learned);
    sluice_batch_free(tested);
    sluice_model_free(m);
}

TEST(testing_counts_what_the_model_answers) {
    check_testing(SLUICE_CLASSES_OVR, 3, 1);
    check_testing(SLUICE_CLASSES_OVR, 150, 0); /* in pieces */
    check_testing(SLUICE_CLASSES_OVO, 5, 0);
    check_testing(SLUICE_CLASSES_MATRIX, 300, 0);
    sluice_meter *meter = sluice_meter_new(NULL, NULL);
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_meter_test_batch(meter, b), SLUICE_E_UNSUPPORTED);
    sluice_batch_free(b);
    sluice_meter_free(meter);
}

int main(void) {
    RUN(random_sets_give_what_brute_force_gives);
    RUN(numbers_are_those_of_scikit_learn);
    RUN(labels_that_the_model_does_not_know_count_against_what_was_predicted);
    RUN(figures_of_two_classes_do_not_exist_for_several);
    RUN(a_meter_of_two_classes_does_not_change_to_several);
    RUN(nothing_and_one_class_can_be_measured);
    RUN(a_probability_of_0_has_a_finite_loss);
    RUN(ranks_are_counted_as_far_as_asked_for);
    RUN(classes_that_the_model_does_not_have_are_refused);
    RUN(many_classes_take_memory_for_the_cells_that_occur);
    RUN(a_prediction_that_there_is_no_memory_for_is_not_counted);
    RUN(learning_counts_the_answers_before_each_row);
    RUN(testing_counts_what_the_model_answers);
    return DONE;
}
