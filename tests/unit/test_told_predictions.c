/* sluice_meter_options.prediction: every prediction is told of as it was before its row was learned. (Not of learners
 * that predict a row by what they know of that row already, as ssol does.) */
#include <math.h>

#include "sluice.h"
#include "unit/test.h"

enum { ROWS = 400, FEATURES = 6 };

typedef struct told {
    sluice_prediction got[ROWS];
    size_t n;
} told;

static void note(void *context, const sluice_prediction *p) {
    told *t = context;
    if (t->n < ROWS) t->got[t->n] = *p;
    t->n++;
}

/* Rows of `classes` classes, which come one after the other; every seventh has no importance. */
static sluice_batch *rows_of(unsigned classes, int words) {
    static const char *const word[] = {"ham", "spam", "eggs", "toast"};
    sluice_batch *b = sluice_batch_new(NULL);
    uint64_t random = 1;
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t ids[FEATURES];
        float values[FEATURES];
        const unsigned known = (unsigned)(1 + i / 20) < classes ? (unsigned)(1 + i / 20) : classes;
        random = random * 6364136223846793005u + 1442695040888963407u;
        const unsigned class = (unsigned)(random >> 40) % known;
        for (size_t k = 0; k < FEATURES; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            ids[k] = 100 * k + (k < 3 ? class : (unsigned)(random >> 60));
            values[k] = 1 + (float)(random >> 40 & 255) / 256;
        }
        sluice_example x = {.ids = ids, .values = values, .n = FEATURES, .weight = i % 7 != 3};
        if (words)
            x.word = (sluice_name){word[class], strlen(word[class])};
        else
            x.label = classes > 2 ? (double)class + 2 : class ? 1 : -1;
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

/* The prediction of a row by a model that has learned the rows before. */
static sluice_prediction asked(const sluice_model *m, const sluice_batch *b, size_t row) {
    sluice_prediction p = {.margin = NAN, .predicted = SLUICE_NO_CLASS};
    if (!sluice_model_settings(m)->classes) {
        CHECK_EQ(sluice_model_margins_rows(m, b, row, 1, &p.margin, NULL), SLUICE_OK);
        p.predicted = (uint32_t)sluice_model_predicts_positive(m, p.margin);
        return p;
    }
    double margins[8];
    sluice_class_answers a = {.size = sizeof a, .top = 1, .best = &p.predicted, .margins = margins};
    CHECK_EQ(sluice_model_classify(m, b, row, 1, &a, NULL), SLUICE_OK);
    if (p.predicted != SLUICE_NO_CLASS) p.margin = margins[p.predicted];
    return p;
}

static int same_margin(double a, double b) { return a == b || (isnan(a) && isnan(b)) || fabs(a - b) < 1e-5; }

static void check_told(const char *learner, const char *param, unsigned kind, unsigned classes, int words) {
    const sluice_settings settings = {.size = sizeof settings, .classes = kind};
    const size_t n_params = param != NULL;
    sluice_model *whole = sluice_model_new(learner, &param, n_params, &settings, NULL);
    sluice_model *single = sluice_model_new(learner, &param, n_params, &settings, NULL);
    sluice_batch *b = rows_of(classes, words);
    told t = {.n = 0};
    const sluice_meter_options options = {.size = sizeof options, .model = whole, .prediction = note, .context = &t};
    sluice_meter *meter = sluice_meter_new(&options, NULL);
    CHECK_EQ(sluice_model_learn_batch(whole, b, meter), SLUICE_OK);
    size_t n = 0, mistakes = 0;
    for (size_t row = 0; row < ROWS; row++) {
        if (sluice_batch_weight(b, row) == 0) continue;
        const sluice_prediction want = asked(single, b, row), got = t.got[n++];
        const size_t known = sluice_model_classes(single);
        CHECK_EQ(sluice_model_learn_rows(single, b, row, 1, NULL), SLUICE_OK);
        mistakes += got.truth != got.predicted;
        if (kind) {
            uint32_t truth;
            CHECK_EQ(sluice_model_truths(single, b, row, 1, &truth, NULL), SLUICE_OK);
            CHECK_EQ(got.truth, truth);
            CHECK_EQ(got.predicted, want.predicted);
            CHECK(same_margin(got.margin, want.margin));
        } else {
            double sign;
            CHECK_EQ(sluice_model_signs(single, b, row, 1, &sign, NULL), SLUICE_OK);
            CHECK_EQ(got.truth, sign > 0);
            if (known == 1 && sluice_model_classes(single) == 2) continue; /* the positive class came with the row */
            CHECK_EQ(got.predicted, want.predicted);
            CHECK(same_margin(got.margin, want.margin));
        }
    }
    CHECK_EQ(t.n, n); /* none for the rows of importance 0 */
    uint64_t examples;
    CHECK_EQ(sluice_meter_mistakes(meter, &examples), mistakes);
    CHECK_EQ(examples, n);
    sluice_meter_free(meter);
    sluice_batch_free(b);
    sluice_model_free(whole);
    sluice_model_free(single);
}

TEST(two_classes) {
    for (int words = 0; words < 2; words++) {
        check_told("pa-1", NULL, 0, 2, words);
        check_told("arow", NULL, 0, 2, words);
        check_told("auto", NULL, 0, 2, words);
        check_told("sbcw", "batch=50", 0, 2, words);
    }
}

TEST(several_classes) {
    for (int words = 0; words < 2; words++) {
        check_told("arow", NULL, SLUICE_CLASSES_OVR, 4, words);
        check_told("arow", NULL, SLUICE_CLASSES_OVO, 4, words);
        check_told("pa-1", NULL, SLUICE_CLASSES_MATRIX, 4, words);
        check_told("arow-full", NULL, SLUICE_CLASSES_OVR, 4, words);
        check_told("auto", NULL, SLUICE_CLASSES_OVR, 3, words);
    }
}

static sluice_reader_options reading(void) {
    return (sluice_reader_options){.size = sizeof(sluice_reader_options), .words = 1, .missing_labels = 1};
}

/* Whether the label 1 is the positive class shows only with the next one: the model may be exchanged for its mirror,
 * but each row is told of once. */
TEST(a_row_is_told_of_once) {
    const char text[] = "1\t1:1\n1\t1:1 2:1\n1\t2:1\n", more[] = "?\t1:1\nzoo\t3:1\n1\t1:1\nzoo\t3:1\n";
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    told t = {.n = 0};
    const sluice_meter_options options = {.size = sizeof options, .model = m, .prediction = note, .context = &t};
    sluice_meter *meter = sluice_meter_new(&options, NULL);
    const sluice_reader_options how = reading();
    for (int part = 0; part < 2; part++) {
        const char *bytes = part ? more : text;
        sluice_parser *p = sluice_parser_new(&how, NULL);
        const sluice_batch *b;
        CHECK_EQ(sluice_parser_push(p, bytes, strlen(bytes)), SLUICE_OK);
        CHECK_EQ(sluice_parser_next(p, &b), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_batch(m, b, meter), SLUICE_OK);
        sluice_parser_free(p);
    }
    CHECK_EQ(t.n, 6);
    CHECK_EQ(t.got[3].truth, 1); /* 'zoo' is greater */
    CHECK_EQ(t.got[4].truth, 0);
    CHECK_EQ(t.got[5].predicted, 1);
    sluice_meter_free(meter);
    sluice_model_free(m);
}

TEST(rows_before_one_that_fails_are_told_of) {
    sluice_batch *b = rows_of(3, 1);
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, NULL, NULL);
    told t = {.n = 0};
    const sluice_meter_options options = {.size = sizeof options, .model = m, .prediction = note, .context = &t};
    sluice_meter *meter = sluice_meter_new(&options, NULL);
    CHECK_EQ(sluice_model_learn_batch(m, b, meter), SLUICE_E_DATA); /* a third class */
    sluice_model_facts facts = {.size = sizeof facts};
    CHECK_EQ(sluice_model_quick_facts(m, &facts), SLUICE_OK);
    CHECK(facts.examples > 20);
    CHECK_EQ(t.n, facts.examples);
    sluice_meter_free(meter);
    sluice_model_free(m);
    sluice_batch_free(b);
}

TEST(what_is_added_by_hand_is_told_of_too) {
    told t = {.n = 0};
    const sluice_meter_options options = {.size = sizeof options, .prediction = note, .context = &t};
    sluice_meter *meter = sluice_meter_new(&options, NULL);
    CHECK_EQ(sluice_meter_add(meter, -0.5, 1), SLUICE_OK);
    sluice_meter_free(meter);
    CHECK(t.n == 1 && t.got[0].margin == -0.5 && t.got[0].truth == 1 && t.got[0].predicted == 0);
    meter = sluice_meter_new(&options, NULL);
    CHECK_EQ(sluice_meter_add_class(meter, 3, SLUICE_NO_CLASS, 0, NAN), SLUICE_OK);
    sluice_meter_free(meter);
    CHECK(t.n == 2 && isnan(t.got[1].margin) && t.got[1].truth == 3 && t.got[1].predicted == SLUICE_NO_CLASS);
}

int main(void) {
    RUN(two_classes);
    RUN(several_classes);
    RUN(a_row_is_told_of_once);
    RUN(rows_before_one_that_fails_are_told_of);
    RUN(what_is_added_by_hand_is_told_of_too);
    return DONE;
}
