/* Several classes, one against the rest: every class becomes the binary model that it would have become alone. */
#include "model/classes/ovr.h"

#include <math.h>

#include "base/cpu.h"
#include "model/classes/many.h"
#include "unit/every_learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 400, CLASSES = 21 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Rows of classes that appear one after the other, with empty rows, zeros and large ids; the classes of the rows. */
static char *make_text(bool names, double light, double *classes) {
    char *text = malloc(ROWS * 400), *t = text;
    state = 11;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t known = 1 + i / 15 < CLASSES ? 1 + i / 15 : CLASSES;
        const size_t class_index = i % 15 == 0 && i / 15 < CLASSES ? i / 15 : (size_t)(uniform() * (double)known);
        classes[i] = (double)class_index;
        t += sprintf(t, names ? "1 %g |" : "1", i % 7 ? 1 : light);
        size_t id = 0;
        for (size_t n = i % 50 == 3 ? 0 : 2 + (size_t)(uniform() * 6); n; n--) {
            id += 1 + (size_t)(uniform() * 20);
            const double value = floor((uniform() * 3 - 1) * 64) / 64;
            t += sprintf(t, names ? " w%zu:%g" : " %zu:%g", id % 5 == 4 && !names ? id + ((size_t)1 << 40) : id, value);
        }
        t += sprintf(t, names ? " c%zu\n" : " %zu:1\n", 500 + class_index % 8);
    }
    return text;
}

/* The rows of a batch with one class as +1 and the others as -1. */
static void learn_alone(sluice_model *m, const sluice_batch *b, size_t first, size_t n, const double *classes,
                        size_t class_index) {
    double labels[ROWS];
    for (size_t i = 0; i < n; i++) labels[i] = classes[i] == (double)class_index ? 1 : -1;
    CHECK_EQ(sluice_model_learn_labels(m, b, first, n, labels, NULL), SLUICE_OK);
}

/* A row that is passed in as an example has the answers of the row. */
static void check_one(const sluice_model *m, const sluice_batch *b, size_t row, const double *wanted) {
    uint64_t ids[64];
    sluice_name names[64];
    sluice_example x;
    double margins[CLASSES], p[CLASSES], row_p[CLASSES];
    uint32_t best, row_best;
    sluice_error err = {0};
    sluice_batch_row(b, row, ids, names, &x);
    sluice_class_answers of_row = {.size = sizeof of_row, .top = 1, .best = &row_best, .probabilities = row_p},
                         of_one = {.size = sizeof of_one, .top = 1, .best = &best, .probabilities = p};
    CHECK_EQ(sluice_model_classify(m, b, row, 1, &of_row, &err), SLUICE_OK);
    CHECK_EQ(sluice_model_classify_one(m, &x, &of_one, &err), SLUICE_OK);
    CHECK_EQ(best, row_best);
    CHECK(memcmp(p, row_p, sizeof p) == 0);
    of_one.margins = margins;
    CHECK_EQ(sluice_model_classify_one(m, &x, &of_one, &err), SLUICE_OK);
    CHECK(memcmp(margins, wanted, sizeof margins) == 0);
    if (x.n == 0) return;
    float value = NAN;
    x.values = &value, x.n = 1;
    CHECK_EQ(sluice_model_classify_one(m, &x, &of_one, &err), SLUICE_E_DATA);
}

