/* Rows in the arrays of a compressed sparse matrix: learning, predicting and batches, against the same row by row. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

enum { ROWS = 3000, MOST = 24 };

/* The rows in every type. Without `wide`, ids are below 2^31 and fit all types. */
typedef struct matrix {
    size_t nonzeros;
    int32_t indptr32[ROWS + 1];
    int64_t indptr64[ROWS + 1];
    int32_t *ids32;
    uint64_t *ids64;
    float *values32;
    double *values64;
    double labels64[ROWS], weights64[ROWS];
    float labels32[ROWS], weights32[ROWS];
} matrix;

static uint64_t state;
static uint64_t draw(void) { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; }

static matrix *make_matrix(int wide, int zeros) {
    matrix *m = calloc(1, sizeof *m);
    m->ids32 = calloc(ROWS * MOST, sizeof *m->ids32);
    m->ids64 = calloc(ROWS * MOST, sizeof *m->ids64);
    m->values32 = calloc(ROWS * MOST, sizeof *m->values32);
    m->values64 = calloc(ROWS * MOST, sizeof *m->values64);
    state = 17;
    for (size_t i = 0; i < ROWS; i++) {
        size_t n = draw() % MOST;
        double sum = 0;
        uint64_t id = draw() % 50;
        for (size_t k = 0; k < n; k++, m->nonzeros++) {
            id += 1 + draw() % 40; /* ascending: none comes twice */
            uint64_t given = wide && id % 7 == 0 ? id << 40 : id;
            m->ids64[m->nonzeros] = given;
            m->ids32[m->nonzeros] = (int32_t)given;
            float value = zeros && draw() % 9 == 0 ? 0 : (float)(draw() % 1000) / 500 - 1;
            m->values32[m->nonzeros] = value;
            m->values64[m->nonzeros] = (double)value;
            sum += (id % 2 ? 1 : -1) * (double)value;
        }
        if (i % 3 == 0 && n > 1) { /* and not always ascending */
            size_t last = m->nonzeros - 1;
            uint64_t swapped = m->ids64[last];
            m->ids64[last] = m->ids64[last - 1], m->ids64[last - 1] = swapped;
            m->ids32[last] = (int32_t)m->ids64[last], m->ids32[last - 1] = (int32_t)m->ids64[last - 1];
        }
        m->labels64[i] = sum > 0 ? 2 : -3;
        m->labels32[i] = (float)m->labels64[i];
        m->weights64[i] = draw() % 5 == 0 ? 0 : (double)(1 + draw() % 3) / 3;
        m->weights32[i] = (float)m->weights64[i];
        m->indptr32[i + 1] = (int32_t)m->nonzeros;
        m->indptr64[i + 1] = (int64_t)m->nonzeros;
    }
    return m;
}

static void free_matrix(matrix *m) {
    free(m->ids32), free(m->ids64), free(m->values32), free(m->values64);
    free(m);
}

enum { INDPTR64 = 1, IDS64 = 2, VALUES64 = 4, LABELS32 = 8, WEIGHTS = 16, TYPES = 32 };

static sluice_csr view(const matrix *m, int types) {
    return (sluice_csr){
        .size = sizeof(sluice_csr),
        .indptr_type = types & INDPTR64 ? SLUICE_INT64 : SLUICE_INT32,
        .ids_type = types & IDS64 ? SLUICE_UINT64 : SLUICE_INT32,
        .values_type = types & VALUES64 ? SLUICE_FLOAT64 : SLUICE_FLOAT32,
        .labels_type = types & LABELS32 ? SLUICE_FLOAT32 : SLUICE_FLOAT64,
        .weights_type = SLUICE_FLOAT64,
        .rows = ROWS,
        .nonzeros = m->nonzeros,
        .indptr = types & INDPTR64 ? (const void *)m->indptr64 : m->indptr32,
        .ids = types & IDS64 ? (const void *)m->ids64 : m->ids32,
        .values = types & VALUES64 ? (const void *)m->values64 : m->values32,
        .labels = types & LABELS32 ? (const void *)m->labels32 : m->labels64,
        .weights = types & WEIGHTS ? m->weights64 : NULL,
    };
}

