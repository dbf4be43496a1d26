/* Matrices whose features are columns or have names, and whose labels are words: against the same row by row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

enum { ROWS = 2500, COLUMNS = 60, MOST = 12 };

static int32_t indptr[ROWS + 1], columns[ROWS * MOST], labels[ROWS];
static int64_t columns64[ROWS * MOST];
static float values[ROWS * MOST];
static double signs[ROWS];
static char text[COLUMNS][16];
static sluice_name names[COLUMNS];
static const sluice_name words[] = {{"ham", 3}, {"spam", 4}, {"1", 1}, {"2.50", 4}};

static uint64_t state = 5;
static uint64_t draw(void) { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; }

static void make_rows(void) {
    int32_t n = 0;
    for (size_t i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int32_t j = (int32_t)(draw() % 8); j < COLUMNS && n < indptr[i] + MOST; j += 1 + (int32_t)(draw() % 9)) {
            columns[n] = j;
            columns64[n] = j;
            values[n] = (float)(draw() % 1000) / 500 - 1;
            sum += (j % 2 ? 1 : -1) * (double)values[n++];
        }
        indptr[i + 1] = n;
        signs[i] = sum > 0 ? 1 : -1;
        labels[i] = sum > 1 ? 3 : sum > 0 ? 2 : sum > -1 ? 1 : 0;
    }
    for (size_t j = 0; j < COLUMNS; j++)
        names[j] =
            (sluice_name){text[j], (size_t)snprintf(text[j], sizeof text[j], "%s%zu", j % 7 ? "column-" : "", j)};
}

static sluice_csr matrix(unsigned kind, int has_words) {
    return (sluice_csr){.size = sizeof(sluice_csr),
                        .kind = kind,
                        .indptr_type = SLUICE_INT32,
                        .ids_type = SLUICE_INT32,
                        .values_type = SLUICE_FLOAT32,
                        .labels_type = has_words ? SLUICE_INT32 : SLUICE_FLOAT64,
                        .rows = ROWS,
                        .nonzeros = (size_t)indptr[ROWS],
                        .indptr = indptr,
                        .ids = columns,
                        .values = values,
                        .labels = has_words ? (const void *)labels : signs,
                        .names = kind == SLUICE_CSR_NAMES ? names : NULL,
                        .n_names = kind == SLUICE_CSR_NAMES ? COLUMNS : 0,
                        .words = has_words ? words : NULL,
                        .n_words = has_words ? 4 : 0};
}

/* Row i as an example with ids or names. */
static sluice_example example(size_t i, unsigned kind, int has_words, uint64_t *ids, sluice_name *row_names) {
    const size_t at = (size_t)indptr[i], n = (size_t)indptr[i + 1] - at;
    for (size_t k = 0; k < n; k++) {
        ids[k] = (uint64_t)columns[at + k] + 1;
        row_names[k] = names[columns[at + k]];
    }
    sluice_example x = {.ids = ids, .values = values + at, .n = n, .label = signs[i], .weight = 1};
    if (kind == SLUICE_CSR_NAMES) x.names = row_names;
    if (has_words) x.word = words[labels[i]];
    return x;
}

