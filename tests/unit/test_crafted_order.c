/* Orders that are made to cost much time: eviction and the sort of the top features stay near n log n comparisons. The
 * sources are compiled here with a comparison that is an adversary (McIlroy, A killer adversary for quicksort, 1999):
 * it decides the order only while it is asked, so that as little as possible is known after each comparison. */
#include <math.h>
#include <stdbool.h>

#include "unit/test.h"

enum { MOST = 100000 };

static struct {
    uint32_t value[MOST]; /* of each element; those not decided yet have UNDECIDED, which is above all others */
    uint32_t decided;     /* how many are */
    uint32_t candidate;   /* the element that may be the pivot */
    uint64_t compared;
} adversary;

#define UNDECIDED UINT32_MAX

static void start_adversary(uint32_t n) {
    for (uint32_t i = 0; i < n; i++) adversary.value[i] = UNDECIDED;
    adversary.decided = adversary.candidate = 0;
    adversary.compared = 0;
}

static int adversary_below(uint64_t a, uint64_t b) {
    uint32_t *x = &adversary.value[a], *y = &adversary.value[b];
    adversary.compared++;
    if (a == b) return 0;
    if (*x == UNDECIDED && *y == UNDECIDED) *(a == adversary.candidate ? x : y) = adversary.decided++;
    if (*x == UNDECIDED)
        adversary.candidate = (uint32_t)a;
    else if (*y == UNDECIDED)
        adversary.candidate = (uint32_t)b;
    return *x < *y;
}

/* What the order of the elements came to be, to be used as data. */
static uint32_t value_of(uint64_t element) {
    if (adversary.value[element] == UNDECIDED) adversary.value[element] = adversary.decided++;
    return adversary.value[element];
}

static bool asked;
static bool plain;    /* compares what the elements say, and counts */
static bool reversed; /* pivots are the greatest, and not the least, that there are */
static uint64_t plain_compared;

static bool ask_candidates(uint64_t a, uint64_t b) { return reversed ? adversary_below(b, a) : adversary_below(a, b); }

#define GOES_FIRST(a, b) (plain ? (plain_compared++, goes_first(a, b)) : ask_candidates((a)->last_seen, (b)->last_seen))
#define BELOW(a, b) (plain ? (plain_compared++, (a) < (b)) : (asked = true, (bool)adversary_below(a, b)))
#define sink eviction_sink
#include "features/eviction.c"
#undef sink
#include "features/top_features.c"

static double n_log_n(size_t n) { return (double)n * log2((double)n); }

/* Whether the k in front are those that go first. */
static void check_selected(const candidate *c, size_t n, size_t k) {
    uint64_t last = 0;
    size_t wrong = 0;
    for (size_t i = 0; i < k; i++)
        if (c[i].last_seen > last) last = c[i].last_seen;
    for (size_t i = k; i < n; i++) wrong += c[i].last_seen <= last;
    CHECK_EQ(wrong, 0);
}

static void check_select(size_t n, size_t k) {
    static candidate c[MOST];
    plain = false;
    start_adversary((uint32_t)n);
    for (size_t i = 0; i < n; i++) c[i] = (candidate){.last_seen = i, .number = (uint32_t)i};
    select_first(c, n, k);
    CHECK((double)adversary.compared < 30 * (double)n + 3 * n_log_n(n));
    /* and the order that it made, as data */
    plain = true;
    plain_compared = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t value = value_of(i);
        c[i] = (candidate){.last_seen = reversed ? n - value : value, .number = (uint32_t)i};
    }
    select_first(c, n, k);
    check_selected(c, n, k);
    CHECK((double)plain_compared < 30 * (double)n + 3 * n_log_n(n));
}

TEST(selecting_is_not_driven_quadratic) {
    for (int way = 0; way < 2; way++)
        for (size_t n = 1000; n <= MOST; n *= 10)
            for (size_t part = 2; part <= 16; part *= 2) {
                reversed = way;
                check_select(n, n / part);
            }
}

TEST(sorting_is_not_driven_quadratic) {
    static sl_top_entry e[MOST];
    for (size_t n = 1000; n <= MOST; n *= 10) {
        plain = asked = false;
        start_adversary((uint32_t)n);
        for (size_t i = 0; i < n; i++) e[i] = (sl_top_entry){.key = i, .slot = (uint32_t)i};
        sort(e, n);
        CHECK(asked && (double)adversary.compared < 8 * n_log_n(n));
        plain = true;
        plain_compared = 0;
        for (size_t i = 0; i < n; i++) e[i] = (sl_top_entry){.key = value_of(i), .slot = (uint32_t)i};
        sort(e, n);
        size_t wrong = 0;
        for (size_t i = 1; i < n; i++) wrong += e[i - 1].key >= e[i].key;
        CHECK_EQ(wrong, 0);
        CHECK((double)plain_compared < 8 * n_log_n(n));
    }
}

static uint64_t random_state = 5;
static uint64_t draw(void) { return random_state = random_state * 6364136223846793005u + 1442695040888963407u; }

/* Orders as they come, and sorted ones: what costs little goes on to cost little. */
TEST(ordinary_orders_cost_little) {
    static candidate c[MOST];
    static sl_top_entry e[MOST];
    plain = true;
    for (int kind = 0; kind < 3; kind++) {
        for (size_t i = 0; i < MOST; i++) {
            uint64_t key = kind == 0 ? draw() >> 16 << 16 | i % 65536 : kind == 1 ? i : MOST - i;
            c[i] = (candidate){.last_seen = key, .born = i};
            e[i] = (sl_top_entry){.key = key, .slot = (uint32_t)i};
        }
        plain_compared = 0;
        select_first(c, MOST, MOST / 16);
        check_selected(c, MOST, MOST / 16);
        CHECK(plain_compared < (uint64_t)8 * MOST);
        plain_compared = 0;
        sort(e, MOST);
        CHECK((double)plain_compared < 2 * n_log_n(MOST));
    }
}

int main(void) {
    RUN(selecting_is_not_driven_quadratic);
    RUN(sorting_is_not_driven_quadratic);
    RUN(ordinary_orders_cost_little);
    return DONE;
}
