/* Thresholds: chosen among all cuts, and as a part of models. */
#include <float.h>
#include <math.h>

#include "sluice.h"
#include "unit/test.h"

typedef struct pair {
    double margin;
    int positive;
} pair;

static uint64_t state = 1;

static uint64_t draw(uint64_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % bound;
}

/* Few different margins, so that many tie, of a kind: whole numbers, neighbouring doubles, sums that round, very large
 * and very small ones. */
static double draw_margin(uint64_t kind) {
    double k = (double)draw(12) - 5;
    switch (kind % 4) {
    case 0:
        return k;
    case 1:
        return 1 + (k + 6) * DBL_EPSILON;
    case 2:
        return k * 0.1 + 1e-3 * (double)draw(3);
    default:
        return k * (draw(2) ? 1e-310 : 1e200);
    }
}

typedef struct counts {
    uint64_t tp, fp, tn, fn;
} counts;

static counts count(const pair *pairs, size_t n, double threshold) {
    counts c = {0};
    for (size_t i = 0; i < n; i++) {
        int predicted = pairs[i].margin > threshold;
        if (pairs[i].positive)
            *(predicted ? &c.tp : &c.fn) += 1;
        else
            *(predicted ? &c.fp : &c.tn) += 1;
    }
    return c;
}

static double part(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : NAN; }

static double precision(counts c) { return part(c.tp, c.tp + c.fp); }
static double recall(counts c) { return part(c.tp, c.tp + c.fn); }
static double f1(counts c) { return part(2 * c.tp, 2 * c.tp + c.fp + c.fn); }
static double cost(counts c, const sluice_meter_options *o) {
    return o->cost_missed * (double)c.fn + o->cost_alarm * (double)c.fp;
}
static double alarms(counts c) { return part(c.tp + c.fp, c.tp + c.fp + c.tn + c.fn); }

/* Whether a cut is better than another by the definition of the goal, in words of sluice.h; ties do not count. */
static int beats(int goal, double wanted, counts a, counts b, const sluice_meter_options *o) {
    switch (goal) {
    case SLUICE_GOAL_PRECISION: {
        int fine_a = precision(a) >= wanted, fine_b = precision(b) >= wanted;
        if (fine_a != fine_b) return fine_a;
        if (fine_a) return recall(a) > recall(b);
        return precision(a) > precision(b) || (precision(a) == precision(b) && recall(a) > recall(b)) ||
               (isnan(precision(b)) && !isnan(precision(a)));
    }
    case SLUICE_GOAL_RECALL: {
        int fine_a = recall(a) >= wanted, fine_b = recall(b) >= wanted;
        if (fine_a != fine_b) return fine_a;
        return fine_a && (precision(a) > precision(b) || (precision(a) == precision(b) && recall(a) > recall(b)));
    }
    case SLUICE_GOAL_COST:
        return cost(a, o) < cost(b, o);
    case SLUICE_GOAL_F1:
        return f1(a) > f1(b);
    default: {
        int fine_a = alarms(a) <= wanted, fine_b = alarms(b) <= wanted;
        if (fine_a != fine_b) return fine_a;
        return fine_a && alarms(a) > alarms(b);
    }
    }
}

/* No threshold at a margin, below all or above all is better, and the counts are those of predicting so. */
static void check_choice(sluice_meter *m, const pair *pairs, size_t n, int goal, double wanted,
                         const sluice_meter_options *o) {
    sluice_chosen c = {.size = sizeof c};
    CHECK_EQ(sluice_meter_choose(m, goal, wanted, &c), SLUICE_OK);
    CHECK(isfinite(c.margin));
    counts got = count(pairs, n, c.margin);
    CHECK_EQ(c.true_pos, got.tp);
    CHECK_EQ(c.false_pos, got.fp);
    CHECK_EQ(c.true_neg, got.tn);
    CHECK_EQ(c.false_neg, got.fn);
    CHECK(c.precision == precision(got) || (isnan(c.precision) && isnan(precision(got))));
    CHECK(c.recall == recall(got) && c.f1 == f1(got) && c.alarms == alarms(got) && c.cost == cost(got, o));
    CHECK_EQ(c.reached, goal == SLUICE_GOAL_PRECISION ? precision(got) >= wanted : 1);
    for (size_t i = 0; i <= n; i++) {
        counts other = count(pairs, n, i < n ? pairs[i].margin : -INFINITY);
        CHECK(!beats(goal, wanted, other, got, o));
        /* among equals the one with the fewest positives; a higher recall where a recall is wanted */
        if (goal != SLUICE_GOAL_RECALL && !beats(goal, wanted, got, other, o))
            CHECK(got.tp + got.fp <= other.tp + other.fp);
    }
}

