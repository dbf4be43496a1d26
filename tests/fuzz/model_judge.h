/* What must hold for any bytes as a model file: they are refused with a reason; or the model can be described, used,
 * saved and loaded again to the same bytes, and what was loaded again learns as the model itself does. */
#ifndef MODEL_JUDGE_H
#define MODEL_JUDGE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice.h"

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "model_judge.h:%d: %s\n", __LINE__, #condition);                                           \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef struct saved_model {
    void *bytes;
    size_t n;
    sluice_status status;
} saved_model;

static saved_model save(const sluice_model *m) {
    saved_model s = {0};
    sluice_error err = {0};
    s.status = sluice_model_bytes(m, &s.bytes, &s.n, &err);
    MUST(s.status == err.status && (s.status == SLUICE_OK || err.message[0]));
    return s;
}

static bool same_bytes(const saved_model *a, const saved_model *b) {
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* Loads what was saved and saves it again: the same bytes. Returns the model that was loaded. */
static sluice_model *load_again(const saved_model *s) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_parse(s->bytes, s->n, &err);
    if (!m) fprintf(stderr, "%s\n", err.message);
    MUST(m && "what was saved loads");
    saved_model again = save(m);
    MUST(again.status == SLUICE_OK && same_bytes(s, &again));
    sluice_free(again.bytes);
    return m;
}

enum { EXAMPLES = 3 };

static sluice_example example(size_t i) {
    static uint64_t ids[] = {1, 5, 40, UINT64_MAX};
    static float values[] = {1, -0.5f, 2, 0.25f};
    static sluice_name names[] = {{"a", 1}, {"", 0}, {"5", 1}, {"new", 3}};
    sluice_example x = {.ids = ids, .values = values, .n = 4, .label = i % 2 ? -1 : 1, .weight = 1};
    if (i == 1) x.names = names, x.ids = NULL;
    if (i == 2) x.n = 0;
    return x;
}

/* Of several classes: the sum of all margins, which shows any difference. */
static double margins_of(const sluice_model *m, const sluice_example *x) {
    const size_t n = sluice_model_classes(m);
    double *margins = calloc(2 * n + 1, sizeof *margins), sum = 0;
    uint32_t best = 0;
    sluice_batch *b = sluice_batch_new(NULL);
    MUST(margins && b && sluice_batch_add(b, x, NULL) == SLUICE_OK);
    sluice_class_answers answers = {.size = sizeof answers, .top = 1, .best = &best, .margins = margins};
    answers.probabilities = margins + n;
    sluice_error err = {0};
    sluice_status status = sluice_model_classify(m, b, 0, 1, &answers, &err);
    MUST(status == SLUICE_OK || status == SLUICE_E_NUMERIC);
    MUST(n ? best < n : best == SLUICE_NO_CLASS);
    for (size_t c = 0; c < n && status == SLUICE_OK; c++) sum += margins[c] * (double)(c % 7 + 1);
    free(margins);
    sluice_batch_free(b);
    return sum;
}

static double margin_of(const sluice_model *m, size_t i) {
    double margin = 0;
    sluice_error err = {0};
    sluice_example x = example(i);
    if (sluice_model_settings(m)->classes != SLUICE_CLASSES_TWO) return margins_of(m, &x);
    sluice_status status = sluice_model_margin(m, &x, &margin, &err);
    MUST(status == err.status && (status == SLUICE_OK || err.message[0]));
    return status == SLUICE_OK ? margin : 0;
}

/* The weights of several classes, problem by problem; how many there are. */
static size_t look_at_problems(const sluice_model *m) {
    size_t all = 0;
    for (size_t i = 0; i < sluice_model_problems(m); i++) {
        sluice_weight *weights;
        size_t n;
        sluice_problem problem = {.size = sizeof problem};
        MUST(sluice_model_problem(m, i, &problem) == SLUICE_OK && problem.positive < sluice_model_classes(m));
        MUST(sluice_model_problem_weights(m, i, &weights, &n, NULL) == SLUICE_OK);
        for (size_t k = 0; k < n; k++) MUST(isfinite(weights[k].weight) && weights[k].weight != 0);
        sluice_free(weights);
        all += n;
    }
    return all;
}

