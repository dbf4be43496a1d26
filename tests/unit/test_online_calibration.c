/* Probabilities: learned along the way, fitted to a hold-out, and measured. */
#include <math.h>

#include "calibration/holdout_calibration.h"
#include "model/model.h"
#include "unit/test.h"

static uint64_t state = 1;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double sigmoid(double t) { return 1 / (1 + exp(-t)); }

/* A margin of any scale, and a label that is +1 as often as its log odds a m + b say. */
static double draw(double scale, double a, double b, double *y) {
    double m = (uniform() + uniform() + uniform() - 1.5) * 4;
    *y = uniform() < sigmoid(a * m + b) ? 1 : -1;
    return m * scale;
}

TEST(online_calibration_recovers_the_sigmoid_at_any_scale) {
    const double scales[] = {1e-60, 1e-6, 1, 1e9, 1e80};
    for (size_t k = 0; k < 5; k++) {
        sl_online_calibration c = {0};
        CHECK(!sl_online_calibration_ready(&c));
        for (int i = 0; i < 60000; i++) {
            double y, m = draw(scales[k], 1.5, -0.7, &y);
            sl_online_calibration_learn(&c, m, y, 1);
        }
        CHECK(sl_online_calibration_ready(&c) && sl_online_calibration_possible(&c));
        double at_0 = sl_online_calibration_log_odds(&c, 0), at_1 = sl_online_calibration_log_odds(&c, scales[k]);
        CHECK_NEAR(at_0, -0.7, 0.12);
        CHECK_NEAR(at_1 - at_0, 1.5, 0.2);
    }
}

TEST(early_margins_fade) {
    sl_online_calibration c = {0};
    for (int i = 0; i < 2000; i++) sl_online_calibration_learn(&c, uniform() - 0.5, uniform() < 0.9 ? 1 : -1, 1);
    for (int i = 0; i < 60000; i++) {
        double y, m = draw(1, 2, 0, &y);
        sl_online_calibration_learn(&c, m, y, 1);
    }
    CHECK_NEAR(sl_online_calibration_log_odds(&c, 0), 0, 0.15);
    CHECK_NEAR(sl_online_calibration_log_odds(&c, 1), 2, 0.3);
}

TEST(importance_counts_as_so_many_examples) {
    sl_online_calibration c = {0};
    for (int i = 0; i < 20000; i++) sl_online_calibration_learn(&c, i % 3 ? 1 : -1, i % 2 ? 1 : -1, i % 2 ? 3 : 1);
    CHECK_NEAR(sl_online_calibration_log_odds(&c, 1), log(3), 0.15);
}

TEST(nothing_leaves_the_range_of_numbers) {
    const double margins[] = {0, 1e308, -1e308, 1e-310, 1e100, -1e99, 5}, weights[] = {1, 3e38, 1e-45, 100};
    sl_online_calibration c = {0};
    for (int i = 0; i < 5000; i++)
        sl_online_calibration_learn(&c, margins[(int)(uniform() * 7)], uniform() < 0.5 ? 1 : -1,
                                    weights[(int)(uniform() * 4)]);
    CHECK(sl_online_calibration_possible(&c));
    CHECK(isfinite(sl_online_calibration_log_odds(&c, 1e308)) && isfinite(sl_online_calibration_log_odds(&c, -1e-300)));
}

TEST(margins_that_mislead_give_the_base_rate) {
    sl_online_calibration c = {0};
    for (int i = 0; i < 20000; i++) {
        double y, m = draw(1, -1, 0, &y);
        sl_online_calibration_learn(&c, m, y, 1);
    }
    CHECK(sl_online_calibration_log_odds(&c, 5) >= sl_online_calibration_log_odds(&c, -5));
    CHECK_NEAR(sl_online_calibration_log_odds(&c, 1), 0, 0.3);
}

TEST(one_round_in_sixteen_is_looked_at_whatever_the_period) {
    for (uint64_t period = 1; period < 40; period++) {
        int due = 0;
        for (uint64_t i = 0; i < 8000; i++) due += sl_online_calibration_due(1000000 + i * period);
        CHECK_NEAR(due, 500, 40);
    }
}

/* Which rounds are looked at is part of what a model becomes: all before 4096, then one in 2, 4, 8 and, from 32768 on,
 * 16. They follow the multiples of the golden ratio, which are spread more evenly than chance would. */
