/* Models whose features have names, and the limit on how many there are. */
#include <stdio.h>

#include "model/model.h"
#include "sluice.h"

#include "unit/test.h"

enum { MAX_ROW = 12 };

/* An example of a made stream, by ids and by names. */
typedef struct made {
    uint64_t ids[MAX_ROW];
    char text[MAX_ROW][32];
    sluice_name names[MAX_ROW];
    float values[MAX_ROW];
    sluice_example x;
} made;

static uint64_t state;

static uint64_t draw(uint64_t n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state % n;
}

/* format: how an id becomes a name; NULL: by ids. */
static void make(made *m, const char *format, uint64_t dimension) {
    size_t n = 1 + draw(MAX_ROW), k = 0;
    double sum = 0;
    for (uint64_t id = draw(dimension / MAX_ROW); k < n; id += 1 + draw(dimension / MAX_ROW), k++) {
        m->ids[k] = id;
        m->values[k] = (float)draw(64) / 16 - 2;
        if (m->values[k] == 0) m->values[k] = 1;
        sum += (double)m->values[k] * (id % 3 ? 1 : -1);
        if (format) m->names[k] = (sluice_name){m->text[k], (size_t)snprintf(m->text[k], 32, format, (int)id)};
    }
    m->x = (sluice_example){m->ids, m->values, n, sum > 0 ? 1 : -1, 1, format ? m->names : NULL};
}

static void learn(sluice_model *m, uint64_t seed, size_t rows, const char *format, uint64_t dimension) {
    made e;
    state = seed;
    for (size_t i = 0; i < rows; i++) {
        make(&e, format, dimension);
        CHECK_EQ(sluice_model_learn(m, &e.x, NULL), SLUICE_OK);
    }
}

static double margin(const sluice_model *m, const made *e) {
    double value = 0;
    CHECK_EQ(sluice_model_margin(m, &e->x, &value, NULL), SLUICE_OK);
    return value;
}

static sluice_model *reloaded(sluice_model *m) {
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    sluice_error err = {0};
    sluice_model *copy = sluice_model_parse(bytes, n, &err);
    CHECK_STR(err.message, "");
    sluice_free(bytes);
    return copy;
}

static void check_same_bytes(sluice_model *a, sluice_model *b) {
    void *x, *y;
    size_t n, k;
    CHECK_EQ(sluice_model_bytes(a, &x, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &k, NULL), SLUICE_OK);
    CHECK(n == k && memcmp(x, y, n) == 0);
    sluice_free(x);
    sluice_free(y);
}

TEST(every_learner_learns_the_same_from_names_as_from_ids) {
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)); i++) {
        sluice_model *ids = sluice_model_new(l->name, NULL, 0, NULL, NULL);
        sluice_model *names = sluice_model_new(l->name, NULL, 0, NULL, NULL);
        learn(ids, 7, 300, NULL, 200);
        learn(names, 7, 300, "feature %d", 200);
        sluice_model_facts a = {.size = sizeof a}, b = {.size = sizeof b};
        sluice_model_describe(ids, &a);
        sluice_model_describe(names, &b);
        CHECK_EQ(a.mistakes, b.mistakes);
        CHECK_EQ(a.updates, b.updates);
        CHECK_EQ(a.features_seen, b.features_seen);
        CHECK_EQ(a.nonzeros, b.nonzeros);
        CHECK(b.has_names && !a.has_names);
        made e, f;
        for (int k = 0; k < 20; k++) {
            state = 99 + (uint64_t)k, make(&e, NULL, 200);
            state = 99 + (uint64_t)k, make(&f, "feature %d", 200);
            CHECK(margin(ids, &e) == margin(names, &f));
        }
        sluice_model *again = reloaded(names);
        check_same_bytes(names, again);
        sluice_model *copy = sluice_model_copy(names, NULL);
        check_same_bytes(names, copy);
        learn(names, 8, 100, "feature %d", 300);
        learn(again, 8, 100, "feature %d", 300);
        learn(copy, 8, 100, "feature %d", 300);
        check_same_bytes(names, again);
        check_same_bytes(names, copy);
        sluice_model_free(ids);
        sluice_model_free(names);
        sluice_model_free(again);
        sluice_model_free(copy);
    }
}

