/* --scale running: values divided by the largest of their feature, weights that grow with it. */
#include <math.h>

#include "learner/learner.h"
#include "model/model.h"
#include "unit/every_learner.h"
#include "unit/test.h"

enum { FEATURES = 24, MOST = 9, ROWS = 90, KINDS = 6 };

typedef struct drawn {
    uint64_t ids[FEATURES];
    sluice_name names[FEATURES];
    char text[FEATURES][16];
    float values[FEATURES], divided[FEATURES];
    size_t n;
    double label;
} drawn;

static drawn rows[ROWS];

static float largest(size_t feature) { return 0.125f * (float)(1 << feature % 11); }

static void put(drawn *d, size_t feature, float value) {
    const size_t k = d->n++;
    d->ids[k] = feature * 1000003;
    snprintf(d->text[k], sizeof d->text[k], "f%zu", feature);
    d->names[k] = (sluice_name){d->text[k], strlen(d->text[k])};
    d->values[k] = value;
    d->divided[k] = value / largest(feature);
}

/* The first row has the largest value of every feature: no scale grows after it. */
static void draw(void) {
    sluice_random random;
    sluice_random_seed(&random, 11);
    memset(rows, 0, sizeof rows);
    for (size_t i = 0; i < ROWS; i++) {
        const size_t n = i ? 1 + (size_t)sluice_random_below(&random, MOST) : FEATURES;
        double sum = 0;
        for (size_t k = 0; k < n; k++) {
            const size_t feature = (i + k * 5) % FEATURES;
            const double share = i ? 2 * sluice_random_uniform(&random) - 1 : 1;
            put(&rows[i], feature,
                sluice_random_below(&random, 9) || !i ? (float)(share * (double)largest(feature)) : 0);
            sum += (feature % 2 ? 1 : -1) * share;
        }
        rows[i].label = sum > 0 ? 1 : -1;
    }
}

static sluice_settings settings_of(int kind) {
    sluice_settings s = {.size = sizeof s};
    if (kind == 1 || kind == 3) s.bias = 0.5;
    if (kind == 2 || kind == 3 || kind == 5) s.normalize = SLUICE_NORMALIZE_L2;
    if (kind == 4) s.hash_bits = 20; /* none of the features collide */
    return s;
}

static sluice_example example(const drawn *d, bool divided, bool named) {
    sluice_example x = {
        .ids = d->ids, .values = divided ? d->divided : d->values, .n = d->n, .label = d->label, .weight = 1};
    if (named) x.names = d->names;
    return x;
}

static sluice_model *new_model(const sl_learner *learner, const sluice_settings *settings) {
    size_t n = 0;
    while (learner->trial[n]) n++;
    sluice_error err = {0};
    sluice_model *m = sluice_model_new(learner->info.name, learner->trial, n, settings, &err);
    if (!m) fprintf(stderr, "%s: %s\n", learner->info.name, err.message);
    return m;
}

static sluice_model *reloaded(const sluice_model *m) {
    void *data;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &data, &n, NULL), SLUICE_OK);
    sluice_model *back = sluice_model_parse(data, n, NULL);
    CHECK(back);
    sluice_free(data);
    return back;
}

