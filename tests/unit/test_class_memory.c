/* Models of several classes when memory runs out: every call says so, and what it was given is as it was; a model of
 * problems of which some have learned a row and others not refuses to go on. */
#include <math.h>

#include "model/classes/many.h"
#include "unit/failing_alloc.h"
#include "unit/model_bytes.h"

enum { ROWS = 40, CLASSES = 12 };

static const struct {
    const char *learner;
    unsigned classes;
    bool final;
} kinds[] = {
    {"pa-1", SLUICE_CLASSES_OVR, false},      {"rda", SLUICE_CLASSES_OVR, false},
    {"olsf-1", SLUICE_CLASSES_OVR, false},    {"arow", SLUICE_CLASSES_OVO, false},
    {"perceptron", SLUICE_CLASSES_OVO, true}, {"pa-1", SLUICE_CLASSES_MATRIX, false},
    {"ssol", SLUICE_CLASSES_MATRIX, false},   {"olsf-1", SLUICE_CLASSES_MATRIX, false},
    {"rda", SLUICE_CLASSES_MATRIX, true},     {"fsol", SLUICE_CLASSES_OVR, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A row whose class and features keep arriving. */
typedef struct made {
    uint64_t ids[4];
    float values[4];
    char word[8], text[4][8];
    sluice_name names[4];
} made;

static sluice_example example(size_t t, bool names, made *r) {
    for (size_t k = 0; k < 4; k++) {
        r->ids[k] = k < 2 ? t % CLASSES + 20 * k : 100 + t * 3 + k;
        r->values[k] = (float)(1 + (t + k) % 3);
        r->names[k] = (sluice_name){r->text[k], (size_t)snprintf(r->text[k], sizeof r->text[k], "n%d", (int)r->ids[k])};
    }
    sluice_example x = {.ids = names ? NULL : r->ids, .values = r->values, .n = 4, .label = 1, .weight = 1};
    x.names = names ? r->names : NULL;
    x.word = (sluice_name){r->word,
                           (size_t)snprintf(r->word, sizeof r->word, "c%d", (int)(t < CLASSES ? t : t * 7 % CLASSES))};
    return x;
}

static sluice_model *new_model(size_t i) {
    const sluice_settings settings = {.size = sizeof settings, .classes = kinds[i].classes, .bias = 0.5};
    return sluice_model_new(kinds[i].learner, NULL, 0, &settings, NULL);
}

static sluice_model *trained(size_t i, bool names, size_t rows) {
    sluice_model *m = new_model(i);
    for (size_t t = 0; t < rows; t++) {
        made r;
        sluice_example x = example(t, names, &r);
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    if (!kinds[i].final) return m;
    sluice_model *final = sluice_model_final(m, NULL);
    sluice_model_free(m);
    return final;
}

TEST(learning_goes_on_where_it_stopped_or_not_at_all) {
    for (size_t i = 0; i < KINDS; i++)
        for (int names = 0; names < 2 && !kinds[i].final; names++) {
            sluice_model *hard = new_model(i), *quiet = new_model(i);
            size_t failures = 0, lost = 0;
            for (size_t t = 0; t < ROWS; t++) {
                made r;
                sluice_example x = example(t, names, &r);
                for (long n = 1;; n++) {
                    sluice_model *before = sluice_model_copy(hard, NULL);
                    fail_allocation(n);
                    const sluice_status status = sluice_model_learn(hard, &x, NULL);
                    const bool failed = allocation_failed();
                    failures += failed;
                    if (status == SLUICE_OK) {
                        sluice_model_free(before);
                        break;
                    }
                    CHECK(failed && status == SLUICE_E_MEMORY);
                    if (hard->broken) { /* it refuses to go on: from the last good one */
                        CHECK_EQ(sluice_model_learn(hard, &x, NULL), SLUICE_E_NUMERIC);
                        sluice_model_free(hard);
                        hard = before;
                        lost++;
                    } else {
                        sluice_model_free(before);
                    }
                }
                CHECK_EQ(sluice_model_learn(quiet, &x, NULL), SLUICE_OK);
            }
            CHECK(failures > 0);
            CHECK(lost == 0 || hard->problems);
            if (!same_bytes(hard, quiet)) {
                fprintf(stderr, "%s %u %d\n", kinds[i].learner, kinds[i].classes, names);
                CHECK(false && "models differ");
            }
            sluice_model_free(hard);
            sluice_model_free(quiet);
        }
}

TEST(bytes_and_models_are_whole_or_none) {
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *m = trained(i, i % 2, ROWS);
        void *want, *bytes;
        size_t want_n, n;
        CHECK_EQ(sluice_model_bytes(m, &want, &want_n, NULL), SLUICE_OK);
        FOR_EACH_FAILED_ALLOCATION {
            sluice_status status = sluice_model_bytes(m, &bytes, &n, NULL);
            if (allocation_failed() && status != SLUICE_OK) {
                CHECK_EQ(status, SLUICE_E_MEMORY);
                CHECK(bytes == NULL && n == 0);
            } else {
                CHECK(status == SLUICE_OK && n == want_n && memcmp(bytes, want, n) == 0);
            }
            sluice_free(bytes);
        }
        FOR_EACH_FAILED_ALLOCATION {
            sluice_error err = {0};
            sluice_model *back = sluice_model_parse(want, want_n, &err);
            if (allocation_failed() && !back)
                CHECK_EQ(err.status, SLUICE_E_MEMORY);
            else
                CHECK(back && same_bytes(back, m));
            sluice_model_free(back);
        }
        sluice_free(want);
        sluice_model_free(m);
    }
}

TEST(a_model_of_two_classes_becomes_one_of_several_or_none) {
    const char *const learners[] = {"pa-1", "fobos", "arow-full", "auto"}, *const few = "candidates=3";
    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++) {
        sluice_model *m = sluice_model_new(learners[i], &few, strcmp(learners[i], "auto") == 0, NULL, NULL);
        for (size_t k = 0; k < 60; k++) {
            uint64_t ids[2] = {k % 20, 30 + k % 7};
            const float values[2] = {1, 2};
            const sluice_example x = {.ids = ids, .values = values, .n = 2, .weight = 1, .label = k % 3 ? 1 : -1};
            CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
        }
        sluice_model *before = sluice_model_copy(m, NULL);
        FOR_EACH_FAILED_ALLOCATION {
            sluice_error err = {0};
            sluice_model *several = sluice_model_several(m, NULL, &err);
            CHECK(several || (allocation_failed() && err.status == SLUICE_E_MEMORY));
            sluice_model_free(several);
        }
        CHECK(allocations_failed > 10 && same_bytes(m, before));
        sluice_model_free(before), sluice_model_free(m);
    }
}

static int count_weight(void *context, size_t problem, const sluice_weight *w) {
    (void)problem;
    *(uint64_t *)context += w->weight != 0;
    return 0;
}

TEST(copies_answers_and_weights_are_whole_or_none) {
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *m = trained(i, i % 2, ROWS);
        FOR_EACH_FAILED_ALLOCATION {
            sluice_model *copy = sluice_model_copy(m, NULL);
            if (!allocation_failed()) CHECK(copy != NULL);
            if (copy) CHECK(same_bytes(copy, m));
            sluice_model_free(copy);
        }
        FOR_EACH_FAILED_ALLOCATION {
            sluice_error err = {0};
            sluice_model *final = sluice_model_final(m, &err);
            if (allocation_failed() && !final) CHECK_EQ(err.status, SLUICE_E_MEMORY);
            if (final) CHECK_EQ(sluice_model_nonzeros(final), sluice_model_nonzeros(m));
            CHECK(final || err.status == SLUICE_E_MEMORY);
            sluice_model_free(final);
        }
        made r;
        sluice_example x = example(3, i % 2, &r);
        sluice_batch *b = sluice_batch_new(NULL);
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
        double margins[CLASSES], probabilities[CLASSES];
        uint32_t best[3];
        sluice_class_answers answers = {.size = sizeof answers, .top = 3, .best = best, .margins = margins};
        answers.probabilities = probabilities;
        FOR_EACH_FAILED_ALLOCATION {
            const sluice_status status = sluice_model_classify(m, b, 0, 1, &answers, NULL);
            CHECK_EQ(status, allocation_failed() ? SLUICE_E_MEMORY : SLUICE_OK);
        }
        FOR_EACH_FAILED_ALLOCATION {
            uint64_t n = 0;
            const sluice_status status = sluice_model_each_weight(m, count_weight, &n, NULL);
            if (allocation_failed() && status != SLUICE_OK)
                CHECK_EQ(status, SLUICE_E_MEMORY);
            else
                CHECK_EQ(n, sluice_model_nonzeros(m));
        }
        sluice_batch_free(b);
        sluice_model_free(m);
    }
}

