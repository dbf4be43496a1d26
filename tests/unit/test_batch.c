/* Batches: room, wide ids, rows as examples, rows of one's own; and the search for repeated ids. */
#include "rows/batch.h"
#include "rows/duplicate_ids.h"
#include "test.h"

TEST(reserving_keeps_what_is_there) {
    sluice_batch b = {0};
    CHECK(sl_batch_reserve(&b, 1, 2, 1));
    CHECK_EQ(b.start[0], 0);
    b.label[0] = 3, b.id[0] = 5, b.id[1] = SL_WIDE, b.value[0] = 1, b.value[1] = -2, b.wide[0] = UINT64_MAX;
    b.rows = 1, b.nonzeros = 2, b.wides = 1, b.start[1] = 2;
    CHECK(sl_batch_reserve(&b, 1000, 5000, 300));
    CHECK(b.row_room >= 1001 && b.nonzero_room >= 5002 && b.wide_room >= 301);
    CHECK_EQ(sluice_batch_rows(&b), 1);
    CHECK_EQ(sluice_batch_nonzeros(&b, 0), 2);
    CHECK(sluice_batch_label(&b, 0) == 3);
    uint64_t ids[2];
    sluice_example x;
    sluice_batch_row(&b, 0, ids, NULL, &x);
    CHECK(ids[0] == 5 && ids[1] == UINT64_MAX && x.ids == ids);
    CHECK(x.n == 2 && x.values[0] == 1 && x.values[1] == -2 && x.label == 3 && x.weight == 1);
    b.has_weights = true, b.weight[0] = 0.25f;
    sluice_batch_row(&b, 0, ids, NULL, &x);
    CHECK(x.weight == 0.25);
    sl_batch_clear(&b);
    CHECK(b.rows == 0 && b.nonzeros == 0 && b.wides == 0 && !b.has_weights && b.row_room >= 1001);
    sl_batch_free_arrays(&b);
    CHECK(b.start == NULL && b.row_room == 0);
}

TEST(rows_come_back_as_they_were_added) {
    for (int names = 0; names < 2; names++) {
        sluice_batch *b = sluice_batch_new(NULL);
        for (uint64_t t = 0; t < 20; t++) {
            uint64_t ids[] = {t, t + 100, UINT64_MAX - t};
            float values[] = {(float)t, -1, 0.5f};
            sluice_name texts[] = {{"a", 1}, {"bc", 2}, {"d", t % 2}};
            sluice_example x = {names ? NULL : ids, values, t % 4, t % 2 ? 1 : -1, (double)t, names ? texts : NULL};
            CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
        }
        CHECK_EQ(sluice_batch_rows(b), 20);
        for (uint64_t t = 0; t < 20; t++) {
            uint64_t ids[3];
            sluice_name texts[3];
            sluice_example x;
            sluice_batch_row(b, t, ids, texts, &x);
            CHECK_EQ(sluice_batch_nonzeros(b, t), t % 4);
            CHECK(x.n == t % 4 && x.label == (t % 2 ? 1 : -1) && x.weight == (double)t);
            CHECK(x.n < 1 || x.values[0] == (float)t);
            CHECK(x.n < 3 || x.values[2] == 0.5f);
            if (names) {
                CHECK(x.n < 2 || (x.names[1].n == 2 && memcmp(x.names[1].text, "bc", 2) == 0));
                CHECK(x.n < 3 || x.names[2].n == t % 2);
            } else {
                CHECK(x.n < 2 || x.ids[1] == t + 100);
                CHECK(x.n < 3 || x.ids[2] == UINT64_MAX - t);
            }
        }
        sluice_batch_free(b);
    }
}

