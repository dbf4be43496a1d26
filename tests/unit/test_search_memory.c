/* Searches and selections when memory runs out: the whole of it fails, or nothing differs. */
#include "unit/failing_alloc.h"
#include "unit/held_rows.h"

#include <math.h>

/* What a search found, as text. */
static void describe(const sluice_search *s, char *text, size_t room) {
    *text = 0;
    for (size_t i = 0; i < sluice_search_points(s); i++) {
        const sluice_point *p = sluice_search_point(s, i);
        size_t n = strlen(text);
        snprintf(text + n, room - n, "%s %s %.17g %.17g %.17g %s\n", p->learner->name, p->params[p->n_params - 1],
                 p->mean, p->nonzeros, p->sparsity, p->failure ? p->failure : "");
    }
}

static sluice_search *search_of(const char *const *learners, const char *param, const char *values, sluice_error *err) {
    sluice_search_options o = {.size = sizeof o};
    sluice_search *s = sluice_search_new(&o, err);
    sluice_status status = s ? SLUICE_OK : err->status;
    for (; status == SLUICE_OK && *learners; learners++) {
        status = sluice_search_add_learner(s, *learners, NULL, 0, err);
        if (status == SLUICE_OK) status = sluice_search_add_grid(s, *learners, param, values, err);
    }
    if (status == SLUICE_OK) status = sluice_search_make_points(s, err);
    if (status == SLUICE_OK) return s;
    sluice_search_free(s);
    return NULL;
}

typedef sluice_status search_function(char *text, size_t room, sluice_error *err);

/* Each allocation of the search fails in turn. */
static void check_whole_or_failed(search_function *search) {
    enum { ROOM = 4096 };
    char wanted[ROOM], got[ROOM];
    sluice_error err = {0};
    CHECK_EQ(search(wanted, ROOM, &err), SLUICE_OK);
    FOR_EACH_FAILED_ALLOCATION {
        sluice_status status = search(got, ROOM, &err);
        if (status == SLUICE_OK)
            CHECK_STR(got, wanted);
        else
            CHECK_EQ(status, SLUICE_E_MEMORY);
    }
    CHECK(allocations_failed > 50);
}

static sluice_status tune(const char *const *learners, const char *param, const char *values, char *text, size_t room,
                          sluice_error *err) {
    long failing = atomic_exchange(&allocation_countdown, 0);
    sluice_dataset *d = hold_rows(40, 3, 0);
    sluice_folds *folds = sluice_folds_new(d, 2, 1, NULL);
    sluice_tune_options how = {.size = sizeof how, .threads = 1};
    atomic_store(&allocation_countdown, failing);
    sluice_search *s = search_of(learners, param, values, err);
    sluice_status status = s ? sluice_search_tune(s, folds, &how, err) : err->status;
    atomic_store(&allocation_countdown, 0);
    if (status == SLUICE_OK) describe(s, text, room);
    sluice_search_free(s);
    sluice_folds_free(folds);
    sluice_dataset_free(d);
    return status;
}

static sluice_status tune_one_by_one(char *text, size_t room, sluice_error *err) {
    static const char *const learners[] = {"ssol", "olsf", NULL};
    return tune(learners, "lambda", "1,4", text, room, err);
}

static sluice_status tune_side_by_side(char *text, size_t room, sluice_error *err) {
    static const char *const learners[] = {"ssol", "fobos", NULL};
    return tune(learners, "lambda", "0.1,0.5,1,2,4", text, room, err);
}

static sluice_status sweep(const char *learner, const char *param, const char *values, char *text, size_t room,
                           sluice_error *err) {
    const char *const learners[] = {learner, NULL};
    long failing = atomic_exchange(&allocation_countdown, 0);
    sluice_dataset *d = hold_rows(40, 3, 0), *other = hold_rows(20, 4, 0);
    sluice_batch *test = sluice_dataset_batch(other, 0, SIZE_MAX, NULL);
    sluice_sweep_options how = {.size = sizeof how, .threads = 1, .test = test, .repeats = 2, .seed = 1};
    atomic_store(&allocation_countdown, failing);
    sluice_search *s = search_of(learners, param, values, err);
    sluice_status status = s ? sluice_search_sweep(s, d, &how, err) : err->status;
    atomic_store(&allocation_countdown, 0);
    if (status == SLUICE_OK) describe(s, text, room);
    sluice_search_free(s);
    sluice_batch_free(test);
    sluice_dataset_free(other);
    sluice_dataset_free(d);
    return status;
}

static sluice_status sweep_lanes(char *text, size_t room, sluice_error *err) {
    return sweep("ssol", "lambda", "0.1,1,10", text, room, err);
}

static sluice_status sweep_models(char *text, size_t room, sluice_error *err) {
    return sweep("olsf", "B", "0.3,1", text, room, err);
}

static sluice_status select_features(char *text, size_t room, sluice_error *err) {
    long failing = atomic_exchange(&allocation_countdown, 0);
    sluice_dataset *d = hold_rows(40, 3, 0);
    sluice_batch *learned = NULL, *tested = NULL;
    CHECK_EQ(sluice_dataset_hold_out(d, 3, &learned, &tested, NULL), SLUICE_OK);
    static const uint64_t budgets[] = {2, 4};
    sluice_select_options how = {
        .size = sizeof how, .learner = "arow", .budgets = budgets, .n_budgets = 2, .threads = 1, .passes = 1};
    atomic_store(&allocation_countdown, failing);
    sluice_selection *s = sluice_select(learned, tested, &how, err);
    atomic_store(&allocation_countdown, 0);
    *text = 0;
    for (size_t i = 0; s && i < sluice_selection_count(s); i++) {
        const sluice_budget *b = sluice_selection_budget(s, i);
        for (size_t k = 0; k < b->n; k++) {
            size_t n = strlen(text);
            snprintf(text + n, room - n, "%d %.9g %.17g\n", (int)b->chosen[k].id, (double)b->scores[k],
                     b->test->error_rate);
        }
    }
    sluice_status status = s ? SLUICE_OK : err->status;
    sluice_selection_free(s);
    sluice_batch_free(learned);
    sluice_batch_free(tested);
    sluice_dataset_free(d);
    return status;
}

TEST(no_memory_is_a_failure_of_the_search_and_not_of_a_point) {
    check_whole_or_failed(tune_one_by_one);
    check_whole_or_failed(tune_side_by_side);
    check_whole_or_failed(sweep_lanes);
    check_whole_or_failed(sweep_models);
}

TEST(no_memory_is_a_failure_of_the_selection) { check_whole_or_failed(select_features); }

int main(void) {
    RUN(no_memory_is_a_failure_of_the_search_and_not_of_a_point);
    RUN(no_memory_is_a_failure_of_the_selection);
    return DONE;
}
