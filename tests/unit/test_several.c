/* A model of two classes that goes on with several: both keep what was learned, and further ones can come. */
#include <math.h>

#include "model/classes/class_labels.h"
#include "model/classes/many.h"
#include "model/classes/ovr.h"
#include "model/race/race.h"
#include "unit/every_learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 300, VALUES = 6, NAMES = 40 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* A row of named or numbered features, and its class: 0 or 1, or, with `third`, sometimes 2. */
typedef struct sample {
    uint64_t ids[VALUES];
    sluice_name names[VALUES];
    char text[VALUES][8];
    float values[VALUES];
    sluice_example x;
    int class_index;
} sample;

static void draw(sample *s, bool names, bool third) {
    double sum = 0, other = 0;
    s->x = (sluice_example){.values = s->values, .weight = 1};
    for (size_t k = 0; k < VALUES; k++) {
        const size_t id = k * NAMES / VALUES + (size_t)(uniform() * (NAMES / VALUES));
        s->ids[k] = id % 7 == 3 ? id + ((uint64_t)1 << 40) : id;
        s->names[k] = (sluice_name){s->text[k], (size_t)sprintf(s->text[k], "f%zu", id)};
        s->values[k] = (float)(floor(uniform() * 64) / 16 - 1);
        sum += (double)s->values[k] * sin((double)id);
        other += (double)s->values[k] * cos((double)id * 2);
    }
    s->x.n = VALUES;
    if (names)
        s->x.names = s->names;
    else
        s->x.ids = s->ids;
    s->class_index = third && other > 2 ? 2 : sum + uniform() > 0.5;
}

static const sluice_name word[3] = {{"ham", 3}, {"spam", 4}, {"toast", 5}};

static void learn(sluice_model *m, sample *s) {
    s->x.word = word[s->class_index];
    CHECK_EQ(sluice_model_learn(m, &s->x, NULL), SLUICE_OK);
}

/* The margins of the classes of a row. */
static void margins_of(const sluice_model *m, const sample *s, double *margins) {
    sluice_error err = {0};
    sluice_class_answers answers = {.size = sizeof answers, .margins = margins};
    CHECK_EQ(sluice_model_classify_one(m, &s->x, &answers, &err), SLUICE_OK);
}

static void check_same_weights(const sluice_model *a, const sluice_model *b) {
    sluice_error err = {0};
    for (size_t c = 0; c < 2; c++) {
        sluice_weight *x, *y;
        size_t n, k;
        CHECK_EQ(sluice_model_problem_weights(a, c, &x, &n, &err), SLUICE_OK);
        CHECK_EQ(sluice_model_problem_weights(b, c, &y, &k, &err), SLUICE_OK);
        CHECK_EQ(n, k);
        for (size_t i = 0; i < n && i < k; i++) CHECK(x[i].weight == y[i].weight && x[i].id == y[i].id);
        sluice_free(x), sluice_free(y);
    }
}

/* What lanes share, in the lane of classes to come too, is what the rows have made of it. */
static void check_shared(const sluice_model *a, const sluice_model *b) {
    const sl_learner *learner = a->learner;
    const sl_field *shared = learner->matrix_shares;
    if (!a->ovr || !shared || a->params[learner->forget] < 1) return; /* with forget it is brought up to date later */
    char x[64], y[64];
    sl_keys_walk k;
    CHECK(sl_keys_start(&k, &a->features));
    while (sl_keys_next(&k)) {
        const uint32_t other = sl_keys_find_like(&b->features, &a->features, &k.at);
        for (size_t l = 0; l < a->ovr->lanes.n_lanes; l++) {
            sl_lane_blocks_gather(&a->ovr->lanes, sl_space_at(&a->features.space, k.at.slot), l, x);
            sl_lane_blocks_gather(&b->ovr->lanes, sl_space_at(&b->features.space, other), l, y);
            CHECK(memcmp(x + shared->offset, y + shared->offset, sl_type_size(shared->type)) == 0);
        }
    }
    sl_keys_end(&k);
}