TEST(merging_adds_all_or_says_that_it_did_not) {
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *from = trained(i, false, ROWS), *into = trained(i, false, ROWS / 2);
        if (!(from->learner->info.flags & SLUICE_LEARNER_MERGES) || kinds[i].final ||
            (from->matrix && from->learner->merge)) {
            sluice_model_free(from);
            sluice_model_free(into);
            continue;
        }
        sluice_model *want = sluice_model_copy(into, NULL);
        CHECK_EQ(sluice_model_merge(want, from), SLUICE_OK);
        for (long n = 1;; n++) {
            sluice_model *m = sluice_model_copy(into, NULL);
            fail_allocation(n);
            const sluice_status status = sluice_model_merge(m, from);
            const bool failed = allocation_failed();
            if (status == SLUICE_OK)
                CHECK(same_bytes(m, want));
            else
                CHECK(failed && status == SLUICE_E_MEMORY);
            sluice_model_free(m);
            if (!failed) break;
        }
        sluice_model_free(from);
        sluice_model_free(into);
        sluice_model_free(want);
    }
}

int main(void) {
    RUN(learning_goes_on_where_it_stopped_or_not_at_all);
    RUN(bytes_and_models_are_whole_or_none);
    RUN(a_model_of_two_classes_becomes_one_of_several_or_none);
    RUN(copies_answers_and_weights_are_whole_or_none);
    RUN(merging_adds_all_or_says_that_it_did_not);
    return DONE;
}
