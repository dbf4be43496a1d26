/* Several classes as models of their own: every problem becomes the model of a run over its examples. */
#include "model/classes/problems.h"

#include <math.h>

#include "model/classes/many.h"
#include "unit/every_learner.h"
#include "unit/model_bytes.h"

enum { ROWS = 120, CLASSES = 5, PROBLEMS = CLASSES * (CLASSES - 1) / 2 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Rows of classes that appear one after the other, with empty rows, zeros and large ids. */
static char *make_text(bool names, double light, double *classes) {
    char *text = malloc(ROWS * 400), *t = text;
    state = 5;
    for (size_t i = 0; i < ROWS; i++) {
        const size_t known = 1 + i / 12 < CLASSES ? 1 + i / 12 : CLASSES;
        const size_t class_index = i % 12 == 0 && i / 12 < CLASSES ? i / 12 : (size_t)(uniform() * (double)known);
        classes[i] = (double)class_index;
        t += sprintf(t, names ? "1 %g |" : "1", i % 7 ? 1 : light);
        size_t id = 0;
        for (size_t n = i % 50 == 3 ? 0 : 2 + (size_t)(uniform() * 6); n; n--) {
            id += 1 + (size_t)(uniform() * 4);
            const double value = floor((uniform() * 3 - 1) * 64) / 64;
            t += sprintf(t, names ? " w%zu:%g" : " %zu:%g", id % 5 == 4 && !names ? id + ((size_t)1 << 40) : id, value);
        }
        t += sprintf(t, names ? " c%zu\n" : " %zu:1\n", 50 + class_index % 8);
    }
    return text;
}

/* The stream of a problem: the rows of both classes, or all rows. */
static void learn_alone(sluice_model *m, const sluice_batch *b, const double *classes, const sluice_problem *p) {
    for (size_t i = 0; i < ROWS; i++) {
        const double y = classes[i] == p->positive ? 1 : -1;
        if (y < 0 && p->negative != SLUICE_NO_CLASS && classes[i] != p->negative) continue;
        CHECK_EQ(sluice_model_learn_labels(m, b, i, 1, &y, NULL), SLUICE_OK);
    }
    CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
}

static void compare(const sl_learner *learner, unsigned kind, bool names, const sluice_settings *settings) {
    sluice_error err = {0};
    double classes[ROWS];
    size_t n_trial = 0;
    while (learner->trial[n_trial]) n_trial++;
    sluice_settings many = *settings;
    many.classes = kind;
    sluice_model *all = sluice_model_new(learner->info.name, learner->trial, n_trial, &many, &err);
    char *text = make_text(names, learner->only_weights_0_1 ? 0 : 0.5, classes);
    sluice_reader_options how = {.size = sizeof how, .format = names ? "vw" : "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    for (size_t first = 0; first < ROWS; first += 40)
        CHECK_EQ(sluice_model_learn_labels(all, batch, first, 40, classes + first, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_end_run(all), SLUICE_OK);
    CHECK_EQ(sluice_model_problems(all), kind == SLUICE_CLASSES_OVO ? PROBLEMS : CLASSES);
    double margins[PROBLEMS][ROWS];
    uint64_t different = 0;
    for (size_t i = 0; i < sluice_model_problems(all); i++) {
        sluice_problem p = {.size = sizeof p};
        CHECK_EQ(sluice_model_problem(all, i, &p), SLUICE_OK);
        sluice_model *alone = sluice_model_new(learner->info.name, learner->trial, n_trial, settings, &err);
        learn_alone(alone, batch, classes, &p);
        sluice_model *one = sluice_model_problem_model(all, i, &err);
        different += !one || !same_bytes(one, alone);
        CHECK_EQ(sluice_model_margins(alone, batch, margins[i], &err), SLUICE_OK);
        sluice_model_free(one);
        sluice_model_free(alone);
    }
    if (different) fprintf(stderr, "%s: %llu\n", learner->info.name, (unsigned long long)different);
    CHECK_EQ(different, 0);
    for (size_t row = 0; row < ROWS; row++) {
        double total[CLASSES] = {0}, given[CLASSES];
        uint32_t wins[CLASSES] = {0}, best;
        for (size_t a = 0; a < CLASSES; a++)
            for (size_t b = 0; b < CLASSES; b++) {
                if (a == b || kind == SLUICE_CLASSES_OVR) continue;
                const double m = a < b ? margins[sl_pair_problem(a, b)][row] : margins[sl_pair_problem(b, a)][row];
                total[a] += a < b ? 0 - m : m;
                wins[a] += a < b ? m <= 0 : m > 0;
            }
        for (size_t c = 0; c < CLASSES && kind == SLUICE_CLASSES_OVR; c++) total[c] = margins[c][row];
        size_t wanted = 0;
        for (size_t c = 1; c < CLASSES; c++)
            if (wins[c] > wins[wanted] || (wins[c] == wins[wanted] && total[c] > total[wanted])) wanted = c;
        sluice_class_answers answers = {.size = sizeof answers, .margins = given, .top = 1, .best = &best};
        CHECK_EQ(sluice_model_classify(all, batch, row, 1, &answers, &err), SLUICE_OK);
        CHECK_EQ(best, wanted);
        CHECK(memcmp(given, total, sizeof given) == 0);
    }
    sluice_model_free(all);
    sluice_reader_close(r);
    free(text);
}

static const sluice_settings plain = {.size = sizeof plain},
                             changed = {.size = sizeof changed, .bias = 1, .normalize = SLUICE_NORMALIZE_L2},
                             scaled = {.size = sizeof scaled,
                                       .bias = 1,
                                       .normalize = SLUICE_NORMALIZE_L2,
                                       .scale = SLUICE_SCALE_RUNNING,
                                       .transform = SLUICE_TRANSFORM_LOG1P};

/* auto races whole models of several classes: its problems are those of the leader. */
static bool tunes(const sl_learner *learner) { return learner->info.flags & SLUICE_LEARNER_TUNES; }

TEST(one_against_one_every_problem_is_the_model_of_its_examples) {
    for (size_t i = 0; every_learner(i); i++) {
        if (tunes(every_learner(i))) continue;
        compare(every_learner(i), SLUICE_CLASSES_OVO, false, &plain);
        compare(every_learner(i), SLUICE_CLASSES_OVO, true, &plain);
        compare(every_learner(i), SLUICE_CLASSES_OVO, false, &changed);
        compare(every_learner(i), SLUICE_CLASSES_OVO, true, &scaled);
    }
}

TEST(against_the_rest_learners_without_lanes_do_the_same) {
    for (size_t i = 0; every_learner(i); i++) {
        if (sl_learner_lanes(every_learner(i)) || tunes(every_learner(i))) continue;
        compare(every_learner(i), SLUICE_CLASSES_OVR, false, &plain);
        compare(every_learner(i), SLUICE_CLASSES_OVR, true, &changed);
        compare(every_learner(i), SLUICE_CLASSES_OVR, false, &scaled);
    }
}

/* The progressive mistakes are those of the prediction before each row, and nothing is predicted before a class is
 * known. */
TEST(mistakes_are_those_of_the_prediction_before_learning) {
    const sluice_settings ovo = {.size = sizeof ovo, .classes = SLUICE_CLASSES_OVO};
    sluice_error err = {0};
    double classes[ROWS];
    char *text = make_text(false, 1, classes);
    sluice_reader_options how = {.size = sizeof how, .format = "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    sluice_model *m = sluice_model_new("pa-1", NULL, 0, &ovo, &err);
    uint64_t mistakes = 0;
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t best;
        sluice_class_answers answers = {.size = sizeof answers, .top = 1, .best = &best};
        CHECK_EQ(sluice_model_classify(m, batch, i, 1, &answers, &err), SLUICE_OK);
        mistakes += best != (uint32_t)classes[i];
        CHECK_EQ(sluice_model_learn_labels(m, batch, i, 1, &classes[i], NULL), SLUICE_OK);
        CHECK_EQ(m->mistakes, mistakes);
    }
    CHECK(mistakes > CLASSES && mistakes < ROWS);
    sluice_model_free(m);
    sluice_reader_close(r);
    free(text);
}

TEST(copies_and_predict_only_copies_answer_alike) {
    const sluice_settings ovo = {.size = sizeof ovo, .classes = SLUICE_CLASSES_OVO};
    sluice_error err = {0};
    double classes[ROWS], wanted[ROWS * CLASSES], given[ROWS * CLASSES];
    char *text = make_text(true, 1, classes);
    sluice_reader_options how = {.size = sizeof how, .format = "vw", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    sluice_model *m = sluice_model_new("ssol", NULL, 0, &ovo, &err);
    CHECK_EQ(sluice_model_learn_labels(m, batch, 0, ROWS, classes, NULL), SLUICE_OK);
    sluice_class_answers answers = {.size = sizeof answers, .margins = wanted};
    CHECK_EQ(sluice_model_classify(m, batch, 0, ROWS, &answers, &err), SLUICE_OK);
    answers.margins = given;
    sluice_model *copy = sluice_model_copy(m, &err), *final = sluice_model_final(m, &err),
                 *again = sluice_model_copy(final, &err);
    sluice_model *const all[] = {copy, final, again};
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(sluice_model_classify(all[i], batch, 0, ROWS, &answers, &err), SLUICE_OK);
        CHECK(memcmp(given, wanted, sizeof given) == 0);
        CHECK_EQ(sluice_model_nonzeros(all[i]), sluice_model_nonzeros(m));
    }
    CHECK_EQ(sluice_model_learn_labels(copy, batch, 0, 1, classes, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_labels(again, batch, 0, 1, classes, NULL), SLUICE_E_UNSUPPORTED);
    for (size_t i = 0; i < 3; i++) sluice_model_free(all[i]);
    sluice_model_free(m);
    sluice_reader_close(r);
    free(text);
}

TEST(one_against_one_models_of_the_same_classes_merge) {
    const sluice_settings ovo = {.size = sizeof ovo, .classes = SLUICE_CLASSES_OVO};
    sluice_error err = {0};
    double classes[ROWS];
    char *text = make_text(false, 1, classes);
    sluice_reader_options how = {.size = sizeof how, .format = "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    CHECK_EQ(sluice_reader_next(r, &batch), SLUICE_OK);
    sluice_model *a = sluice_model_new("rda", NULL, 0, &ovo, &err), *b = sluice_model_new("rda", NULL, 0, &ovo, &err),
                 *few = sluice_model_new("rda", NULL, 0, &ovo, &err);
    CHECK_EQ(sluice_model_learn_labels(a, batch, 0, ROWS, classes, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_labels(b, batch, 0, ROWS - 10, classes, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_learn_labels(few, batch, 0, 20, classes, NULL), SLUICE_OK);
    CHECK_EQ(sluice_model_merge(a, few), SLUICE_E_USAGE);
    sluice_model *merged = sluice_model_copy(a, &err);
    CHECK_EQ(sluice_model_merge(merged, b), SLUICE_OK);
    for (size_t i = 0; i < PROBLEMS; i++) {
        sluice_model *x = sluice_model_problem_model(a, i, &err), *y = sluice_model_problem_model(b, i, &err),
                     *z = sluice_model_problem_model(merged, i, &err);
        CHECK_EQ(sluice_model_merge(x, y), SLUICE_OK);
        CHECK(same_bytes(x, z));
        sluice_model_free(x);
        sluice_model_free(y);
        sluice_model_free(z);
    }
    sluice_model_free(a);
    sluice_model_free(b);
    sluice_model_free(few);
    sluice_model_free(merged);
    sluice_reader_close(r);
    free(text);
}

/* What is for two classes says so, and what has not learned anything has no class to speak of. */
TEST(calls_for_two_classes_are_refused) {
    static const unsigned kinds[] = {SLUICE_CLASSES_OVR, SLUICE_CLASSES_OVO, SLUICE_CLASSES_MATRIX};
    static const char *const learners[] = {"pa-1", "bcw", "pa-1"};
    const uint64_t id = 3;
    const float value = 1;
    for (size_t i = 0; i < 3; i++) {
        const sluice_settings settings = {.size = sizeof settings, .classes = kinds[i]};
        sluice_error err = {0};
        sluice_model *m = sluice_model_new(learners[i], NULL, 0, &settings, &err);
        sluice_example x = {&id, &value, 1, 1, 0};
        double margin;
        sluice_term terms[4];
        sluice_explanation why = {.size = sizeof why, .terms = terms, .room = 4};
        CHECK_EQ(sluice_model_learn(m, &x, &margin), SLUICE_OK); /* of importance 0: absent */
        CHECK_EQ(sluice_model_classes(m), 0);
        CHECK(sluice_model_explain(m, &x, &why, &err) != SLUICE_OK);
        CHECK_EQ(sluice_model_margin(m, &x, &margin, &err), SLUICE_E_UNSUPPORTED);
        CHECK_EQ(sluice_model_label(m, 1).n, 0);
        CHECK_EQ(sluice_model_set_threshold(m, 1), SLUICE_E_UNSUPPORTED);
        CHECK(isnan(sluice_model_probability(m, 1)));
        sluice_batch *b = sluice_batch_new(&err);
        x.weight = 1;
        CHECK_EQ(sluice_batch_add(b, &x, &err), SLUICE_OK);
        CHECK_EQ(sluice_model_signs(m, b, 0, 1, &margin, &err), SLUICE_E_UNSUPPORTED);
        uint32_t best = 7;
        sluice_class_answers answers = {.size = sizeof answers, .top = 1, .best = &best};
        CHECK_EQ(sluice_model_classify(m, b, 0, 1, &answers, &err), SLUICE_OK);
        CHECK_EQ(best, SLUICE_NO_CLASS);
        sluice_batch_free(b);
        sluice_model_free(m);
    }
    sluice_error err = {0};
    const sluice_settings ovr = {.size = sizeof ovr, .classes = SLUICE_CLASSES_OVR};
    sluice_model *problems = sluice_model_new("bcw", NULL, 0, &ovr, &err);
    sluice_example x = {&id, &value, 1, 1, 1};
    sluice_explanation why = {.size = sizeof why};
    CHECK_EQ(sluice_model_explain(problems, &x, &why, &err), SLUICE_E_USAGE);
    sluice_model_free(problems);
}

int main(void) {
    RUN(one_against_one_every_problem_is_the_model_of_its_examples);
    RUN(against_the_rest_learners_without_lanes_do_the_same);
    RUN(mistakes_are_those_of_the_prediction_before_learning);
    RUN(one_against_one_models_of_the_same_classes_merge);
    RUN(calls_for_two_classes_are_refused);
    RUN(copies_and_predict_only_copies_answer_alike);
    return DONE;
}