TEST(fewer_rounds_are_looked_at_as_time_goes_on) {
    for (uint64_t t = 0; t < 4096; t++) CHECK(sl_online_calibration_due(t));
    for (int k = 1; k <= 6; k++) {
        uint64_t first = (uint64_t)2048 << k, due = 0;
        for (uint64_t t = first; t < 2 * first; t++) due += sl_online_calibration_due(t);
        CHECK_NEAR((double)due, (double)(first >> (k < 4 ? k : 4)), 3);
    }
    const long double golden = (sqrtl(5) - 1) / 2;
    for (uint64_t t = 4096; t < 70000; t++) {
        long double turn = (long double)t * golden, part = turn - floorl(turn);
        int k = t < 8192 ? 1 : t < 16384 ? 2 : t < 32768 ? 3 : 4;
        CHECK_EQ(sl_online_calibration_due(t), part < 1 / (long double)(1 << k));
    }
}

TEST(a_model_looks_at_the_rounds_that_are_due) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    double due = 0;
    for (uint64_t t = 1; t < 40000; t++) {
        uint64_t id = t % 3;
        float value = t % 2 ? 1.0f : -1.0f;
        sluice_example x = {&id, &value, 1, t % 5 ? 1 : -1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        due += sl_online_calibration_due(t);
        if (t % 4000 == 0) CHECK(m->calibration.count == due);
    }
    sluice_model_free(m);
}

/* ---- hold-outs ---- */

/* Isotonic regression by its definition: max over starts of the min over ends of the mean. */
static double plain_isotonic(const sl_pool *x, size_t n, size_t i) {
    double best = -1;
    for (size_t from = 0; from <= i; from++) {
        double least = 2;
        for (size_t to = i; to < n; to++) {
            double sum = 0, weight = 0;
            for (size_t k = from; k <= to; k++) sum += x[k].mean * x[k].weight, weight += x[k].weight;
            least = fmin(least, sum / weight);
        }
        best = fmax(best, least);
    }
    return best;
}

TEST(pooling_is_isotonic_regression) {
    for (int trial = 0; trial < 200; trial++) {
        sl_pool x[24], pooled[24];
        size_t n = 1 + (size_t)(uniform() * 24);
        for (size_t i = 0; i < n; i++) {
            x[i] = (sl_pool){(double)i, (double)i, uniform() < (double)i / (double)n, 0.5 + uniform()};
            pooled[i] = x[i];
        }
        size_t kept = sl_pool_adjacent(pooled, n);
        for (size_t i = 0, k = 0; i < n; i++) {
            while (pooled[k].high < x[i].low) k++;
            CHECK_NEAR(pooled[k].mean, plain_isotonic(x, n, i), 1e-12);
        }
        for (size_t k = 1; k < kept; k++) CHECK(pooled[k].mean > pooled[k - 1].mean);
    }
}

enum { HOLD_OUT = 20000 };

static sluice_model *fitted_model(int kind, double scale, double a, double b) {
    double *margin = malloc(2 * HOLD_OUT * sizeof *margin), *label = margin + HOLD_OUT;
    for (size_t i = 0; i < HOLD_OUT; i++) margin[i] = draw(scale, a, b, &label[i]);
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_calibrate(m, margin, label, NULL, HOLD_OUT, kind), SLUICE_OK);
    CHECK_EQ(sluice_model_calibration(m), kind);
    free(margin);
    return m;
}

TEST(hold_outs_recover_the_sigmoid_at_any_scale) {
    const double scales[] = {1e-200, 1, 1e200};
    const int kinds[] = {SLUICE_CALIBRATION_PLATT, SLUICE_CALIBRATION_ISOTONIC};
    for (size_t k = 0; k < 6; k++) {
        sluice_model *m = fitted_model(kinds[k % 2], scales[k / 2], 2, 0.5);
        double last = 0;
        for (double x = -7; x < 7; x += 0.01) {
            double p = sluice_model_probability(m, x * scales[k / 2]);
            CHECK(p > 0 && p < 1 && p >= last - 1e-15);
            if (fabs(x) < 3) CHECK_NEAR(p, sigmoid(2 * x + 0.5), k % 2 ? 0.12 : 0.02);
            last = p;
        }
        CHECK(m->holdout.n <= SL_KNOTS);
        sluice_model_free(m);
    }
}

/* One group of examples for every margin 0, 1, 2, ...: group i has `positive[i]` of `size` examples with label 1. */
static sluice_model *fit_groups(const size_t *positive, size_t groups, size_t size, const double *weights) {
    size_t n = groups * size;
    double *margin = malloc(3 * n * sizeof *margin), *label = margin + n, *weight = label + n;
    for (size_t i = 0; i < n; i++) {
        size_t group = i / size;
        margin[i] = (double)group;
        label[i] = i % size < positive[group] ? 1 : -1;
        weight[i] = weights ? weights[group] : 1;
    }
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_model_calibrate(m, margin, label, weight, n, SLUICE_CALIBRATION_ISOTONIC), SLUICE_OK);
    free(margin);
    return m;
}

/* More pools than there are knots for: neighbours are pooled until at most SL_KNOTS / 2 of about the same weight are
 * left, and the probability of each is the share of positives in it. */
