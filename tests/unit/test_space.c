/* The feature space: ids, slots, and how features move. */
#include "features/space.h"

#include <sys/resource.h>

#include "unit/test.h"

typedef struct feature {
    float a;
    uint32_t mark;
} feature;

static const feature fresh = {.a = 1};

static feature *at(sl_space *sp, uint64_t id) {
    uint32_t slot = sl_space_find(sp, id);
    return slot == SL_NO_SLOT ? NULL : &((feature *)(void *)sp->features)[slot];
}

/* A few well-mixed 64-bit numbers. */
static uint64_t mixed(uint64_t i) {
    i = (i + 1) * 0x9E3779B97F4A7C15u;
    return i ^ i >> 29;
}

TEST(small_ids_are_their_own_slot) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    CHECK(sl_space_add(&sp, 5));
    CHECK_EQ(sl_space_find(&sp, 5), 5);
    CHECK(sl_space_knows(&sp, 5));
    CHECK(!sl_space_knows(&sp, 6));
    CHECK_EQ(sp.seen, 1);
    CHECK(at(&sp, 5)->a == 1); /* fresh */
    CHECK(at(&sp, 6)->a == 0); /* not seen: zeros */
    sl_space_free(&sp);
}

TEST(one_large_id_costs_one_entry) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    CHECK(sl_space_add(&sp, UINT64_MAX));
    CHECK(sl_space_add(&sp, 1u << 30));
    CHECK_EQ(sp.direct, 0);
    CHECK(sp.other_room <= 64);
    CHECK_EQ(sp.seen, 2);
    CHECK(sl_space_find(&sp, UINT64_MAX) != SL_NO_SLOT);
    CHECK_EQ(sl_space_find(&sp, UINT64_MAX - 1), SL_NO_SLOT);
    sl_space_free(&sp);
}

TEST(unknown_large_ids_have_no_slot_beside_direct_ones) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    for (uint64_t i = 0; i < 300; i++) CHECK(sl_space_add(&sp, i) && sl_space_add(&sp, mixed(i) | (uint64_t)1 << 63));
    CHECK(sp.direct > 0);
    for (uint64_t i = 0; i < 300; i++) {
        CHECK(sl_space_find(&sp, mixed(i) | (uint64_t)1 << 63) >= sp.direct);
        CHECK_EQ(sl_space_find(&sp, mixed(1000 + i) | (uint64_t)1 << 62), SL_NO_SLOT);
    }
    sl_space_free(&sp);
}

TEST(features_keep_their_state_when_they_move_from_the_table_to_direct_slots) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    uint64_t base = (uint64_t)1 << 20; /* beyond what is direct from the start */
    enum { N = 600000 };
    CHECK(sl_space_add_bias(&sp));
    ((feature *)(void *)sp.features)[sl_space_bias(&sp)].mark = 77;
    bool started_in_table = false;
    for (uint32_t i = 0; i < N; i++) {
        CHECK(sl_space_add(&sp, base + i));
        at(&sp, base + i)->mark = i;
        started_in_table |= sp.table_used > 0;
        CHECK(sl_space_add(&sp, mixed(i) | (uint64_t)1 << 63)); /* these never become direct */
        at(&sp, mixed(i) | (uint64_t)1 << 63)->mark = i + 1;
    }
    CHECK(started_in_table);
    CHECK(sp.direct > base);
    CHECK_EQ(sp.seen, 2 * N + 1);
    int wrong = 0;
    for (uint32_t i = 0; i < N; i++) {
        wrong += at(&sp, base + i)->mark != i || at(&sp, base + i)->a != 1;
        wrong += at(&sp, mixed(i) | (uint64_t)1 << 63)->mark != i + 1;
    }
    CHECK_EQ(wrong, 0);
    CHECK_EQ(((feature *)(void *)sp.features)[sl_space_bias(&sp)].mark, 77);
    sl_space_free(&sp);
}

/* 300,000 ids spread over 2^24: with a direct part each would have touched a page of its own. */
TEST(a_sparse_range_stays_in_the_table) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    for (uint64_t i = 0; i < 300000; i++) CHECK(sl_space_add(&sp, ((uint64_t)1 << 24) - 1 - i * 52));
    CHECK(sp.direct <= 1u << 20);
    CHECK_EQ(sp.seen, 300000);
    sl_space_free(&sp);
}

/* Of ids drawn evenly below 2^22, so many must have been seen that direct slots are no dearer than the table. */
TEST(an_even_range_becomes_direct_at_once_when_it_is_worth_it) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    uint64_t range = 1 << 22, seen_before = 0, widest = 0;
    for (uint64_t i = 0; i < range / 2; i++) {
        uint64_t before = sp.seen;
        CHECK(sl_space_add(&sp, i * 0x9E3779B1u % range));
        if (sp.direct > widest && sp.direct > 1u << 20) {
            CHECK_EQ(widest <= 1u << 20, 1); /* once, and to the end of the range */
            seen_before = before;
        }
        widest = sp.direct;
    }
    CHECK_EQ(sp.direct, range);
    CHECK_EQ(sp.table_used, 0);
    CHECK(seen_before >= range / 16 && seen_before <= range / 8);
    CHECK_EQ(sp.seen, range / 2);
    sl_space_free(&sp);
}

