/* --transform: a model that transforms its values is the model of rows whose values were transformed before. */
#include <math.h>

#include "unit/every_learner.h"
#include "unit/test.h"

enum { MOST = 9, ROWS = 80, KINDS = 7 };

typedef struct drawn {
    uint64_t ids[MOST];
    sluice_name names[MOST];
    char text[MOST][16];
    float values[MOST], changed[MOST];
    size_t n;
    double label;
} drawn;

static float changed_by_hand(unsigned transform, float v) {
    if (transform == SLUICE_TRANSFORM_BINARY) return v == 0 ? 0 : v < 0 ? -1 : 1;
    return v < 0 ? (float)-log1p(-(double)v) : (float)log1p((double)v);
}

static void draw(drawn *rows, unsigned transform) {
    sluice_random random;
    sluice_random_seed(&random, 7);
    for (size_t i = 0; i < ROWS; i++) {
        drawn *d = &rows[i];
        d->n = 1 + (size_t)sluice_random_below(&random, MOST);
        double sum = 0;
        for (size_t k = 0; k < d->n; k++) {
            d->ids[k] = (i + 3 * k) % 30;
            snprintf(d->text[k], sizeof d->text[k], "f%u", (unsigned)d->ids[k]);
            d->names[k] = (sluice_name){d->text[k], strlen(d->text[k])};
            d->values[k] = sluice_random_below(&random, 8) ? (float)(20 * sluice_random_normal(&random)) : 0;
            d->changed[k] = changed_by_hand(transform, d->values[k]);
            sum += (d->ids[k] % 2 ? 1 : -1) * (double)d->values[k];
        }
        d->label = sum > 0 ? 1 : -1;
    }
}

static sluice_settings settings_of(int kind) {
    sluice_settings s = {.size = sizeof s};
    if (kind == 1 || kind == 3) s.bias = 0.5;
    if (kind == 2 || kind == 3 || kind == 5) s.normalize = SLUICE_NORMALIZE_L2;
    if (kind == 4 || kind == 5) s.hash_bits = 3; /* features collide */
    return s;
}