static sluice_example row(const matrix *m, size_t i, int weighted) {
    size_t at = (size_t)m->indptr64[i];
    return (sluice_example){.ids = m->ids64 + at,
                            .values = m->values32 + at,
                            .n = (size_t)m->indptr64[i + 1] - at,
                            .label = m->labels64[i],
                            .weight = weighted ? m->weights64[i] : 1};
}

static sluice_model *by_rows(const char *learner, const sluice_settings *settings, const matrix *m, int weighted) {
    sluice_model *model = sluice_model_new(learner, NULL, 0, settings, NULL);
    for (size_t i = 0; i < ROWS; i++) {
        sluice_example x = row(m, i, weighted);
        CHECK_EQ(sluice_model_learn(model, &x, NULL), SLUICE_OK);
    }
    return model;
}

static void check_same(const sluice_model *a, const sluice_model *b) {
    void *x, *y;
    size_t n, k;
    CHECK_EQ(sluice_model_bytes(a, &x, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &k, NULL), SLUICE_OK);
    CHECK(n == k && memcmp(x, y, n) == 0);
    sluice_free(x), sluice_free(y);
}

static void check_learns_the_same(const char *learner, const sluice_settings *settings, const matrix *m, int types) {
    sluice_model *one = by_rows(learner, settings, m, types & WEIGHTS);
    sluice_model *all = sluice_model_new(learner, NULL, 0, settings, NULL);
    sluice_csr csr = view(m, types);
    CHECK_EQ(sluice_model_learn_csr(all, &csr, NULL), SLUICE_OK);
    check_same(one, all);
    sluice_model_free(one), sluice_model_free(all);
}

TEST(learning_a_matrix_of_any_type_is_learning_its_rows) {
    matrix *m = make_matrix(0, 0);
    for (int types = 0; types < TYPES; types++) check_learns_the_same("ssol", NULL, m, types);
    free_matrix(m);
}

TEST(learning_a_matrix_is_learning_its_rows_with_large_ids_zeros_and_settings) {
    for (int zeros = 0; zeros < 2; zeros++) {
        matrix *m = make_matrix(1, zeros);
        const sluice_settings settings[] = {{.size = sizeof *settings, .bias = 1},
                                            {.size = sizeof *settings, .normalize = SLUICE_NORMALIZE_L2},
                                            {.size = sizeof *settings, .hash_bits = 8},
                                            {.size = sizeof *settings, .max_features = 100}};
        check_learns_the_same("ftrl", NULL, m, IDS64 | WEIGHTS);
        check_learns_the_same("olsf", NULL, m, IDS64 | VALUES64);
        for (size_t i = 0; i < 4; i++) check_learns_the_same("arow", &settings[i], m, IDS64 | WEIGHTS);
        free_matrix(m);
    }
}