TEST(sizes_beyond_memory_are_refused) {
    sluice_batch b = {0};
    CHECK(sl_batch_reserve(&b, 0, 0, 0));
    CHECK(!sl_batch_reserve(&b, SIZE_MAX, 0, 0));
    CHECK(!sl_batch_reserve(&b, 0, SIZE_MAX / 2, 0));
    CHECK(!sl_batch_reserve(&b, 0, 0, SIZE_MAX / 4));
    CHECK(sl_batch_reserve(&b, 10, 10, 10));
    CHECK(!sl_batch_reserve_names(&b, 1, (size_t)UINT32_MAX + 1)); /* places in the text have 32 bits */
    CHECK(!sl_batch_reserve_names(&b, SIZE_MAX / 2, 1));
    CHECK(sl_batch_reserve_names(&b, 10, 100));
    sl_batch_free_arrays(&b);
}

static size_t find(sl_duplicates *r, const uint64_t *ids, size_t n) {
    memcpy(sl_duplicates_room(r, n), ids, n * sizeof *ids);
    return sl_duplicates_find(r, n);
}

TEST(the_first_repeated_id_is_found) {
    sl_duplicates r = {0};
    CHECK(sl_duplicates_room(&r, 0) != NULL);
    CHECK(sl_duplicates_find(&r, 0) == SL_NO_DUPLICATE);
    uint64_t one[] = {7}, ascending[] = {1, 5, 9}, same[] = {4, 4}, late[] = {9, 1, 5, 1, 9, 9},
             extremes[] = {UINT64_MAX, 0, UINT64_MAX};
    CHECK(find(&r, one, 1) == SL_NO_DUPLICATE);
    CHECK(find(&r, ascending, 3) == SL_NO_DUPLICATE);
    CHECK_EQ(find(&r, same, 2), 1);
    CHECK_EQ(find(&r, late, 6), 3);
    CHECK_EQ(find(&r, extremes, 3), 2);
    sl_duplicates_free(&r);
}

TEST(repeats_agree_with_a_plain_search) {
    sl_duplicates r = {0};
    uint64_t seed = 1, ids[60];
    int repeats = 0;
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)(round % 60) + 1, want = SL_NO_DUPLICATE;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            ids[i] = (seed >> 33) % 1500;
        }
        for (size_t i = 1; i < n && want == SL_NO_DUPLICATE; i++)
            for (size_t j = 0; j < i; j++)
                if (ids[i] == ids[j]) want = i;
        CHECK(find(&r, ids, n) == want);
        repeats += want != SL_NO_DUPLICATE;
    }
    CHECK(repeats > 1000 && repeats < 19000);
    sl_duplicates_free(&r);
}

TEST(repeats_in_longer_rows_agree_with_a_plain_search) {
    sl_duplicates r = {0};
    uint64_t seed = 1, ids[300];
    int repeats = 0;
    for (int round = 0; round < 3000; round++) {
        const size_t n = 61 + (size_t)round % 240, run = round % 3 ? n / (size_t)(1 + round % 7) + 1 : 1;
        size_t want = SL_NO_DUPLICATE;
        for (size_t i = 0; i < n; i++) { /* ascending runs of this length */
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            ids[i] = run > 1 ? i % run * 16 + (seed >> 33) % 16 : (seed >> 33) % 30000;
        }
        for (size_t i = 1; i < n && want == SL_NO_DUPLICATE; i++)
            for (size_t j = 0; j < i; j++)
                if (ids[i] == ids[j]) want = i;
        CHECK(find(&r, ids, n) == want);
        CHECK(memcmp(r.ids, ids, n * sizeof *ids) == 0);
        repeats += want != SL_NO_DUPLICATE;
    }
    CHECK(repeats > 500 && repeats < 2500);
    sl_duplicates_free(&r);
}

TEST(a_long_falling_row_is_not_quadratic) {
    enum { N = 1 << 21 };
    sl_duplicates r = {0};
    uint64_t *ids = sl_duplicates_room(&r, N);
    for (size_t i = 0; i < N; i++) ids[i] = N - i;
    CHECK(sl_duplicates_find(&r, N) == SL_NO_DUPLICATE);
    ids = sl_duplicates_room(&r, N); /* it keeps what is there */
    ids[N - 1] = N;
    CHECK_EQ(sl_duplicates_find(&r, N), N - 1);
    ids = sl_duplicates_room(&r, N);
    ids[7] = ids[2];
    CHECK_EQ(sl_duplicates_find(&r, N), 7);
    enum { FEW = 1000 }; /* the same memory for a small row */
    ids = sl_duplicates_room(&r, FEW);
    for (size_t i = 0; i < FEW; i++) ids[i] = FEW - i;
    ids[FEW - 1] = 500;
    CHECK_EQ(sl_duplicates_find(&r, FEW), FEW - 1);
    sl_duplicates_free(&r);
}

