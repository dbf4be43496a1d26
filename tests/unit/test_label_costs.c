/* Costs of labels: rows are learned as if they had the weights themselves. */
#include "io/reader.h"
#include "unit/model_bytes.h"

enum { ROWS = 2000 };

static const char *const labels[] = {"ham", "spam", "2", "1", "0"};

/* VW text; the weights are those of `costs`, or absent. Rows of weight 2 have their own. */
static char *make_text(size_t classes, const double *costs) {
    char *text = malloc(ROWS * 80), *t = text;
    sluice_random r;
    sluice_random_seed(&r, 5);
    for (size_t i = 0; i < ROWS; i++) {
        size_t class = (size_t)sluice_random_below(&r, classes);
        double weight = (i % 7 == 0 ? 2 : 1) * (costs ? costs[class] : 1);
        t += sprintf(t, "%s %g |", labels[class], weight);
        for (int k = 0; k < 4; k++) t += sprintf(t, " %c%u", 'a' + k, (unsigned)sluice_random_below(&r, 9));
        t += sprintf(t, " c%zu\n", (size_t)sluice_random_below(&r, 3) ? class : 9);
    }
    return text;
}

static file learn(const char *text, const sluice_cost *costs, size_t n, unsigned threads, size_t block) {
    sluice_reader_options how = {
        .size = sizeof how, .format = "vw", .threads = threads, .words = 1, .costs = costs, .n_costs = n};
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    sluice_reader *r = sl_reader_open_memory(text, strlen(text), "rows", &how, block, NULL);
    const sluice_batch *b;
    CHECK(m && r);
    while (sluice_reader_next(r, &b) == SLUICE_OK) CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    uint64_t rows = 0;
    for (size_t i = 0; i < n; i++) rows += sluice_reader_cost_rows(r, i);
    if (n) CHECK(rows > 100 && rows < ROWS);
    CHECK_EQ(sluice_reader_cost_rows(r, n), 0);
    sluice_reader_close(r);
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    CHECK(facts.updates > 100);
    return file_from(m);
}

TEST(models_are_those_of_rows_with_weights) {
    static const double factors[] = {1, 2.5, 1, 1, 1};
    static const sluice_cost costs[] = {{.label = "spam", .factor = 2.5}};
    char *plain = make_text(2, NULL), *weighted = make_text(2, factors);
    file want = learn(weighted, NULL, 0, 1, 1 << 20);
    for (unsigned threads = 1; threads < 5; threads += 3) {
        file got = learn(plain, costs, 1, threads, 1000);
        CHECK(got.n == want.n && memcmp(got.bytes, want.bytes, got.n) == 0);
        free(got.bytes);
    }
    free(want.bytes);
    free(plain);
    free(weighted);
}

static sluice_status open_with(const char *label, double factor, size_t n) {
    const sluice_cost costs[] = {{.label = label, .factor = factor}, {.label = "2.0", .factor = 1}};
    sluice_reader_options how = {.size = sizeof how, .costs = costs, .n_costs = n};
    sluice_error err = {0};
    sluice_reader *r = sluice_reader_open_memory("1 1:1\n", 6, "rows", &how, &err);
    CHECK(!r == (err.status != SLUICE_OK));
    sluice_reader_close(r);
    return err.status;
}

TEST(impossible_costs_are_refused) {
    CHECK_EQ(open_with("a", 1, 2), SLUICE_OK);
    CHECK_EQ(open_with("a", 0, 2), SLUICE_OK);
    CHECK_EQ(open_with("", 1, 2), SLUICE_E_USAGE);
    CHECK_EQ(open_with(NULL, 1, 2), SLUICE_E_USAGE);
    CHECK_EQ(open_with("2", 1, 2), SLUICE_E_USAGE); /* twice */
    CHECK_EQ(open_with("a", -1, 1), SLUICE_E_USAGE);
    CHECK_EQ(open_with("a", 1e39, 1), SLUICE_E_USAGE);
    CHECK_EQ(open_with("a", 1e-50, 1), SLUICE_E_USAGE);
    CHECK_EQ(open_with("a", 0.0 / 0.0, 1), SLUICE_E_USAGE);
}

/* The weights of rows "label weight" of VW text that costs of spam, 1 and 0 have made of them. */
TEST(weights_are_multiplied_for_the_rows_of_the_label_alone) {
    static const char text[] =
        "spam 2 | a\n1 | a\n1.0 3 | a\nham 4 | a\n0 5 | a\n | a\n-1 | a\nspam 1e38 | a\nSPAM | a\n";
    static const double want[] = {10, 3, 9, 4, 0, 0, 1, 3.4028234663852886e38, 1};
    const sluice_cost costs[] = {
        {.label = "spam", .factor = 5}, {.label = "1", .factor = 3}, {.label = "0", .factor = 0}};
    sluice_reader_options how = {.size = sizeof how, .format = "vw", .words = 1, .costs = costs, .n_costs = 3};
    sluice_reader *r = sluice_reader_open_memory(text, sizeof text - 1, "rows", &how, NULL);
    const sluice_batch *b;
    CHECK_EQ(sluice_reader_next(r, &b), SLUICE_OK);
    CHECK_EQ(sluice_batch_rows(b), SL_COUNT(want));
    for (size_t i = 0; i < SL_COUNT(want); i++) CHECK(sluice_batch_weight(b, i) == want[i]);
    CHECK_EQ(sluice_reader_cost_rows(r, 0), 2);
    CHECK_EQ(sluice_reader_cost_rows(r, 1), 2);
    CHECK_EQ(sluice_reader_cost_rows(r, 2), 1);
    sluice_reader_close(r);
}

int main(void) {
    RUN(models_are_those_of_rows_with_weights);
    RUN(impossible_costs_are_refused);
    RUN(weights_are_multiplied_for_the_rows_of_the_label_alone);
    return DONE;
}
