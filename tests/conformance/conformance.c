/* Every learner and every property that all of them share.
 *
 *     conformance PROPERTY     runs one property on every learner of the table; scaled.PROPERTY: with values that are
 *                              transformed and divided by running scales
 *     conformance --list       lists the properties
 *
 * Learners run with their `trial` parameters, which switch on all they can do. */
#include <math.h>

#include "learner/learner.h"
#include "model/model.h"
#include "unit/every_learner.h"
#include "unit/test.h"

/* ---- a stream ---------------------------------------------------------------------------------------------------- */

enum { ROWS = 600, MOST = 24, FEATURES = 120 };

typedef struct row {
    uint64_t ids[MOST];
    float values[MOST];
    size_t n;
    double label;
} row;

static uint64_t random_state;

static uint64_t random_bits(void) { /* splitmix64 */
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static double uniform(void) { return (double)(random_bits() >> 11) * 0x1p-53; }

/* Learnable rows over features that keep arriving; ids in no order; some rows are empty. */
static row *make_stream(uint64_t seed) {
    row *rows = calloc(ROWS, sizeof *rows);
    random_state = seed;
    for (size_t t = 0; t < ROWS; t++) {
        row *r = &rows[t];
        uint64_t open = 20 + t * (FEATURES - 20) / ROWS;
        double margin = 0;
        size_t want = t % 97 == 5 ? 0 : 4 + random_bits() % 8;
        while (r->n < want) {
            uint64_t id = random_bits() % open;
            size_t k = 0;
            while (k < r->n && r->ids[k] != id) k++;
            if (k < r->n) continue;
            r->ids[r->n] = id;
            r->values[r->n] = (float)(uniform() * 2 - 0.5);
            margin += (double)r->values[r->n++] * (id % 3 == 0 ? 1 : id % 3 == 1 ? -1 : 0);
        }
        r->label = margin + 0.05 * (uniform() - 0.5) > 0 ? 1 : -1;
    }
    return rows;
}

static sluice_example example(const row *r) { return (sluice_example){r->ids, r->values, r->n, r->label, 1}; }

/* ---- models ------------------------------------------------------------------------------------------------------ */

static const sl_learner *learner; /* the one at hand */

static size_t trial_count(void) {
    size_t n = 0;
    while (learner->trial[n]) n++;
    return n;
}

static sluice_settings usual = {.size = sizeof usual}; /* of models that a property says nothing more of */

static sluice_model *fresh_model(void) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_new(learner->info.name, learner->trial, trial_count(), &usual, &err);
    if (!m) fprintf(stderr, "%s: %s\n", learner->info.name, err.message);
    return m;
}

static void learn(sluice_model *m, const row *rows, size_t from, size_t to) {
    for (size_t t = from; t < to; t++) {
        sluice_example x = example(&rows[t]);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
}

typedef struct bytes {
    void *data;
    size_t n;
} bytes;

static bytes bytes_of(sluice_model *m) {
    bytes b = {0};
    CHECK_EQ(sluice_model_bytes(m, &b.data, &b.n, NULL), SLUICE_OK);
    return b;
}

static bool same_bytes(bytes a, bytes b) { return a.n == b.n && memcmp(a.data, b.data, a.n) == 0; }

/* Whether two models are byte for byte the same; frees nothing but what it made. */
static bool same(sluice_model *a, sluice_model *b) {
    bytes x = bytes_of(a), y = bytes_of(b);
    bool equal = same_bytes(x, y);
    sluice_free(x.data);
    sluice_free(y.data);
    return equal;
}

/* A lambda that does nothing: a strength of 0, or the largest radius; NULL: the learner has none. */
static const char *no_lambda(void) {
    for (size_t i = 0; i < learner->info.n_params; i++)
        if (strcmp(learner->info.params[i].name, "lambda") == 0)
            return learner->info.params[i].min > 0 ? "lambda=1e12" : "lambda=0";
    return NULL;
}

static double margin(const sluice_model *m, const row *r) {
    double value = NAN;
    sluice_example x = example(r);
    CHECK_EQ(sluice_model_margin(m, &x, &value, NULL), SLUICE_OK);
    return value;
}

#define CHECK_LEARNER(condition)                                                                                       \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            test_failures++;                                                                                           \
            fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, test_name, learner->info.name, #condition);     \
        }                                                                                                              \
    } while (0)

/* ---- properties -------------------------------------------------------------------------------------------------- */

TEST(learns) {
    row *rows = make_stream(1);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, ROWS);
    size_t wrong = 0;
    for (size_t t = ROWS / 2; t < ROWS; t++) wrong += (margin(m, &rows[t]) > 0) != (rows[t].label > 0);
    CHECK_LEARNER(wrong < ROWS / 2 / 5); /* guessing would get half of them wrong */
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_LEARNER(f.examples == ROWS && f.features_seen == m->features.space.seen && f.updates > 0 && f.nonzeros > 0);
    sluice_model_free(m);
    free(rows);
}