static bool same_model(const sluice_model *a, const sluice_model *b) {
    void *x, *y;
    size_t n, k;
    CHECK_EQ(sluice_model_bytes(a, &x, &n, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_bytes(b, &y, &k, NULL), SLUICE_OK);
    bool same = n == k && memcmp(x, y, n) == 0;
    sluice_free(x);
    sluice_free(y);
    return same;
}

static double margin(const sluice_model *m, const sluice_example *x) {
    double value = NAN;
    CHECK_EQ(sluice_model_margin(m, x, &value, NULL), SLUICE_OK);
    return value;
}

/* ---- scales that stay ---------------------------------------------------------------------------------------------
 */

static void compare(const sl_learner *learner, int kind) {
    const sluice_settings plain_settings = settings_of(kind);
    sluice_settings settings = plain_settings;
    settings.scale = SLUICE_SCALE_RUNNING;
    sluice_model *plain = new_model(learner, &plain_settings), *m = new_model(learner, &settings);
    const bool named = kind == 5;
    for (size_t i = 0; i < ROWS; i++) {
        double a = 0, b = 1;
        sluice_example x = example(&rows[i], true, named), y = example(&rows[i], false, named);
        CHECK_EQ(sluice_model_learn(plain, &x, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(m, &y, &b), SLUICE_OK);
        CHECK(a == b);
    }
    sluice_model *loaded = reloaded(m), *final = sluice_model_final(m, NULL), *other = sluice_model_final(plain, NULL),
                 *copy = sluice_model_copy(m, NULL), *final_loaded = reloaded(final);
    CHECK(same_model(m, loaded) && same_model(m, copy) && same_model(final, final_loaded));
    CHECK_EQ(sluice_model_nonzeros(final), sluice_model_nonzeros(other));
    for (size_t i = 0; i < ROWS; i++) {
        sluice_example x = example(&rows[i], true, named), y = example(&rows[i], false, named);
        const double wanted = margin(plain, &x);
        sluice_term terms[FEATURES + 1];
        sluice_explanation why = {.size = sizeof why, .terms = terms, .room = FEATURES + 1};
        CHECK(margin(m, &y) == wanted && margin(loaded, &y) == wanted && margin(copy, &y) == wanted);
        CHECK(margin(final, &y) == margin(other, &x) && margin(final_loaded, &y) == margin(other, &x));
        CHECK_EQ(sluice_model_explain(m, &y, &why, NULL), SLUICE_OK);
        CHECK(why.margin == wanted);
    }
    sluice_model_free(plain);
    sluice_model_free(m);
    sluice_model_free(loaded);
    sluice_model_free(final);
    sluice_model_free(final_loaded);
    sluice_model_free(other);
    sluice_model_free(copy);
}

TEST(every_learner_sees_values_divided_by_the_scales) {
    for (size_t i = 0; every_learner(i); i++)
        for (int kind = 0; kind < KINDS; kind++) compare(every_learner(i), kind);
}

/* ---- scales that grow ---------------------------------------------------------------------------------------------
 */

/* The weight of a feature in the next round. */
static double next_weight(const sluice_model *m, uint32_t slot) {
    sl_state s = m->state;
    float w;
    s.features = m->features.space.features;
    s.t++;
    (m->kernels.round_weights ? m->kernels.round_weights : m->kernels.weights)(&s, &slot, 1, &w);
    return (double)w;
}

TEST(every_rule_makes_weights_as_much_larger_as_it_is_told) {
    for (size_t i = 0; every_learner(i); i++) {
        if (every_learner(i)->info.flags & SLUICE_LEARNER_TUNES) continue; /* its candidates have rules */
        sluice_model *m = new_model(every_learner(i), &(sluice_settings){.size = sizeof(sluice_settings)});
        for (size_t r = 0; r < 2 * ROWS; r++) { /* batches of 150 are among them */
            sluice_example x = example(&rows[r % ROWS], true, false);
            CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        }
        CHECK(m->kernels.rescale);
        size_t changed = 0;
        uint32_t slot[SL_CHUNK];
        uint64_t cursor = 0;
        for (size_t n; (n = sl_space_chunk(&m->features.space, &cursor, slot));)
            for (size_t k = 0; k < n; k++) {
                char before[64], *at = sl_space_at(&m->features.space, slot[k]);
                const double w = next_weight(m, slot[k]), by = 1 + 0.75 * (double)k;
                memcpy(before, at, m->features.space.size);
                m->state.features = m->features.space.features;
                m->kernels.rescale(&m->state, slot[k], by);
                CHECK_NEAR(next_weight(m, slot[k]), by * w, 1e-5 * fabs(by * w) + 1e-30);
                changed += w != 0 && k > 0;
                /* what is lazy is brought up to date */
                if (w == 0 && !m->rule->counts_rounds && strcmp(m->learner->info.name, "fobos") != 0)
                    CHECK(memcmp(before, at, m->features.space.size) == 0);
            }
        CHECK(changed > 2);
        sluice_model_free(m);
    }
}

/* Learners whose state is their weights predict the same in the round in which a scale grows. */
TEST(margins_stay_when_a_scale_grows) {
    static const char *const names[] = {"perceptron", "pa",   "pa-1",  "pa-2",  "cs-ogd",    "cpa",   "paum",
                                        "arow",       "cw",   "scw-1", "scw-2", "arow-full", "narow", "nherd",
                                        "cw-full",    "olsf", "ofs",   "sofs",  "olsf-1"};
    for (size_t i = 0; i < SL_COUNT(names); i++)
        for (int kind = 0; kind < 2; kind++) {
            sluice_settings settings = settings_of(kind);
            settings.scale = SLUICE_SCALE_RUNNING;
            sluice_model *m = new_model(sl_learner_find(names[i]), &settings);
            size_t grown = 0;
            for (size_t r = 0; r < ROWS; r++) {
                drawn d = rows[r];
                for (size_t k = 0; k < d.n; k++) d.values[k] *= (float)(1 + r / 8); /* scales grow again and again */
                sluice_example x = example(&d, false, false);
                const double before = margin(m, &x);
                double m_learned;
                CHECK_EQ(sluice_model_learn(m, &x, &m_learned), SLUICE_OK);
                CHECK_NEAR(m_learned, before, 1e-4 * (1 + fabs(before)));
                grown += r > 8 && fabs(before) > 0;
            }
            CHECK(grown > ROWS / 2);
            sluice_model_free(m);
        }
}

/* By hand: pa-1 in 64 bits. */
TEST(a_stream_whose_scales_grow_is_learned_as_by_hand) {
    sluice_settings settings = {.size = sizeof settings, .scale = SLUICE_SCALE_RUNNING, .bias = 0.5};
    const char *params[] = {"C=0.25"};
    for (int kind = 0; kind < 4; kind++) {
        const bool normalized = kind % 2, grows = kind < 2;
        settings.scale = grows ? SLUICE_SCALE_RUNNING : SLUICE_SCALE_MAXABS;
        settings.normalize = normalized ? SLUICE_NORMALIZE_L2 : SLUICE_NORMALIZE_NONE;
        sluice_model *m = sluice_model_new("pa-1", params, 1, &settings, NULL);
        double w[FEATURES] = {0}, s[FEATURES] = {0}, bias = 0;
        for (size_t r = ROWS; r-- > 0;) { /* the last row has the largest values */
            const drawn *d = &rows[r];
            double x[FEATURES] = {0}, norm = 0, square = 0.25, hand = bias * 0.5, learned;
            for (size_t k = 0; k < d->n; k++) {
                const size_t f = (size_t)(d->ids[k] / 1000003);
                const double v = (double)d->values[k];
                if (fabs(v) > s[f]) {
                    if (s[f] > 0 && grows) w[f] *= fabs(v) / s[f];
                    s[f] = fabs(v);
                }
                x[f] = v != 0 ? v / s[f] : 0;
                norm += x[f] * x[f];
            }
            for (size_t f = 0; f < FEATURES; f++) {
                if (normalized && norm > 0) x[f] /= sqrt(norm);
                hand += w[f] * x[f];
                square += x[f] * x[f];
            }
            sluice_example e = example(d, false, false);
            CHECK_EQ(sluice_model_learn(m, &e, &learned), SLUICE_OK);
            CHECK_NEAR(learned, hand, 1e-4 * (1 + fabs(hand)));
            const double loss = fmax(0, 1 - d->label * hand), tau = fmin(0.25, loss / square) * d->label;
            for (size_t f = 0; f < FEATURES; f++) w[f] += tau * x[f];
            bias += tau * 0.5;
        }
        sluice_model_free(m);
    }
}

/* ---- predicting ---------------------------------------------------------------------------------------------------
 */

static sluice_model *two_features(unsigned normalize) {
    const sluice_settings s = {.size = sizeof s, .scale = SLUICE_SCALE_RUNNING, .normalize = normalize};
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, &s, NULL);
    sluice_example x = {.ids = (uint64_t[]){1, 2}, .values = (float[]){4, -2}, .n = 2, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    return m;
}

TEST(predicting_changes_no_scale) {
    sluice_model *m = two_features(SLUICE_NORMALIZE_NONE), *before = reloaded(m);
    sluice_example x = {.ids = (uint64_t[]){1}, .values = (float[]){12}, .n = 1};
    CHECK_NEAR(margin(m, &x), 3, 1e-6); /* the weight is 1, the scale 4 */
    CHECK(same_model(m, before));
    x.values = (float[]){3e38f}; /* beyond floats where the scale is small: stays finite */
    CHECK(isfinite(margin(m, &x)));
    sluice_model_free(m);
    sluice_model_free(before);
}

TEST(a_feature_without_a_scale_counts_as_one_in_the_length_of_a_row) {
    sluice_model *m = two_features(SLUICE_NORMALIZE_L2), *final = sluice_model_final(m, NULL);
    const double w = 1 / sqrt(2);
    sluice_example x = {.ids = (uint64_t[]){1, 77}, .values = (float[]){2, 1000}, .n = 2};
    CHECK_NEAR(margin(m, &x), w * 0.5 / sqrt(0.25 + 1), 1e-6);
    CHECK_NEAR(margin(final, &x), w * 0.5 / sqrt(0.25 + 1), 1e-6);
    sluice_model_free(m);
    sluice_model_free(final);
}

/* With unit rows, a predict-only model needs the scales of features without a weight. */
TEST(predict_only_models_know_the_length_of_rows) {
    const sluice_settings s = {.size = sizeof s, .scale = SLUICE_SCALE_RUNNING, .normalize = SLUICE_NORMALIZE_L2};
    for (int named = 0; named < 2; named++) {
        sluice_model *m = sluice_model_new("ssol", (const char *[]){"lambda=40"}, 1, &s, NULL);
        for (size_t r = 0; r < ROWS; r++) {
            sluice_example x = example(&rows[r], false, named);
            CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        }
        sluice_model *final = sluice_model_final(m, NULL), *loaded = reloaded(final);
        const uint64_t nonzeros = sluice_model_nonzeros(m);
        CHECK(nonzeros > 0 && nonzeros < FEATURES);
        CHECK_EQ(sluice_model_nonzeros(final), nonzeros);
        for (size_t r = 0; r < ROWS; r++) {
            sluice_example x = example(&rows[r], false, named);
            CHECK(margin(final, &x) == margin(m, &x) && margin(loaded, &x) == margin(m, &x));
        }
        sluice_model_free(m);
        sluice_model_free(final);
        sluice_model_free(loaded);
    }
}

TEST(zeros_and_rows_of_no_importance_change_no_scale) {
    sluice_model *m = two_features(SLUICE_NORMALIZE_NONE), *before = reloaded(m);
    sluice_example x = {.ids = (uint64_t[]){1, 2}, .values = (float[]){100, 100}, .n = 2, .label = 1, .weight = 0};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
    CHECK(same_model(m, before));
    x.weight = 1;
    x.values = (float[]){0, -8};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK(m->features.space.scale[sl_space_find(&m->features.space, 1)].largest == 4);
    CHECK(m->features.space.scale[sl_space_find(&m->features.space, 2)].largest == 8);
    sluice_batch_free(b);
    sluice_model_free(m);
    sluice_model_free(before);
}

/* ---- batches ------------------------------------------------------------------------------------------------------
 */

TEST(a_batch_is_scaled_as_the_scales_are_at_its_end) {
    static const char *const names[] = {"sbcw", "fgm", "bcw"};
    for (size_t i = 0; i < SL_COUNT(names); i++)
        for (int kind = 0; kind < 5; kind++) {
            const sluice_settings plain_settings = settings_of(kind);
            sluice_settings settings = plain_settings;
            settings.scale = SLUICE_SCALE_RUNNING;
            sluice_model *plain = sluice_model_new(names[i], NULL, 0, &plain_settings, NULL),
                         *m = sluice_model_new(names[i], NULL, 0, &settings, NULL);
            for (size_t r = ROWS; r-- > 0;) { /* scales grow up to the last row */
                sluice_example x = example(&rows[r], true, false), y = example(&rows[r], false, false);
                CHECK_EQ(sluice_model_learn(plain, &x, NULL), SLUICE_OK);
                CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
                if (r != ROWS / 2) continue;
                sluice_model *back = reloaded(m); /* with its pending rows */
                CHECK(same_model(back, m));
                sluice_model_free(m);
                m = back;
            }
            sluice_model *finished = sluice_model_finished(m, NULL);
            CHECK_EQ(sluice_model_end_run(plain), SLUICE_OK);
            CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
            for (size_t r = 0; r < ROWS; r++) {
                sluice_example x = example(&rows[r], true, false), y = example(&rows[r], false, false);
                CHECK_NEAR(margin(m, &y), margin(plain, &x), 1e-9);
                CHECK(margin(finished, &y) == margin(m, &y));
            }
            sluice_model_free(plain);
            sluice_model_free(m);
            sluice_model_free(finished);
        }
}

/* ---- files, limits, merging ----------------------------------------------------------------------------------------
 */

TEST(evicted_features_lose_their_scale) {
    const sluice_settings s = {.size = sizeof s, .scale = SLUICE_SCALE_RUNNING, .max_features = 20};
    sluice_model *m = sluice_model_new("pa", NULL, 0, &s, NULL);
    for (uint64_t id = 0; id < 200; id++) { /* of every two features one has no weight: its value was 0 */
        sluice_example x = {.ids = (uint64_t[]){id, 1000 + id},
                            .values = (float[]){id % 20 ? 1e-30f : 1, 0},
                            .n = 2,
                            .label = id % 2 ? 1 : -1,
                            .weight = 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_describe(m, &facts);
    CHECK(facts.evicted > 0);
    const sl_features *f = &m->features;
    for (uint32_t i = 0; i < f->names.n; i++)
        if (!sl_names_has(&f->names, i)) CHECK(f->space.scale[sl_space_find(&f->space, i)].largest == 0);
    sluice_model *back = reloaded(m);
    CHECK(same_model(m, back));
    sluice_model_free(m);
    sluice_model_free(back);
}

TEST(scales_follow_their_features_where_the_space_grows) {
    const sluice_settings s = {.size = sizeof s, .scale = SLUICE_SCALE_RUNNING};
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, &s, NULL);
    enum { N = 60000 };
    for (uint64_t i = 0; i < N; i++) { /* large ids first: they move when the direct part widens */
        const uint64_t id = (i * 7919) % N * (i % 3 ? 97 : 1);
        sluice_example x = {.ids = &id, .values = &(float){(float)(id % 1000 + 1)}, .n = 1, .label = 1, .weight = 1};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK(m->features.space.moves > 0);
    sl_walk w;
    size_t n = 0;
    CHECK(sl_walk_start(&w, &m->features.space));
    for (; sl_walk_next(&w); n++) CHECK(m->features.space.scale[w.slot].largest == (float)(w.id % 1000 + 1));
    sl_walk_end(&w);
    CHECK(n > N / 2);
    CHECK(sl_keys_use_names(&m->features));
    sluice_example x = {.ids = (uint64_t[]){97}, .values = (float[]){49}, .n = 1};
    CHECK_NEAR(margin(m, &x), 0.5, 1e-6);
    sluice_model_free(m);
}

TEST(models_with_scales_do_not_merge) {
    sluice_model *a = two_features(SLUICE_NORMALIZE_NONE), *b = two_features(SLUICE_NORMALIZE_NONE);
    CHECK_EQ(sluice_model_merge(a, b), SLUICE_E_UNSUPPORTED);
    CHECK_HAS(sluice_model_error(a)->message, "scale");
    sluice_model_free(a);
    sluice_model_free(b);
}

int main(void) {
    draw();
    RUN(every_learner_sees_values_divided_by_the_scales);
    RUN(every_rule_makes_weights_as_much_larger_as_it_is_told);
    RUN(margins_stay_when_a_scale_grows);
    RUN(a_stream_whose_scales_grow_is_learned_as_by_hand);
    RUN(predicting_changes_no_scale);
    RUN(a_feature_without_a_scale_counts_as_one_in_the_length_of_a_row);
    RUN(predict_only_models_know_the_length_of_rows);
    RUN(zeros_and_rows_of_no_importance_change_no_scale);
    RUN(a_batch_is_scaled_as_the_scales_are_at_its_end);
    RUN(evicted_features_lose_their_scale);
    RUN(scales_follow_their_features_where_the_space_grows);
    RUN(models_with_scales_do_not_merge);
    return DONE;
}
