/* What the header says of threads: one const model predicts in many of them, one const batch is shared by learners. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"
#include "unit/test.h"

enum { THREADS = 4, ROWS = 400, FEATURES = 6 };

static sluice_batch *make_batch(int names) {
    sluice_batch *b = sluice_batch_new(NULL);
    for (size_t i = 0; i < ROWS; i++) {
        uint64_t ids[FEATURES];
        char text[FEATURES][16];
        sluice_name spelled[FEATURES];
        float values[FEATURES];
        for (size_t k = 0; k < FEATURES; k++) {
            ids[k] = (i * 31 + k * 97) % 500 << (k % 2 ? 33 : 0);
            spelled[k] = (sluice_name){text[k], (size_t)snprintf(text[k], sizeof text[k], "w%zu.%zu", k, i % 50)};
            values[k] = (float)(k + 1) / 4;
        }
        sluice_example x = {.ids = names ? NULL : ids, .names = names ? spelled : NULL, .values = values};
        x.n = FEATURES, x.label = i % 3 ? 1 : -1, x.weight = 1;
        sluice_batch_add(b, &x, NULL); /* a few rows have an id twice and are left out */
    }
    return b;
}

typedef struct work {
    const sluice_model *model;
    const sluice_batch *batch;
    double margins[ROWS];
    sluice_model *learned;
} work;

static void *predict(void *given) {
    work *w = given;
    for (int round = 0; round < 20; round++)
        if (sluice_model_margins(w->model, w->batch, w->margins, NULL) != SLUICE_OK) return w;
    return sluice_model_nonzeros(w->model) ? NULL : w;
}

static void *learn(void *given) {
    work *w = given;
    return sluice_model_learn_batch(w->learned, w->batch, NULL) == SLUICE_OK ? NULL : w;
}

static void in_threads(void *(*function)(void *), work *w) {
    pthread_t thread[THREADS];
    for (size_t i = 0; i < THREADS; i++) CHECK_EQ(pthread_create(&thread[i], NULL, function, &w[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed;
        CHECK_EQ(pthread_join(thread[i], &failed), 0);
        CHECK(!failed);
    }
}

TEST(one_const_model_predicts_in_many_threads) {
    work *w = calloc(THREADS, sizeof *w);
    for (int names = 0; names < 2; names++) {
        sluice_batch *b = make_batch(names);
        sluice_model *m = sluice_model_new("ssol", NULL, 0, NULL, NULL);
        CHECK_EQ(sluice_model_learn_batch(m, b, NULL), SLUICE_OK);
        sluice_model *small = sluice_model_snapshot(m, NULL);
        const sluice_model *models[] = {m, small};
        for (size_t k = 0; k < 2; k++) {
            double expected[ROWS];
            CHECK_EQ(sluice_model_margins(models[k], b, expected, NULL), SLUICE_OK);
            for (size_t i = 0; i < THREADS; i++) w[i] = (work){.model = models[k], .batch = b};
            in_threads(predict, w);
            for (size_t i = 0; i < THREADS; i++)
                CHECK(memcmp(w[i].margins, expected, sluice_batch_rows(b) * sizeof *expected) == 0);
        }
        sluice_model_free(small), sluice_model_free(m);
        sluice_batch_free(b);
    }
    free(w);
}

TEST(one_const_batch_is_learned_by_many_threads) {
    work *w = calloc(THREADS, sizeof *w);
    sluice_batch *b = make_batch(0);
    for (size_t i = 0; i < THREADS; i++)
        w[i] = (work){.batch = b, .learned = sluice_model_new("arow", NULL, 0, NULL, NULL)};
    in_threads(learn, w);
    void *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < THREADS; i++) {
        void *bytes;
        size_t size;
        CHECK_EQ(sluice_model_bytes(w[i].learned, &bytes, &size, NULL), SLUICE_OK);
        if (!first) first = bytes, n = size;
        CHECK(size == n && memcmp(bytes, first, n) == 0);
        if (bytes != first) sluice_free(bytes);
        sluice_model_free(w[i].learned);
    }
    sluice_free(first);
    sluice_batch_free(b);
    free(w);
}

int main(void) {
    RUN(one_const_model_predicts_in_many_threads);
    RUN(one_const_batch_is_learned_by_many_threads);
    return DONE;
}