TEST(too_many_pools_become_fewer_of_the_same_weight) {
    enum { GROUPS = 300, SIZE = 400, MOST = SL_KNOTS / 2 };
    size_t positive[GROUPS];
    double weights[GROUPS], all, so_far, sum[MOST], weight[MOST];
    for (int uneven = 0; uneven < 2; uneven++) {
        all = so_far = 0;
        memset(sum, 0, sizeof sum);
        memset(weight, 0, sizeof weight);
        for (size_t i = 0; i < GROUPS; i++) {
            positive[i] = 50 + i;
            weights[i] = uneven && i < GROUPS / 3 ? 0.125 : 1;
            all += weights[i];
        }
        sluice_model *m = fit_groups(positive, GROUPS, SIZE, weights);
        CHECK(m->holdout.n > MOST / 2 && m->holdout.n <= SL_KNOTS);
        size_t place[GROUPS];
        for (size_t i = 0; i < GROUPS; i++) {
            place[i] = (size_t)((so_far + weights[i] / 2) / all * MOST);
            so_far += weights[i];
            sum[place[i]] += weights[i] * (double)positive[i] / SIZE;
            weight[place[i]] += weights[i];
        }
        for (size_t i = 0; i < GROUPS; i++)
            CHECK_NEAR(sluice_model_probability(m, (double)i), sum[place[i]] / weight[place[i]], 1e-9);
        sluice_model_free(m);
    }
}

TEST(few_pools_stay_as_they_are) {
    enum { GROUPS = SL_KNOTS / 2, SIZE = 200 };
    size_t positive[GROUPS];
    for (size_t i = 0; i < GROUPS; i++) positive[i] = 20 + i;
    sluice_model *m = fit_groups(positive, GROUPS, SIZE, NULL);
    CHECK_EQ(m->holdout.n, GROUPS);
    for (size_t i = 0; i < GROUPS; i++)
        CHECK_NEAR(sluice_model_probability(m, (double)i), (double)positive[i] / SIZE, 1e-12);
    sluice_model_free(m);
}

/* At the ends, where all labels agree, half an example is taken to have the other one. */
TEST(nothing_is_certain_at_the_ends) {
    const size_t positive[] = {0, 5, 10};
    sluice_model *m = fit_groups(positive, 3, 10, NULL);
    CHECK_NEAR(sluice_model_probability(m, 0), 0.5 / 11, 1e-12);
    CHECK_NEAR(sluice_model_probability(m, 1), 0.5, 1e-12);
    CHECK_NEAR(sluice_model_probability(m, 0.5), (0.5 / 11 + 0.5) / 2, 1e-12);
    CHECK_NEAR(sluice_model_probability(m, 2), 1 - 0.5 / 11, 1e-12);
    CHECK_NEAR(sluice_model_probability(m, -100), 0.5 / 11, 1e-12);
    CHECK_NEAR(sluice_model_probability(m, 100), 1 - 0.5 / 11, 1e-12);
    sluice_model_free(m);
}

TEST(a_hold_out_needs_both_classes_and_numbers) {
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    const double margin[] = {1, 2, NAN}, label[] = {1, 1, -1}, weight[] = {1, 1, 0};
    CHECK_EQ(sluice_model_calibrate(m, margin, label, NULL, 0, SLUICE_CALIBRATION_PLATT), SLUICE_E_DATA);
    CHECK_EQ(sluice_model_calibrate(m, margin, label, NULL, 2, SLUICE_CALIBRATION_PLATT), SLUICE_E_DATA);
    CHECK_EQ(sluice_model_calibrate(m, margin, label, weight, 3, SLUICE_CALIBRATION_ISOTONIC), SLUICE_E_DATA);
    CHECK_EQ(sluice_model_calibrate(m, margin, label, NULL, 2, SLUICE_CALIBRATION_ONLINE), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_calibration(m), SLUICE_CALIBRATION_NONE);
    CHECK(isnan(sluice_model_probability(m, 1)));
    sluice_model_free(m);
}

