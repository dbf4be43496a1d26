/* --scale idf: values multiplied by the inverse document frequency of their feature, from the rows learned before. */
#include <math.h>

#include "learner/learner.h"
#include "model/model.h"
#include "model/race/race.h"
#include "model/scaling/idf.h"
#include "unit/every_learner.h"
#include "unit/test.h"

enum { FEATURES = 20, MOST = 7, ROWS = 120 };

typedef struct drawn {
    uint64_t ids[MOST];
    float values[MOST];
    size_t n;
    double label;
} drawn;

static drawn rows[ROWS];

/* Feature f is in about every (f + 1)th row; a few values are 0. */
static void draw(void) {
    sluice_random random;
    sluice_random_seed(&random, 5);
    for (size_t i = 0; i < ROWS; i++) {
        drawn *d = &rows[i];
        double sum = 0;
        for (uint64_t f = 0; f < FEATURES && d->n < MOST; f++) {
            if (sluice_random_below(&random, f + 1)) continue;
            d->ids[d->n] = f * 1000003;
            d->values[d->n] = sluice_random_below(&random, 8) ? (float)(0.5 + sluice_random_uniform(&random)) : 0;
            sum += (f % 2 ? 1 : -1) * (double)d->values[d->n++];
        }
        d->label = sum > 0 ? 1 : -1;
    }
}

static sluice_example example(const drawn *d) {
    return (sluice_example){.ids = d->ids, .values = d->values, .n = d->n, .label = d->label, .weight = 1};
}

static sluice_model *new_model(const char *name, const sluice_settings *more) {
    sluice_settings settings = more ? *more : (sluice_settings){0};
    sluice_error err = {0};
    settings.size = sizeof settings;
    settings.scale = SLUICE_SCALE_IDF;
    sluice_model *m = sluice_model_new(name, NULL, 0, &settings, &err);
    if (!m) fprintf(stderr, "%s: %s\n", name, err.message);
    CHECK(m);
    return m;
}