TEST(counts_the_mistakes_that_were_made) {
    row *rows = make_stream(2);
    sluice_model *m = fresh_model();
    uint64_t mistakes = 0, positives = 0;
    for (size_t t = 0; t < ROWS; t++) {
        sluice_example x = example(&rows[t]);
        double before;
        CHECK_EQ(sluice_model_learn(m, &x, &before), SLUICE_OK);
        mistakes += (before > 0) != (rows[t].label > 0);
        positives += rows[t].label > 0;
    }
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_LEARNER(f.mistakes == mistakes && f.positives == positives);
    sluice_model_free(m);
    free(rows);
}

TEST(sparsifies_if_it_has_a_lambda) {
    bool sparse = false;
    for (size_t i = 0; i < learner->info.n_params; i++)
        sparse |=
            strcmp(learner->info.params[i].name, "lambda") == 0 || strcmp(learner->info.params[i].name, "l1") == 0;
    if (!sparse) return;
    row *rows = make_stream(3);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, ROWS);
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(m, &f);
    CHECK_LEARNER(f.nonzeros > 0 && f.nonzeros < f.features_seen);
    sluice_model_free(m);
    free(rows);
}

TEST(prediction_changes_nothing) {
    row *rows = make_stream(4);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, ROWS / 2);
    bytes before = bytes_of(m);
    double first = margin(m, &rows[ROWS - 1]);
    for (size_t t = 0; t < ROWS; t++) margin(m, &rows[t]);
    row unseen = {.ids = {12345678901234u, 7}, .values = {1, 2}, .n = 2};
    margin(m, &unseen);
    CHECK_LEARNER(margin(m, &rows[ROWS - 1]) == first);
    bytes after = bytes_of(m);
    CHECK_LEARNER(same_bytes(before, after));
    sluice_free(before.data);
    sluice_free(after.data);
    sluice_model_free(m);
    free(rows);
}

TEST(stopping_and_resuming_is_as_if_never_stopped) {
    row *rows = make_stream(5);
    sluice_model *whole = fresh_model();
    learn(whole, rows, 0, ROWS);
    for (size_t split = 0; split <= ROWS; split += split < 20 ? 1 : 53) {
        sluice_model *first = fresh_model();
        learn(first, rows, 0, split);
        bytes saved = bytes_of(first);
        sluice_model *second = sluice_model_parse(saved.data, saved.n, NULL);
        CHECK_LEARNER(second);
        if (second) {
            CHECK_LEARNER(same(first, second));
            learn(second, rows, split, ROWS);
            CHECK_LEARNER(same(whole, second));
        }
        sluice_free(saved.data);
        sluice_model_free(first);
        sluice_model_free(second);
    }
    sluice_model_free(whole);
    free(rows);
}

TEST(same_input_same_bytes) {
    row *rows = make_stream(6);
    sluice_model *a = fresh_model(), *b = fresh_model();
    learn(a, rows, 0, ROWS);
    learn(b, rows, 0, ROWS);
    CHECK_LEARNER(same(a, b));
    sluice_model_free(a);
    sluice_model_free(b);
    free(rows);
}

/* Explicit zeros make features seen, so a model that is shown all features in its first row knows the dimension. Not
 * for learners whose rule asks how many features were seen. */
