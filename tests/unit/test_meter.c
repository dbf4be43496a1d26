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

int main(void) {
    RUN(nothing_measured_has_no_rates);
    RUN(one_class_has_no_auc_and_no_balanced_accuracy);
    RUN(a_margin_of_zero_predicts_minus_one);
    RUN(figures_by_hand);
    RUN(log_loss_does_not_overflow);
    RUN(the_progressive_auc_is_close_to_the_exact_one);
    return DONE;
}
