/* Which features a model with max_features gives up, seen through the public header. */
#include "sluice.h"
#include "unit/test.h"

enum { MOST = 64 };

static sluice_model *limited_model(const char *learner, uint64_t max) {
    sluice_settings s = {.size = sizeof s, .max_features = max};
    return sluice_model_new(learner, NULL, 0, &s, NULL);
}

/* Learns one example whose features are single letters, all with this value. */
static void see(sluice_model *m, const char *letters, float value) {
    sluice_name names[MOST];
    float values[MOST];
    size_t n = strlen(letters);
    for (size_t k = 0; k < n; k++) names[k] = (sluice_name){letters + k, 1}, values[k] = value;
    CHECK_EQ(sluice_model_learn(m, &(sluice_example){NULL, values, n, 1, 1, names}, NULL), SLUICE_OK);
}

/* The letters that the model knows, in the order in which they came. */
static const char *known(const sluice_model *m) {
    static char text[MOST + 1];
    sluice_weight w[MOST];
    size_t n = MOST;
    CHECK_EQ(sluice_model_newest(m, w, &n, NULL), SLUICE_OK);
    for (size_t k = 0; k < n; k++) text[k] = *w[n - 1 - k].name.text;
    text[n] = 0;
    return text;
}

TEST(of_those_seen_together_the_one_known_longest_goes_first) {
    sluice_model *m = limited_model("perceptron", 4);
    see(m, "abcd", 0); /* zeros: seen, but of weight 0 */
    see(m, "e", 0);
    CHECK_STR(known(m), "bcde");
    see(m, "f", 0);
    CHECK_STR(known(m), "cdef");
    see(m, "fedc", 0); /* seen together; c has been known longest, whatever its place in the example */
    see(m, "g", 0);
    CHECK_STR(known(m), "defg");
    sluice_model_free(m);
}

TEST(what_comes_back_counts_as_new) {
    sluice_model *m = limited_model("perceptron", 3);
    see(m, "abc", 0);
    see(m, "d", 0); /* instead of a */
    see(m, "a", 0); /* instead of b */
    CHECK_STR(known(m), "cda");
    see(m, "adc", 0);
    see(m, "e", 0); /* c came before d, and d before a came back */
    CHECK_STR(known(m), "dae");
    see(m, "ade", 0);
    see(m, "f", 0);
    CHECK_STR(known(m), "aef");
    sluice_model_free(m);
}

TEST(the_order_survives_saving) {
    sluice_model *m = limited_model("perceptron", 4);
    see(m, "abcd", 0);
    see(m, "e", 0);
    see(m, "a", 0);
    see(m, "cdea", 0);
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
    sluice_model *back = sluice_model_parse(bytes, n, NULL);
    sluice_free(bytes);
    see(m, "x", 0);
    see(back, "x", 0);
    CHECK_STR(known(m), "deax");
    CHECK_STR(known(back), "deax");
    sluice_model_free(m);
    sluice_model_free(back);
}

/* A sixteenth of the limit goes at once, and one more: a scan over all features is not made for every new one. */
TEST(a_sixteenth_goes_at_once) {
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEF"; /* 32 */
    sluice_model *m = limited_model("perceptron", 32);
    see(m, letters, 0);
    see(m, "0", 0); /* 32/16 + 1 make room for it */
    CHECK_STR(known(m), "defghijklmnopqrstuvwxyzABCDEF0");
    see(m, "1", 0);
    see(m, "2", 0);
    CHECK_STR(known(m), "defghijklmnopqrstuvwxyzABCDEF012");
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_EQ(f.evicted, 3);
    CHECK_EQ(f.refused, 0);
    sluice_model_free(m);
}

TEST(neither_weights_nor_the_example_itself_make_way) {
    sluice_model *m = limited_model("perceptron", 3);
    see(m, "w", 1);
    see(m, "a", 0);
    see(m, "b", 0);
    see(m, "axy", 0); /* x takes the place of b; a is in the example, w has a weight: y is left out */
    CHECK_STR(known(m), "wax");
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_EQ(f.evicted, 1);
    CHECK_EQ(f.refused, 1);
    CHECK_EQ(f.features_seen, 3);
    sluice_model_free(m);
}

/* Many features, seen in an order that has nothing to do with that of their numbers: the oldest go, exactly. */
TEST(the_least_recently_seen_go_among_many) {
    enum { LIMIT = 512, SHARE = LIMIT / 16 + 1 };
    sluice_model *m = limited_model("perceptron", LIMIT);
    uint64_t seen_at[LIMIT];
    float zero = 0;
    for (uint64_t i = 0; i < LIMIT; i++) { /* the i-th to be seen again is 199 i mod 512 */
        sluice_example x = {&i, &zero, 1, 1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    for (uint64_t i = 0; i < LIMIT; i++) {
        uint64_t id = i * 199 % LIMIT;
        seen_at[id] = i;
        sluice_example x = {&id, &zero, 1, 1, 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    uint64_t other = 100000;
    sluice_example x = {&other, &zero, 1, 1, 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    static sluice_weight w[LIMIT];
    size_t n = LIMIT, kept = 0;
    CHECK_EQ(sluice_model_newest(m, w, &n, NULL), SLUICE_OK);
    CHECK_EQ(n, LIMIT - SHARE + 1);
    for (size_t k = 0; k < n; k++) {
        uint64_t id = w[k].id;
        if (id == other) continue;
        CHECK(id < LIMIT && seen_at[id] >= SHARE);
        kept++;
    }
    CHECK_EQ(kept, LIMIT - SHARE);
    sluice_model_free(m);
}

int main(void) {
    RUN(of_those_seen_together_the_one_known_longest_goes_first);
    RUN(what_comes_back_counts_as_new);
    RUN(the_order_survives_saving);
    RUN(a_sixteenth_goes_at_once);
    RUN(neither_weights_nor_the_example_itself_make_way);
    RUN(the_least_recently_seen_go_among_many);
    return DONE;
}
