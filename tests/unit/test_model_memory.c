/* Saving, loading and parsing a model when memory runs out at any point: an error, no crash, no leak, nothing changed.
 */
#include <unistd.h>

#include "sluice.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

enum { ROWS = 40 };

/* A model with every kind of state that its learner has, and an unfinished batch where it takes batches. */
static sluice_model *trained(const char *learner, const char *const *params, size_t n_params, int names,
                             uint64_t max_features) {
    sluice_settings settings = {.size = sizeof settings, .bias = 1, .max_features = max_features};
    sluice_model *m = sluice_model_new(learner, params, n_params, &settings, NULL);
    for (int t = 0; m && t < ROWS; t++) {
        char text[2][24];
        snprintf(text[0], sizeof text[0], "word %d", t % 7);
        snprintf(text[1], sizeof text[1], "long-word-%d", t);
        sluice_name name[] = {{text[0], strlen(text[0])}, {text[1], strlen(text[1])}};
        uint64_t ids[] = {(uint64_t)t % 7, 5000000000u + (uint64_t)t};
        float values[] = {1, t % 3 ? -0.5f : 0.25f};
        sluice_example x = {names ? NULL : ids, values, 2, t % 2 ? 1 : -1, 1, names ? name : NULL};
        CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    }
    CHECK(m != NULL);
    CHECK_EQ(sluice_model_set_metadata(m, "note", "some bytes", 10), SLUICE_OK);
    CHECK_EQ(sluice_model_set_metadata(m, "zero", "", 0), SLUICE_OK);
    return m;
}

static const struct {
    const char *learner, *param;
    int names;
    uint64_t max_features;
} kinds[] = {{"pa-1", NULL, 0, 0},
             {"ssol-full", NULL, 0, 0},
             {"olsf", NULL, 1, 0},
             {"fgm", "batch=7", 0, 0},
             {"ada-rda", NULL, 1, 25}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static sluice_model *kind(size_t i) {
    return trained(kinds[i].learner, &kinds[i].param, kinds[i].param != NULL, kinds[i].names, kinds[i].max_features);
}

TEST(bytes_of_a_model_or_an_error) {
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *m = kind(i);
        void *want, *bytes;
        size_t want_n, n;
        CHECK_EQ(sluice_model_bytes(m, &want, &want_n, NULL), SLUICE_OK);
        FOR_EACH_FAILED_ALLOCATION {
            sluice_status status = sluice_model_bytes(m, &bytes, &n, NULL);
            if (allocation_failed()) {
                CHECK_EQ(status, SLUICE_E_MEMORY);
                CHECK(bytes == NULL && n == 0);
            } else {
                CHECK_EQ(status, SLUICE_OK);
                CHECK(n == want_n && memcmp(bytes, want, n) == 0);
            }
            sluice_free(bytes);
        }
        CHECK(allocations_failed >= 2);
        sluice_free(want);
        sluice_model_free(m);
    }
}

TEST(a_parsed_model_or_an_error) {
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *m = kind(i);
        void *bytes, *again;
        size_t n, again_n;
        CHECK_EQ(sluice_model_bytes(m, &bytes, &n, NULL), SLUICE_OK);
        FOR_EACH_FAILED_ALLOCATION {
            sluice_error err = {0};
            sluice_model *back = sluice_model_parse(bytes, n, &err);
            if (allocation_failed() && !back) {
                CHECK_EQ(err.status, SLUICE_E_MEMORY);
            } else { /* some allocations are not needed: wider direct slots, for instance */
                CHECK(back != NULL);
                CHECK_EQ(sluice_model_bytes(back, &again, &again_n, NULL), SLUICE_OK);
                CHECK(again_n == n && memcmp(again, bytes, n) == 0);
                sluice_free(again);
            }
            sluice_model_free(back);
        }
        CHECK(allocations_failed >= 3);
        fail_allocation(1);
        CHECK(!sluice_model_parse(bytes, n, NULL)); /* an error that nobody asked for */
        CHECK(allocation_failed());
        sluice_free(bytes);
        sluice_model_free(m);
    }
}

TEST(a_saved_file_or_the_old_one) {
    char path[] = "/tmp/sluice-memory-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < KINDS; i++) {
        sluice_model *old = trained("perceptron", NULL, 0, 0, 0), *m = kind(i);
        FOR_EACH_FAILED_ALLOCATION {
            fail_allocation(0);
            CHECK_EQ(sluice_model_save(old, path, NULL), SLUICE_OK);
            fail_allocation(failing_n);
            sluice_status status = sluice_model_save(m, path, NULL);
            bool failed = allocation_failed();
            CHECK(status == SLUICE_OK || (failed && status == SLUICE_E_MEMORY));
            sluice_model *back = sluice_model_load(path, NULL);
            sluice_model_facts facts = {.size = sizeof facts};
            CHECK(back != NULL);
            if (back) sluice_model_describe(back, &facts);
            CHECK_STR(back ? facts.learner->name : "", status == SLUICE_OK ? kinds[i].learner : "perceptron");
            sluice_model_free(back);
        }
        CHECK(allocations_failed >= 4);
        sluice_model_free(old);
        sluice_model_free(m);
    }
    unlink(path);
}

int main(void) {
    RUN(bytes_of_a_model_or_an_error);
    RUN(a_parsed_model_or_an_error);
    RUN(a_saved_file_or_the_old_one);
    return DONE;
}