static sluice_model *reloaded(const sluice_model *m) {
    sluice_error err = {0};
    void *bytes;
    size_t n;
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, &err), SLUICE_OK);
    sluice_model *again = sluice_model_parse(bytes, n, &err);
    CHECK(again != NULL);
    if (again) CHECK(same_bytes(m, again));
    sluice_free(bytes);
    return again;
}

static int wins(const sluice_model *m, const sample *s) {
    double margins[3];
    margins_of(m, s, margins);
    return margins[2] > margins[0] && margins[2] > margins[1];
}

/* Goes on with a third class, in a model and in one that is saved and loaded first; `start` has learned several classes
 * from the start. */
static void go_on(sluice_model *m, sluice_model *start, bool names) {
    sluice_model *again = reloaded(m);
    sample s;
    int third = 0, found = 0, usual = 0;
    for (size_t i = 0; i < 2 * ROWS && again; i++) {
        draw(&s, names, true);
        if (i > ROWS && s.class_index == 2) {
            third++;
            found += wins(m, &s);
            usual += wins(start, &s);
        }
        learn(m, &s);
        learn(start, &s);
        learn(again, &s);
    }
    CHECK(third > 40 && found * 10 >= usual * 7);
    CHECK_EQ(sluice_model_classes(m), 3);
    CHECK(again && same_bytes(m, again));
    sluice_model_free(again);
}

static bool can(const sl_learner *l, const double *params) {
    return !l->finish && !l->rank && !l->draws && !sl_one_sided(l, params) && l != &sl_auto;
}

static void compare(const sl_learner *learner, bool names, const sluice_settings *settings) {
    sluice_error err = {0};
    sample s;
    size_t n_trial = 0;
    while (learner->trial[n_trial]) n_trial++;
    sluice_settings binary = *settings, ovr = *settings;
    binary.positive = "ham"; /* -1 inside, so that margins are turned */
    ovr.classes = SLUICE_CLASSES_OVR;
    sluice_model *two = sluice_model_new(learner->info.name, learner->trial, n_trial, &binary, &err),
                 *start = sluice_model_new(learner->info.name, learner->trial, n_trial, &ovr, &err);
    CHECK(two && start);
    state = 5;
    for (size_t i = 0; i < ROWS; i++) {
        draw(&s, names, false);
        learn(two, &s);
        learn(start, &s);
    }
    CHECK_EQ(sluice_model_set_metadata(two, "my.key", "abc", 3), SLUICE_OK);
    sluice_model *turned = sluice_model_several(two, NULL, &err);
    CHECK_EQ(turned != NULL, can(learner, two->params));
    if (!turned) CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    if (turned) {
        sluice_model_facts facts = {.size = sizeof facts};
        CHECK_EQ(sluice_model_quick_facts(turned, &facts), SLUICE_OK);
        CHECK_EQ(facts.examples, ROWS);
        CHECK(sluice_model_metadata(turned, "my.key", NULL) != NULL);
        check_same_weights(turned, start);
        check_shared(turned, start);
        for (size_t i = 0; i < 50; i++) { /* and they stay the same */
            double a[2], b[2];
            draw(&s, names, false);
            margins_of(turned, &s, a);
            margins_of(start, &s, b);
            const bool same = a[0] == b[0] && a[1] == b[1];
            if (!same) fprintf(stderr, "%s: %g %g, %g %g\n", learner->info.name, a[0], b[0], a[1], b[1]);
            CHECK(same);
            learn(turned, &s);
            learn(start, &s);
        }
        check_same_weights(turned, start);
        go_on(turned, start, names);
    }
    sluice_model_free(two), sluice_model_free(start), sluice_model_free(turned);
}