static void look_at_model(const sluice_model *m) {
    sluice_model_facts facts = {.size = sizeof facts};
    MUST(sluice_model_describe(m, &facts) == SLUICE_OK);
    MUST(facts.mistakes <= facts.examples && facts.updates <= facts.examples + facts.pseudo &&
         facts.positives <= facts.examples);
    const bool many = sluice_model_settings(m)->classes != SLUICE_CLASSES_TWO;
    sluice_weight *weights, newest[20];
    size_t n, n_newest = 20;
    MUST(sluice_model_weights(m, &weights, &n, NULL) == (many ? SLUICE_E_UNSUPPORTED : SLUICE_OK));
    sluice_free(weights);
    MUST(many || facts.nonzeros <= facts.features_seen);
    MUST(facts.nonzeros == (many ? look_at_problems(m) : n));
    MUST(sluice_model_newest(m, newest, &n_newest, NULL) == SLUICE_OK);
    uint64_t growth[64];
    sluice_model_growth(m, growth, 64);
    const void *kept;
    for (size_t i = 0; sluice_model_metadata_at(m, i, &kept, &n); i++) MUST(n <= SLUICE_MAX_METADATA_BYTES);
    double threshold;
    int has_threshold = sluice_model_threshold(m, &threshold);
    MUST(has_threshold ? isfinite(threshold) && !sluice_model_predicts_positive(m, threshold) : threshold == 0);
    const double margins[] = {0, 1, -3e7, 1e300};
    for (size_t i = 0; i < sizeof margins / sizeof *margins; i++) {
        double p = sluice_model_probability(m, margins[i]);
        MUST(sluice_model_has_probability(m) && !many ? p >= 0 && p <= 1 : p != p);
    }
}

static bool failed_in_numbers(sluice_status status) { return status == SLUICE_E_NUMERIC; }

/* The predict-only model saves and loads too. */
static void judge_predict_only(const sluice_model *m) {
    sluice_error err = {0};
    sluice_model *final = sluice_model_final(m, &err);
    MUST(final || (failed_in_numbers(err.status) && err.message[0]));
    if (!final) return;
    saved_model s = save(final);
    MUST(s.status == SLUICE_OK);
    sluice_model *back = load_again(&s);
    for (size_t i = 0; i < EXAMPLES; i++) MUST(margin_of(final, i) == margin_of(back, i));
    MUST(sluice_model_threshold(final, NULL) == sluice_model_threshold(m, NULL));
    sluice_model_free(back);
    sluice_model_free(final);
    sluice_free(s.bytes);
}

/* Both learn the same, and the result saves and loads, unless it left the range of numbers. */
static void judge_learning(sluice_model *m, sluice_model *back) {
    sluice_model *both[] = {m, back};
    sluice_status status[2] = {SLUICE_OK, SLUICE_OK};
    for (size_t k = 0; k < 2; k++) {
        sluice_model_set_threads(both[k], 1);
        for (size_t i = 0; i < EXAMPLES && status[k] == SLUICE_OK; i++) {
            sluice_example x = example(i);
            status[k] = sluice_model_learn(both[k], &x, NULL);
        }
        if (status[k] == SLUICE_OK) status[k] = sluice_model_end_run(both[k]);
        MUST(status[k] == SLUICE_OK || sluice_model_error(both[k])->message[0]);
        MUST(status[k] != SLUICE_E_MEMORY);
    }
    MUST(status[0] == status[1]);
    saved_model a = save(m), b = save(back);
    MUST(a.status == b.status && (a.status == SLUICE_OK || failed_in_numbers(a.status)));
    if (a.status == SLUICE_OK) {
        MUST(same_bytes(&a, &b));
        sluice_model_free(load_again(&a));
    }
    sluice_free(a.bytes);
    sluice_free(b.bytes);
}

/* Whether the bytes were accepted. */
static bool judge_model(const void *bytes, size_t n) {
    sluice_error err = {0};
    sluice_model *m = sluice_model_parse(bytes, n, &err);
    if (!m) {
        MUST(err.status == SLUICE_E_FORMAT && err.message[0]);
        return false;
    }
    look_at_model(m);
    saved_model s = save(m);
    MUST(s.status == SLUICE_OK && "what was loaded can be saved");
    sluice_model *back = load_again(&s);
    for (size_t i = 0; i < EXAMPLES; i++) {
        double a = margin_of(m, i), b = margin_of(back, i);
        MUST(memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b));
    }
    judge_predict_only(m);
    judge_learning(m, back);
    sluice_model_free(m);
    sluice_model_free(back);
    sluice_free(s.bytes);
    return true;
}

#endif
