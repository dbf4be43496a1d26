/* Several classes in one matrix: the binary rule over (feature, class) pairs. */
#include "model/classes/matrix.h"

#include <math.h>

#include "model/classes/many.h"
#include "unit/test.h"

enum { ROWS = 500, CLASSES = 12, FEATURES = 60, MOST = 8 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

typedef struct drawn {
    uint64_t id[MOST];
    float value[MOST];
    size_t n, class_index;
} drawn;

/* A row; the classes appear one after the other. */
static drawn draw_row(size_t i) {
    drawn x = {.n = i % 40 == 7 ? 0 : 2 + (size_t)(uniform() * (MOST - 3))};
    const size_t known = 1 + i / 12 < CLASSES ? 1 + i / 12 : CLASSES;
    x.class_index = i % 12 == 0 && i / 12 < CLASSES ? i / 12 : (size_t)(uniform() * (double)known);
    uint64_t id = 0;
    for (size_t k = 0; k < x.n; k++) {
        id += 1 + (uint64_t)(uniform() * 6);
        x.id[k] = id;
        x.value[k] = (float)floor((uniform() * 3 - 1) * 64) / 64;
        if (x.value[k] == 0) x.value[k] = 0.5f;
    }
    if (x.n) x.id[x.n] = FEATURES + x.class_index % 5, x.value[x.n++] = 1;
    return x;
}

/* The binary model's id of a pair. */
static uint64_t pair_id(uint64_t feature, size_t class_index) { return feature * CLASSES + class_index; }

/* The margin of a class by the binary model of pairs. */
static double pair_margin(const sluice_model *pairs, const drawn *x, size_t class_index) {
    uint64_t id[MOST];
    for (size_t k = 0; k < x->n; k++) id[k] = pair_id(x->id[k], class_index);
    const sluice_example e = {.ids = id, .values = x->value, .n = x->n, .weight = 1};
    double margin = 0;
    CHECK_EQ(sluice_model_margin(pairs, &e, &margin, NULL), SLUICE_OK);
    return margin;
}

static size_t largest(const double *margin, size_t classes, size_t other_than) {
    size_t best = SL_NO_CLASS;
    for (size_t c = 0; c < classes; c++)
        if (c != other_than && (best == SL_NO_CLASS || margin[c] > margin[best])) best = c;
    return best;
}

/* Learns the example as the pairs of its class and of the wrong class of largest margin. */
static void learn_pairs(sluice_model *pairs, const drawn *x, size_t wrong) {
    uint64_t id[2 * MOST];
    float value[2 * MOST];
    for (size_t k = 0; k < x->n; k++) {
        id[k] = pair_id(x->id[k], x->class_index);
        id[x->n + k] = pair_id(x->id[k], wrong);
        value[k] = x->value[k];
        value[x->n + k] = -x->value[k];
    }
    const sluice_example e = {.ids = id, .values = value, .n = 2 * x->n, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(pairs, &e, NULL), SLUICE_OK);
}

static void compare(const sl_learner *learner) {
    const sluice_settings plain = {.size = sizeof plain};
    sluice_error err = {0};
    double params[SL_MAX_PARAMS];
    size_t n_trial = 0, classes = 0, different = 0;
    uint64_t mistakes = 0;
    while (learner->trial[n_trial]) n_trial++;
    CHECK_EQ(sluice_params_read(learner->info.name, learner->info.params, learner->info.n_params, learner->trial,
                                n_trial, params, &err),
             SLUICE_OK);
    sluice_model *m = sl_matrix_new(learner, params, &plain, &err);
    sluice_model *pairs = sluice_model_new(learner->info.name, learner->trial, n_trial, &plain, &err);
    state = 5;
    for (size_t i = 0; i < ROWS; i++) {
        const drawn x = draw_row(i);
        double margin[CLASSES];
        for (size_t c = 0; c < classes; c++) margin[c] = pair_margin(pairs, &x, c);
        mistakes += largest(margin, classes, SL_NO_CLASS) != x.class_index;
        const size_t wrong = largest(margin, classes, x.class_index);
        if (wrong != SL_NO_CLASS && x.n) {
            pairs->state.t = m->state.t; /* rows without pairs are rounds too */
            learn_pairs(pairs, &x, wrong);
        }
        const sluice_example e = {
            .ids = x.id, .values = x.value, .n = x.n, .label = (double)x.class_index, .weight = 1};
        CHECK_EQ(sluice_model_learn(m, &e, NULL), SLUICE_OK);
        if (x.class_index >= classes) classes = x.class_index + 1;
    }
    pairs->state.t = m->state.t;
    for (uint64_t f = 0; f < FEATURES + 5; f++)
        for (size_t c = 0; c < CLASSES; c++)
            different += (double)sl_matrix_weight(m, sl_space_find(&m->features.space, f), c) !=
                         sluice_model_weight_of_id(pairs, pair_id(f, c));
    if (different || m->mistakes != mistakes)
        fprintf(stderr, "%s: %zu weights, %llu mistakes for %llu\n", learner->info.name, different,
                (unsigned long long)m->mistakes, (unsigned long long)mistakes);
    CHECK_EQ(different, 0);
    CHECK_EQ(m->mistakes, mistakes);
    CHECK(mistakes > CLASSES && mistakes < ROWS);
    sluice_model_free(m);
    sluice_model_free(pairs);
}

TEST(a_matrix_is_the_binary_rule_over_pairs) {
    size_t n = 0;
    for (size_t i = 0; sl_learners[i]; i++) {
        const sl_learner *learner = sl_learners[i]; /* ssol shares a member, olsf projects: tests/reference has them */
        if (learner->info.flags & SLUICE_LEARNER_TUNES) continue; /* its candidates are tested by themselves */
        if (sl_matrix_takes(learner) && !learner->matrix_shares && !learner->matrix_step) compare(learner), n++;
    }
    CHECK_EQ(n, 11);
}

TEST(pairs_without_a_step_take_no_memory) {
    const sluice_settings plain = {.size = sizeof plain};
    sluice_error err = {0};
    sluice_model *m = sl_matrix_new(sl_learner_find("pa"), (double[]){0}, &plain, &err);
    for (size_t i = 0; i < 200; i++) {
        const uint64_t id = i % 2;
        const float one = 1;
        const sluice_example e = {.ids = &id, .values = &one, .n = 1, .label = (double)(i % 2), .weight = 1};
        CHECK_EQ(sluice_model_learn(m, &e, NULL), SLUICE_OK);
    }
    CHECK_EQ(m->matrix->arena.used, 4); /* two features in two classes, and no list that was left */
    sluice_model_free(m);
}

/* A model that has learned rows whose classes come in another order. */
static sluice_model *learned(const char *name, const char *const *params, size_t n, unsigned seed, const char *words) {
    const sluice_settings matrix = {.size = sizeof matrix, .classes = SLUICE_CLASSES_MATRIX};
    sluice_error err = {0};
    sluice_model *m = sluice_model_new(name, params, n, &matrix, &err);
    CHECK_STR(err.message, "");
    state = seed;
    for (size_t i = 0; i < 60; i++) {
        drawn x = draw_row(i);
        for (size_t k = 0; k < x.n; k++) x.value[k] = (float)floor(x.value[k] * 4) / 4 + 0.25f; /* sums are exact */
        const sluice_example e = {
            .ids = x.id, .values = x.value, .n = x.n, .weight = 1, .word = {words + x.class_index, 1}};
        CHECK_EQ(sluice_model_learn(m, &e, NULL), SLUICE_OK);
    }
    return m;
}

/* The weight of a feature in the class of a word. */
static double weight_in(const sluice_model *m, uint64_t id, char word) {
    const size_t c = sl_classes_find(&m->classes.table, (sluice_name){&word, 1});
    const uint32_t slot = sl_space_find(&m->features.space, id);
    return c == SL_NO_CLASS || slot == SL_NO_SLOT ? 0 : (double)sl_matrix_weight(m, slot, c);
}

TEST(the_sums_of_merged_matrices_add) {
    const char *const eta[] = {"eta=0.5"}, words[] = "abcdefghijkl", others[] = "zcayxbwvutsr";
    sluice_model *a = learned("perceptron", eta, 1, 3, words), *b = learned("perceptron", eta, 1, 4, others),
                 *both = sluice_model_copy(a, NULL);
    CHECK_EQ(sluice_model_merge(both, b), SLUICE_OK);
    size_t different = 0, nonzero = 0;
    for (uint64_t f = 0; f < FEATURES + 5; f++)
        for (char w = 'a'; w <= 'z'; w++) {
            const double sum = weight_in(a, f, w) + weight_in(b, f, w);
            different += weight_in(both, f, w) != sum;
            nonzero += sum != 0;
        }
    CHECK_EQ(different, 0);
    CHECK(nonzero > 50);
    CHECK_EQ(both->state.t, a->state.t + b->state.t);
    CHECK(sluice_model_classes(both) > sluice_model_classes(a));
    for (size_t i = 0; i < sluice_model_classes(a); i++) {
        const sluice_name text = sl_class_text(&a->classes.table, i);
        const size_t other = sl_classes_find(&b->classes.table, text);
        CHECK_EQ(both->classes.table.entry[i].count,
                 a->classes.table.entry[i].count + (other == SL_NO_CLASS ? 0 : b->classes.table.entry[other].count));
    }
    void *bytes = NULL;
    size_t n = 0;
    CHECK_EQ(sluice_model_bytes(both, &bytes, &n, NULL), SLUICE_OK);
    sluice_model *back = sluice_model_parse(bytes, n, NULL);
    CHECK(back != NULL);
    sluice_free(bytes);
    sluice_model_free(back);
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(both);
}

TEST(matrices_that_are_no_sums_do_not_merge) {
    const char *words = "abcdefghijkl";
    sluice_model *a = learned("pa", NULL, 0, 3, words), *b = learned("pa", NULL, 0, 4, words);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_UNSUPPORTED);
    CHECK_HAS(sluice_model_error(a)->message, "pa models do not merge");
    sluice_model_free(a);
    sluice_model_free(b);
    const sluice_settings ovr = {.size = sizeof ovr, .classes = SLUICE_CLASSES_OVR};
    a = learned("rda", NULL, 0, 3, words);
    b = sluice_model_new("rda", NULL, 0, &ovr, NULL);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_UNSUPPORTED);
    CHECK_EQ(sluice_model_merge(b, a), SLUICE_E_UNSUPPORTED);
    sluice_model_free(a);
    sluice_model_free(b);
}

