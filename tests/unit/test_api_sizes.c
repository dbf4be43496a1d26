/* Structs that begin with their size, as programs built with older and newer headers pass them. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

/* A struct of exactly `size` bytes on the heap, so that a sanitizer sees every byte read or written beyond it. */
static void *sized(const void *from, size_t known, size_t size) {
    char *s = malloc(size > sizeof size ? size : sizeof size);
    memset(s, 0, size > sizeof size ? size : sizeof size);
    memcpy(s, from, known < size ? known : size);
    memcpy(s, &size, sizeof size);
    return s;
}

static const size_t less = 160, more = 64;

static size_t smallest(size_t known) { return known > less + sizeof(size_t) ? known - less : sizeof(size_t); }

/* Calls `use` with a struct of every size that a program may have; larger ones are zero behind what is known. */
static void each_size(const void *from, size_t known, void (*use)(void *s, size_t size)) {
    for (size_t size = smallest(known); size <= known + more; size += 8) {
        void *s = sized(from, known, size);
        use(s, size);
        size_t kept;
        memcpy(&kept, s, sizeof kept);
        CHECK_EQ(kept, size);
        free(s);
    }
}

static sluice_model *model(void) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, NULL, NULL);
    sluice_example x = {.ids = (uint64_t[]){3}, .values = (float[]){1}, .n = 1, .label = 1, .weight = 1};
    CHECK_EQ(sluice_model_learn(m, &x, NULL), SLUICE_OK);
    return m;
}

static void use_settings(void *s, size_t size) {
    sluice_model *m = sluice_model_new("pa", NULL, 0, s, NULL);
    CHECK(m != NULL);
    CHECK_EQ(sluice_model_settings(m)->bias, size >= 16 ? 2 : 0);
    CHECK_EQ(sluice_model_settings(m)->size, sizeof(sluice_settings));
    sluice_model_free(m);
    sluice_sweep *w = sluice_sweep_new("pa", NULL, NULL, 2, s, 1, NULL);
    CHECK(w != NULL);
    sluice_sweep_free(w);
}

static void use_reader_options(void *s, size_t size) {
    (void)size;
    sluice_reader *r = sluice_reader_open_memory("1 1:1\n", 6, "memory", s, NULL);
    CHECK(r != NULL);
    sluice_reader_close(r);
}

static void use_meter_options(void *s, size_t size) {
    (void)size;
    sluice_meter *m = sluice_meter_new(s, NULL);
    CHECK(m != NULL);
    sluice_meter_free(m);
}

enum { ROWS = 12 };

/* Rows of which feature 1 says the label. */
static sluice_batch *rows(void) {
    sluice_batch *b = sluice_batch_new(NULL);
    for (size_t i = 0; i < ROWS; i++) {
        double label = i % 2 ? 1 : -1;
        float values[] = {(float)label, 1};
        sluice_example x = {.ids = (uint64_t[]){1, 2 + i}, .values = values, .n = 2, .label = label, .weight = 1};
        CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
    }
    return b;
}

static sluice_dataset *held(void) {
    sluice_dataset *d = sluice_dataset_new(NULL);
    sluice_batch *b = rows();
    CHECK_EQ(sluice_dataset_add(d, b, NULL), SLUICE_OK);
    sluice_batch_free(b);
    return d;
}