/* ---- rows of one's own ---- */

enum { OWN_ROWS = 300, OWN_LENGTH = 7 };

/* Row i of a made stream: ids of all sizes, or names; zeros, weights, rows without features. */
static sluice_example made_row(size_t i, int names, uint64_t *ids, sluice_name *spelled, char text[][24],
                               float *values) {
    sluice_example x = {ids, values, i % 11 ? i % OWN_LENGTH : 0, i % 3 ? 1 : -0.5,
                        i % 5 == 4 ? 0.5 * (double)(i % 2) : 1};
    for (size_t k = 0; k < x.n; k++) {
        ids[k] = (i * 31 + k * 7) % 97 + (k == 3 ? SL_WIDE - 1 : 0) + (k == 5 ? UINT64_MAX - 97 : 0);
        values[k] = (i + k) % 13 ? (float)(i % 9) - 4.5f + (float)k : 0;
        spelled[k] = (sluice_name){text[k], (size_t)snprintf(text[k], 24, "f%llu", (unsigned long long)ids[k])};
    }
    if (names) x.names = spelled;
    return x;
}

static void check_same_models(sluice_model *a, sluice_model *b) {
    void *x, *y;
    size_t n, m;
    CHECK_EQ(sluice_model_bytes(a, &x, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &m, NULL), SLUICE_OK);
    CHECK(n == m && memcmp(x, y, n) == 0);
    sluice_free(x);
    sluice_free(y);
}

TEST(a_batch_of_ones_own_is_learned_as_its_examples_are) {
    for (int names = 0; names < 2; names++) {
        sluice_batch *b = sluice_batch_new(NULL);
        sluice_model *one = sluice_model_new("ssol", NULL, 0, NULL, NULL), *whole = sluice_model_copy(one, NULL);
        uint64_t ids[OWN_LENGTH];
        sluice_name spelled[OWN_LENGTH];
        char text[OWN_LENGTH][24];
        float values[OWN_LENGTH];
        double margins[OWN_ROWS], margin;
        for (size_t i = 0; i < OWN_ROWS; i++) {
            sluice_example x = made_row(i, names, ids, spelled, text, values);
            CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_learn(one, &x, NULL), SLUICE_OK);
        }
        CHECK_EQ(sluice_batch_rows(b), OWN_ROWS);
        CHECK_EQ(sluice_batch_has_names(b), names);
        CHECK_EQ(sluice_model_learn_batch(whole, b, NULL), SLUICE_OK);
        check_same_models(one, whole);
        CHECK_EQ(sluice_model_margins(whole, b, margins, NULL), SLUICE_OK);
        for (size_t i = 0; i < OWN_ROWS; i++) {
            sluice_example x = made_row(i, names, ids, spelled, text, values);
            CHECK_EQ(sluice_model_margin(one, &x, &margin, NULL), SLUICE_OK);
            CHECK(margin == margins[i]);
        }
        sluice_model_free(one);
        sluice_model_free(whole);
        sluice_batch_free(b);
    }
}