TEST(the_chosen_cut_is_the_best_of_all) {
    static const double values[] = {0.01, 0.1, 1.0 / 3, 0.5, 0.75, 0.9, 0.99, 1};
    enum { MOST = 40 };
    pair pairs[MOST];
    for (uint64_t round = 0; round < 400; round++) {
        sluice_meter_options o = {.size = sizeof o, .exact_auc = 1};
        o.cost_missed = (double)(1 + draw(5));
        o.cost_alarm = 0.5 * (double)(1 + draw(5));
        sluice_meter *m = sluice_meter_new(&o, NULL);
        size_t n = 2 + draw(MOST - 1);
        for (size_t i = 0; i < n; i++) {
            pairs[i] = (pair){draw_margin(round), draw(3) == 0};
            if (i < 2) pairs[i].positive = (int)i;
            CHECK_EQ(sluice_meter_add(m, pairs[i].margin, pairs[i].positive ? 1 : -1), SLUICE_OK);
        }
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            check_choice(m, pairs, n, SLUICE_GOAL_PRECISION, values[v], &o);
            check_choice(m, pairs, n, SLUICE_GOAL_RECALL, values[v], &o);
            check_choice(m, pairs, n, SLUICE_GOAL_ALARMS, values[v], &o);
        }
        check_choice(m, pairs, n, SLUICE_GOAL_ALARMS, 0, &o);
        check_choice(m, pairs, n, SLUICE_GOAL_COST, NAN, &o);
        check_choice(m, pairs, n, SLUICE_GOAL_F1, NAN, &o);
        sluice_meter_free(m);
    }
}

static sluice_meter *meter_of(const double (*rows)[2], size_t n, int exact) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = exact};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    for (size_t i = 0; i < n; i++) sluice_meter_add(m, rows[i][0], rows[i][1]);
    return m;
}

TEST(thresholds_lie_halfway_between_margins) {
    const double rows[][2] = {{-2, -1}, {-1, 1}, {1, -1}, {4, 1}};
    sluice_meter *m = meter_of(rows, 4, 1);
    sluice_chosen c = {.size = sizeof c};
    sluice_meter_choose(m, SLUICE_GOAL_PRECISION, 0.9, &c);
    CHECK(c.margin == 2.5);
    sluice_meter_choose(m, SLUICE_GOAL_RECALL, 1, &c);
    CHECK(c.margin == -1.5);
    sluice_meter_choose(m, SLUICE_GOAL_ALARMS, 0, &c); /* none: the largest margin itself */
    CHECK(c.margin == 4);
    sluice_meter_choose(m, SLUICE_GOAL_ALARMS, 1, &c); /* all: below the least by its size */
    CHECK(c.margin == -4);
    sluice_meter_free(m);
}

TEST(bins_give_thresholds_between_bins) {
    double rows[600][2];
    pair pairs[600];
    for (size_t i = 0; i < 600; i++) {
        rows[i][0] = 0.01 * (double)draw(500) - 2;
        rows[i][1] = rows[i][0] + (double)draw(3) - 1 > 0 ? 1 : -1;
        pairs[i] = (pair){(double)(float)rows[i][0], rows[i][1] > 0};
    }
    sluice_meter *m = meter_of((const double(*)[2])rows, 600, 0);
    sluice_chosen c = {.size = sizeof c};
    for (int goal = SLUICE_GOAL_PRECISION; goal <= SLUICE_GOAL_ALARMS; goal++) {
        CHECK_EQ(sluice_meter_choose(m, goal, 0.8, &c), SLUICE_OK);
        counts got = count(pairs, 600, c.margin);
        CHECK(got.tp == c.true_pos && got.fp == c.false_pos && c.reached);
    }
    sluice_meter_free(m);
}