static sluice_example example(const drawn *d, bool changed, bool named, double label) {
    sluice_example x = {
        .ids = d->ids, .values = changed ? d->changed : d->values, .n = d->n, .label = label, .weight = 1};
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

/* The terms of an explanation add up to the margin, whose bits these are. */
static void check_explained(const sluice_model *m, const sluice_example *x, double margin) {
    sluice_term terms[MOST + 1];
    sluice_explanation why = {.size = sizeof why, .terms = terms, .room = MOST + 1};
    CHECK_EQ(sluice_model_explain(m, x, &why, NULL), SLUICE_OK);
    CHECK(memcmp(&why.margin, &margin, sizeof margin) == 0);
    for (size_t k = 0; k < x->n; k++) CHECK(terms[k].value == x->values[k]);
}

static void compare(const sl_learner *learner, unsigned transform, int kind) {
    drawn rows[ROWS];
    draw(rows, transform);
    sluice_settings settings = settings_of(kind), with = settings;
    with.transform = transform;
    sluice_model *plain = new_model(learner, &settings), *m = new_model(learner, &with);
    const bool named = kind == 6;
    for (size_t i = 0; i < ROWS; i++) {
        double a = 0, b = 0;
        sluice_example x = example(&rows[i], true, named, rows[i].label),
                       y = example(&rows[i], false, named, rows[i].label);
        CHECK_EQ(sluice_model_learn(plain, &x, &a), SLUICE_OK);
        CHECK_EQ(sluice_model_learn(m, &y, &b), SLUICE_OK);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
    }
    sluice_model_end_run(plain);
    sluice_model_end_run(m);
    void *data;
    size_t size;
    CHECK_EQ(sluice_model_bytes(m, &data, &size, NULL), SLUICE_OK);
    sluice_model *loaded = sluice_model_parse(data, size, NULL), *final = sluice_model_final(m, NULL),
                 *final_plain = sluice_model_final(plain, NULL);
    CHECK(loaded && sluice_model_settings(loaded)->transform == transform);
    for (size_t i = 0; i < ROWS; i++) {
        double a, b, c, f, g;
        sluice_example x = example(&rows[i], true, named, 0), y = example(&rows[i], false, named, 0);
        CHECK_EQ(sluice_model_margin(plain, &x, &a, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margin(m, &y, &b, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margin(loaded, &y, &c, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margin(final, &y, &f, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margin(final_plain, &x, &g, NULL), SLUICE_OK);
        CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&a, &c, sizeof a) == 0 && memcmp(&f, &g, sizeof f) == 0);
        check_explained(m, &y, b);
    }
    sluice_free(data);
    sluice_model_free(plain);
    sluice_model_free(m);
    sluice_model_free(loaded);
    sluice_model_free(final);
    sluice_model_free(final_plain);
}

TEST(every_learner_sees_transformed_values) {
    for (size_t i = 0; every_learner(i); i++) {
        if (every_learner(i)->info.flags & SLUICE_LEARNER_TUNES) continue; /* the setting changes its candidates */
        for (int kind = 0; kind < KINDS; kind++)
            for (unsigned t = SLUICE_TRANSFORM_LOG1P; t <= SLUICE_TRANSFORM_BINARY; t++)
                compare(every_learner(i), t, kind);
    }
}

TEST(models_of_several_classes_too) {
    static const char *const names[] = {"ssol", "arow", "olsf-1", "sbcw"};
    drawn rows[ROWS];
    draw(rows, SLUICE_TRANSFORM_LOG1P);
    for (size_t i = 0; i < SL_COUNT(names); i++)
        for (unsigned classes = SLUICE_CLASSES_OVR; classes <= SLUICE_CLASSES_MATRIX; classes++) {
            if (classes == SLUICE_CLASSES_MATRIX && i == 3) continue;
            sluice_settings settings = {.size = sizeof settings, .classes = classes, .normalize = SLUICE_NORMALIZE_L2},
                            with = settings;
            with.transform = SLUICE_TRANSFORM_LOG1P;
            const sl_learner *learner = sl_learner_find(names[i]);
            sluice_model *plain = new_model(learner, &settings), *m = new_model(learner, &with);
            for (size_t r = 0; r < ROWS; r++) {
                const double label = 1 + (double)(rows[r].ids[0] % 3);
                sluice_example x = example(&rows[r], true, false, label), y = example(&rows[r], false, false, label);
                CHECK_EQ(sluice_model_learn(plain, &x, NULL), SLUICE_OK);
                CHECK_EQ(sluice_model_learn(m, &y, NULL), SLUICE_OK);
            }
            sluice_batch *raw = sluice_batch_new(NULL), *changed = sluice_batch_new(NULL);
            for (size_t r = 0; r < ROWS; r++) {
                sluice_example x = example(&rows[r], true, false, 1), y = example(&rows[r], false, false, 1);
                CHECK_EQ(sluice_batch_add(changed, &x, NULL), SLUICE_OK);
                CHECK_EQ(sluice_batch_add(raw, &y, NULL), SLUICE_OK);
            }
            static double a[3 * ROWS], b[3 * ROWS];
            sluice_class_answers x = {.size = sizeof x, .margins = a}, y = {.size = sizeof y, .margins = b};
            CHECK_EQ(sluice_model_classify(plain, changed, 0, ROWS, &x, NULL), SLUICE_OK);
            CHECK_EQ(sluice_model_classify(m, raw, 0, ROWS, &y, NULL), SLUICE_OK);
            CHECK(memcmp(a, b, sizeof a) == 0);
            sluice_batch_free(raw);
            sluice_batch_free(changed);
            sluice_model_free(plain);
            sluice_model_free(m);
        }
}

TEST(unknown_transforms_and_scales_are_refused) {
    sluice_error err = {0};
    sluice_settings settings = {.size = sizeof settings, .transform = 3};
    CHECK(!sluice_model_new("ssol", NULL, 0, &settings, &err));
    CHECK_HAS(err.message, "transform");
    settings = (sluice_settings){.size = sizeof settings, .scale = 4};
    CHECK(!sluice_model_new("ssol", NULL, 0, &settings, &err));
    CHECK_HAS(err.message, "scaling");
}

int main(void) {
    RUN(every_learner_sees_transformed_values);
    RUN(models_of_several_classes_too);
    RUN(unknown_transforms_and_scales_are_refused);
    return DONE;
}