TEST(a_name_that_is_a_whole_number_is_that_id) {
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL),
                 *ids = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    learn(m, 3, 100, NULL, 100); /* ids, then the same features by name, then by id again */
    learn(m, 4, 100, "%d", 100);
    learn(m, 5, 100, NULL, 100);
    learn(ids, 3, 100, NULL, 100);
    learn(ids, 4, 100, NULL, 100);
    learn(ids, 5, 100, NULL, 100);
    made e;
    for (int k = 0; k < 20; k++) {
        state = 50 + (uint64_t)k, make(&e, NULL, 100);
        double x = margin(ids, &e), y = margin(m, &e);
        CHECK(x == y);
        state = 50 + (uint64_t)k, make(&e, "%d", 100);
        CHECK(margin(ids, &e) == x && margin(m, &e) == x);
        state = 50 + (uint64_t)k, make(&e, "0%d", 100); /* no number as one writes it */
        CHECK(margin(ids, &e) == 0 && margin(m, &e) == 0);
    }
    sluice_model_free(m);
    sluice_model_free(ids);
}

TEST(a_predict_only_model_and_a_merged_one_keep_the_names) {
    sluice_model *a = sluice_model_new("ada-rda", NULL, 0, NULL, NULL), *b = sluice_model_copy(a, NULL);
    learn(a, 1, 200, "f%d", 150);
    learn(b, 2, 200, NULL, 150);
    sluice_model *final = sluice_model_final(a, NULL), *again = reloaded(final);
    made e;
    state = 77, make(&e, "f%d", 150);
    CHECK(margin(a, &e) == margin(again, &e));
    CHECK_EQ(sluice_model_merge(b, a), SLUICE_OK); /* ids and names */
    sluice_model_facts facts = {.size = sizeof facts}, other = {.size = sizeof other};
    sluice_model_describe(b, &facts);
    sluice_model_describe(a, &other);
    CHECK(facts.has_names && facts.features_seen > other.features_seen);
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(final);
    sluice_model_free(again);
}

TEST(weights_come_with_their_names) {
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, NULL, NULL);
    sluice_name names[] = {{"spam\0!", 6}, {"12", 2}};
    float values[] = {1, 2};
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){NULL, values, 2, 1, 1, names}, NULL), SLUICE_OK);
    sluice_weight *w;
    size_t n;
    CHECK_EQ(sluice_model_weights(m, &w, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, 2);
    CHECK(w[0].name.n == 6 && memcmp(w[0].name.text, "spam\0!", 6) == 0 && w[0].weight == 1);
    CHECK(w[1].name.n == 2 && w[1].id == 12 && w[1].weight == 2);
    sluice_free(w);
    sluice_name twice[] = {{"a", 1}, {"a", 1}};
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){NULL, values, 2, 1, 1, twice}, NULL), SLUICE_E_DATA);
    CHECK_HAS(sluice_model_error(m)->message, "appears twice");
    sluice_model_free(m);
}

TEST(hashed_names_and_ids_are_one) {
    sluice_settings s = {.size = sizeof s, .hash_bits = 12};
    sluice_model *a = sluice_model_new("pa-1", NULL, 0, &s, NULL), *b = sluice_model_new("pa-1", NULL, 0, &s, NULL);
    learn(a, 3, 200, NULL, 500);
    learn(b, 3, 200, "%d", 500);
    check_same_bytes(a, b);
    learn(a, 4, 200, "n%d", 500);
    sluice_model_facts facts = {.size = sizeof facts}, before = {.size = sizeof before};
    sluice_model_describe(a, &facts);
    sluice_model_describe(b, &before);
    CHECK(!facts.has_names && facts.features_seen > before.features_seen + 100);
    sluice_model_free(a);
    sluice_model_free(b);
}