TEST(what_cannot_be_chosen_is_refused) {
    const double one_class[][2] = {{1, 1}, {2, 1}}, both[][2] = {{1, 1}, {2, -1}};
    sluice_chosen c = {.size = sizeof c};
    sluice_meter *m = meter_of(one_class, 2, 1);
    CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_F1, 0, &c), SLUICE_E_DATA);
    CHECK_HAS(sluice_meter_error(m)->message, "both classes");
    sluice_meter_free(m);
    m = meter_of(both, 2, 1);
    const double wrong[] = {0, -0.5, 1.5, NAN, INFINITY};
    for (size_t i = 0; i < 5; i++) {
        CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_PRECISION, wrong[i], &c), SLUICE_E_USAGE);
        CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_RECALL, wrong[i], &c), SLUICE_E_USAGE);
        CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_ALARMS, wrong[i], &c), i ? SLUICE_E_USAGE : SLUICE_OK);
    }
    CHECK_EQ(sluice_meter_choose(m, 0, 0.5, &c), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_choose(m, 6, 0.5, &c), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_F1, 0, &(sluice_chosen){0}), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_PRECISION, 0.9, &c), SLUICE_OK);
    CHECK(!c.reached && c.precision == 0.5);
    sluice_meter_free(m);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static void learn(sluice_model *m, uint64_t id, double label) {
    float value = 1;
    sluice_example x = {.ids = &id, .values = &value, .n = 1, .label = label, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
}

static sluice_model *learned(const char *learner) {
    sluice_model *m = sluice_model_new(learner, NULL, 0, NULL, NULL);
    for (int i = 0; i < 40; i++) learn(m, (uint64_t)i % 3, i % 3 ? 1 : -1);
    return m;
}

static double threshold_of(const sluice_model *m) {
    double margin;
    return sluice_model_threshold(m, &margin) ? margin : NAN;
}

TEST(margins_above_the_threshold_are_positive) {
    sluice_model *m = learned("arow");
    double margin = 7;
    CHECK(!sluice_model_threshold(m, &margin) && margin == 0);
    CHECK(!sluice_model_predicts_positive(m, 0) && sluice_model_predicts_positive(m, 1e-300));
    CHECK_EQ(sluice_model_set_threshold(m, -1.25), SLUICE_OK);
    CHECK(sluice_model_predicts_positive(m, -1) && !sluice_model_predicts_positive(m, -1.25));
    CHECK_EQ(sluice_model_set_threshold(m, NAN), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_set_threshold(m, INFINITY), SLUICE_E_USAGE);
    CHECK(threshold_of(m) == -1.25);
    sluice_model_drop_threshold(m);
    CHECK(isnan(threshold_of(m)));
    sluice_model_free(m);
}

TEST(a_meter_counts_by_the_threshold_of_its_model) {
    sluice_model *m = learned("arow");
    sluice_model_set_threshold(m, 1);
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1, .model = m};
    sluice_meter *meter = sluice_meter_new(&o, NULL);
    const double rows[][2] = {{2, 1}, {1, 1}, {0.5, -1}, {3, -1}};
    for (size_t i = 0; i < 4; i++) sluice_meter_add(meter, rows[i][0], rows[i][1]);
    sluice_measures r = {.size = sizeof r};
    sluice_meter_read(meter, &r);
    CHECK(r.true_pos == 1 && r.false_neg == 1 && r.true_neg == 1 && r.false_pos == 1);
    CHECK(r.auc == 0.5);
    sluice_meter_free(meter);
    sluice_model_free(m);
}

TEST(copies_and_files_keep_the_threshold) {
    sluice_model *m = learned("arow");
    void *plain, *bytes, *again;
    size_t n_plain, n, n_again;
    CHECK_EQ(sluice_model_bytes(m, &plain, &n_plain, NULL), SLUICE_OK);
    sluice_model_set_threshold(m, 0.1);
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, n_plain + 32);
    sluice_model *kept[] = {sluice_model_copy(m, NULL), sluice_model_final(m, NULL), sluice_model_snapshot(m, NULL),
                            sluice_model_finished(m, NULL), sluice_model_parse(bytes, n, NULL)};
    for (size_t i = 0; i < 5; i++) {
        CHECK(threshold_of(kept[i]) == 0.1);
        if (i == 4) {
            CHECK_EQ(sluice_model_bytes(kept[i], &again, &n_again, NULL), SLUICE_OK);
            CHECK(n_again == n && memcmp(again, bytes, n) == 0);
            sluice_free(again);
        }
        sluice_model_free(kept[i]);
    }
    sluice_model_drop_threshold(m);
    CHECK_EQ(sluice_model_bytes(m, &again, &n_again, NULL), SLUICE_OK);
    CHECK(n_again == n_plain && memcmp(again, plain, n_plain) == 0);
    sluice_free(again);
    sluice_free(bytes);
    sluice_free(plain);
    sluice_model_free(m);
}

TEST(learning_and_merging_drop_the_threshold) {
    sluice_model *m = learned("arow");
    sluice_model_set_threshold(m, 0.1);
    learn(m, 1, 1);
    CHECK(isnan(threshold_of(m)));
    sluice_model_free(m);
    sluice_model *a = learned("perceptron"), *b = learned("perceptron"),
                 *empty = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    sluice_model_set_threshold(a, 0.1);
    sluice_model_set_threshold(b, 0.1);
    CHECK_EQ(sluice_model_merge(empty, b), SLUICE_OK); /* it is that model now */
    CHECK(threshold_of(empty) == 0.1);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_OK);
    CHECK(isnan(threshold_of(a)));
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(empty);
}