TEST(what_is_fitted_is_saved_and_goes_when_more_is_learned) {
    const int kinds[] = {SLUICE_CALIBRATION_PLATT, SLUICE_CALIBRATION_ISOTONIC};
    for (size_t k = 0; k < 2; k++) {
        sluice_model *m = fitted_model(kinds[k], 1, 1, 0);
        void *bytes;
        size_t n;
        CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
        sluice_model *back = sluice_model_parse(bytes, n, NULL), *final = sluice_model_final(m, NULL);
        CHECK(back && final);
        for (double x = -5; x < 5; x += 0.1) {
            CHECK(sluice_model_probability(back, x) == sluice_model_probability(m, x));
            CHECK(sluice_model_probability(final, x) == sluice_model_probability(m, x));
        }
        uint64_t id = 1;
        float value = 1;
        sluice_example x = {&id, &value, 1, 1, 1};
        CHECK_EQ(sluice_model_learn(back, &x, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_calibration(back), SLUICE_CALIBRATION_NONE); /* its only margin was 0 */
        CHECK_EQ(sluice_model_learn(back, &x, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_calibration(back), SLUICE_CALIBRATION_ONLINE);
        sluice_free(bytes);
        sluice_model_free(m);
        sluice_model_free(back);
        sluice_model_free(final);
    }
}

/* ---- measures ---- */

static sluice_measures measure(const sluice_meter_options *o, const double *odds, const double *label, size_t n) {
    sluice_meter *meter = sluice_meter_new(o, NULL);
    for (size_t i = 0; i < n; i++) CHECK_EQ(sluice_meter_add(meter, odds[i], label[i]), SLUICE_OK);
    sluice_measures r = {.size = sizeof r};
    sluice_meter_read(meter, &r);
    sluice_meter_free(meter);
    return r;
}

TEST(measures_of_probabilities_by_hand) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1, .probability = 1};
    /* p = 0.2 of one positive in four, p = 0.8 of three in four; equal ones are one bin */
    double l = log(0.25), odds[] = {l, l, l, l, -l, -l, -l, -l}, label[] = {1, -1, -1, -1, -1, 1, 1, 1};
    sluice_measures r = measure(&o, odds, label, 8);
    CHECK_NEAR(r.calibration_error, 0.05, 1e-12);
    CHECK_NEAR(r.brier, (2 * 0.64 + 6 * 0.04) / 8, 1e-12);
    CHECK_NEAR(r.log_loss, -(2 * log(0.2) + 6 * log(0.8)) / 8, 1e-12);
    /* all different, one to a bin: the error is that of each */
    double one[] = {-2, 1}, signs[] = {-1, -1};
    CHECK_NEAR(measure(&o, one, signs, 2).calibration_error, (sigmoid(-2) + sigmoid(1)) / 2, 1e-12);
    o.probability = 0;
    CHECK(isnan(measure(&o, odds, label, 8).calibration_error));
    CHECK(isnan(measure(&o, odds, label, 8).brier));
}

TEST(thirty_examples_are_fifteen_bins_of_two) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1, .probability = 1};
    double odds[30], label[30], wanted = 0;
    for (int i = 0; i < 30; i++) odds[i] = i * 0.1 - 1.4, label[i] = uniform() < 0.5 ? 1 : -1;
    for (int i = 0; i < 30; i += 2)
        wanted += fabs(sigmoid(odds[i]) + sigmoid(odds[i + 1]) - (label[i] > 0) - (label[i + 1] > 0)) / 30;
    CHECK_NEAR(measure(&o, odds, label, 30).calibration_error, wanted, 1e-12);
}

TEST(a_model_s_probabilities_are_measured) {
    sluice_model *m = fitted_model(SLUICE_CALIBRATION_PLATT, 1e6, 1.5, 0.3);
    enum { N = 20000 };
    double *margin = malloc(2 * N * sizeof *margin), *label = margin + N;
    for (size_t i = 0; i < N; i++) margin[i] = draw(1e6, 1.5, 0.3, &label[i]);
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1, .model = m};
    CHECK(measure(&o, margin, label, N).calibration_error < 0.02);
    o.model = NULL;
    o.probability = 1;
    CHECK(measure(&o, margin, label, N).calibration_error > 0.05);
    free(margin);
    sluice_model_free(m);
}

int main(void) {
    RUN(online_calibration_recovers_the_sigmoid_at_any_scale);
    RUN(early_margins_fade);
    RUN(importance_counts_as_so_many_examples);
    RUN(nothing_leaves_the_range_of_numbers);
    RUN(margins_that_mislead_give_the_base_rate);
    RUN(one_round_in_sixteen_is_looked_at_whatever_the_period);
    RUN(fewer_rounds_are_looked_at_as_time_goes_on);
    RUN(a_model_looks_at_the_rounds_that_are_due);
    RUN(pooling_is_isotonic_regression);
    RUN(hold_outs_recover_the_sigmoid_at_any_scale);
    RUN(too_many_pools_become_fewer_of_the_same_weight);
    RUN(few_pools_stay_as_they_are);
    RUN(nothing_is_certain_at_the_ends);
    RUN(a_hold_out_needs_both_classes_and_numbers);
    RUN(what_is_fitted_is_saved_and_goes_when_more_is_learned);
    RUN(measures_of_probabilities_by_hand);
    RUN(thirty_examples_are_fifteen_bins_of_two);
    RUN(a_model_s_probabilities_are_measured);
    return DONE;
}