static void compare(const sl_learner *learner, bool names, const sluice_settings *settings) {
    sluice_error err = {0};
    double classes[ROWS];
    size_t n_trial = 0;
    while (learner->trial[n_trial]) n_trial++;
    sluice_settings ovr = *settings;
    ovr.classes = SLUICE_CLASSES_OVR;
    sluice_model *all = sluice_model_new(learner->info.name, learner->trial, n_trial, &ovr, &err), *alone[CLASSES + 1];
    for (size_t c = 0; c <= CLASSES; c++)
        alone[c] = sluice_model_new(learner->info.name, learner->trial, n_trial, settings, &err);
    char *text = make_text(names, learner->only_weights_0_1 ? 0 : 0.5, classes);
    sluice_reader_options how = {.size = sizeof how, .format = names ? "vw" : "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    CHECK_EQ(sluice_batch_rows(batch), ROWS);
    for (size_t first = 0, n; first < ROWS; first += n) { /* in pieces, so that lanes are added again and again */
        n = first < 40 ? 7 : ROWS - first < 90 ? ROWS - first : 90;
        CHECK_EQ(sluice_model_learn_labels(all, batch, first, n, classes + first, NULL), SLUICE_OK);
        for (size_t c = 0; c <= CLASSES; c++) learn_alone(alone[c], batch, first, n, classes + first, c);
    }
    CHECK_EQ(all->ovr->classes, CLASSES);
    uint64_t different = 0;
    for (size_t c = 0; c <= CLASSES; c++) {
        sluice_model *one = sl_ovr_class_model(all, c < CLASSES ? c : SL_NO_CLASS, &err);
        different += !one || !same_bytes(one, alone[c]);
        sluice_model_free(one);
    }
    if (different) fprintf(stderr, "%s: %llu\n", learner->info.name, (unsigned long long)different);
    CHECK_EQ(different, 0);
    for (size_t i = 0; i < ROWS; i += 3) {
        double margins[CLASSES], wanted;
        sluice_class_answers answers = {.size = sizeof answers, .margins = margins};
        CHECK_EQ(sluice_model_classify(all, batch, i, 1, &answers, &err), SLUICE_OK);
        for (size_t c = 0; c < CLASSES; c++) {
            CHECK_EQ(sluice_model_margins_rows(alone[c], batch, i, 1, &wanted, &err), SLUICE_OK);
            CHECK(wanted == margins[c]);
        }
        check_one(all, batch, i, margins);
    }
    for (size_t c = 0; c <= CLASSES; c++) sluice_model_free(alone[c]);
    sluice_model_free(all);
    sluice_reader_close(r);
    free(text);
}

TEST(every_class_becomes_the_binary_model_of_its_own_run) {
    const sluice_settings plain = {.size = sizeof plain},
                          changed = {.size = sizeof changed, .bias = 1, .normalize = SLUICE_NORMALIZE_L2},
                          scaled = {.size = sizeof scaled,
                                    .bias = 1,
                                    .normalize = SLUICE_NORMALIZE_L2,
                                    .scale = SLUICE_SCALE_RUNNING,
                                    .transform = SLUICE_TRANSFORM_LOG1P};
    for (size_t i = 0; every_learner(i); i++) {
        if (!sl_learner_lanes(every_learner(i))) continue;
        compare(every_learner(i), false, &plain);
        compare(every_learner(i), true, &plain);
        compare(every_learner(i), false, &changed);
        compare(every_learner(i), true, &scaled);
    }
}

TEST(mistakes_are_those_of_the_largest_margin_before_learning) {
    const sluice_settings ovr = {.size = sizeof ovr, .classes = SLUICE_CLASSES_OVR};
    sluice_error err = {0};
    double classes[ROWS], margins[CLASSES];
    char *text = make_text(false, 1, classes);
    sluice_reader_options how = {.size = sizeof how, .format = "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    sluice_model *m = sluice_model_new("perceptron", NULL, 0, &ovr, &err);
    uint64_t mistakes = 0;
    sluice_class_answers answers = {.size = sizeof answers, .margins = margins};
    for (size_t i = 0; i < ROWS; i++) {
        CHECK_EQ(sluice_model_classify(m, batch, i, 1, &answers, &err), SLUICE_OK);
        mistakes += sl_best_class(margins, NULL, m->ovr->classes) != (size_t)classes[i];
        CHECK_EQ(sluice_model_learn_labels(m, batch, i, 1, &classes[i], NULL), SLUICE_OK);
        CHECK_EQ(m->mistakes, mistakes);
    }
    CHECK(mistakes > CLASSES && mistakes < ROWS);
    sluice_model_free(m);
    sluice_reader_close(r);
    free(text);
}

TEST(more_classes_than_the_limit_are_refused) {
    const sluice_settings plain = {.size = sizeof plain};
    sluice_error err = {0};
    sluice_model *m = sl_ovr_new(sl_learner_find("pa"), (double[]){0}, &plain, &err);
    CHECK_EQ(sl_many_reserve(m, SLUICE_MAX_OVR_CLASSES), SLUICE_OK);
    CHECK_EQ(sl_many_reserve(m, SLUICE_MAX_OVR_CLASSES + 1), SLUICE_E_LIMIT);
    sluice_model_free(m);
}

/* Both halves of a stream, the second one with classes of its own: every class becomes what merging its binary models
 * gives, a class that one of them does not know by the problem that stands for classes to come. */
TEST(merging_adds_the_problems_of_each_class) {
    const sluice_settings ovr = {.size = sizeof ovr, .classes = SLUICE_CLASSES_OVR};
    for (size_t i = 0; every_learner(i); i++) {
        const sl_learner *learner = every_learner(i);
        if (!(learner->info.flags & SLUICE_LEARNER_MERGES)) continue;
        sluice_error err = {0};
        double classes[ROWS];
        char *text = make_text(i % 2, learner->only_weights_0_1 ? 0 : 0.5, classes);
        sluice_reader_options how = {.size = sizeof how, .format = i % 2 ? "vw" : "libsvm", .threads = 1};
        sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
        const sluice_batch *batch;
        CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
        sluice_model *a = sluice_model_new(learner->info.name, NULL, 0, &ovr, &err),
                     *b = sluice_model_new(learner->info.name, NULL, 0, &ovr, &err);
        CHECK_EQ(sluice_model_learn_labels(a, batch, 0, 100, classes, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_labels(b, batch, 150, ROWS - 150, classes + 150, NULL), SLUICE_OK);
        sluice_model *merged = sluice_model_copy(a, &err);
        CHECK_EQ(sluice_model_merge(merged, b), SLUICE_OK);
        CHECK_EQ(sluice_model_classes(merged), CLASSES);
        CHECK(sluice_model_classes(a) < CLASSES);
        for (size_t c = 0; c < CLASSES; c++) {
            sluice_class of = {.size = sizeof of};
            CHECK_EQ(sluice_model_class(merged, c, &of), SLUICE_OK);
            const uint32_t in_a = sluice_model_find_class(a, of.text), in_b = sluice_model_find_class(b, of.text);
            sluice_model *x = sl_ovr_class_model(a, in_a == SLUICE_NO_CLASS ? SL_NO_CLASS : in_a, &err),
                         *y = sl_ovr_class_model(b, in_b == SLUICE_NO_CLASS ? SL_NO_CLASS : in_b, &err),
                         *z = sluice_model_problem_model(merged, c, &err);
            CHECK_EQ(sluice_model_merge(x, y), SLUICE_OK);
            CHECK(same_bytes(x, z));
            sluice_model_free(x);
            sluice_model_free(y);
            sluice_model_free(z);
        }
        sluice_model_free(a);
        sluice_model_free(b);
        sluice_model_free(merged);
        sluice_reader_close(r);
        free(text);
    }
}

int main(void) {
    RUN(every_class_becomes_the_binary_model_of_its_own_run);
    RUN(mistakes_are_those_of_the_largest_margin_before_learning);
    RUN(more_classes_than_the_limit_are_refused);
    RUN(merging_adds_the_problems_of_each_class);
    return DONE;
}
