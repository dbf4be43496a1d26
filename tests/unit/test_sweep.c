/* Sweeps: every configuration becomes the model that it would have become alone. */
#include <math.h>
#include <stdarg.h>

#include "base/cpu.h"
#include "learner/learner.h"
#include "model/model.h"
#include "unit/every_learner.h"
#include "unit/test.h"

enum { ROWS = 300, MOST = 40 };

static uint64_t state;
static double uniform(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

/* Rows that can be learned, with empty ones, zeros, large ids or, as VW text, names and weights (of 1 and `light`). */
static char *make_text(bool names, double light) {
    char *text = malloc(ROWS * 400), *t = text;
    state = 7;
    for (size_t i = 0; i < ROWS; i++) {
        double margin = 0;
        char features[400], *f = features;
        size_t id = 0;
        *f = 0;
        for (size_t n = i % 50 == 3 ? 0 : 3 + (size_t)(uniform() * 8); n; n--) {
            id += 1 + (size_t)(uniform() * 30);
            double value = floor((uniform() * 3 - 1) * 64) / 64;
            margin += value * (id % 3 == 0 ? 1 : id % 3 == 1 ? -1 : 0.2);
            f += sprintf(f, names ? " w%zu:%g" : " %zu:%g", id % 5 == 4 && !names ? id + ((size_t)1 << 40) : id, value);
        }
        const char *label = margin > 0 ? "1" : "-1";
        t += names ? sprintf(t, "%s %g |%s\n", label, i % 7 ? 1 : light, features)
                   : sprintf(t, "%s%s\n", label, features);
    }
    return text;
}

/* Parameters of configuration i: those of the trial, with some multiplied, or with lambda alone. */
typedef struct configuration {
    char text[SL_MAX_PARAMS][64];
    const char *given[SL_MAX_PARAMS];
    size_t n;
} configuration;

static void vary(const sl_learner *learner, size_t i, bool lambda_alone, configuration *c) {
    static const char *const varied[] = {"lambda", "l1",       "eta",        "alpha",  "r",
                                         "delta",  "C",        "features",   "phi",    "b",
                                         "a",      "cost_pos", "margin_pos", "forget", "invariant"};
    *c = (configuration){.n = 0};
    for (size_t k = 0; learner->trial[k]; k++, c->n++) {
        snprintf(c->text[k], sizeof c->text[k], "%s", learner->trial[k]);
        for (size_t v = 0; v < (lambda_alone ? 2 : SL_COUNT(varied)); v++) {
            size_t n = strlen(varied[v]);
            if (strncmp(c->text[k], varied[v], n) != 0 || c->text[k][n] != '=') continue;
            double value = atof(c->text[k] + n + 1) * (v < 2 ? (double)(i + 1) / 4 : 1 + (double)(i % 3) / 4);
            if (v == 7) value = floor(value);
            if (v == 14) value = (double)(i % 2);
            if (v == 13) value = i % 3 ? 1 - (double)i * 0x1p-10 : 1; /* those that forget with one that does not */
            snprintf(c->text[k], sizeof c->text[k], "%s=%.9g", varied[v], value);
        }
        c->given[k] = c->text[k];
    }
}

static bool same_bytes(sluice_model *a, sluice_model *b) {
    void *x, *y;
    size_t nx, ny;
    if (sluice_model_bytes(a, &x, &nx, NULL) != SLUICE_OK) return false;
    if (sluice_model_bytes(b, &y, &ny, NULL) != SLUICE_OK) return sluice_free(x), false;
    bool same = nx == ny && memcmp(x, y, nx) == 0;
    sluice_free(x);
    sluice_free(y);
    return same;
}

/* One thread: sixteen side by side and the three that are left; three threads: eight, eight and three. */
static void compare(const sl_learner *learner, bool names, const sluice_settings *settings, unsigned threads,
                    bool lambda_alone) {
    configuration all[MOST];
    const char *const *params[MOST];
    size_t n_params[MOST], n = 19; /* more than a line takes, and not twice as many */
    sluice_model *alone[MOST];
    sluice_error err = {0};
    for (size_t i = 0; i < n; i++) {
        vary(learner, i, lambda_alone, &all[i]);
        params[i] = all[i].given;
        n_params[i] = all[i].n;
        alone[i] = sluice_model_new(learner->info.name, params[i], n_params[i], settings, &err);
        if (!alone[i]) fprintf(stderr, "%s: %s\n", learner->info.name, err.message);
        CHECK(alone[i]);
    }
    sluice_sweep *sweep = sluice_sweep_new(learner->info.name, params, n_params, n, settings, threads, &err);
    CHECK(sweep);
    char *text = make_text(names, learner->only_weights_0_1 ? 0 : 0.5);
    sluice_reader_options how = {.size = sizeof how, .format = names ? "vw" : "libsvm", .threads = 1};
    for (int pass = 0; pass < 2; pass++) { /* in the second none of the features is new */
        sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
        const sluice_batch *batch;
        while (sluice_reader_next(r, &batch) == SLUICE_OK) {
            CHECK_EQ(sluice_sweep_learn_batch(sweep, batch), SLUICE_OK);
            for (size_t i = 0; i < n; i++) CHECK_EQ(sluice_model_learn_batch(alone[i], batch, NULL), SLUICE_OK);
        }
        sluice_reader_close(r);
    }
    CHECK_EQ(sluice_sweep_end_run(sweep), SLUICE_OK);
    sluice_model *finals[MOST]; /* in two goes, neither of which ends where a part does */
    CHECK_EQ(sluice_sweep_finals(sweep, 0, 5, finals, &err), SLUICE_OK);
    CHECK_EQ(sluice_sweep_finals(sweep, 5, n - 5, finals + 5, &err), SLUICE_OK);
    sluice_model_facts facts[MOST] = {{.size = sizeof *facts}};
    CHECK_EQ(sluice_sweep_describe(sweep, 0, n, facts, &err), SLUICE_OK);
    for (size_t i = 0; i < n; i++) {
        CHECK_EQ(sluice_model_end_run(alone[i]), SLUICE_OK);
        sluice_model *m = sluice_sweep_model(sweep, i, &err);
        CHECK(m);
        bool same = same_bytes(m, alone[i]);
        if (!same) fprintf(stderr, "%s, configuration %zu\n", learner->info.name, i);
        CHECK(same);
        sluice_model *expected = sluice_model_final(m, &err);
        CHECK(same_bytes(finals[i], expected));
        sluice_model_facts one = {.size = sizeof one};
        sluice_model_describe(expected, &one);
        CHECK_EQ(facts[i].nonzeros, one.nonzeros);
        CHECK_EQ(facts[i].features_seen, one.features_seen);
        CHECK_EQ(facts[i].examples, one.examples);
        CHECK_EQ(facts[i].mistakes, one.mistakes);
        CHECK_EQ(facts[i].updates, one.updates);
        CHECK_EQ(facts[i].is_final, one.is_final);
        CHECK_EQ(facts[i].calibration, one.calibration);
        sluice_model_free(finals[i]);
        sluice_model_free(expected);
        sluice_model_free(m);
        sluice_model_free(alone[i]);
    }
    CHECK(!sluice_sweep_model(sweep, n, &err));
    CHECK_EQ(sluice_sweep_finals(sweep, n, 1, finals, &err), SLUICE_E_USAGE);
    sluice_sweep_free(sweep);
    free(text);
}

/* The kernel sets that this processor runs, one after the other. */
static const char *const sets[] = {"portable", "avx2", "avx512", NULL};

static bool use_set(const char *name) {
    setenv("SLUICE_CPU", name, 1);
    return strcmp(sl_cpu_name(sl_cpu_kernels()), name) == 0;
}

static bool has_lanes(const sl_learner *learner) { return sl_learner_lanes(learner) != NULL; }

TEST(every_configuration_is_the_model_it_would_be_alone) {
    unsetenv("SLUICE_CPU");
    for (size_t i = 0; every_learner(i); i++)
        if (!(every_learner(i)->info.flags & SLUICE_LEARNER_TUNES)) compare(every_learner(i), false, NULL, 1, false);
}

TEST(with_names_weights_and_settings_too_in_every_kernel_set) {
    sluice_settings settings = {.size = sizeof settings,
                                .bias = 0.5,
                                .normalize = SLUICE_NORMALIZE_L2,
                                .transform = SLUICE_TRANSFORM_LOG1P},
                    scaled = {.size = sizeof scaled,
                              .bias = 0.5,
                              .normalize = SLUICE_NORMALIZE_L2,
                              .scale = SLUICE_SCALE_RUNNING};
    for (const char *const *set = sets; *set; set++)
        for (size_t i = 0; use_set(*set) && every_learner(i); i++)
            if (has_lanes(every_learner(i))) {
                compare(every_learner(i), true, NULL, 1, false);
                compare(every_learner(i), true, &settings, 3, false);
                compare(every_learner(i), false, &scaled, 1, false);
            }
    unsetenv("SLUICE_CPU");
}

TEST(at_any_number_of_threads_and_where_one_parameter_alone_differs) {
    for (const char *const *set = sets; *set; set++)
        for (size_t i = 0; use_set(*set) && every_learner(i); i++)
            if (has_lanes(every_learner(i))) compare(every_learner(i), false, NULL, 3, true);
    unsetenv("SLUICE_CPU");
    compare(sl_learner_find("ssol"), false, NULL, 1, true); /* its lanes share a where r is the same */
}

TEST(every_diagonal_learner_has_lanes) {
    static const char *const names[] = {"ssol",  "fsol",      "cs-ssol", "cs-fsol", "rda",  "ada-rda",
                                        "fobos", "ada-fobos", "stg",     "ftrl",    "pa",   "perceptron",
                                        "pa-1",  "pa-2",      "cs-ogd",  "cpa",     "paum", "arow",
                                        "narow", "cw",        "scw-1",   "scw-2",   "sop",  "olsf-all"};
    for (size_t i = 0; i < SL_COUNT(names); i++) CHECK(has_lanes(sl_learner_find(names[i])));
}

static const char *const wild = "eta=1e12", *const tame = "eta=1e-12";

/* Rows whose values are near the end of what a float can hold; learners that survive eta = 1 do not survive 1e12. */
static sluice_sweep *learn_large_values(const char *learner, sluice_model *alone) {
    const char *const *params[] = {&tame, &wild, &tame};
    size_t n_params[] = {1, 1, 1};
    sluice_error err = {0};
    sluice_sweep *sweep = sluice_sweep_new(learner, params, n_params, 3, NULL, 1, &err);
    char text[8000] = "", *t = text;
    for (int i = 0; i < 60; i++) t += sprintf(t, "%d 1:3e37 %d:3e38 4:3e38\n", i % 2 ? 1 : -1, 5 + i);
    sluice_reader_options how = {.size = sizeof how, .format = "libsvm", .threads = 1};
    sluice_reader *r = sluice_reader_open_memory(text, strlen(text), "rows", &how, &err);
    const sluice_batch *batch;
    while (sluice_reader_next(r, &batch) == SLUICE_OK) {
        CHECK_EQ(sluice_sweep_learn_batch(sweep, batch), SLUICE_OK);
        CHECK_EQ(sluice_model_learn_batch(alone, batch, NULL), SLUICE_OK);
    }
    sluice_reader_close(r);
    CHECK_EQ(sluice_sweep_end_run(sweep), SLUICE_OK);
    return sweep;
}

/* Side by side, where the margin is lost (fsol) or only a weight (rda), and one by one (cs-ogd). */
TEST(a_configuration_that_breaks_leaves_the_others_alone) {
    static const char *const learners[] = {"fsol", "rda", "cs-ogd"};
    for (size_t i = 0; i < SL_COUNT(learners); i++) {
        sluice_error err = {0};
        sluice_model *alone = sluice_model_new(learners[i], &tame, 1, NULL, NULL), *finals[3], *m;
        sluice_sweep *sweep = learn_large_values(learners[i], alone);
        sluice_model *final = sluice_model_final(alone, &err);
        CHECK_EQ(sluice_sweep_finals(sweep, 0, 3, finals, NULL), SLUICE_OK);
        CHECK(!finals[1]);
        sluice_model_facts facts[3] = {{.size = sizeof *facts}};
        CHECK_EQ(sluice_sweep_describe(sweep, 0, 3, facts, NULL), SLUICE_OK);
        CHECK(facts[0].learner && !facts[1].learner && facts[2].learner);
        for (size_t k = 0; k < 3; k += 2) {
            CHECK((m = sluice_sweep_model(sweep, k, &err)));
            CHECK(same_bytes(m, alone));
            CHECK(finals[k] && same_bytes(finals[k], final));
            sluice_model_free(m);
            sluice_model_free(finals[k]);
        }
        if (i == 0) {
            CHECK(!sluice_sweep_model(sweep, 1, &err));
            CHECK_EQ(err.status, SLUICE_E_NUMERIC);
        }
        sluice_model_free(final);
        sluice_model_free(alone);
        sluice_sweep_free(sweep);
    }
}

TEST(a_sweep_without_parameters_has_the_defaults) {
    sluice_error err = {0};
    sluice_sweep *sweep = sluice_sweep_new("ssol", NULL, NULL, 2, NULL, 1, &err);
    sluice_model *m = sluice_sweep_model(sweep, 1, &err), *alone = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    CHECK(same_bytes(m, alone));
    sluice_model_free(m);
    sluice_model_free(alone);
    sluice_sweep_free(sweep);
}

TEST(parameters_pass_the_gate) {
    const char *fine = "eta=1", *wrong = "eta=minus";
    const char *const *params[] = {&fine, &wrong};
    size_t n_params[] = {1, 1};
    sluice_error err = {0};
    CHECK(!sluice_sweep_new("ssol", params, n_params, 2, NULL, 1, &err));
    CHECK_HAS(err.message, "eta");
    CHECK(!sluice_sweep_new("sssol", params, n_params, 1, NULL, 1, &err));
    CHECK(!sluice_sweep_new("ssol", params, n_params, 0, NULL, 1, &err));
}

int main(void) {
    RUN(every_configuration_is_the_model_it_would_be_alone);
    RUN(with_names_weights_and_settings_too_in_every_kernel_set);
    RUN(at_any_number_of_threads_and_where_one_parameter_alone_differs);
    RUN(every_diagonal_learner_has_lanes);
    RUN(a_configuration_that_breaks_leaves_the_others_alone);
    RUN(a_sweep_without_parameters_has_the_defaults);
    RUN(parameters_pass_the_gate);
    return DONE;
}
