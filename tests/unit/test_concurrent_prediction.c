/* One const model, many threads: every call that the header lets run at once gives what it gives alone. Run under the
 * thread sanitizer it also shows that nothing is written. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>

#include "sluice.h"
#include "unit/test.h"

enum { THREADS = 6, ROWS = 200, MOST = 12 };

typedef struct made {
    uint64_t ids[MOST];
    char text[MOST][24];
    sluice_name names[MOST];
    float values[MOST];
    size_t n;
    double label;
} made;

static made rows[ROWS];

static uint64_t state = 5;
static uint64_t draw(uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
}

static void make_rows(void) {
    for (size_t t = 0; t < ROWS; t++) {
        made *r = &rows[t];
        double margin = 0;
        uint64_t id = draw(10);
        for (r->n = 0; r->n < 1 + t % MOST; r->n++, id += 1 + draw(10)) {
            r->ids[r->n] = id % 4 ? id : id + ((uint64_t)1 << 41); /* direct slots and the table */
            r->values[r->n] = (float)((double)draw(64) / 16 - 2.03);
            margin += (double)r->values[r->n] * (id % 3 ? 1 : -1);
            snprintf(r->text[r->n], sizeof r->text[r->n], "name %d", (int)id);
            r->names[r->n] = (sluice_name){r->text[r->n], strlen(r->text[r->n])};
        }
        r->label = margin > 0 ? 1 : -1;
    }
}

static sluice_example example(size_t t, bool names) {
    const made *r = &rows[t];
    return (sluice_example){names ? NULL : r->ids, r->values, r->n, r->label, 1, names ? r->names : NULL};
}

/* What one thread asks for, and what it got. */
typedef struct asked {
    const sluice_model *model;
    const sluice_batch *batch;
    bool names;
    pthread_t thread;
    double one_by_one[ROWS], together[ROWS], probability[ROWS];
    uint64_t nonzeros;
    size_t weights;
    double weight_sum, copy_margin, final_margin;
    int failures;
} asked;

static void *ask(void *memory) {
    asked *a = memory;
    sluice_error err = {0};
    for (size_t t = 0; t < ROWS; t++) {
        sluice_example x = example(t, a->names);
        a->failures += sluice_model_margin(a->model, &x, &a->one_by_one[t], &err) != SLUICE_OK;
        a->probability[t] = sluice_model_probability(a->model, a->one_by_one[t]);
    }
    a->failures += sluice_model_margins(a->model, a->batch, a->together, &err) != SLUICE_OK;
    sluice_model_facts f = {.size = sizeof f};
    sluice_model_describe(a->model, &f);
    a->nonzeros = f.nonzeros;
    sluice_weight *w = NULL, newest[8];
    size_t n = 8;
    a->failures += sluice_model_weights(a->model, &w, &a->weights, &err) != SLUICE_OK;
    for (size_t k = 0; k < a->weights; k++) a->weight_sum += (double)w[k].weight;
    sluice_free(w);
    a->failures += sluice_model_newest(a->model, newest, &n, &err) != SLUICE_OK;
    sluice_model *copy = sluice_model_copy(a->model, &err), *final = sluice_model_final(a->model, &err);
    sluice_example x = example(3, a->names);
    if (copy) sluice_model_learn(copy, &x, NULL); /* a copy is another object: it may learn meanwhile */
    a->failures += !copy || sluice_model_margin(copy, &x, &a->copy_margin, &err) != SLUICE_OK;
    a->failures += !final || sluice_model_margin(final, &x, &a->final_margin, &err) != SLUICE_OK;
    sluice_model_free(copy);
    sluice_model_free(final);
    return NULL;
}

static bool same_numbers(const double *a, const double *b, size_t n) { return memcmp(a, b, n * sizeof *a) == 0; }

