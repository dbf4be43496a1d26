/* Measures: what a meter counts, sorts and sums. */
#include <math.h>

#include "sluice.h"
#include "unit/test.h"

static sluice_measures measure(const sluice_meter_options *options, const double (*rows)[2], size_t n) {
    sluice_meter *m = sluice_meter_new(options, NULL);
    for (size_t i = 0; i < n; i++) CHECK_EQ(sluice_meter_add(m, rows[i][0], rows[i][1]), SLUICE_OK);
    sluice_measures r = {.size = sizeof r};
    sluice_meter_read(m, &r);
    sluice_meter_free(m);
    return r;
}

TEST(nothing_measured_has_no_rates) {
    sluice_measures r = measure(NULL, NULL, 0);
    CHECK_EQ(r.examples, 0);
    CHECK(isnan(r.error_rate) && isnan(r.auc) && isnan(r.balanced_accuracy) && isnan(r.hinge_loss) && isnan(r.f1));
}

TEST(one_class_has_no_auc_and_no_balanced_accuracy) {
    const double rows[][2] = {{1, 1}, {-1, 1}};
    sluice_measures r = measure(NULL, rows, 2);
    CHECK_NEAR(r.error_rate, 0.5, 0);
    CHECK_NEAR(r.sensitivity, 0.5, 0);
    CHECK(isnan(r.auc) && isnan(r.specificity) && isnan(r.balanced_accuracy));
}

TEST(a_margin_of_zero_predicts_minus_one) {
    const double rows[][2] = {{0, 1}, {0, -1}, {-0.0, 0}};
    sluice_measures r = measure(NULL, rows, 3);
    CHECK_EQ(r.mistakes, 1);
    CHECK_EQ(r.false_neg, 1);
    CHECK_EQ(r.true_neg, 2);
}

TEST(figures_by_hand) {
    /* 3 positives: margins 2, 0.5, -1; 4 negatives: 1, -0.5, -2, 0.5 */
    const double rows[][2] = {{2, 1}, {0.5, 1}, {-1, 1}, {1, -1}, {-0.5, -1}, {-2, -1}, {0.5, -1}};
    sluice_meter_options o = {.size = sizeof o, .cost_missed = 5, .cost_alarm = 2, .mu_pos = 0.25};
    for (o.exact_auc = 0; o.exact_auc < 2; o.exact_auc++) {
        sluice_measures r = measure(&o, rows, 7);
        CHECK_EQ(r.true_pos, 2);
        CHECK_EQ(r.false_neg, 1);
        CHECK_EQ(r.false_pos, 2);
        CHECK_EQ(r.true_neg, 2);
        CHECK_NEAR(r.error_rate, 3.0 / 7, 1e-15);
        CHECK_NEAR(r.accuracy, 4.0 / 7, 1e-15);
        CHECK_NEAR(r.sensitivity, 2.0 / 3, 1e-15);
        CHECK_NEAR(r.specificity, 0.5, 1e-15);
        CHECK_NEAR(r.balanced_accuracy, (2.0 / 3 + 0.5) / 2, 1e-15);
        CHECK_NEAR(r.sum, 0.25 * 2 / 3 + 0.75 * 0.5, 1e-15);
        CHECK_NEAR(r.cost, 5 * 1 + 2 * 2, 0);
        CHECK_NEAR(r.precision, 0.5, 1e-15);
        CHECK_NEAR(r.f1, 4.0 / 7, 1e-15);
        /* pairs: 2 beats all four; 0.5 beats two and ties one; -1 beats one */
        CHECK_NEAR(r.auc, (4 + 2.5 + 1) / 12, 1e-15);
        /* precision at 2, 0.5, -1: 1 of 1, 2 of 4, 3 of 6 */
        CHECK_NEAR(r.average_precision, (1 + 0.5 + 0.5) / 3, 1e-15);
        /* hinge: 0, 0.5, 2, 2, 0.5, 0, 1.5 */
        CHECK_NEAR(r.hinge_loss, 6.5 / 7, 1e-15);
        CHECK(isnan(r.log_loss));
    }
}

TEST(log_loss_does_not_overflow) {
    const double rows[][2] = {{0, 1}, {1000, -1}, {-1000, -1}};
    sluice_meter_options o = {.size = sizeof o, .probability = 1};
    CHECK_NEAR(measure(&o, rows, 3).log_loss, (log(2) + 1000) / 3, 1e-9);
}

TEST(the_progressive_auc_is_close_to_the_exact_one) {
    enum { N = 20000 };
    static double rows[N][2];
    uint64_t state = 1;
    for (size_t i = 0; i < N; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++)
            sum += (double)((state = state * 6364136223846793005u + 1442695040888963407u) >> 40) * 0x1p-24 - 0.5;
        rows[i][1] = state >> 63 ? 1 : -1;
        rows[i][0] = sum * 1e-3 + rows[i][1] * 3e-4;
    }
    sluice_meter_options exact = {.size = sizeof exact, .exact_auc = 1};
    double a = measure(&exact, (const double(*)[2])rows, N).auc, b = measure(NULL, (const double(*)[2])rows, N).auc;
    CHECK(a > 0.6 && a < 0.95);
    CHECK_NEAR(a, b, 1e-3);
}

/* The area under the curve, by trapezia. */
static double area(const sluice_cut *cuts, size_t n, double pos, double neg) {
    double sum = 0;
    for (size_t i = 1; i < n; i++)
        sum += (double)(cuts[i - 1].false_pos - cuts[i].false_pos) / neg *
               (double)(cuts[i - 1].true_pos + cuts[i].true_pos) / (2 * pos);
    return sum;
}

