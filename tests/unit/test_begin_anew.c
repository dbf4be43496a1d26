/* Models that begin anew: they become what a new model becomes, and keep what they are. */
#include "unit/every_learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 150 };

static const char *const plain[] = {"1", "-1", "1"}, *const words[] = {"ham", "spam", "ham"},
                         *const three[] = {"x", "7", "zebra"};

/* Rows by their seed; labels go round. */
static void learn(sluice_model *m, const char *const labels[3], uint64_t seed) {
    sluice_random r;
    sluice_random_seed(&r, seed);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t ids[5];
        float values[5];
        for (uint64_t k = 0; k < 5; k++) {
            ids[k] = 20 * k + sluice_random_below(&r, 15) + (k == 4 ? 5000000000u : 0);
            values[k] = (float)sluice_random_below(&r, 17) / 8 - (k == i % 3 ? 0.25f : 1);
        }
        sluice_example x = {.ids = ids, .values = values, .n = 5, .weight = 1};
        x.word = (sluice_name){labels[i % 3], strlen(labels[i % 3])};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
}

static sluice_model *new_model(const sl_learner *l, unsigned classes, const char *positive) {
    const sluice_settings s = {.size = sizeof s,
                               .bias = 0.5,
                               .classes = classes,
                               .normalize = 1,
                               .scale = SLUICE_SCALE_RUNNING,
                               .positive = positive};
    size_t n = 0;
    while (n < SL_MAX_PARAMS && l->trial[n]) n++;
    sluice_model *m = sluice_model_new(l->info.name, l->trial, n, &s, NULL);
    if (m) sluice_model_set_threads(m, 1);
    return m;
}

static uint64_t examples_of(const sluice_model *m) {
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(m, &facts);
    return facts.examples;
}

static sluice_model *reloaded(sluice_model *m) {
    void *bytes;
    size_t n;
    sluice_error err = {0};
    CHECK_EQ(sluice_model_bytes(m, &bytes, &n, &err), SLUICE_OK);
    sluice_model_free(m);
    m = sluice_model_parse(bytes, n, &err);
    CHECK_STR(err.message, "");
    sluice_free(bytes);
    return m;
}

static void check_anew(const sl_learner *l, unsigned classes, const char *const labels[3]) {
    const char *positive = labels == words ? "spam" : NULL; /* some parameters treat the classes differently */
    sluice_model *wanted = new_model(l, classes, positive), *m = new_model(l, classes, positive), *saved;
    if (!wanted) return; /* the learner does not take that */
    learn(wanted, labels, 2);
    learn(m, labels, 1);
    CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK);
    CHECK_EQ(examples_of(m), 0);
    const size_t kept = sluice_model_classes(m);
    CHECK_EQ(kept, labels == plain && !classes ? 0 : labels == three ? 3 : 2);
    saved = reloaded(sluice_model_copy(m, NULL));
    CHECK_EQ(sluice_model_classes(saved), kept);
    learn(m, labels, 2);
    learn(saved, labels, 2);
    CHECK(same_bytes(m, wanted));
    CHECK(same_bytes(saved, wanted));
    CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK); /* and once more */
    learn(m, labels, 2);
    CHECK(same_bytes(m, wanted));
    sluice_model_free(m);
    sluice_model_free(saved);
    sluice_model_free(wanted);
}

TEST(every_learner_begins_anew) {
    for (size_t i = 0; sl_learners[i]; i++) {
        check_anew(sl_learners[i], SLUICE_CLASSES_TWO, plain);
        check_anew(sl_learners[i], SLUICE_CLASSES_TWO, words);
        check_anew(sl_learners[i], SLUICE_CLASSES_OVR, three);
        check_anew(sl_learners[i], SLUICE_CLASSES_OVO, three);
        check_anew(sl_learners[i], SLUICE_CLASSES_MATRIX, three);
    }
}

TEST(classes_keep_their_order_whichever_comes_first) {
    static const char *const other[] = {"zebra", "x", "7"};
    sluice_settings s = {.size = sizeof s, .classes = SLUICE_CLASSES_OVR};
    for (s.classes = SLUICE_CLASSES_OVR; s.classes <= SLUICE_CLASSES_MATRIX; s.classes++) {
        sluice_model *m = sluice_model_new("ssol", NULL, 0, &s, NULL);
        learn(m, three, 1);
        CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK);
        learn(m, other, 1);
        CHECK_EQ(sluice_model_find_class(m, (sluice_name){"zebra", 5}), 2);
        m = reloaded(m);
        sluice_class c = {.size = sizeof c};
        CHECK_EQ(sluice_model_class(m, 2, &c), SLUICE_OK);
        CHECK_STR(c.text.text, "zebra");
        CHECK_EQ(c.examples, ROWS / 3);
        sluice_model_free(m);
    }
}

TEST(one_class_alone_stays_too) {
    static const char *const one[] = {"ham", "ham", "ham"};
    sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    learn(m, one, 1);
    CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK);
    m = reloaded(m);
    CHECK_EQ(sluice_model_classes(m), 1);
    learn(m, words, 1);
    CHECK_EQ(sluice_model_classes(m), 2);
    sluice_model_free(m);
}

TEST(what_is_no_state_stays) {
    sluice_settings s = {.size = sizeof s, .positive = "ham", .max_features = 40};
    sluice_model *m = sluice_model_new("arow", (const char *[]){"r=3"}, 1, &s, NULL);
    learn(m, words, 1);
    CHECK_EQ(sluice_model_set_metadata(m, "mine", "kept", 4), SLUICE_OK);
    CHECK_EQ(sluice_model_set_threshold(m, 2), SLUICE_OK);
    CHECK_EQ(sluice_model_begin_anew(m), SLUICE_OK);
    CHECK_STR(sluice_model_metadata(m, "mine", NULL), "kept");
    CHECK_STR(sluice_model_settings(m)->positive, "ham");
    CHECK_EQ(sluice_model_settings(m)->max_features, 40);
    CHECK(sluice_model_param(m, 0) == 3);
    CHECK(!sluice_model_threshold(m, NULL));
    CHECK_EQ(sluice_model_nonzeros(m), 0);
    sluice_model *final = sluice_model_final(m, NULL);
    CHECK_EQ(sluice_model_begin_anew(final), SLUICE_E_UNSUPPORTED);
    CHECK_HAS(sluice_model_error(final)->message, "predict-only");
    sluice_model_free(final);
    sluice_model_free(m);
}

int main(void) {
    RUN(every_learner_begins_anew);
    RUN(classes_keep_their_order_whichever_comes_first);
    RUN(one_class_alone_stays_too);
    RUN(what_is_no_state_stays);
    return DONE;
}