TEST(growing_equals_known_dimension) {
    if (learner->counts_features) return;
    row *rows = make_stream(7);
    sluice_model *growing = fresh_model(), *knowing = fresh_model();
    uint64_t ids[FEATURES];
    float values[FEATURES] = {0};
    for (uint64_t i = 0; i < FEATURES; i++) ids[i] = i;
    for (size_t k = 0; k < rows[0].n; k++) values[rows[0].ids[k]] = rows[0].values[k];
    /* the same order of summation in both */
    row sorted = {.label = rows[0].label};
    for (uint64_t i = 0; i < FEATURES; i++)
        if (values[i] != 0) {
            sorted.ids[sorted.n] = i;
            sorted.values[sorted.n++] = values[i];
        }
    sluice_example x = {ids, values, FEATURES, rows[0].label, 1}, y = example(&sorted);
    CHECK_EQ(sluice_model_learn(knowing, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn(growing, &y, NULL), SLUICE_OK);
    for (size_t t = 1; t < ROWS; t++) {
        double a, b;
        sluice_example z = example(&rows[t]);
        CHECK_EQ(sluice_model_learn(knowing, &z, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(growing, &z, &b), SLUICE_OK);
        CHECK_LEARNER(a == b);
    }
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(knowing, &f);
    const bool has_bias = sluice_model_settings(knowing)->bias != 0; /* auto adds one */
    CHECK_LEARNER(f.features_seen == FEATURES + (uint64_t)has_bias);
    for (size_t t = 0; t < ROWS; t++) CHECK_LEARNER(margin(knowing, &rows[t]) == margin(growing, &rows[t]));
    sluice_model_free(growing);
    sluice_model_free(knowing);
    free(rows);
}

TEST(zero_values_change_no_weight_and_no_prediction) {
    row *rows = make_stream(8);
    sluice_model *plain = fresh_model(), *zeros = fresh_model();
    for (size_t t = 0; t < ROWS; t++) {
        row with = rows[t];
        for (uint64_t i = 0; i < 5 && with.n < MOST; i++) { /* zeros for features old and new, between the others */
            uint64_t id = random_bits() % (2 * FEATURES);
            size_t k = 0, at = with.n ? random_bits() % with.n : 0;
            while (k < with.n && with.ids[k] != id) k++;
            if (k < with.n) continue;
            if (learner->counts_features && !sl_space_knows(&plain->features.space, (uint32_t)id))
                continue; /* no new ones */
            memmove(with.ids + at + 1, with.ids + at, (with.n - at) * sizeof *with.ids);
            memmove(with.values + at + 1, with.values + at, (with.n - at) * sizeof *with.values);
            with.ids[at] = id;
            with.values[at] = i % 2 ? 0.0f : -0.0f;
            with.n++;
        }
        double a, b;
        sluice_example x = example(&rows[t]), y = example(&with);
        CHECK_EQ(sluice_model_learn(plain, &x, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(zeros, &y, &b), SLUICE_OK);
        CHECK_LEARNER(a == b);
    }
    sluice_weight *u, *v;
    size_t nu, nv;
    CHECK_EQ(sluice_model_weights(plain, &u, &nu, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_weights(zeros, &v, &nv, NULL), SLUICE_OK);
    CHECK_LEARNER(nu == nv);
    for (size_t i = 0; i < nu && i < nv; i++) CHECK_LEARNER(u[i].id == v[i].id && u[i].weight == v[i].weight);
    sluice_free(u);
    sluice_free(v);
    sluice_model_free(plain);
    sluice_model_free(zeros);
    free(rows);
}

/* Where a feature lies (direct, in the table, moved) does not change a result. */
TEST(large_ids_learn_as_small_ones_do) {
    row *rows = make_stream(9);
    sluice_model *small = fresh_model(), *large = fresh_model();
    for (size_t t = 0; t < ROWS; t++) {
        row wide = rows[t];
        for (size_t k = 0; k < wide.n; k++) wide.ids[k] = UINT64_MAX - wide.ids[k] * 0x10000000001u;
        double a, b;
        sluice_example x = example(&rows[t]), y = example(&wide);
        CHECK_EQ(sluice_model_learn(small, &x, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(large, &y, &b), SLUICE_OK);
        CHECK_LEARNER(a == b);
    }
    sluice_model_free(small);
    sluice_model_free(large);
    free(rows);
}

TEST(order_of_features_matters_only_to_rounding) {
    if (learner->draws) return; /* the same numbers would be drawn for other features */
    row *rows = make_stream(10);
    sluice_model *forward = fresh_model(), *backward = fresh_model();
    for (size_t t = 0; t < 100; t++) {
        row turned = rows[t];
        for (size_t k = 0; k < turned.n; k++) {
            turned.ids[k] = rows[t].ids[turned.n - 1 - k];
            turned.values[k] = rows[t].values[turned.n - 1 - k];
        }
        double a, b;
        sluice_example x = example(&rows[t]), y = example(&turned);
        CHECK_EQ(sluice_model_learn(forward, &x, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(backward, &y, &b), SLUICE_OK);
        CHECK_LEARNER(fabs(a - b) <= 1e-4 * (1 + fabs(a)));
    }
    sluice_model_free(forward);
    sluice_model_free(backward);
    free(rows);
}

TEST(refused_input_leaves_the_model_untouched) {
    row *rows = make_stream(11);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, 50);
    bytes before = bytes_of(m);
    uint64_t ids[] = {1, 2, 900, 2}; /* 900 is new: it must not become seen */
    float nan_value[] = {1, NAN, 1}, inf_value[] = {1, 1, INFINITY}, fine[] = {1, 1, 1, 1};
    sluice_example refused[] = {
        {ids, nan_value, 3, 1, 1}, {ids, inf_value, 3, 1, 1}, {ids, fine, 4, 1, 1}, /* the last: 2 twice */
        {ids, fine, 3, 1, -1},     {ids, fine, 3, 1, NAN},    {ids, fine, 3, NAN, 1}, {ids, fine, 3, 1, INFINITY},
    };
    for (size_t i = 0; i < SL_COUNT(refused); i++) {
        CHECK_LEARNER(sluice_model_learn(m, &refused[i], NULL) == SLUICE_E_DATA);
        CHECK_LEARNER(sluice_model_error(m)->message[0]);
        bytes after = bytes_of(m);
        CHECK_LEARNER(same_bytes(before, after));
        sluice_free(after.data);
    }
    sluice_free(before.data);
    sluice_model_free(m);
    free(rows);
}

TEST(importance_zero_is_as_if_absent) {
    row *rows = make_stream(12);
    sluice_model *with = fresh_model(), *without = fresh_model();
    for (size_t t = 0; t < ROWS; t++) {
        sluice_example x = example(&rows[t]);
        x.weight = t % 3 == 1 ? 0 : 1;
        CHECK_EQ(sluice_model_learn(with, &x, NULL), SLUICE_OK);
        if (x.weight == 1) CHECK_EQ(sluice_model_learn(without, &x, NULL), SLUICE_OK);
    }
    CHECK_LEARNER(same(with, without));
    sluice_model_free(with);
    sluice_model_free(without);
    free(rows);
}

static bool has_param(const char *name) {
    for (size_t i = 0; i < learner->info.n_params; i++)
        if (strcmp(learner->info.params[i].name, name) == 0) return true;
    return false;
}

/* Without shrinkage, importance 2 throughout is twice the learning rate (or C) throughout, or half of r. */
TEST(importance_multiplies_the_learning_rate_or_C_or_divides_r) {
    const sluice_learner_info *info = &learner->info;
    const char *rate = has_param("eta") ? "eta" : has_param("C") ? "C" : has_param("r") ? "r" : NULL;
    row *rows = make_stream(13);
    if (!rate) { /* pa: no such thing; ftrl, narow: their own rule, checked in unit tests */
        sluice_model *m = fresh_model();
        sluice_example x = example(&rows[0]);
        x.weight = 2;
        CHECK_LEARNER(sluice_model_learn(m, &x, NULL) == (learner->only_weights_0_1 ? SLUICE_E_DATA : SLUICE_OK));
        sluice_model_free(m);
        free(rows);
        return;
    }
    char once[32], twice[32];
    snprintf(once, sizeof once, "%s=0.25", rate);
    snprintf(twice, sizeof twice, "%s=%s", rate, strcmp(rate, "r") == 0 ? "0.125" : "0.5");
    const char *a[] = {once, no_lambda()}, *b[] = {twice, no_lambda()};
    sluice_model *weighted = sluice_model_new(info->name, a, no_lambda() ? 2 : 1, NULL, NULL);
    sluice_model *faster = sluice_model_new(info->name, b, no_lambda() ? 2 : 1, NULL, NULL);
    for (size_t t = 0; t < ROWS; t++) {
        sluice_example x = example(&rows[t]), y = x;
        double m_x, m_y;
        x.weight = 2;
        CHECK_EQ(sluice_model_learn(weighted, &x, &m_x), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(faster, &y, &m_y), SLUICE_OK);
        CHECK_LEARNER(fabs(m_x - m_y) <= 1e-6 * (1 + fabs(m_y)));
    }
    sluice_model_free(weighted);
    sluice_model_free(faster);
    free(rows);
}

TEST(the_first_example_is_learned) {
    bool l1 = false;
    for (size_t i = 0; i < learner->info.n_params; i++) l1 |= strcmp(learner->info.params[i].name, "l1") == 0;
    const char *given[] = {no_lambda() ? no_lambda() : "l1=0"};
    sluice_model *m = sluice_model_new(learner->info.name, given, no_lambda() || l1, NULL, NULL);
    row r = {.ids = {4, 9}, .values = {1, -2}, .n = 2, .label = 1};
    sluice_example x = example(&r);
    for (int i = 0; i < (learner->draws ? 50 : 1); i++) CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
    CHECK_LEARNER(margin(m, &r) > 0); /* one that draws may have looked away the first time */
    sluice_model_free(m);
}

TEST(a_copy_goes_its_own_way) {
    row *rows = make_stream(14);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, ROWS / 2);
    sluice_model *copy = sluice_model_copy(m, NULL);
    CHECK_LEARNER(copy && same(m, copy));
    bytes before = bytes_of(m);
    learn(copy, rows, ROWS / 2, ROWS);
    bytes after = bytes_of(m);
    CHECK_LEARNER(same_bytes(before, after));
    learn(m, rows, ROWS / 2, ROWS);
    CHECK_LEARNER(same(m, copy));
    sluice_free(before.data);
    sluice_free(after.data);
    sluice_model_free(m);
    sluice_model_free(copy);
    free(rows);
}

TEST(a_final_model_predicts_the_same_and_refuses_to_learn) {
    row *rows = make_stream(15);
    sluice_model *m = fresh_model();
    learn(m, rows, 0, ROWS - 7);
    bytes before = bytes_of(m);
    sluice_model *made = sluice_model_final(m, NULL), *finished = sluice_model_finished(m, NULL);
    bytes after = bytes_of(m);
    CHECK_LEARNER(same_bytes(before, after)); /* an unfinished batch still waits */
    sluice_free(before.data);
    sluice_free(after.data);
    sluice_model_free(m);
    m = finished;
    bytes saved = bytes_of(made);
    sluice_model *final = sluice_model_parse(saved.data, saved.n, NULL);
    CHECK_LEARNER(final && same(made, final));
    sluice_model_facts full = {.size = sizeof full}, small = {.size = sizeof small};
    sluice_model_describe(m, &full);
    sluice_model_describe(final, &small);
    CHECK_LEARNER(small.is_final && full.nonzeros == small.nonzeros && full.features_seen == small.features_seen);
    for (size_t t = 0; t < ROWS; t++) CHECK_LEARNER(margin(m, &rows[t]) == margin(final, &rows[t]));
    sluice_example x = example(&rows[0]);
    CHECK_LEARNER(sluice_model_learn(final, &x, NULL) == SLUICE_E_UNSUPPORTED);
    CHECK_LEARNER(same(made, final));
    sluice_free(saved.data);
    sluice_model_free(m);
    sluice_model_free(made);
    sluice_model_free(final);
    free(rows);
}

TEST(bias_scaling_and_hashing_are_part_of_the_model) {
    row *rows = make_stream(16);
    sluice_settings settings = {.size = sizeof settings, .bias = 0.5, .normalize = SLUICE_NORMALIZE_L2, .hash_bits = 5};
    sluice_model *whole = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
    sluice_model *first = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
    learn(whole, rows, 0, ROWS);
    learn(first, rows, 0, ROWS / 2);
    bytes saved = bytes_of(first);
    sluice_model *second = sluice_model_parse(saved.data, saved.n, NULL);
    learn(second, rows, ROWS / 2, ROWS);
    CHECK_LEARNER(same(whole, second));
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(whole, &f);
    CHECK_LEARNER(f.features_seen == 33); /* 2^5 and the bias */
    sluice_model *final = sluice_model_final(whole, NULL);
    for (size_t t = 0; t < ROWS; t++) CHECK_LEARNER(fabs(margin(whole, &rows[t]) - margin(final, &rows[t])) < 1e-12);
    sluice_free(saved.data);
    sluice_model_free(whole);
    sluice_model_free(first);
    sluice_model_free(second);
    sluice_model_free(final);
    free(rows);
}

/* Rows whose features differ in size by powers of ten; values come in no order, so that scales grow. */
static row *make_uneven(uint64_t seed) {
    row *rows = make_stream(seed);
    for (size_t t = 0; t < ROWS; t++)
        for (size_t k = 0; k < rows[t].n; k++) rows[t].values[k] *= (float)pow(10, (double)(rows[t].ids[k] % 7) - 3);
    return rows;
}

TEST(scales_are_part_of_the_model) {
    row *rows = make_uneven(17);
    for (int kind = 0; kind < 6; kind++) {
        const sluice_settings settings = {.size = sizeof settings,
                                          .scale = kind > 3    ? SLUICE_SCALE_IDF
                                                   : kind == 3 ? SLUICE_SCALE_MAXABS
                                                               : SLUICE_SCALE_RUNNING,
                                          .transform = kind == 1 ? SLUICE_TRANSFORM_LOG1P : SLUICE_TRANSFORM_NONE,
                                          .normalize = kind ? SLUICE_NORMALIZE_L2 : SLUICE_NORMALIZE_NONE,
                                          .bias = kind ? 0.25 : 0,
                                          .hash_bits = kind == 2 || kind == 5 ? 5 : 0};
        sluice_model *whole = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
        sluice_model *first = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
        learn(whole, rows, 0, ROWS);
        learn(first, rows, 0, ROWS / 2);
        bytes saved = bytes_of(first);
        sluice_model *second = sluice_model_parse(saved.data, saved.n, NULL);
        learn(second, rows, ROWS / 2, ROWS);
        CHECK_LEARNER(same(whole, second));
        sluice_model *finished = sluice_model_finished(whole, NULL), *final = sluice_model_final(whole, NULL);
        CHECK_LEARNER(sluice_model_nonzeros(final) == sluice_model_nonzeros(finished));
        for (size_t t = 0; t < ROWS; t++) CHECK_LEARNER(margin(finished, &rows[t]) == margin(final, &rows[t]));
        sluice_free(saved.data);
        sluice_model_free(whole);
        sluice_model_free(first);
        sluice_model_free(second);
        sluice_model_free(finished);
        sluice_model_free(final);
    }
    free(rows);
}

TEST(calibration_changes_no_prediction_and_no_learning) {
    row *rows = make_stream(23);
    sluice_model *a = fresh_model(), *b = fresh_model();
    learn(a, rows, 0, ROWS / 2);
    learn(b, rows, 0, ROWS / 2);
    double before[ROWS], label[ROWS];
    for (size_t t = 0; t < ROWS; t++) {
        before[t] = margin(b, &rows[t]);
        label[t] = rows[t].label;
    }
    const int kind = learner->info.name[0] % 2 ? SLUICE_CALIBRATION_PLATT : SLUICE_CALIBRATION_ISOTONIC;
    CHECK_LEARNER(sluice_model_calibrate(b, before, label, NULL, ROWS, kind) == SLUICE_OK);
    CHECK_LEARNER(sluice_model_calibration(b) == kind && !same(a, b));
    bytes saved = bytes_of(b);
    sluice_model *c = sluice_model_parse(saved.data, saved.n, NULL);
    CHECK_LEARNER(c && same(b, c));
    for (size_t t = 0; t < ROWS; t++) {
        double after = margin(b, &rows[t]);
        double p = sluice_model_probability(b, after);
        CHECK_LEARNER(after == before[t] && p > 0 && p < 1 && p == sluice_model_probability(c, after));
    }
    learn(a, rows, ROWS / 2, ROWS);
    learn(b, rows, ROWS / 2, ROWS);
    learn(c, rows, ROWS / 2, ROWS);
    CHECK_LEARNER(same(a, b) && same(a, c));
    sluice_free(saved.data);
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(c);
    free(rows);
}

/* Beyond 20 bits hashed features lie in the table, in an order that no two processes share. */
TEST(hashing_to_many_bits_is_as_exact_as_any) {
    row *rows = make_stream(19);
    for (size_t t = 0; t < ROWS; t++)
        for (size_t k = 0; k < rows[t].n; k++) rows[t].ids[k] = rows[t].ids[k] * 1000003 + 7;
    sluice_settings settings = {.size = sizeof settings, .hash_bits = 30};
    sluice_model *a = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
    sluice_model *b = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
    learn(a, rows, 0, ROWS);
    learn(b, rows, 0, ROWS / 2);
    bytes saved = bytes_of(b);
    sluice_model *c = sluice_model_parse(saved.data, saved.n, NULL);
    learn(b, rows, ROWS / 2, ROWS);
    learn(c, rows, ROWS / 2, ROWS);
    CHECK_LEARNER(same(a, b) && same(a, c));
    sluice_free(saved.data);
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(c);
    free(rows);
}

TEST(merging_adds_sums_or_is_refused) {
    row *rows = make_stream(17);
    sluice_model *a = fresh_model(), *b = fresh_model(), *empty = fresh_model();
    learn(a, rows, 0, ROWS / 3);
    learn(b, rows, ROWS / 3, ROWS);
    bytes before = bytes_of(a);
    if (!(learner->info.flags & SLUICE_LEARNER_MERGES)) {
        CHECK_LEARNER(sluice_model_merge(a, b) == SLUICE_E_UNSUPPORTED);
        bytes after = bytes_of(a);
        CHECK_LEARNER(same_bytes(before, after));
        sluice_free(after.data);
    } else {
        CHECK_LEARNER(sluice_model_merge(a, empty) == SLUICE_OK);
        bytes after = bytes_of(a);
        CHECK_LEARNER(same_bytes(before, after)); /* nothing learned, nothing added */
        sluice_free(after.data);
        CHECK_LEARNER(sluice_model_merge(empty, b) == SLUICE_OK);
        CHECK_LEARNER(same(empty, b));
        sluice_model *left = sluice_model_copy(a, NULL), *right = sluice_model_copy(b, NULL);
        CHECK_LEARNER(sluice_model_merge(left, b) == SLUICE_OK);
        CHECK_LEARNER(sluice_model_merge(right, a) == SLUICE_OK);
        CHECK_LEARNER(same(left, right)); /* sums commute */
        sluice_model_facts f = {.size = sizeof f};
        sluice_model_describe(left, &f);
        CHECK_LEARNER(f.examples == ROWS);
        size_t wrong = 0;
        for (size_t t = 0; t < ROWS; t++) wrong += (margin(left, &rows[t]) > 0) != (rows[t].label > 0);
        CHECK_LEARNER(wrong < ROWS * 2 / 5); /* learners with costs lean to one side, and twice as far when added up */
        sluice_model_free(left);
        sluice_model_free(right);
    }
    sluice_free(before.data);
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(empty);
    free(rows);
}

/* Whether the margins of all rows are equal to 1e-6 of the largest. */
static bool near(const sluice_model *a, const sluice_model *b, const row *rows) {
    double most = 0, apart = 0;
    for (size_t t = 0; t < ROWS; t++) {
        const double x = margin(a, &rows[t]), y = margin(b, &rows[t]);
        most = fmax(most, fabs(x));
        apart = fmax(apart, fabs(x - y));
    }
    return most > 0 && apart <= 1e-6 * most;
}

/* Three models that go on from one. */
TEST(merging_is_associative_and_counts_the_start_once) {
    if (!(learner->info.flags & SLUICE_LEARNER_MERGES)) return;
    row *rows = make_stream(19);
    sluice_model *start = fresh_model(), *part[3];
    learn(start, rows, 0, ROWS / 4);
    for (size_t i = 0; i < 3; i++) {
        part[i] = sluice_model_copy(start, NULL);
        learn(part[i], rows, (i + 1) * ROWS / 4, (i + 2) * ROWS / 4);
    }
    sluice_model *alone = sluice_model_copy(start, NULL), *left = sluice_model_copy(part[0], NULL),
                 *right = sluice_model_copy(part[1], NULL), *first = sluice_model_copy(part[0], NULL);
    CHECK_LEARNER(sluice_model_merge_since(alone, part[0], start) == SLUICE_OK);
    CHECK_LEARNER(near(alone, part[0], rows));
    CHECK_LEARNER(sluice_model_merge_since(left, part[1], start) == SLUICE_OK);
    CHECK_LEARNER(sluice_model_merge_since(left, part[2], start) == SLUICE_OK);
    CHECK_LEARNER(sluice_model_merge_since(right, part[2], start) == SLUICE_OK);
    CHECK_LEARNER(sluice_model_merge_since(first, right, start) == SLUICE_OK);
    CHECK_LEARNER(near(left, first, rows));
    CHECK_LEARNER(!near(left, part[0], rows)); /* it has learned from the others */
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(first, &f);
    CHECK_LEARNER(f.examples == ROWS);
    size_t wrong = 0;
    for (size_t t = 0; t < ROWS; t++) wrong += (margin(first, &rows[t]) > 0) != (rows[t].label > 0);
    CHECK_LEARNER(wrong < ROWS * 2 / 5);
    CHECK_LEARNER(sluice_model_merge_since(start, part[0], start) == SLUICE_E_USAGE);
    CHECK_LEARNER(sluice_model_merge_since(start, part[0], part[1]) == SLUICE_E_USAGE);
    sluice_model *const all[] = {start, part[0], part[1], part[2], alone, left, right, first};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sluice_model_free(all[i]);
    free(rows);
}

/* The smallest model that has every section, cut at every byte and flipped at every byte. */
TEST(damaged_files_are_refused) {
    row *rows = make_stream(18);
    sluice_settings settings = {.size = sizeof settings, .bias = 1};
    sluice_model *m = sluice_model_new(learner->info.name, learner->trial, trial_count(), &settings, NULL);
    learn(m, rows, 0, 8);
    bytes good = bytes_of(m);
    for (size_t n = 0; n < good.n; n++) {
        sluice_error err = {0};
        void *exact = malloc(n ? n : 1); /* so that a sanitizer sees any read beyond the end */
        memcpy(exact, good.data, n);
        sluice_model *cut = sluice_model_parse(exact, n, &err);
        CHECK_LEARNER(!cut && err.status == SLUICE_E_FORMAT && err.message[0]);
        sluice_model_free(cut);
        free(exact);
    }
    unsigned char *flipped = malloc(good.n);
    for (size_t i = 0; i < good.n; i++)
        for (int bit = 0; bit < 8; bit += 7) {
            memcpy(flipped, good.data, good.n);
            flipped[i] ^= (unsigned char)(1 << bit);
            sluice_error err = {0};
            sluice_model *bad = sluice_model_parse(flipped, good.n, &err);
            CHECK_LEARNER(!bad && err.status == SLUICE_E_FORMAT);
            sluice_model_free(bad);
        }
    unsigned char *longer = malloc(good.n + 1);
    memcpy(longer, good.data, good.n);
    longer[good.n] = 0;
    sluice_model *more = sluice_model_parse(longer, good.n + 1, NULL);
    CHECK_LEARNER(!more);
    sluice_model_free(more);
    free(longer);
    free(flipped);
    sluice_free(good.data);
    sluice_model_free(m);
    free(rows);
}

TEST(values_too_large_are_loud_and_never_saved) {
    sluice_model *m = fresh_model();
    sluice_status status = SLUICE_OK;
    /* the largest floats, for features that come back: either the rule copes, or it says so */
    for (int t = 0; t < 200 && status == SLUICE_OK; t++) {
        row r = {.ids = {1, 2}, .values = {3e38f, 3e38f}, .n = 2, .label = t % 2 ? 1 : -1};
        sluice_example x = example(&r);
        status = sluice_model_learn(m, &x, NULL);
    }
    CHECK_LEARNER(status == SLUICE_OK || status == SLUICE_E_NUMERIC);
    bytes b = {0};
    sluice_status saved = sluice_model_bytes(m, &b.data, &b.n, NULL);
    CHECK_LEARNER(saved == SLUICE_OK ? status == SLUICE_OK : saved == SLUICE_E_NUMERIC);
    if (status != SLUICE_OK) {
        row r = {.ids = {3}, .values = {1}, .n = 1, .label = 1};
        sluice_example x = example(&r);
        CHECK_LEARNER(sluice_model_learn(m, &x, NULL) == SLUICE_E_NUMERIC);
    }
    sluice_free(b.data);
    sluice_model_free(m);
}

TEST(parameters_pass_one_gate) {
    for (size_t i = 0; i < learner->info.n_params; i++) {
        const sluice_param_info *p = &learner->info.params[i];
        char text[128];
        sluice_error err = {0};
        CHECK_LEARNER(p->value >= p->min && p->value <= p->max && p->help[0]);
        const char *given[] = {text};
        const char *bad[] = {"", "abc", "nan", "0x10", "1e999", "--1"};
        for (size_t b = 0; b < SL_COUNT(bad); b++) {
            snprintf(text, sizeof text, "%s=%s", p->name, bad[b]);
            sluice_model *m = sluice_model_new(learner->info.name, given, 1, NULL, &err);
            CHECK_LEARNER(!m && err.status == SLUICE_E_USAGE && strstr(err.message, p->name));
            sluice_model_free(m);
        }
        if (p->min > -INFINITY && !p->choices) {
            snprintf(text, sizeof text, "%s=%.17g", p->name, p->min - 1);
            sluice_model *m = sluice_model_new(learner->info.name, given, 1, NULL, &err);
            CHECK_LEARNER(!m && err.status == SLUICE_E_USAGE && strstr(err.message, p->name));
            sluice_model_free(m);
        }
    }
    const char *unknown[] = {"nonsense=1"}, *bare[] = {"eta"};
    sluice_error err = {0};
    CHECK_LEARNER(!sluice_model_new(learner->info.name, unknown, 1, NULL, &err) && err.status == SLUICE_E_USAGE);
    for (size_t i = 0; i < learner->info.n_params; i++)
        CHECK_LEARNER(strstr(err.message, learner->info.params[i].name)); /* it names those that exist */
    CHECK_LEARNER(!sluice_model_new(learner->info.name, bare, 1, NULL, &err) && err.status == SLUICE_E_USAGE);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

#define PROPERTY(name)                                                                                                 \
    { #name, name, false }
#define SCALED_TOO(name)                                                                                               \
    { #name, name, true }

static const struct property {
    const char *name;
    void (*check)(void);
    bool scaled_too; /* also runs with scaled values, as scaled.NAME */
} properties[] = {
    PROPERTY(learns),
    SCALED_TOO(counts_the_mistakes_that_were_made),
    PROPERTY(sparsifies_if_it_has_a_lambda),
    SCALED_TOO(prediction_changes_nothing),
    SCALED_TOO(stopping_and_resuming_is_as_if_never_stopped),
    SCALED_TOO(same_input_same_bytes),
    SCALED_TOO(growing_equals_known_dimension),
    SCALED_TOO(zero_values_change_no_weight_and_no_prediction),
    SCALED_TOO(large_ids_learn_as_small_ones_do),
    PROPERTY(order_of_features_matters_only_to_rounding), /* scaled values of a first row are all 1: ties */
    SCALED_TOO(refused_input_leaves_the_model_untouched),
    SCALED_TOO(importance_zero_is_as_if_absent),
    PROPERTY(importance_multiplies_the_learning_rate_or_C_or_divides_r),
    PROPERTY(the_first_example_is_learned),
    SCALED_TOO(a_copy_goes_its_own_way),
    SCALED_TOO(a_final_model_predicts_the_same_and_refuses_to_learn),
    PROPERTY(bias_scaling_and_hashing_are_part_of_the_model),
    PROPERTY(scales_are_part_of_the_model),
    PROPERTY(hashing_to_many_bits_is_as_exact_as_any),
    SCALED_TOO(calibration_changes_no_prediction_and_no_learning),
    PROPERTY(merging_adds_sums_or_is_refused),
    PROPERTY(merging_is_associative_and_counts_the_start_once),
    SCALED_TOO(damaged_files_are_refused),
    PROPERTY(values_too_large_are_loud_and_never_saved),
    PROPERTY(parameters_pass_one_gate),
};

enum { NEEDS_OPENBLAS = SLUICE_LEARNER_DENSE | SLUICE_LEARNER_BATCH };

int main(int argc, char **argv) {
    if (argc != 2) return fprintf(stderr, "usage: conformance [scaled.]PROPERTY | --list\n"), 2;
    const char *name = argv[1];
    if (strncmp(name, "scaled.", 7) == 0) {
        name += 7;
        usual.scale = SLUICE_SCALE_RUNNING;
        usual.transform = SLUICE_TRANSFORM_LOG1P;
    }
    for (size_t i = 0; i < SL_COUNT(properties); i++) {
        if (strcmp(argv[1], "--list") == 0) {
            puts(properties[i].name);
            if (properties[i].scaled_too) printf("scaled.%s\n", properties[i].name);
        } else if (strcmp(name, properties[i].name) == 0) {
            test_name = properties[i].name;
            for (size_t k = 0; (learner = every_learner(k)); k++, test_count++) {
                if (!SLUICE_HAVE_OPENBLAS && (learner->info.flags & NEEDS_OPENBLAS) == NEEDS_OPENBLAS) {
                    printf("%s is left out: this build is without OpenBLAS\n", learner->info.name);
                    continue;
                }
                properties[i].check();
            }
            return DONE;
        }
    }
    return strcmp(argv[1], "--list") == 0 ? 0 : (fprintf(stderr, "no property %s\n", argv[1]), 2);
}