/* States of a mebibyte and half a gibibyte of addresses: no room for direct slots, but for a hundred features. */
TEST(without_memory_for_direct_slots_features_go_to_the_table_until_that_is_full_too) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* those need all addresses there are */
    struct rlimit all, few;
    CHECK(!getrlimit(RLIMIT_AS, &all));
    few = all;
    few.rlim_cur = (rlim_t)512 << 20;
    CHECK(!setrlimit(RLIMIT_AS, &few));
    sl_space sp;
    sl_space_init(&sp, (size_t)1 << 20, NULL);
    uint64_t n = 0;
    while (n < 1000 && sl_space_add(&sp, n)) n++;
    CHECK(n >= 64 && n < 1000);
    CHECK_EQ(sp.direct, 0);
    CHECK_EQ(sp.seen, n); /* the one that failed has changed nothing */
    CHECK_EQ(sp.others, n);
    CHECK_EQ(sp.table_used, n);
    CHECK_EQ(sl_space_find(&sp, n), SL_NO_SLOT);
    for (uint64_t i = 0; i < n; i++) CHECK_EQ(sl_space_find(&sp, i), i);
    CHECK(!sl_space_add_bias(&sp));
    CHECK_EQ(sl_space_bias(&sp), SL_NO_SLOT);
    CHECK(!setrlimit(RLIMIT_AS, &all));
    CHECK(sl_space_add(&sp, n));
    sl_space_free(&sp);
#endif
}

TEST(slots_change_only_with_moves) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    uint64_t first = (uint64_t)1 << 40;
    uint32_t slot = sl_space_admit(&sp, first);
    uint64_t moves = sp.moves;
    for (uint64_t i = 1; i < 100000; i++) CHECK(sl_space_add(&sp, first + i));
    CHECK_EQ(sp.moves, moves);
    CHECK_EQ(sl_space_find(&sp, first), slot);
    CHECK(sl_space_add(&sp, 7)); /* the first direct slots: the others make way */
    CHECK_EQ(sp.moves, moves + 1);
    CHECK_EQ(sp.seen, 100001);
    int lost = 0;
    for (uint64_t i = 0; i < 100000; i++) lost += !at(&sp, first + i) || at(&sp, first + i)->a != 1;
    CHECK_EQ(lost, 0);
    CHECK(at(&sp, 8)->a == 0); /* where the others were it is zero again */
    sl_space_free(&sp);
}

TEST(adding_twice_changes_nothing) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), &fresh);
    uint64_t ids[] = {3, 3000000000u, 3};
    for (int i = 0; i < 3; i++) CHECK(sl_space_add(&sp, ids[i]));
    at(&sp, 3)->mark = 9;
    at(&sp, 3000000000u)->mark = 8;
    for (int i = 0; i < 3; i++) CHECK(sl_space_add(&sp, ids[i]));
    CHECK_EQ(sp.seen, 2);
    CHECK_EQ(at(&sp, 3)->mark, 9);
    CHECK_EQ(at(&sp, 3000000000u)->mark, 8);
    sl_space_free(&sp);
}

TEST(a_walk_meets_the_bias_and_then_every_feature_by_ascending_id) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), NULL);
    uint64_t ids[] = {700, UINT64_MAX, 0, 63, 64, 5000000000u, 4999999999u};
    for (size_t i = 0; i < 7; i++) sl_space_add(&sp, ids[i]);
    sl_space_add_bias(&sp);
    uint64_t expected[] = {0, 63, 64, 700, 4999999999u, 5000000000u, UINT64_MAX};
    sl_walk w;
    CHECK(sl_walk_start(&w, &sp));
    CHECK(sl_walk_next(&w) && w.is_bias);
    for (size_t i = 0; i < 7; i++) {
        CHECK(sl_walk_next(&w));
        CHECK(w.id == expected[i] && !w.is_bias);
        CHECK_EQ(w.slot, sl_space_find(&sp, w.id));
    }
    CHECK(!sl_walk_next(&w));
    sl_walk_end(&w);
    sl_space_free(&sp);
}

TEST(blocks_cover_every_slot_once) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), NULL);
    for (uint64_t i = 0; i < 3000; i++) sl_space_add(&sp, i * 7 % 9000);
    for (uint64_t i = 0; i < 1000; i++) sl_space_add(&sp, mixed(i));
    sl_space_add_bias(&sp);
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0, count = 0;
    for (size_t n; (n = sl_space_chunk(&sp, &cursor, slot));)
        for (size_t k = 0; k < n; k++, count++) ((feature *)(void *)sp.features)[slot[k]].mark++;
    CHECK_EQ(count, sp.seen);
    sl_walk w;
    int wrong = 0;
    CHECK(sl_walk_start(&w, &sp));
    while (sl_walk_next(&w)) wrong += ((feature *)(void *)sp.features)[w.slot].mark != 1;
    sl_walk_end(&w);
    CHECK_EQ(wrong, 0);
    sl_space_free(&sp);
}

int main(void) {
    RUN(small_ids_are_their_own_slot);
    RUN(one_large_id_costs_one_entry);
    RUN(unknown_large_ids_have_no_slot_beside_direct_ones);
    RUN(features_keep_their_state_when_they_move_from_the_table_to_direct_slots);
    RUN(a_sparse_range_stays_in_the_table);
    RUN(an_even_range_becomes_direct_at_once_when_it_is_worth_it);
    RUN(without_memory_for_direct_slots_features_go_to_the_table_until_that_is_full_too);
    RUN(slots_change_only_with_moves);
    RUN(adding_twice_changes_nothing);
    RUN(a_walk_meets_the_bias_and_then_every_feature_by_ascending_id);
    RUN(blocks_cover_every_slot_once);
    return DONE;
}