static sluice_search *search(const sluice_search_options *options) {
    sluice_search *s = sluice_search_new(options, NULL);
    CHECK(s != NULL);
    CHECK_EQ(sluice_search_add_learner(s, "ssol", NULL, 0, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_add_grid(s, "ssol", "lambda", "0.1,1,10", NULL), SLUICE_OK);
    return s;
}

static void use_search_options(void *s, size_t size) {
    sluice_search *made = search(s);
    CHECK_EQ(sluice_search_make_points(made, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_points(made) < 3, size >= offsetof(sluice_search_options, seed)); /* drawn, or all */
    sluice_search_free(made);
}

static void use_tune_options(void *s, size_t size) {
    sluice_search *made = search(NULL), *once = search(NULL);
    sluice_dataset *d = held();
    sluice_folds *folds = sluice_folds_new(d, 2, 1, NULL);
    const sluice_tune_options one_pass = {.size = sizeof one_pass};
    CHECK_EQ(sluice_search_tune(made, folds, s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_tune(once, folds, &one_pass, NULL), SLUICE_OK);
    const bool knows_passes = size >= offsetof(sluice_tune_options, cost_missed);
    const double loss = sluice_search_point(made, 0)->test->hinge_loss;
    CHECK_EQ(loss != sluice_search_point(once, 0)->test->hinge_loss, knows_passes);
    sluice_folds_free(folds);
    sluice_dataset_free(d);
    sluice_search_free(made);
    sluice_search_free(once);
}

static void use_sweep_options(void *s, size_t size) {
    sluice_search *made = search(NULL);
    sluice_dataset *d = held();
    CHECK_EQ(sluice_search_sweep(made, d, s, NULL), SLUICE_OK);
    CHECK_EQ(sluice_search_point(made, 0)->n_runs, size >= offsetof(sluice_sweep_options, seed) ? 2 : 1);
    sluice_dataset_free(d);
    sluice_search_free(made);
}

static void use_select_options(void *s, size_t size) {
    sluice_error err = {0};
    sluice_batch *b = rows();
    sluice_selection *made = sluice_select(b, b, s, &err);
    if (size >= offsetof(sluice_select_options, names)) {
        CHECK_EQ(made ? sluice_selection_count(made) : 0, 1);
    } else {
        CHECK(!made);
        CHECK_HAS(err.message, "no budgets");
    }
    sluice_selection_free(made);
    sluice_batch_free(b);
}

static void use_meter_defaults(void *s, size_t size) {
    sluice_model *m = model();
    CHECK_EQ(sluice_meter_defaults(m, s), SLUICE_OK);
    double missed = 0;
    size_t at = offsetof(sluice_meter_options, cost_missed);
    if (size >= at + sizeof missed) memcpy(&missed, (char *)s + at, sizeof missed);
    CHECK_EQ(missed, size >= at + sizeof missed ? 1 : 0);
    if (size > sizeof(sluice_meter_options)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_model_free(m);
}

TEST(options_of_experiments_of_any_size_are_read_as_far_as_they_go) {
    each_size(&(sluice_search_options){.random = 2}, sizeof(sluice_search_options), use_search_options);
    each_size(&(sluice_tune_options){.threads = 1, .passes = 3}, sizeof(sluice_tune_options), use_tune_options);
    each_size(&(sluice_sweep_options){.threads = 1, .repeats = 2}, sizeof(sluice_sweep_options), use_sweep_options);
    each_size(&(sluice_select_options){.budgets = (uint64_t[]){1}, .n_budgets = 1, .threads = 1},
              sizeof(sluice_select_options), use_select_options);
    each_size(&(sluice_meter_options){0}, sizeof(sluice_meter_options), use_meter_defaults);
}

TEST(options_of_any_size_are_read_as_far_as_they_go) {
    each_size(&(sluice_settings){.bias = 2}, sizeof(sluice_settings), use_settings);
    each_size(&(sluice_reader_options){.threads = 1}, sizeof(sluice_reader_options), use_reader_options);
    each_size(&(sluice_meter_options){.mu_pos = 0.25}, sizeof(sluice_meter_options), use_meter_options);
}

static void use_facts(void *s, size_t size) {
    sluice_model *m = model();
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_model_describe(m, s), SLUICE_OK);
    if (size > sizeof(sluice_model_facts)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_model_free(m);
}

/* The first version of sluice_explanation cannot be much smaller: without room there are no terms. */
TEST(explanations_of_any_size_are_filled_as_far_as_they_go) {
    sluice_term terms[2];
    const sluice_explanation why = {.terms = terms, .room = 2, .scale = 7};
    sluice_example x = {.ids = (uint64_t[]){3}, .values = (float[]){2}, .n = 1, .label = 1, .weight = 1};
    for (size_t size = offsetof(sluice_explanation, n); size <= sizeof why + more; size += 8) {
        char *s = sized(&why, sizeof why, size);
        sluice_model *m = model();
        CHECK_EQ(sluice_model_explain(m, &x, (sluice_explanation *)(void *)s, NULL), SLUICE_OK);
        CHECK(terms[0].contribution == 2);
        double scale = 0;
        if (size >= sizeof why) memcpy(&scale, s + offsetof(sluice_explanation, scale), sizeof scale);
        CHECK_EQ(scale, size >= sizeof why);
        sluice_model_free(m);
        free(s);
    }
}

static void use_origin(void *s, size_t size) {
    sluice_batch *b = rows();
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_batch_origin(b, 0, s, NULL), SLUICE_OK);
    if (size > sizeof(sluice_row_origin)) CHECK_EQ(((char *)s)[size - 1], 0);
    CHECK_EQ(sluice_batch_origin(b, ROWS, s, NULL), SLUICE_E_USAGE);
    sluice_batch_free(b);
}

static void use_sweep_facts(void *s, size_t size) {
    sluice_sweep *w = sluice_sweep_new("pa", NULL, NULL, 2, NULL, 1, NULL);
    char *two = calloc(2, size);
    memcpy(two, s, sizeof size);
    CHECK_EQ(sluice_sweep_describe(w, 0, 2, (sluice_model_facts *)(void *)two, NULL), SLUICE_OK);
    size_t second;
    memcpy(&second, two + size, sizeof second);
    CHECK_EQ(second, size);
    free(two);
    sluice_sweep_free(w);
}

static void use_measures(void *s, size_t size) {
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_add(m, 1, 1), SLUICE_OK);
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_meter_read(m, s), SLUICE_OK);
    if (size > sizeof(sluice_measures)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_meter_free(m);
}

static void use_class_measures(void *s, size_t size) {
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_add_class(m, 0, 1, 2, 0.5), SLUICE_OK);
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_meter_class(m, 0, s), SLUICE_OK);
    if (size > sizeof(sluice_class_measures)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_meter_free(m);
}

static void use_chosen(void *s, size_t size) {
    sluice_meter *m = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_add(m, 1, 1), SLUICE_OK);
    CHECK_EQ(sluice_meter_add(m, -1, -1), SLUICE_OK);
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_meter_choose(m, SLUICE_GOAL_F1, 0, s), SLUICE_OK);
    if (size > sizeof(sluice_chosen)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_meter_free(m);
}

