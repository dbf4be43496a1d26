/* Batches: room, wide ids, rows as examples; and the search for repeated ids. */
#include "core/batch.h"
#include "core/repeat.h"
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

TEST(sizes_beyond_memory_are_refused) {
    sluice_batch b = {0};
    CHECK(sl_batch_reserve(&b, 0, 0, 0));
    CHECK(!sl_batch_reserve(&b, SIZE_MAX, 0, 0));
    CHECK(!sl_batch_reserve(&b, 0, SIZE_MAX / 2, 0));
    CHECK(!sl_batch_reserve(&b, 0, 0, SIZE_MAX / 4));
    CHECK(sl_batch_reserve(&b, 10, 10, 10));
    sl_batch_free_arrays(&b);
}

static size_t find(sl_repeat *r, const uint64_t *ids, size_t n) {
    memcpy(sl_repeat_room(r, n), ids, n * sizeof *ids);
    return sl_repeat_find(r, n);
}

TEST(the_first_repeated_id_is_found) {
    sl_repeat r = {0};
    CHECK(sl_repeat_room(&r, 0) != NULL);
    CHECK(sl_repeat_find(&r, 0) == SL_REPEAT_NONE);
    uint64_t one[] = {7}, ascending[] = {1, 5, 9}, same[] = {4, 4}, late[] = {9, 1, 5, 1, 9, 9},
             extremes[] = {UINT64_MAX, 0, UINT64_MAX};
    CHECK(find(&r, one, 1) == SL_REPEAT_NONE);
    CHECK(find(&r, ascending, 3) == SL_REPEAT_NONE);
    CHECK_EQ(find(&r, same, 2), 1);
    CHECK_EQ(find(&r, late, 6), 3);
    CHECK_EQ(find(&r, extremes, 3), 2);
    sl_repeat_free(&r);
}

TEST(repeats_agree_with_a_plain_search) {
    sl_repeat r = {0};
    uint64_t seed = 1, ids[60];
    int repeats = 0;
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)(round % 60) + 1, want = SL_REPEAT_NONE;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            ids[i] = (seed >> 33) % 1500;
        }
        for (size_t i = 1; i < n && want == SL_REPEAT_NONE; i++)
            for (size_t j = 0; j < i; j++)
                if (ids[i] == ids[j]) want = i;
        CHECK(find(&r, ids, n) == want);
        repeats += want != SL_REPEAT_NONE;
    }
    CHECK(repeats > 1000 && repeats < 19000);
    sl_repeat_free(&r);
}

TEST(a_long_falling_row_is_not_quadratic) {
    enum { N = 1 << 21 };
    sl_repeat r = {0};
    uint64_t *ids = sl_repeat_room(&r, N);
    for (size_t i = 0; i < N; i++) ids[i] = N - i;
    CHECK(sl_repeat_find(&r, N) == SL_REPEAT_NONE);
    ids[N - 1] = N;
    CHECK_EQ(sl_repeat_find(&r, N), N - 1);
    sl_repeat_free(&r);
}

int main(void) {
    RUN(reserving_keeps_what_is_there);
    RUN(sizes_beyond_memory_are_refused);
    RUN(the_first_repeated_id_is_found);
    RUN(repeats_agree_with_a_plain_search);
    RUN(a_long_falling_row_is_not_quadratic);
    return DONE;
}