TEST(margins_and_probabilities_of_a_matrix_are_those_of_its_rows) {
    matrix *m = make_matrix(1, 1);
    sluice_model *model = by_rows("ftrl", NULL, m, 0), *small = sluice_model_final(model, NULL);
    static double margins[ROWS], chances[ROWS];
    sluice_csr csr = view(m, IDS64 | VALUES64);
    for (size_t i = 0; i < ROWS; i++) m->labels64[i] = NAN; /* labels are not used to predict */
    const sluice_model *models[] = {model, small};
    for (size_t k = 0; k < 2; k++) {
        CHECK_EQ(sluice_model_margins_csr(models[k], &csr, margins, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_probabilities_csr(models[k], &csr, chances, NULL), SLUICE_OK);
        for (size_t i = 0; i < ROWS; i++) {
            sluice_example x = row(m, i, 0);
            double margin;
            CHECK_EQ(sluice_model_margin(models[k], &x, &margin, NULL), SLUICE_OK);
            CHECK(margin == margins[i]);
            CHECK(sluice_model_probability(models[k], margin) == chances[i]);
        }
    }
    /* some rows: the pointers start at the first of them */
    static double some[10];
    csr.indptr = m->indptr32 + 1000;
    csr.rows = 10;
    CHECK_EQ(sluice_model_margins_csr(small, &csr, some, NULL), SLUICE_OK);
    CHECK(memcmp(some, margins + 1000, sizeof some) == 0);
    csr.labels = NULL;
    CHECK_EQ(sluice_model_margins_csr(small, &csr, some, NULL), SLUICE_OK);
    CHECK(memcmp(some, margins + 1000, sizeof some) == 0);
    sluice_model_free(model), sluice_model_free(small);
    free_matrix(m);
}

/* The weight of feature 1 becomes infinite: 3e38, and 1e38 more. */
TEST(probabilities_of_margins_that_are_not_finite_are_nan) {
    sluice_model *model = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    const double margins[] = {-1, 1, 2, -2}, labels[] = {-1, 1, 1, -1};
    const float values[] = {3e38f, 3e38f, 1e38f, -2e38f};
    for (size_t i = 0; i < 2; i++) {
        sluice_example x = {.ids = (uint64_t[]){1, 2}, .values = values + 2 * i, .n = 2, .label = 1, .weight = 1};
        CHECK_EQ(sluice_model_learn(model, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_calibrate(model, margins, labels, NULL, 4, SLUICE_CALIBRATION_PLATT), SLUICE_OK);
    sluice_csr csr = {.size = sizeof csr,
                      .indptr_type = SLUICE_INT32,
                      .ids_type = SLUICE_INT32,
                      .values_type = SLUICE_FLOAT32,
                      .labels_type = SLUICE_FLOAT64,
                      .rows = 3,
                      .nonzeros = 2,
                      .indptr = (int32_t[]){0, 0, 1, 2},
                      .ids = (int32_t[]){1, 3},
                      .values = (float[]){1, 1},
                      .labels = labels};
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
    for (int rows = 0; rows < 2; rows++) {
        double chances[3] = {7, 7, 7};
        CHECK_EQ(rows ? sluice_model_probabilities_rows(model, b, 0, 3, chances, NULL)
                      : sluice_model_probabilities_csr(model, &csr, chances, NULL),
                 SLUICE_E_NUMERIC);
        CHECK(chances[0] == sluice_model_probability(model, 0) && chances[0] > 0);
        CHECK(isnan(chances[1]));
        CHECK(chances[2] == chances[0]);
    }
    sluice_batch_free(b);
    sluice_model_free(model);
}

TEST(a_batch_of_a_matrix_is_the_batch_of_its_rows_and_views_it) {
    for (int wide = 0; wide < 2; wide++) {
        matrix *m = make_matrix(wide, 1);
        sluice_batch *b = sluice_batch_new(NULL), *one = sluice_batch_new(NULL);
        sluice_csr csr = view(m, IDS64 | VALUES64 | WEIGHTS);
        CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
        CHECK_EQ(sluice_batch_rows(b), ROWS);
        CHECK_EQ(sluice_batch_total_nonzeros(b), m->nonzeros);
        CHECK(sluice_batch_memory(b) >= m->nonzeros * 8);
        for (size_t i = 0; i < ROWS; i++) {
            sluice_example x = row(m, i, 1);
            CHECK_EQ(sluice_batch_add(one, &x, NULL), SLUICE_OK);
            CHECK(sluice_batch_label(b, i) == m->labels64[i]); /* as they were given */
            CHECK(sluice_batch_label(one, i) == m->labels64[i]);
            CHECK(sluice_batch_weight(b, i) == (double)m->weights32[i]);
        }
        sluice_model *x = sluice_model_new("arow", NULL, 0, NULL, NULL),
                     *y = sluice_model_new("arow", NULL, 0, NULL, NULL);
        CHECK_EQ(sluice_model_learn_batch(x, b, NULL), SLUICE_OK);
        uint64_t *ids = wide ? malloc(m->nonzeros * sizeof *ids) : NULL;
        sluice_csr seen = {.size = sizeof seen};
        CHECK_EQ(sluice_batch_csr(b, &seen, NULL, NULL), wide ? SLUICE_E_UNSUPPORTED : SLUICE_OK);
        CHECK_EQ(sluice_batch_csr(b, &seen, ids, NULL), SLUICE_OK);
        CHECK_EQ(seen.rows, ROWS);
        CHECK_EQ(sluice_model_learn_csr(y, &seen, NULL), SLUICE_OK);
        check_same(x, y);
        free(ids);
        sluice_model_free(x), sluice_model_free(y);
        sluice_batch_free(b), sluice_batch_free(one);
        free_matrix(m);
    }
}

TEST(rows_before_a_bad_one_are_learned_and_the_error_says_which_it_is) {
    enum { NAN_VALUE, TWICE, NAN_LABEL, NEGATIVE_WEIGHT, NEGATIVE_ID, KINDS };
    for (int kind = 0; kind < KINDS; kind++) {
        matrix *m = make_matrix(0, 0);
        size_t bad = 1500;
        while (m->indptr64[bad + 1] - m->indptr64[bad] < 2) bad++;
        size_t at = (size_t)m->indptr64[bad];
        sluice_model *one = sluice_model_new("ssol", NULL, 0, NULL, NULL);
        for (size_t i = 0; i < bad; i++) {
            sluice_example x = row(m, i, 1);
            CHECK_EQ(sluice_model_learn(one, &x, NULL), SLUICE_OK);
        }
        if (kind == NAN_VALUE) m->values32[at] = NAN;
        if (kind == TWICE) m->ids32[at + 1] = m->ids32[at];
        if (kind == NAN_LABEL) m->labels64[bad] = NAN;
        if (kind == NEGATIVE_WEIGHT) m->weights64[bad] = -1;
        if (kind == NEGATIVE_ID) m->ids32[at + 1] = -1;
        sluice_model *all = sluice_model_new("ssol", NULL, 0, NULL, NULL);
        sluice_csr csr = view(m, WEIGHTS);
        CHECK_EQ(sluice_model_learn_csr(all, &csr, NULL), SLUICE_E_DATA);
        CHECK_EQ(sluice_model_error(all)->line, bad + 1);
        check_same(one, all);
        if (kind == NEGATIVE_ID) m->values32[at - 1] = NAN; /* an earlier row is bad too: that one comes first */
        if (kind == NEGATIVE_ID) CHECK_EQ(sluice_model_learn_csr(all, &csr, NULL), SLUICE_E_DATA);
        if (kind == NEGATIVE_ID) CHECK(sluice_model_error(all)->line <= bad);
        sluice_batch *b = sluice_batch_new(NULL);
        CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_E_DATA);
        CHECK_EQ(sluice_batch_rows(b), 0);
        CHECK_EQ(sluice_batch_total_nonzeros(b), 0);
        sluice_batch_free(b);
        sluice_model_free(one), sluice_model_free(all);
        free_matrix(m);
    }
}

TEST(matrices_that_cannot_be_are_refused) {
    matrix *m = make_matrix(0, 0);
    sluice_model *model = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    sluice_csr good = view(m, 0), c = good;
    c.size = 0;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_learn_csr(model, NULL, NULL), SLUICE_E_USAGE);
    c = good, c.kind = SLUICE_CSR_NAMES + 1;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_UNSUPPORTED);
    c = good, c.ids_type = SLUICE_FLOAT32;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    c = good, c.values_type = SLUICE_INT32;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    c = good, c.labels = NULL;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    c = good, c.nonzeros--;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    int32_t falling[] = {0, 2, 1}, negative[] = {-1, 2, 3};
    c = good, c.rows = 2, c.indptr = falling;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    c.indptr = negative;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_USAGE);
    int32_t ids[] = {1, -2, 3};
    c = good, c.rows = 1, c.nonzeros = 3, c.indptr = (int32_t[]){0, 3}, c.ids = ids;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_E_DATA);
    CHECK_EQ(sluice_model_error(model)->line, 1);
    CHECK_HAS(sluice_model_error(model)->message, "negative");
    sluice_model_facts facts = {.size = sizeof facts};
    CHECK_EQ(sluice_model_describe(model, &facts), SLUICE_OK);
    CHECK_EQ(facts.examples, 0);
    c = good, c.rows = 0;
    CHECK_EQ(sluice_model_learn_csr(model, &c, NULL), SLUICE_OK);
    sluice_model_free(model);
    free_matrix(m);
}

