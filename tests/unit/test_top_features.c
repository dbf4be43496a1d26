/* The kept features against a plain look at all of them. */
#include "features/top_features.h"

#include "test.h"

enum { FEATURES = 400 };

typedef struct feature {
    sl_ranked ranked;
    uint32_t rank;
} feature;

static uint32_t rank(const void *f) { return ((const feature *)f)->rank; }

static uint32_t look(void *context, void *f) {
    (void)context;
    return rank(f);
}

static uint64_t random_state;

static uint32_t random_below(uint32_t n) { /* splitmix64 */
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)((z ^ z >> 31) % n);
}

static sl_space make_space(uint32_t n) {
    sl_space sp;
    sl_space_init(&sp, sizeof(feature), NULL);
    sp.numbered = true;
    for (uint32_t i = 0; i < n; i++) CHECK(sl_space_add(&sp, (i * 37 + 5) % n)); /* seen in another order than by id */
    return sp;
}

static feature *at(const sl_space *sp, uint32_t slot) { return (feature *)(void *)sp->features + slot; }

/* Whether a goes before b. */
static bool goes_first(const feature *a, const feature *b) {
    return a->rank != b->rank ? a->rank < b->rank : a->ranked.born > b->ranked.born;
}

static uint32_t plain_least(const sl_space *sp, const bool *kept) {
    uint32_t least = SL_NO_SLOT;
    for (uint32_t i = 0; i < FEATURES; i++)
        if (kept[i] && (least == SL_NO_SLOT || goes_first(at(sp, i), at(sp, least)))) least = i;
    return least;
}

/* Ranks that rise, fall, become 0 and come back, with few or many different ones. */
static void runs_as_the_plain_one_does(uint32_t limit, uint32_t ranks, bool rising) {
    sl_space sp = make_space(FEATURES);
    sl_top k;
    sl_top_init(&k, rank, false);
    bool kept[FEATURES] = {false};
    size_t count = 0;
    for (uint32_t t = 0; t < 20000; t++) {
        if (t % 4999 == 4998) sp.moves++; /* made anew from the features */
        if (t % 3001 == 3000) sl_top_visit(&k, look, NULL);
        CHECK(sl_top_prepare(&k, &sp, 1));
        CHECK_EQ(k.count, count);
        uint32_t slot = random_below(FEATURES), to = 1 + (rising ? t * ranks / 100 : 0) + random_below(ranks);
        feature *f = at(&sp, slot);
        if (kept[slot]) {
            f->rank = random_below(8) ? to : 0;
            sl_top_changed(&k, &f->ranked, slot, f->rank);
            kept[slot] = f->rank > 0;
            count -= !kept[slot];
            continue;
        }
        f->rank = to;
        kept[slot] = true;
        uint32_t want = ++count > limit ? plain_least(&sp, kept) : SL_NO_SLOT;
        uint32_t gone = sl_top_offer(&k, slot, to, limit);
        CHECK_EQ(gone, want);
        if (gone == SL_NO_SLOT) continue;
        at(&sp, gone)->rank = 0;
        kept[gone] = false;
        count--;
    }
    for (uint32_t i = 0; i < FEATURES; i++) CHECK(kept[i] == (at(&sp, i)->ranked.low > 0));
    sl_top_free(&k);
    sl_space_free(&sp);
}

TEST(the_least_goes_whatever_happened_before) {
    uint32_t limits[] = {1, 2, 7, 64, 300, FEATURES};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        runs_as_the_plain_one_does(limits[i], 3, false); /* mostly ties */
        runs_as_the_plain_one_does(limits[i], 1000000, false);
        runs_as_the_plain_one_does(limits[i], 50, true); /* new ones above all others */
    }
}

static uint32_t halve(void *context, void *f) {
    ++*(size_t *)context;
    return ((feature *)f)->rank /= 2;
}

TEST(a_visit_sees_each_kept_feature_once) {
    sl_space sp = make_space(FEATURES);
    sl_top k;
    sl_top_init(&k, rank, false);
    CHECK(sl_top_prepare(&k, &sp, 2 * FEATURES));
    for (uint32_t i = 0; i < 100; i++) CHECK_EQ(sl_top_offer(&k, i, at(&sp, i)->rank = 1 + i, 100), SL_NO_SLOT);
    at(&sp, 50)->rank = 3; /* a second entry */
    sl_top_changed(&k, &at(&sp, 50)->ranked, 50, 3);
    at(&sp, 60)->rank = 0;
    sl_top_changed(&k, &at(&sp, 60)->ranked, 60, 0);
    size_t visits = 0;
    sl_top_visit(&k, halve, &visits);
    CHECK_EQ(visits, 99);
    CHECK_EQ(k.count, 98); /* the first had a rank of 1 */
    CHECK_EQ(at(&sp, 0)->ranked.low, 0);
    CHECK_EQ(at(&sp, 50)->ranked.low & ~SL_TOP_TURN, 1);
    sl_top_free(&k);
    sl_space_free(&sp);
}

static uint32_t see(void *context, void *f) {
    (void)context;
    return ((sl_ranked *)f)->low;
}

static uint32_t place(const void *f) { return ((const sl_ranked *)f)->low; }

TEST(a_list_keeps_its_order_when_made_anew) {
    sl_space sp = make_space(FEATURES);
    sl_top k;
    sl_top_init(&k, place, true);
    CHECK(sl_top_prepare(&k, &sp, FEATURES));
    for (uint32_t i = 0; i < 9; i++) sl_top_append(&k, 100 - 7 * i);
    sl_top_take_out(&k, 3);
    sl_top_take_out(&k, 8); /* the last */
    uint32_t want[] = {100, 93, 44, 79, 72, 65, 58};
    for (int again = 0; again < 3; again++) {
        CHECK_EQ(k.count, 7);
        for (uint32_t i = 0; i < 7; i++) CHECK_EQ(sl_top_in_place(&k, i + 1), want[i]);
        if (again == 1) sl_top_visit(&k, see, NULL);
        sp.moves++;
        CHECK(sl_top_prepare(&k, &sp, 1));
    }
    CHECK_EQ(at(&sp, 86)->ranked.low, 0);
    CHECK_EQ(at(&sp, 51)->ranked.low, 0);
    sl_top_free(&k);
    sl_space_free(&sp);
}

int main(void) {
    RUN(the_least_goes_whatever_happened_before);
    RUN(a_visit_sees_each_kept_feature_once);
    RUN(a_list_keeps_its_order_when_made_anew);
    return DONE;
}