static void learn(sluice_model *m, size_t from, size_t to) {
    for (size_t r = from; r < to; r++) {
        const sluice_example x = example(&rows[r]);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
}

static double margin(const sluice_model *m, const sluice_example *x) {
    double value = NAN;
    CHECK_EQ(sluice_model_margin(m, x, &value, NULL), SLUICE_OK);
    return value;
}

/* Rows that had a feature. */
static uint32_t rows_of(const sluice_model *m, uint64_t id) {
    const uint32_t slot = sl_space_find(&m->features.space, id);
    return slot == SL_NO_SLOT ? 0 : m->features.space.scale[slot].rows;
}

/* How many of rows[from .. to - 1] have feature f. */
static uint32_t drawn_with(size_t f, size_t from, size_t to) {
    uint32_t n = 0;
    for (size_t r = from; r < to; r++)
        for (size_t k = 0; k < rows[r].n; k++) n += rows[r].ids[k] == f * 1000003 && rows[r].values[k] != 0;
    return n;
}

TEST(the_factor_is_one_plus_the_logarithm) {
    uint64_t n = 0;
    for (int i = 0; i < 400; i++, n += 1 + n / 16) {
        const uint64_t most = n < UINT32_MAX ? n : UINT32_MAX;
        for (uint64_t d = 0; d <= most; d += 1 + d / 3 + most / 50) {
            const double wanted = 1 + log(((double)n + 1) / ((double)d + 1));
            CHECK_NEAR(sl_idf(n, (uint32_t)d), wanted, 4e-16 * wanted);
        }
        CHECK(sl_idf(most, (uint32_t)most) == 1);
    }
}

/* By hand: pa-1 in 64 bits. */
TEST(a_stream_is_learned_as_by_hand_and_predicted_before_it_is_counted) {
    for (int kind = 0; kind < 2; kind++) {
        const sluice_settings settings = {.bias = 0.5, .normalize = (unsigned)kind};
        sluice_model *m = new_model("pa-1", &settings);
        double w[FEATURES] = {0}, has[FEATURES] = {0}, bias = 0;
        for (size_t r = 0; r < ROWS; r++) {
            const drawn *d = &rows[r];
            double x[FEATURES] = {0}, norm = 0, square = 0.25, hand = bias * 0.5, learned;
            for (size_t k = 0; k < d->n; k++) {
                const size_t f = (size_t)(d->ids[k] / 1000003);
                x[f] = (double)d->values[k] * (1 + log((1 + (double)r) / (1 + has[f])));
                norm += x[f] * x[f];
            }
            for (size_t f = 0; f < FEATURES; f++) {
                if (kind && norm > 0) x[f] /= sqrt(norm);
                hand += w[f] * x[f];
                square += x[f] * x[f];
                has[f] += x[f] != 0;
            }
            const sluice_example e = example(d);
            const double before = margin(m, &e);
            CHECK_EQ(sluice_model_learn(m, &e, &learned), SLUICE_OK);
            CHECK(learned == before);
            CHECK_NEAR(learned, hand, 1e-4 * (1 + fabs(hand)));
            const double tau = fmin(sluice_model_param(m, 0), fmax(0, 1 - d->label * hand) / square) * d->label;
            for (size_t f = 0; f < FEATURES; f++) w[f] += tau * x[f];
            bias += tau * 0.5;
        }
        CHECK_EQ(m->features.space.rows, ROWS);
        for (size_t f = 0; f < FEATURES; f++) CHECK_EQ(rows_of(m, f * 1000003), (uint32_t)has[f]);
        sluice_model_free(m);
    }
}

TEST(zeros_rows_of_no_importance_and_predicting_count_nothing) {
    sluice_model *m = new_model("perceptron", NULL);
    sluice_example x = {.ids = (uint64_t[]){1, 2}, .values = (float[]){4, 0}, .n = 2, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    x.weight = 0;
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    margin(m, &x);
    CHECK_EQ(m->features.space.rows, 1);
    CHECK_EQ(rows_of(m, 1), 1);
    CHECK_EQ(rows_of(m, 2), 0);
    sluice_model_free(m);
}

TEST(features_that_share_an_id_are_counted_once_a_row) {
    const sluice_settings settings = {.hash_bits = 1};
    sluice_model *m = new_model("perceptron", &settings);
    const drawn all = {{1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 1, 1, 1}, 7, 1};
    for (int i = 0; i < 3; i++) {
        const sluice_example x = example(&all);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK_EQ(m->features.space.seen, 2);
    CHECK(rows_of(m, 0) == 3 && rows_of(m, 1) == 3);
    sluice_model_free(m);
}

TEST(counts_stay_at_the_largest) {
    sluice_model *m = new_model("perceptron", NULL);
    sluice_example x = {.ids = (uint64_t[]){1}, .values = (float[]){1}, .n = 1, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    m->features.space.rows = UINT32_MAX;
    m->features.space.scale[sl_space_find(&m->features.space, 1)].rows = UINT32_MAX;
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK_EQ(rows_of(m, 1), UINT32_MAX);
    CHECK_EQ(m->features.space.rows, (uint64_t)UINT32_MAX + 1);
    sluice_model_free(m);
}

TEST(beginning_anew_forgets_the_counts) {
    sluice_model *m = new_model("ssol", NULL), *fresh = new_model("ssol", NULL);
    learn(m, 0, ROWS / 2);
    CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK);
    CHECK_EQ(m->features.space.rows, 0);
    learn(m, ROWS / 2, ROWS);
    learn(fresh, ROWS / 2, ROWS);
    const sluice_example x = example(&rows[3]);
    CHECK(margin(m, &x) == margin(fresh, &x));
    sluice_model_free(m);
    sluice_model_free(fresh);
}

TEST(evicted_features_lose_their_count) {
    const sluice_settings settings = {.max_features = 20};
    sluice_model *m = new_model("ssol", &settings);
    for (uint64_t id = 0; id < 200; id++) { /* its threshold keeps all weights at 0 */
        const sluice_example x = {.ids = &id, .values = (float[]){1}, .n = 1, .label = -1, .weight = 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    CHECK(facts.evicted > 0);
    const sl_features *f = &m->features;
    for (uint32_t i = 0; i < f->names.n; i++)
        if (!sl_names_has(&f->names, i)) CHECK_EQ(rows_of(m, i), 0);
    sluice_model_free(m);
}

/* ---- races, several classes -------------------------------------------------------------------------------------- */

/* A candidate may have begun later than the race: it has counted fewer rows. */
TEST(the_leader_of_a_race_takes_its_own_counts_along) {
    sluice_model *m = new_model("auto", NULL);
    learn(m, 0, ROWS);
    sluice_model *leader = m->race->candidate[m->race->leader].model;
    CHECK_EQ(leader->features.space.rows, ROWS);
    leader->features.space.rows -= 10;
    const size_t often = FEATURES - 1;
    sluice_model *final = sluice_model_final(m, NULL);
    CHECK_EQ(final->state.t, ROWS);
    CHECK_EQ(final->features.space.rows, ROWS - 10);
    CHECK_EQ(rows_of(final, often * 1000003), drawn_with(often, 0, ROWS));
    for (size_t r = 0; r < ROWS; r++) {
        const sluice_example x = example(&rows[r]);
        CHECK(margin(final, &x) == margin(m, &x));
    }
    sluice_model_free(final);
    sluice_model_free(m);
}

TEST(a_model_that_becomes_one_of_several_classes_keeps_the_counts) {
    sluice_model *m = new_model("arow", NULL);
    learn(m, 0, ROWS);
    sluice_model *several = sluice_model_several(m, (const sluice_name[]){{"a", 1}, {"b", 1}}, NULL);
    CHECK(several);
    CHECK_EQ(several->features.space.rows, ROWS);
    CHECK_EQ(rows_of(several, 0), drawn_with(0, 0, ROWS));
    sluice_model_free(several);
    sluice_model_free(m);
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

TEST(counts_add_in_merging) {
    static const unsigned kinds[] = {SLUICE_CLASSES_TWO, SLUICE_CLASSES_OVR, SLUICE_CLASSES_MATRIX};
    for (size_t i = 0; i < SL_COUNT(kinds); i++) {
        const sluice_settings settings = {.classes = kinds[i]};
        sluice_model *a = new_model("perceptron", &settings), *b = new_model("perceptron", &settings);
        learn(a, 0, 30);
        learn(b, 30, ROWS);
        CHECK_EQ(sluice_model_merge(a, b), SLUICE_OK);
        CHECK_EQ(a->features.space.rows, ROWS);
        for (size_t f = 0; f < FEATURES; f++) CHECK_EQ(rows_of(a, f * 1000003), drawn_with(f, 0, ROWS));
        sluice_model_free(a);
        sluice_model_free(b);
    }
}

TEST(a_common_start_is_counted_once) {
    sluice_model *start = new_model("arow", NULL);
    learn(start, 0, 40);
    sluice_model *a = sluice_model_copy(start, NULL), *b = sluice_model_copy(start, NULL);
    learn(a, 40, 70);
    learn(b, 70, ROWS);
    CHECK_EQ(sluice_model_merge_since(a, b, start), SLUICE_OK);
    CHECK_EQ(a->features.space.rows, ROWS);
    for (size_t f = 0; f < FEATURES; f++) CHECK_EQ(rows_of(a, f * 1000003), drawn_with(f, 0, ROWS));
    sluice_model_free(start);
    sluice_model_free(a);
    sluice_model_free(b);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static sluice_status loads(const sluice_model *m) {
    void *data;
    size_t n;
    sluice_error err = {0};
    CHECK_EQ(sluice_model_bytes(m, &data, &n, NULL), SLUICE_OK);
    sluice_model *back = sluice_model_parse(data, n, &err);
    sluice_free(data);
    sluice_model_free(back);
    return back ? SLUICE_OK : err.status;
}

TEST(files_whose_counts_contradict_each_other_are_refused) {
    sluice_model *m = new_model("ssol", NULL);
    learn(m, 0, 50);
    uint32_t *count = &m->features.space.scale[sl_space_find(&m->features.space, 0)].rows, before = *count;
    CHECK(before > 0);
    CHECK_EQ(loads(m), SLUICE_OK);
    *count = 51; /* of 50 rows */
    CHECK_EQ(loads(m), SLUICE_E_FORMAT);
    *count = before;
    m->features.space.rows = 51; /* of 50 examples */
    CHECK_EQ(loads(m), SLUICE_E_FORMAT);
    m->features.space.rows = 50;
    CHECK_EQ(loads(m), SLUICE_OK);
    sluice_model_free(m);
}

int main(void) {
    draw();
    RUN(the_factor_is_one_plus_the_logarithm);
    RUN(a_stream_is_learned_as_by_hand_and_predicted_before_it_is_counted);
    RUN(zeros_rows_of_no_importance_and_predicting_count_nothing);
    RUN(features_that_share_an_id_are_counted_once_a_row);
    RUN(counts_stay_at_the_largest);
    RUN(beginning_anew_forgets_the_counts);
    RUN(evicted_features_lose_their_count);
    RUN(the_leader_of_a_race_takes_its_own_counts_along);
    RUN(a_model_that_becomes_one_of_several_classes_keeps_the_counts);
    RUN(counts_add_in_merging);
    RUN(a_common_start_is_counted_once);
    RUN(files_whose_counts_contradict_each_other_are_refused);
    return DONE;
}