/* Room grows by doubling, beyond the limit too. */
TEST(a_matrix_with_room_for_more_classes_than_there_can_be_is_copied) {
    const sluice_settings settings = {.size = sizeof settings, .classes = SLUICE_CLASSES_MATRIX};
    sluice_model *m = sluice_model_new("pa", NULL, 0, &settings, NULL);
    CHECK_EQ(sl_many_reserve(m, 60000), SLUICE_OK);
    CHECK_EQ(sl_many_reserve(m, 61000), SLUICE_OK);
    CHECK(m->matrix->class_room > SLUICE_MAX_MATRIX_CLASSES);
    sluice_model *copy = sluice_model_copy(m, NULL);
    CHECK(copy != NULL);
    CHECK_EQ(sl_many_reserve(m, SLUICE_MAX_MATRIX_CLASSES + 1), SLUICE_E_LIMIT);
    sluice_model_free(copy);
    sluice_model_free(m);
}

int main(void) {
    RUN(a_matrix_is_the_binary_rule_over_pairs);
    RUN(pairs_without_a_step_take_no_memory);
    RUN(the_sums_of_merged_matrices_add);
    RUN(matrices_that_are_no_sums_do_not_merge);
    RUN(a_matrix_with_room_for_more_classes_than_there_can_be_is_copied);
    return DONE;
}