TEST(both_classes_keep_the_weights_of_a_run_against_the_rest) {
    const sluice_settings plain = {.size = sizeof plain},
                          changed = {.size = sizeof changed, .bias = 1, .normalize = SLUICE_NORMALIZE_L2},
                          scaled = {.size = sizeof scaled, .bias = 1, .scale = SLUICE_SCALE_RUNNING};
    for (size_t i = 0; every_learner(i); i++) {
        if (every_learner(i) == &sl_auto) continue;
        compare(every_learner(i), true, &plain);
        compare(every_learner(i), false, &changed);
        compare(every_learner(i), true, &scaled);
    }
}

TEST(a_race_goes_on_with_several_classes) {
    for (int wide = 0; wide < 2; wide++) { /* few features: candidates with a matrix are left */
        sluice_error err = {0};
        sample s;
        const sluice_settings ovr = {.size = sizeof ovr, .classes = SLUICE_CLASSES_OVR};
        sluice_model *two = sluice_model_new("auto", NULL, 0, NULL, &err),
                     *start = sluice_model_new("auto", NULL, 0, &ovr, &err);
        state = 9;
        for (size_t i = 0; i < ROWS + 7; i++) {
            draw(&s, true, false);
            for (size_t k = 0; wide && k < VALUES; k++)
                s.names[k].n = (size_t)sprintf(s.text[k], "%zu.%zu", k, (size_t)(uniform() * 90));
            learn(two, &s);
            learn(start, &s);
        }
        sluice_model *turned = sluice_model_several(two, NULL, &err);
        CHECK(turned != NULL);
        for (size_t i = 0; i < 100 && turned; i++) {
            double margins[2], margin;
            draw(&s, true, false);
            margins_of(turned, &s, margins);
            CHECK_EQ(sluice_model_margin(two, &s.x, &margin, &err), SLUICE_OK);
            CHECK(margins[1] == margin && margins[0] == -margin);
        }
        if (turned) CHECK_EQ(sluice_model_candidates(turned), sluice_model_candidates(two));
        if (turned) go_on(turned, start, true);
        sluice_model_free(two), sluice_model_free(turned), sluice_model_free(start);
    }
}

TEST(plain_classes_are_called_as_the_caller_says) {
    sluice_error err = {0};
    uint64_t id = 1;
    float one = 1;
    sluice_example x = {.ids = &id, .values = &one, .n = 1, .label = 1, .weight = 1};
    const sluice_name labels[2] = {{"0", 1}, {"1", 1}};
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, &err);
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    x.label = 0, id = 2;
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    for (int given = 0; given < 2; given++) {
        sluice_model *turned = sluice_model_several(m, given ? labels : NULL, &err);
        sluice_class c = {.size = sizeof c};
        CHECK_EQ(sluice_model_class(turned, 0, &c), SLUICE_OK);
        CHECK(c.number == (given ? 0 : -1) && c.examples == 1);
        CHECK_EQ(sluice_model_class(turned, 1, &c), SLUICE_OK);
        CHECK(c.number == 1 && c.examples == 1);
        CHECK_EQ(sluice_model_classes(turned), 2);
        CHECK(sluice_model_several(turned, NULL, &err) == NULL);
        CHECK_EQ(err.status, SLUICE_E_USAGE);
        sluice_model_free(turned);
    }
    sluice_model *final = sluice_model_final(m, &err);
    CHECK(sluice_model_several(final, NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    sluice_model_free(final), sluice_model_free(m);
    m = sluice_model_new("pa-1", NULL, 0, NULL, &err);
    x.word = word[1];
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    CHECK(sluice_model_several(m, NULL, &err) == NULL);
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    sluice_model_free(m);
}

int main(void) {
    RUN(both_classes_keep_the_weights_of_a_run_against_the_rest);
    RUN(a_race_goes_on_with_several_classes);
    RUN(plain_classes_are_called_as_the_caller_says);
    return DONE;
}