/* From a held batch, whose labels are read as those of a stream are: 1 may turn out to be a class. */
static sluice_model *by_rows(const char *learner, const sluice_settings *settings, unsigned kind, int has_words) {
    sluice_model *m = sluice_model_new(learner, NULL, 0, settings, NULL);
    sluice_batch *b = sluice_batch_new(NULL);
    uint64_t ids[MOST];
    sluice_name row_names[MOST];
    for (size_t i = 0; i < ROWS; i++) {
        sluice_example x = example(i, kind, has_words, ids, row_names);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    sluice_batch_free(b);
    return m;
}

static void check_same(const sluice_model *a, const sluice_model *b) {
    void *x, *y;
    size_t n, k;
    CHECK_EQ(sluice_model_bytes(a, &x, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &k, NULL), SLUICE_OK);
    CHECK(n == k && memcmp(x, y, n) == 0);
    sluice_free(x), sluice_free(y);
}

static void check_learns(const char *learner, unsigned classes, unsigned kind, int has_words) {
    const sluice_settings settings = {.size = sizeof settings, .classes = classes};
    sluice_model *one = by_rows(learner, &settings, kind, has_words);
    sluice_model *all = sluice_model_new(learner, NULL, 0, &settings, NULL);
    sluice_csr csr = matrix(kind, has_words);
    CHECK_EQ(sluice_model_learn_csr(all, &csr, NULL), SLUICE_OK);
    check_same(one, all);
    if (kind == SLUICE_CSR_COLUMNS) { /* the same from 64-bit columns */
        sluice_model *wide = sluice_model_new(learner, NULL, 0, &settings, NULL);
        csr.ids = columns64;
        csr.ids_type = SLUICE_INT64;
        CHECK_EQ(sluice_model_learn_csr(wide, &csr, NULL), SLUICE_OK);
        check_same(one, wide);
        sluice_model_free(wide);
    }
    sluice_model_free(one);
    sluice_model_free(all);
}

TEST(columns_are_ids_from_one) {
    make_rows();
    check_learns("ssol", SLUICE_CLASSES_TWO, SLUICE_CSR_COLUMNS, 0);
    check_learns("auto", SLUICE_CLASSES_TWO, SLUICE_CSR_COLUMNS, 0);
}

TEST(columns_may_have_names) {
    make_rows();
    check_learns("ssol", SLUICE_CLASSES_TWO, SLUICE_CSR_NAMES, 0);
    check_learns("auto", SLUICE_CLASSES_TWO, SLUICE_CSR_NAMES, 0);
    check_learns("arow-full", SLUICE_CLASSES_TWO, SLUICE_CSR_NAMES, 0);
}

TEST(labels_may_be_words) {
    make_rows();
    for (unsigned kind = SLUICE_CSR_COLUMNS; kind <= SLUICE_CSR_NAMES; kind++) {
        check_learns("ssol", SLUICE_CLASSES_OVR, kind, 1);
        check_learns("pa-1", SLUICE_CLASSES_OVO, kind, 1);
        check_learns("pa-1", SLUICE_CLASSES_MATRIX, kind, 1);
        check_learns("auto", SLUICE_CLASSES_OVR, kind, 1);
    }
    for (size_t i = 0; i < ROWS; i++) labels[i] /= 2; /* ham, spam */
    check_learns("ssol", SLUICE_CLASSES_TWO, SLUICE_CSR_COLUMNS, 1);
    for (size_t i = 0; i < ROWS; i++) labels[i] += 1; /* spam, 1 */
    check_learns("ssol", SLUICE_CLASSES_TWO, SLUICE_CSR_COLUMNS, 1);
}

static void check_answers(unsigned kind) {
    make_rows();
    const sluice_settings settings = {.size = sizeof settings, .classes = SLUICE_CLASSES_OVR};
    sluice_model *m = by_rows("arow", &settings, kind, 1);
    sluice_csr csr = matrix(kind, 1);
    sluice_batch *b = sluice_batch_new(NULL);
    uint64_t ids[MOST];
    sluice_name row_names[MOST];
    for (size_t i = 0; i < ROWS; i++) {
        sluice_example x = example(i, kind, 1, ids, row_names);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    static uint32_t best[2][ROWS * 2];
    static double margins[2][ROWS * 4], probabilities[2][ROWS * 4];
    for (int form = 0; form < 2; form++) {
        sluice_class_answers answers = {.size = sizeof answers,
                                        .top = 2,
                                        .best = best[form],
                                        .margins = margins[form],
                                        .probabilities = probabilities[form]};
        CHECK_EQ(form ? sluice_model_classify_csr(m, &csr, &answers, NULL)
                      : sluice_model_classify(m, b, 0, ROWS, &answers, NULL),
                 SLUICE_OK);
    }
    CHECK(memcmp(best[0], best[1], sizeof best[0]) == 0);
    CHECK(memcmp(margins[0], margins[1], sizeof margins[0]) == 0);
    CHECK(memcmp(probabilities[0], probabilities[1], sizeof probabilities[0]) == 0);
    sluice_batch_free(b);
    sluice_model_free(m);
}

TEST(rows_of_a_matrix_are_classified) {
    check_answers(SLUICE_CSR_COLUMNS);
    check_answers(SLUICE_CSR_NAMES);
}

TEST(a_matrix_is_not_classified_by_a_model_of_two_classes) {
    make_rows();
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    sluice_csr csr = matrix(SLUICE_CSR_COLUMNS, 0);
    sluice_class_answers answers = {.size = sizeof answers};
    CHECK_EQ(sluice_model_classify_csr(m, &csr, &answers, NULL), SLUICE_E_UNSUPPORTED);
    sluice_model_free(m);
}

TEST(rows_with_words_can_be_held) {
    make_rows();
    const sluice_settings settings = {.size = sizeof settings, .classes = SLUICE_CLASSES_OVR};
    sluice_csr csr = matrix(SLUICE_CSR_COLUMNS, 1);
    sluice_model *one = by_rows("pa-1", &settings, SLUICE_CSR_COLUMNS, 1);
    sluice_model *held = sluice_model_new("pa-1", NULL, 0, &settings, NULL);
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_batch(held, b, NULL), SLUICE_OK);
    check_same(one, held);
    sluice_error err;
    csr = matrix(SLUICE_CSR_NAMES, 1);
    CHECK_EQ(sluice_batch_add_csr(b, &csr, &err), SLUICE_E_UNSUPPORTED);
    csr = matrix(SLUICE_CSR_COLUMNS, 1);
    labels[ROWS - 1] = 9;
    CHECK_EQ(sluice_batch_add_csr(b, &csr, &err), SLUICE_E_DATA);
    CHECK_EQ(sluice_batch_rows(b), ROWS);
    sluice_batch_free(b);
    sluice_model_free(one);
    sluice_model_free(held);
}

/* Learns one row of a matrix and returns the status; the line of the failure is 1 where it has one. */
static sluice_status learn_row(sluice_csr csr, const char *expected) {
    const sluice_settings settings = {.size = sizeof settings, .classes = SLUICE_CLASSES_OVR};
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, &settings, NULL);
    csr.rows = 1;
    csr.nonzeros = (size_t)indptr[1];
    const sluice_status status = sluice_model_learn_csr(m, &csr, NULL);
    if (status != SLUICE_OK) CHECK_HAS(sluice_model_error(m)->message, expected);
    sluice_model_free(m);
    return status;
}