/* ---- the limit ---- */

static sluice_status see(sluice_model *m, const char *name, double label, float value) {
    sluice_name n = {name, strlen(name)};
    return sluice_model_learn(m, &(sluice_example){NULL, &value, 1, label, 1, &n}, NULL);
}

static int knows(const sluice_model *m, const char *name) {
    size_t n = strlen(name);
    return sl_names_find(&m->features.names, sl_name_hash(name, n), name, n) != SL_NO_NAME;
}

TEST(features_of_weight_zero_make_way_and_those_seen_longest_ago_first) {
    sluice_settings s = {.size = sizeof s, .max_features = 3};
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, &s, NULL);
    CHECK_EQ(see(m, "a", -1, 0), SLUICE_OK); /* an explicit zero: seen, its weight is 0 */
    CHECK_EQ(see(m, "b", -1, 0), SLUICE_OK);
    CHECK_EQ(see(m, "w", 1, 1), SLUICE_OK); /* has a weight */
    CHECK_EQ(see(m, "a", -1, 0), SLUICE_OK);
    CHECK_EQ(see(m, "c", -1, 0), SLUICE_OK); /* b makes way */
    CHECK(knows(m, "a") && !knows(m, "b") && knows(m, "w") && knows(m, "c"));
    CHECK_EQ(see(m, "b", -1, 0), SLUICE_OK); /* a makes way */
    CHECK(!knows(m, "a") && knows(m, "b") && knows(m, "w") && knows(m, "c"));
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    CHECK_EQ(facts.features_seen, 3);
    CHECK_EQ(facts.evicted, 2);
    CHECK_EQ(facts.refused, 0);
    sluice_model_free(m);
}

TEST(where_every_weight_counts_newcomers_are_left_out) {
    sluice_settings s = {.size = sizeof s, .max_features = 2};
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, &s, NULL);
    see(m, "a", 1, 1);
    see(m, "b", 1, 1);
    CHECK_EQ(see(m, "c", 1, 1), SLUICE_OK);
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    CHECK_EQ(facts.features_seen, 2);
    CHECK_EQ(facts.refused, 1);
    CHECK(!knows(m, "c"));
    sluice_model_free(m);
}

TEST(resuming_under_a_limit_is_exact) {
    static const char *const learners[] = {"ssol", "fsol", "ada-rda", "pa-1", "olsf-1", "olsf-rand", "ofs", "sofs"};
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (uint64_t max = 20; max <= 320; max *= 4) {
            sluice_settings s = {.size = sizeof s, .max_features = max};
            sluice_model *whole = sluice_model_new(learners[i], NULL, 0, &s, NULL);
            learn(whole, 5, 400, "n%d", 2000);
            sluice_model *half = reloaded(whole);
            check_same_bytes(whole, half);
            for (uint64_t part = 0; part < 5; part++) {
                learn(whole, 6 + part, 100, "n%d", 2000);
                learn(half, 6 + part, 100, "n%d", 2000);
                check_same_bytes(whole, half);
                sluice_model *next = reloaded(half);
                sluice_model_free(half);
                half = next;
            }
            CHECK(whole->features.names.used <= max);
            sluice_model_free(whole);
            sluice_model_free(half);
        }
}

int main(void) {
    RUN(every_learner_learns_the_same_from_names_as_from_ids);
    RUN(a_name_that_is_a_whole_number_is_that_id);
    RUN(a_predict_only_model_and_a_merged_one_keep_the_names);
    RUN(weights_come_with_their_names);
    RUN(hashed_names_and_ids_are_one);
    RUN(features_of_weight_zero_make_way_and_those_seen_longest_ago_first);
    RUN(where_every_weight_counts_newcomers_are_left_out);
    RUN(resuming_under_a_limit_is_exact);
    return DONE;
}