TEST(other_labels_than_those_of_the_batch) {
    matrix *m = make_matrix(0, 0);
    sluice_batch *b = sluice_batch_new(NULL);
    sluice_csr csr = view(m, 0);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
    static double labels[ROWS];
    for (size_t i = 0; i < ROWS; i++) labels[i] = i % 2 ? 1 : -1;
    sluice_model *x = sluice_model_new("arow", NULL, 0, NULL, NULL), *y = sluice_model_new("arow", NULL, 0, NULL, NULL);
    csr.labels = labels + 100, csr.labels_type = SLUICE_FLOAT64, csr.rows = ROWS - 100, csr.indptr = m->indptr32 + 100;
    CHECK_EQ(sluice_model_learn_csr(x, &csr, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_labels(y, b, 100, ROWS - 100, labels + 100, NULL), SLUICE_OK);
    check_same(x, y);
    CHECK_EQ(sluice_model_learn_labels(y, b, ROWS, 1, labels, NULL), SLUICE_E_USAGE);
    labels[5] = INFINITY;
    CHECK_EQ(sluice_model_learn_labels(y, b, 2, 10, labels, NULL), SLUICE_E_DATA);
    CHECK_EQ(sluice_model_error(y)->line, 8); /* row 2 + 5, from 1 */
    CHECK_HAS(sluice_model_error(y)->message, "row 8 ");
    check_same(x, y);
    sluice_model_free(x), sluice_model_free(y);
    sluice_batch_free(b);
    free_matrix(m);
}

TEST(margins_and_probabilities_of_some_rows_of_a_batch) {
    matrix *m = make_matrix(0, 0);
    sluice_batch *b = sluice_batch_new(NULL);
    sluice_csr csr = view(m, 0);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
    sluice_model *model = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    static double all[ROWS], some[7], chances[7];
    sluice_error err = {0};
    CHECK_EQ(sluice_model_probabilities_rows(model, b, 0, 7, chances, &err), SLUICE_E_UNSUPPORTED);
    CHECK_EQ(sluice_model_probabilities_csr(model, &csr, all, &err), SLUICE_E_UNSUPPORTED);
    CHECK_EQ(sluice_model_learn_batch(model, b, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margins(model, b, all, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margins_rows(model, b, 20, 7, some, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_probabilities_rows(model, b, 20, 7, chances, NULL), SLUICE_OK);
    for (size_t i = 0; i < 7; i++) {
        CHECK(some[i] == all[20 + i]);
        CHECK(chances[i] == sluice_model_probability(model, some[i]));
    }
    CHECK_EQ(sluice_model_margins_rows(model, b, ROWS - 3, 4, some, &err), SLUICE_E_USAGE);
    CHECK_EQ(sluice_model_margins_rows(model, b, ROWS, 0, some, &err), SLUICE_OK);
    sluice_model_free(model);
    sluice_batch_free(b);
    free_matrix(m);
}

typedef struct counted {
    uint64_t calls, last, stop_at;
} counted;

static int count(void *context, uint64_t done, uint64_t total) {
    counted *c = context;
    CHECK(done > c->last && done <= total);
    CHECK_EQ(total, ROWS);
    c->calls++;
    c->last = done;
    return c->stop_at && done >= c->stop_at;
}

TEST(progress_is_reported_and_a_call_can_be_stopped) {
    matrix *m = make_matrix(0, 0);
    sluice_csr csr = view(m, 0);
    sluice_model *model = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    counted c = {0};
    sluice_model_set_progress(model, count, &c);
    CHECK_EQ(sluice_model_learn_csr(model, &csr, NULL), SLUICE_OK);
    CHECK(c.calls > 1 && c.last == ROWS);
    c = (counted){.stop_at = 1000};
    sluice_model_facts before = {.size = sizeof before}, after = before;
    CHECK_EQ(sluice_model_describe(model, &before), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_csr(model, &csr, NULL), SLUICE_E_CANCELLED);
    CHECK_EQ(sluice_model_describe(model, &after), SLUICE_OK);
    CHECK_EQ(after.examples - before.examples, c.last);
    CHECK(c.last < ROWS);
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
    c = (counted){.stop_at = 1};
    CHECK_EQ(sluice_model_learn_batch(model, b, NULL), SLUICE_E_CANCELLED);
    CHECK_EQ(c.calls, 1);
    sluice_model_set_progress(model, NULL, NULL);
    CHECK_EQ(sluice_model_learn_batch(model, b, NULL), SLUICE_OK);
    CHECK_EQ(c.calls, 1);
    sluice_batch_free(b);
    sluice_model_free(model);
    free_matrix(m);
}

/* ---- how often a program is asked whether to go on --------------------------------------------------------------- */

enum { FEW = 60, FIRST = 10, LONG = 100, FEATURES = 400 };

/* Rows of LONG values; each of the first ones is the first of its class. */
typedef struct long_rows {
    int32_t indptr[FEW + 1], ids[FEW * LONG];
    float values[FEW * LONG];
    double labels[FEW];
} long_rows;

static void make_long_rows(long_rows *l) {
    state = 5;
    for (size_t i = 0; i < FEW; i++) {
        for (size_t k = 0; k < LONG; k++) {
            l->ids[i * LONG + k] = (int32_t)(k * (FEATURES / LONG) + draw() % (FEATURES / LONG));
            l->values[i * LONG + k] = (float)(1 + draw() % 1000) / 500;
        }
        l->labels[i] = (double)(i < FIRST ? i : draw() % FIRST);
        l->indptr[i + 1] = (int32_t)((i + 1) * LONG);
    }
}

static sluice_csr long_rows_from(const long_rows *l, size_t first, size_t end) {
    return (sluice_csr){.size = sizeof(sluice_csr),
                        .rows = end - first,
                        .nonzeros = FEW * LONG,
                        .indptr = l->indptr + first,
                        .indptr_type = SLUICE_INT32,
                        .ids = l->ids,
                        .ids_type = SLUICE_INT32,
                        .values = l->values,
                        .values_type = SLUICE_FLOAT32,
                        .labels = l->labels + first,
                        .labels_type = SLUICE_FLOAT64};
}

typedef struct asked {
    uint64_t last, most, calls, stop_at;
} asked;

static int note_rows(void *context, uint64_t done, uint64_t total) {
    asked *a = context;
    CHECK(done > a->last && done <= total);
    if (done - a->last > a->most) a->most = done - a->last;
    a->last = done;
    return ++a->calls == a->stop_at;
}

/* Learns the rows behind the first ones; at most `most` of them are between two calls. Stopped, the model is that of
 * the rows done, and goes on. */
static void learn_long_rows(const long_rows *l, const char *learner, unsigned classes, uint64_t most, int from_csr) {
    const sluice_settings settings = {.size = sizeof settings, .classes = classes};
    sluice_model *m = sluice_model_new(learner, NULL, 0, &settings, NULL);
    sluice_model *plain = sluice_model_new(learner, NULL, 0, &settings, NULL);
    const sluice_csr first = long_rows_from(l, 0, FIRST);
    CHECK_EQ(sluice_model_learn_csr(m, &first, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_csr(plain, &first, NULL), SLUICE_OK);
    for (size_t at = FIRST, stop_at = 1; at < FEW; stop_at = 0) {
        const sluice_csr rest = long_rows_from(l, at, FEW);
        sluice_batch *b = sluice_batch_new(NULL);
        CHECK_EQ(sluice_batch_add_csr(b, &rest, NULL), SLUICE_OK);
        asked a = {.stop_at = stop_at};
        sluice_model_set_progress(m, note_rows, &a);
        CHECK_EQ(from_csr ? sluice_model_learn_csr(m, &rest, NULL) : sluice_model_learn_batch(m, b, NULL),
                 stop_at ? SLUICE_E_CANCELLED : SLUICE_OK);
        CHECK(a.most <= most);
        CHECK(a.last == FEW - at || stop_at);
        for (size_t i = 0; i < a.last; i++) CHECK_EQ(sluice_model_learn_rows(plain, b, i, 1, NULL), SLUICE_OK);
        check_same(m, plain);
        at += a.last;
        sluice_batch_free(b);
    }
    sluice_model_free(m), sluice_model_free(plain);
}

TEST(the_more_work_a_row_is_the_fewer_rows_are_learned_until_a_call_can_be_stopped) {
    long_rows *l = calloc(1, sizeof *l);
    make_long_rows(l);
    for (int from_csr = 0; from_csr < 2; from_csr++) {
        learn_long_rows(l, "auto", SLUICE_CLASSES_OVO, 1, from_csr);
        learn_long_rows(l, "pa-1", SLUICE_CLASSES_OVO, 40, from_csr);
        learn_long_rows(l, "arow-full", SLUICE_CLASSES_OVR, 4, from_csr);
    }
    free(l);
}

/* A model that has had the label 0 knows that, in case it turns out to be one of two other classes. */
TEST(labels_of_rows_that_a_stopped_call_has_not_learned_leave_no_trace) {
    enum { OTHER = 40 }; /* the first row of the other label: held with those before it, in a later piece */
    static const sluice_name words[] = {{"-1", 2}, {"0", 1}};
    long_rows *l = calloc(1, sizeof *l);
    make_long_rows(l);
    int32_t labels[FEW] = {0};
    for (size_t i = OTHER; i < FEW; i++) labels[i] = 1;
    sluice_csr rows = long_rows_from(l, 0, FEW);
    rows.labels = labels, rows.labels_type = SLUICE_INT32, rows.words = words, rows.n_words = 2;
    sluice_model *stopped = sluice_model_new("auto", NULL, 0, NULL, NULL);
    sluice_model *plain = sluice_model_new("auto", NULL, 0, NULL, NULL);
    asked a = {.stop_at = 1};
    sluice_model_set_progress(stopped, note_rows, &a);
    CHECK_EQ(sluice_model_learn_csr(stopped, &rows, NULL), SLUICE_E_CANCELLED);
    CHECK(a.last < OTHER);
    rows.rows = a.last;
    CHECK_EQ(sluice_model_learn_csr(plain, &rows, NULL), SLUICE_OK);
    check_same(stopped, plain);
    sluice_model_free(stopped), sluice_model_free(plain);
    free(l);
}

int main(void) {
    RUN(learning_a_matrix_of_any_type_is_learning_its_rows);
    RUN(learning_a_matrix_is_learning_its_rows_with_large_ids_zeros_and_settings);
    RUN(margins_and_probabilities_of_a_matrix_are_those_of_its_rows);
    RUN(probabilities_of_margins_that_are_not_finite_are_nan);
    RUN(a_batch_of_a_matrix_is_the_batch_of_its_rows_and_views_it);
    RUN(rows_before_a_bad_one_are_learned_and_the_error_says_which_it_is);
    RUN(matrices_that_cannot_be_are_refused);
    RUN(other_labels_than_those_of_the_batch);
    RUN(margins_and_probabilities_of_some_rows_of_a_batch);
    RUN(progress_is_reported_and_a_call_can_be_stopped);
    RUN(the_more_work_a_row_is_the_fewer_rows_are_learned_until_a_call_can_be_stopped);
    RUN(labels_of_rows_that_a_stopped_call_has_not_learned_leave_no_trace);
    return DONE;
}