static void learn_word(sluice_model *m, uint64_t id, const char *word) {
    float value = 1;
    sluice_example x = {.ids = &id, .values = &value, .n = 1, .weight = 1, .word = {word, strlen(word)}};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
}

/* Whichever class came first, the positive one is above the threshold. */
TEST(classes_that_are_words_go_by_the_threshold) {
    for (int turned = 0; turned < 2; turned++) {
        sluice_model *m = sluice_model_new("arow", NULL, 0, NULL, NULL);
        for (int i = 0; i < 10; i++) learn_word(m, (uint64_t)i % 2, (i % 2) ^ turned ? "spam" : "ham");
        CHECK_STR(sluice_model_label(m, 0).text, turned ? "spam" : "ham");
        CHECK_EQ(sluice_model_predicts_positive(m, 0), turned);
        sluice_model_set_threshold(m, -1);
        CHECK_STR(sluice_model_label(m, -0.5).text, "spam");
        CHECK_STR(sluice_model_label(m, -1).text, "ham");
        sluice_model_set_threshold(m, 0);
        CHECK_STR(sluice_model_label(m, 0).text, "ham");
        CHECK_EQ(sluice_model_predicts_positive(m, 0), 0);
        void *bytes;
        size_t n;
        CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
        sluice_model *back = sluice_model_parse(bytes, n, NULL);
        CHECK_STR(sluice_model_label(back, 0).text, "ham");
        CHECK_STR(sluice_model_label(back, 1e-9).text, "spam");
        learn_word(back, 3, "ham");
        CHECK_STR(sluice_model_label(back, 0).text, turned ? "spam" : "ham");
        sluice_model_free(back);
        sluice_free(bytes);
        sluice_model_free(m);
    }
}

/* Margins around the one found are positive exactly where their probability is above p. (The least double is the
 * threshold where all probabilities are: no margin comes that low.) */
static void check_probability(const sluice_model *m, double p) {
    double margin = sluice_model_margin_of_probability(m, p);
    CHECK(isfinite(margin));
    const double near[] = {margin,
                           nextafter(margin, INFINITY),
                           nextafter(margin, -INFINITY),
                           margin + 0.01,
                           margin - 0.01,
                           -3,
                           -0.2,
                           0,
                           0.7,
                           5,
                           -1e300,
                           1e300};
    for (size_t i = 0; i < sizeof near / sizeof *near; i++)
        if (fabs(near[i]) < DBL_MAX) CHECK_EQ(near[i] > margin, sluice_model_probability(m, near[i]) > p);
}

TEST(a_probability_as_threshold) {
    const double margins[] = {-2, -1, -0.5, -0.2, 0.2, 0.4, 0.7, 1, 2, 3};
    const double labels[] = {-1, -1, 1, -1, -1, 1, -1, 1, 1, 1};
    const char *const learners[] = {"arow", "ftrl", "arow", "arow"};
    const int kinds[] = {SLUICE_CALIBRATION_NONE, SLUICE_CALIBRATION_NONE, SLUICE_CALIBRATION_PLATT,
                         SLUICE_CALIBRATION_ISOTONIC};
    for (size_t k = 0; k < 4; k++) {
        sluice_model *m = learned(learners[k]);
        CHECK_EQ(sluice_model_calibrate(m, margins, labels, NULL, 10, kinds[k]), SLUICE_OK);
        for (double p = 0; p <= 1; p += 0.0625) check_probability(m, p);
        check_probability(m, sluice_model_probability(m, 0.3)); /* a pool's own */
        CHECK(isnan(sluice_model_margin_of_probability(m, 1.5)));
        CHECK(isnan(sluice_model_margin_of_probability(m, NAN)));
        sluice_model_free(m);
    }
    sluice_model *m = sluice_model_new("arow", NULL, 0, NULL, NULL);
    CHECK(isnan(sluice_model_margin_of_probability(m, 0.5)));
    sluice_model_free(m);
}

int main(void) {
    RUN(the_chosen_cut_is_the_best_of_all);
    RUN(thresholds_lie_halfway_between_margins);
    RUN(bins_give_thresholds_between_bins);
    RUN(what_cannot_be_chosen_is_refused);
    RUN(margins_above_the_threshold_are_positive);
    RUN(a_meter_counts_by_the_threshold_of_its_model);
    RUN(copies_and_files_keep_the_threshold);
    RUN(learning_and_merging_drop_the_threshold);
    RUN(classes_that_are_words_go_by_the_threshold);
    RUN(a_probability_as_threshold);
    return DONE;
}