static void check_model(const sluice_model *m, const sluice_batch *b, bool names) {
    static asked alone, all[THREADS];
    alone = (asked){.model = m, .batch = b, .names = names};
    ask(&alone);
    CHECK_EQ(alone.failures, 0);
    for (size_t i = 0; i < THREADS; i++) {
        all[i] = (asked){.model = m, .batch = b, .names = names};
        CHECK_EQ(pthread_create(&all[i].thread, NULL, ask, &all[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        CHECK_EQ(all[i].failures, 0);
        CHECK(same_numbers(all[i].one_by_one, alone.one_by_one, ROWS));
        CHECK(same_numbers(all[i].together, alone.together, ROWS));
        CHECK(same_numbers(all[i].probability, alone.probability, ROWS));
        CHECK(all[i].nonzeros == alone.nonzeros && all[i].weights == alone.weights);
        CHECK(all[i].weight_sum == alone.weight_sum);
        CHECK(all[i].copy_margin == alone.copy_margin && all[i].final_margin == alone.final_margin);
    }
}

TEST(every_learner_predicts_in_many_threads_what_it_predicts_in_one) {
    const sluice_settings settings[] = {
        {.size = sizeof *settings},
        {.size = sizeof *settings, .bias = 1, .normalize = SLUICE_NORMALIZE_L2},
        {.size = sizeof *settings, .hash_bits = 6},
        {.size = sizeof *settings, .scale = SLUICE_SCALE_RUNNING, .transform = SLUICE_TRANSFORM_LOG1P}};
    const sluice_learner_info *l;
    for (size_t i = 0; (l = sluice_learner_at(i)); i++) {
        bool names = i % 2;
        sluice_model *m = sluice_model_new(l->name, NULL, 0, &settings[i % 4], NULL);
        sluice_batch *b = sluice_batch_new(NULL);
        for (size_t t = 0; t < ROWS; t++) {
            sluice_example x = example(t, names);
            CHECK_EQ(sluice_batch_add(b, &x, NULL), SLUICE_OK);
        }
        CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_end_run(m), SLUICE_OK);
        sluice_model *final = sluice_model_final(m, NULL);
        check_model(m, b, names);
        check_model(final, b, names);
        sluice_model_free(m);
        sluice_model_free(final);
        sluice_batch_free(b);
    }
}

/* Batch learners use OpenBLAS, which is one for the process: two models that learn at once do not disturb it. */
static void *learn_batches(void *memory) {
    sluice_model *m = memory;
    for (size_t t = 0; t < ROWS; t++) {
        sluice_example x = example(t, false);
        if (sluice_model_learn(m, &x, NULL) != SLUICE_OK) return NULL;
    }
    return m;
}

TEST(models_of_their_own_learn_at_once) {
    static const char *const learners[] = {"bcw", "ssol", "sbcw", "olsf", "bcw", "ssol-full"};
    sluice_model *alone[THREADS], *at_once[THREADS];
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        alone[i] = sluice_model_new(learners[i], NULL, 0, NULL, NULL);
        at_once[i] = sluice_model_new(learners[i], NULL, 0, NULL, NULL);
        CHECK(learn_batches(alone[i]) != NULL);
    }
    for (size_t i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&threads[i], NULL, learn_batches, at_once[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *done, *x, *y;
        size_t nx, ny;
        pthread_join(threads[i], &done);
        CHECK(done != NULL);
        CHECK_EQ(sluice_model_bytes(alone[i], &x, &nx, NULL), SLUICE_OK);
        CHECK_EQ(sluice_model_bytes(at_once[i], &y, &ny, NULL), SLUICE_OK);
        CHECK(nx == ny && memcmp(x, y, nx) == 0);
        sluice_free(x);
        sluice_free(y);
        sluice_model_free(alone[i]);
        sluice_model_free(at_once[i]);
    }
}

int main(void) {
    make_rows();
    RUN(every_learner_predicts_in_many_threads_what_it_predicts_in_one);
    RUN(models_of_their_own_learn_at_once);
    return DONE;
}