static void use_build_facts(void *s, size_t size) {
    memset((char *)s + sizeof size, 0xff, size - sizeof size);
    CHECK_EQ(sluice_build_info(s), SLUICE_OK);
    if (size > sizeof(sluice_build_facts)) CHECK_EQ(((char *)s)[size - 1], 0);
}

static void use_csr_view(void *s, size_t size) {
    sluice_batch *b = sluice_batch_new(NULL);
    CHECK_EQ(sluice_batch_csr(b, s, NULL, NULL), SLUICE_OK);
    if (size > sizeof(sluice_csr)) CHECK_EQ(((char *)s)[size - 1], 0);
    sluice_batch_free(b);
}

/* The first version of sluice_csr cannot be much smaller: without its arrays there are no rows. */
TEST(matrices_of_any_size_are_read_as_far_as_they_go) {
    const sluice_csr csr = {.indptr_type = SLUICE_INT32,
                            .ids_type = SLUICE_INT32,
                            .values_type = SLUICE_FLOAT32,
                            .labels_type = SLUICE_FLOAT64,
                            .rows = 1,
                            .nonzeros = 1,
                            .indptr = (int32_t[]){0, 1},
                            .ids = (int32_t[]){7},
                            .values = (float[]){1},
                            .labels = (double[]){1}};
    for (size_t size = sizeof csr - 8; size <= sizeof csr + more; size += 8) {
        void *s = sized(&csr, sizeof csr, size);
        sluice_model *m = model();
        double margin;
        CHECK_EQ(sluice_model_learn_csr(m, s, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_margins_csr(m, s, &margin, NULL), SLUICE_OK);
        sluice_model_free(m);
        free(s);
    }
}

TEST(results_of_any_size_are_filled_as_far_as_they_go) {
    each_size(&(sluice_build_facts){0}, sizeof(sluice_build_facts), use_build_facts);
    each_size(&(sluice_csr){0}, sizeof(sluice_csr), use_csr_view);
    each_size(&(sluice_model_facts){0}, sizeof(sluice_model_facts), use_facts);
    each_size(&(sluice_model_facts){0}, sizeof(sluice_model_facts), use_sweep_facts);
    each_size(&(sluice_measures){0}, sizeof(sluice_measures), use_measures);
    each_size(&(sluice_class_measures){0}, sizeof(sluice_class_measures), use_class_measures);
    each_size(&(sluice_chosen){0}, sizeof(sluice_chosen), use_chosen);
    each_size(&(sluice_row_origin){0}, sizeof(sluice_row_origin), use_origin);
}

TEST(a_struct_without_its_size_is_wrong_usage) {
    sluice_error err = {0};
    CHECK(!sluice_model_new("pa", NULL, 0, &(sluice_settings){0}, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    CHECK_HAS(err.message, "sluice_settings without its size");
    CHECK(!sluice_sweep_new("pa", NULL, NULL, 2, &(sluice_settings){0}, 1, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    err = (sluice_error){0};
    CHECK(!sluice_reader_open_memory("", 0, "memory", &(sluice_reader_options){0}, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    err = (sluice_error){0};
    CHECK(!sluice_meter_new(&(sluice_meter_options){0}, &err));
    CHECK_EQ(err.status, SLUICE_E_USAGE);
    sluice_model *m = model();
    CHECK_EQ(sluice_model_describe(m, &(sluice_model_facts){0}), SLUICE_E_USAGE);
    sluice_model_free(m);
    sluice_meter *meter = sluice_meter_new(NULL, NULL);
    CHECK_EQ(sluice_meter_read(meter, &(sluice_measures){0}), SLUICE_E_USAGE);
    CHECK_EQ(sluice_meter_error(meter)->status, SLUICE_E_USAGE);
    sluice_meter_free(meter);
    sluice_sweep *w = sluice_sweep_new("pa", NULL, NULL, 2, NULL, 1, NULL);
    CHECK_EQ(sluice_sweep_describe(w, 0, 1, &(sluice_model_facts){0}, NULL), SLUICE_E_USAGE);
    sluice_sweep_free(w);
}

/* Sizes that no struct has: 0, and one that would be read far beyond the struct. */
TEST(options_of_experiments_without_their_size_are_wrong_usage) {
    for (size_t size = 0; size <= 1 << 20; size += 1 << 20) {
        sluice_error err = {0};
        CHECK(!sluice_search_new(&(sluice_search_options){.size = size}, &err));
        CHECK_EQ(err.status, SLUICE_E_USAGE);
        CHECK_HAS(err.message, "write {.size = sizeof s}");
        sluice_search *s = search(NULL);
        sluice_dataset *d = held();
        sluice_folds *folds = sluice_folds_new(d, 2, 1, NULL);
        sluice_batch *b = rows();
        CHECK_EQ(sluice_search_tune(s, folds, &(sluice_tune_options){.size = size}, NULL), SLUICE_E_USAGE);
        CHECK_EQ(sluice_search_sweep(s, d, &(sluice_sweep_options){.size = size}, NULL), SLUICE_E_USAGE);
        CHECK(!sluice_select(b, b, &(sluice_select_options){.size = size}, &err));
        CHECK_EQ(err.status, SLUICE_E_USAGE);
        sluice_model *m = model();
        sluice_meter_options how = {.size = size};
        CHECK_EQ(sluice_meter_defaults(m, &how), SLUICE_E_USAGE);
        CHECK(how.cost_missed == 0);
        CHECK_EQ(sluice_model_describe(m, &(sluice_model_facts){.size = size}), SLUICE_E_USAGE);
        CHECK(!sluice_model_new("pa", NULL, 0, &(sluice_settings){.size = size}, &err));
        CHECK_EQ(err.status, SLUICE_E_USAGE);
        sluice_model_free(m);
        sluice_batch_free(b);
        sluice_folds_free(folds);
        sluice_dataset_free(d);
        sluice_search_free(s);
    }
}

TEST(an_option_that_only_a_newer_version_has_is_refused) {
    sluice_error err = {0};
    size_t size = sizeof(sluice_settings) + 8;
    char *s = sized(&(sluice_settings){0}, sizeof(sluice_settings), size);
    s[size - 1] = 1;
    CHECK(!sluice_model_new("pa", NULL, 0, (sluice_settings *)(void *)s, &err));
    CHECK_EQ(err.status, SLUICE_E_UNSUPPORTED);
    free(s);
}

int main(void) {
    RUN(options_of_experiments_of_any_size_are_read_as_far_as_they_go);
    RUN(options_of_experiments_without_their_size_are_wrong_usage);
    RUN(options_of_any_size_are_read_as_far_as_they_go);
    RUN(matrices_of_any_size_are_read_as_far_as_they_go);
    RUN(explanations_of_any_size_are_filled_as_far_as_they_go);
    RUN(results_of_any_size_are_filled_as_far_as_they_go);
    RUN(a_struct_without_its_size_is_wrong_usage);
    RUN(an_option_that_only_a_newer_version_has_is_refused);
    return DONE;
}