TEST(wrong_words_names_and_columns_are_refused) {
    make_rows();
    sluice_csr csr = matrix(SLUICE_CSR_COLUMNS, 1);
    labels[0] = 4;
    CHECK_EQ(learn_row(csr, "none of the words"), SLUICE_E_DATA);
    labels[0] = -1;
    CHECK_EQ(learn_row(csr, "none of the words"), SLUICE_E_DATA);
    labels[0] = 0;
    csr.labels_type = SLUICE_FLOAT64;
    CHECK_EQ(learn_row(csr, "whole numbers"), SLUICE_E_USAGE);
    csr = matrix(SLUICE_CSR_COLUMNS, 1);
    const sluice_name empty[] = {{"", 0}}, missing[] = {{"?", 1}};
    csr.words = empty, csr.n_words = 1;
    CHECK_EQ(learn_row(csr, "no text"), SLUICE_E_DATA);
    csr.words = missing;
    CHECK_EQ(learn_row(csr, "no label"), SLUICE_E_DATA);
    csr = matrix(SLUICE_CSR_NAMES, 1);
    csr.n_names = 1;
    columns[0] = 1;
    CHECK_EQ(learn_row(csr, "none of the columns"), SLUICE_E_DATA);
    csr = matrix(SLUICE_CSR_NAMES, 1);
    csr.names = NULL;
    CHECK_EQ(learn_row(csr, "without its names"), SLUICE_E_USAGE);
    sluice_name twice[] = {{"a", 1}, {"b", 1}, {"a", 1}};
    csr = matrix(SLUICE_CSR_NAMES, 1);
    csr.names = twice, csr.n_names = 3;
    CHECK_EQ(learn_row(csr, "same name"), SLUICE_E_DATA);
    csr = matrix(SLUICE_CSR_NAMES + 1, 1);
    CHECK_EQ(learn_row(csr, "does not have"), SLUICE_E_UNSUPPORTED);
    csr = matrix(SLUICE_CSR_COLUMNS, 1);
    const uint64_t last = UINT64_MAX;
    csr.ids = &last, csr.ids_type = SLUICE_UINT64;
    int32_t one[] = {0, 1};
    csr.indptr = one, csr.rows = 1, csr.nonzeros = 1;
    sluice_model *m =
        sluice_model_new("pa-1", NULL, 0, &(sluice_settings){.size = sizeof(sluice_settings), .classes = 1}, NULL);
    CHECK_EQ(sluice_model_learn_csr(m, &csr, NULL), SLUICE_E_DATA);
    sluice_model_free(m);
}

int main(void) {
    RUN(columns_are_ids_from_one);
    RUN(columns_may_have_names);
    RUN(labels_may_be_words);
    RUN(rows_of_a_matrix_are_classified);
    RUN(a_matrix_is_not_classified_by_a_model_of_two_classes);
    RUN(rows_with_words_can_be_held);
    RUN(wrong_words_names_and_columns_are_refused);
    return DONE;
}