TEST(an_example_that_cannot_be_held_leaves_the_batch_as_it_was) {
    sluice_batch *b = sluice_batch_new(NULL);
    uint64_t ids[] = {1, 2}, same[] = {4, 4};
    float values[] = {1, 2}, bad[] = {1, 1.0f / 0.0f};
    sluice_name names[] = {{"a", 1}, {"", 0}};
    sluice_example fine = {ids, values, 2, 1, 1}, twice = fine, infinite = fine, heavy = fine, light = fine,
                   negative = fine, unlabelled = fine, named = fine;
    twice.ids = same, infinite.values = bad, heavy.weight = 1e300, light.weight = 1e-300, negative.weight = -1;
    unlabelled.label = 1.0 / 0.0, named.names = names;
    CHECK_EQ(sluice_batch_add(b, &fine, NULL), SLUICE_OK);
    const sluice_example *refused[] = {&twice, &infinite, &heavy, &light, &negative, &unlabelled};
    sluice_error err;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_EQ(sluice_batch_add(b, refused[i], &err), SLUICE_E_DATA);
        CHECK(err.message[0]);
    }
    CHECK_EQ(sluice_batch_add(b, &named, NULL), SLUICE_E_USAGE);
    CHECK(sluice_batch_rows(b) == 1 && sluice_batch_nonzeros(b, 0) == 2);
    named.n = 0; /* without features it is neither */
    CHECK_EQ(sluice_batch_add(b, &named, NULL), SLUICE_OK);
    CHECK(!sluice_batch_has_names(b));
    sluice_batch_free(b);
    sluice_batch_free(NULL);
}

TEST(an_empty_batch_of_ones_own_is_nothing_to_learn) {
    sluice_batch *b = sluice_batch_new(NULL);
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    CHECK_EQ(sluice_batch_rows(b), 0);
    CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_margins(m, b, NULL, NULL), SLUICE_OK);
    sluice_model_free(m);
    sluice_batch_free(b);
}

/* Whether or not the names of a batch surely fit into a matrix of 16,384 features. */
TEST(a_dense_learner_learns_a_batch_of_names_as_it_learns_its_rows) {
    enum { NAMES = 6 };
    for (size_t rows = 20; rows <= 3000; rows += 2980) {
        sluice_model *by_batch = sluice_model_new("arow-full", NULL, 0, NULL, NULL),
                     *by_row = sluice_model_new("arow-full", NULL, 0, NULL, NULL);
        sluice_batch *b = sluice_batch_new(NULL);
        for (size_t i = 0; i < rows; i++) {
            char text[NAMES][16];
            sluice_name names[NAMES];
            float values[NAMES];
            for (size_t k = 0; k < NAMES; k++) {
                int n = snprintf(text[k], sizeof text[k], "f%zu", k * 5 + (i * 7 + k) % 5);
                names[k] = (sluice_name){text[k], (size_t)n};
                values[k] = (float)((i * 31 + k * 17) % 13) / 6 - 1;
            }
            sluice_example x = {
                .names = names, .values = values, .n = NAMES, .label = values[0] > values[1] ? 1 : -1, .weight = 1};
            CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_learn(by_row, &x, NULL), SLUICE_OK);
        }
        CHECK_EQ(sluice_model_learn_batch(by_batch, b, NULL), SLUICE_OK);
        void *x, *y;
        size_t n, m;
        CHECK_EQ(sluice_model_bytes(by_batch, &x, &n, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_bytes(by_row, &y, &m, NULL), SLUICE_OK);
        CHECK(n == m && memcmp(x, y, n) == 0);
        sluice_free(x), sluice_free(y);
        sluice_batch_free(b);
        sluice_model_free(by_batch), sluice_model_free(by_row);
    }
}

int main(void) {
    RUN(a_dense_learner_learns_a_batch_of_names_as_it_learns_its_rows);
    RUN(reserving_keeps_what_is_there);
    RUN(rows_come_back_as_they_were_added);
    RUN(sizes_beyond_memory_are_refused);
    RUN(the_first_repeated_id_is_found);
    RUN(repeats_agree_with_a_plain_search);
    RUN(repeats_in_longer_rows_agree_with_a_plain_search);
    RUN(a_long_falling_row_is_not_quadratic);
    RUN(a_batch_of_ones_own_is_learned_as_its_examples_are);
    RUN(an_example_that_cannot_be_held_leaves_the_batch_as_it_was);
    RUN(an_empty_batch_of_ones_own_is_nothing_to_learn);
    return DONE;
}