TEST(the_curve_by_hand) {
    const double rows[][2] = {{2, 1}, {0.5, 1}, {-1, 1}, {1, -1}, {-0.5, -1}, {-2, -1}, {0.5, -1}};
    const uint64_t wanted[][2] = {{3, 4}, {3, 3}, {2, 3}, {2, 2}, {1, 1}, {1, 0}, {0, 0}};
    const double margins[] = {-INFINITY, -2, -1, -0.5, 0.5, 1, 2};
    sluice_meter_options o = {.size = sizeof o};
    for (o.exact_auc = 0; o.exact_auc < 2; o.exact_auc++) {
        sluice_meter *m = sluice_meter_new(&o, NULL);
        for (size_t i = 0; i < 7; i++) sluice_meter_add(m, rows[i][0], rows[i][1]);
        sluice_cut cuts[16];
        size_t n = sluice_meter_curve(m, cuts, 16);
        CHECK_EQ(n, 7);
        for (size_t i = 0; i < n; i++) {
            CHECK_EQ(cuts[i].true_pos, wanted[i][0]);
            CHECK_EQ(cuts[i].false_pos, wanted[i][1]);
            CHECK(cuts[i].margin >= margins[i] - 1e-9 || i == 0);
            CHECK(i == 0 || fabs(cuts[i].margin - margins[i]) <= (o.exact_auc ? 0 : 0.008 * fabs(margins[i])));
        }
        CHECK_NEAR(area(cuts, n, 3, 4), 7.5 / 12, 1e-15);
        uint64_t examples;
        CHECK_EQ(sluice_meter_mistakes(m, &examples), 3);
        CHECK_EQ(examples, 7);
        sluice_meter_free(m);
    }
}

TEST(a_long_curve_is_thinned_evenly) {
    enum { ROOM = 50, N = 30000 };
    sluice_meter_options o = {.size = sizeof o};
    for (o.exact_auc = 0; o.exact_auc < 2; o.exact_auc++) {
        sluice_meter *m = sluice_meter_new(&o, NULL);
        for (int i = 0; i < N; i++) sluice_meter_add(m, (i % 1000) * 1e-3 + (i % 3 ? 0 : 0.2), i % 3 ? -1 : 1);
        sluice_cut cuts[ROOM];
        size_t n = sluice_meter_curve(m, cuts, ROOM);
        CHECK(n > 20 && n <= ROOM);
        CHECK(cuts[0].true_pos == N / 3 && cuts[0].false_pos == N - N / 3);
        CHECK(cuts[n - 1].true_pos == 0 && cuts[n - 1].false_pos == 0);
        for (size_t i = 1; i < n; i++) CHECK(cuts[i].margin > cuts[i - 1].margin);
        sluice_measures r = {.size = sizeof r};
        sluice_meter_read(m, &r);
        CHECK_NEAR(area(cuts, n, N / 3, N - N / 3), r.auc, 2e-3);
        sluice_meter_free(m);
    }
}

TEST(one_class_has_no_curve_and_margins_have_no_bins) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    sluice_cut cuts[8];
    sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS];
    CHECK_EQ(sluice_meter_curve(m, cuts, 8), 0);
    sluice_meter_add(m, 1, 1);
    CHECK_EQ(sluice_meter_curve(m, cuts, 8), 0);
    sluice_meter_add(m, 1, -1);
    CHECK_EQ(sluice_meter_curve(m, cuts, 8), 2);
    CHECK_EQ(sluice_meter_bins(m, bins), 0);
    sluice_meter_free(m);
}

TEST(the_bins_are_those_of_the_calibration_error) {
    sluice_meter_options o = {.size = sizeof o, .exact_auc = 1, .probability = 1};
    sluice_meter *m = sluice_meter_new(&o, NULL);
    for (int i = 0; i < 3000; i++) sluice_meter_add(m, i % 100 / 25.0 - 2, i % 7 < 3 ? 1 : -1);
    sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS];
    size_t n = sluice_meter_bins(m, bins);
    CHECK_EQ(n, SLUICE_CALIBRATION_BINS);
    double sum = 0;
    uint64_t examples = 0, positives = 0;
    for (size_t i = 0; i < n; i++) {
        CHECK(bins[i].lowest <= bins[i].probability && bins[i].probability <= bins[i].highest);
        CHECK(i == 0 || bins[i].lowest > bins[i - 1].highest);
        examples += bins[i].examples;
        positives += bins[i].positives;
        sum += fabs(bins[i].probability * (double)bins[i].examples - (double)bins[i].positives);
    }
    CHECK_EQ(examples, 3000);
    CHECK_EQ(positives, 1287);
    sluice_measures r = {.size = sizeof r};
    sluice_meter_read(m, &r);
    CHECK_NEAR(r.calibration_error, sum / 3000, 1e-12);
    sluice_meter_free(m);
}

int main(void) {
    RUN(nothing_measured_has_no_rates);
    RUN(one_class_has_no_auc_and_no_balanced_accuracy);
    RUN(a_margin_of_zero_predicts_minus_one);
    RUN(figures_by_hand);
    RUN(log_loss_does_not_overflow);
    RUN(the_progressive_auc_is_close_to_the_exact_one);
    RUN(the_curve_by_hand);
    RUN(a_long_curve_is_thinned_evenly);
    RUN(one_class_has_no_curve_and_margins_have_no_bins);
    RUN(the_bins_are_those_of_the_calibration_error);
    return DONE;
}
