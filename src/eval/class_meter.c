/* Meters of models of several classes. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sized_struct.h"
#include "eval/meter.h"
#include "model/classes/many.h"
#include "rows/batch.h"

sluice_status sl_meter_refuse_two(sluice_meter *m) {
    return sl_fail(&m->error, SLUICE_E_USAGE,
                   "the meter counts several classes: their predictions are added as classes, not as margins");
}

/* A meter that has counted nothing yet may still become one of several classes. */
static sluice_status begin_classes(sluice_meter *m) {
    uint64_t examples;
    sluice_meter_mistakes(m, &examples);
    if (!m->of_many && examples)
        return sl_fail(&m->error, SLUICE_E_USAGE, "the meter has counted examples of two classes");
    m->of_many = true;
    return SLUICE_OK;
}

static sluice_status check_class(sluice_meter *m, uint32_t class_index) {
    if (class_index == SLUICE_NO_CLASS) return SLUICE_OK;
    const size_t known = m->options.model ? sluice_model_classes(m->options.model) : SL_MOST_CLASSES;
    if (class_index < known) return SLUICE_OK;
    return sl_fail(&m->error, SLUICE_E_USAGE, "there is no class %lu: they are numbered from 0 to %zu",
                   (unsigned long)class_index, known ? known - 1 : 0);
}

static sluice_status add_class(sluice_meter *m, uint32_t truth, uint32_t predicted, uint32_t rank, double probability,
                               double margin) {
    sluice_status status = check_class(m, truth);
    if (status == SLUICE_OK) status = check_class(m, predicted);
    if (status == SLUICE_OK) status = begin_classes(m);
    if (status != SLUICE_OK) return status;
    if (!sl_class_counts_add(&m->classes, truth, predicted, rank, probability))
        return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the measures of several classes");
    if (m->options.drift) sluice_drift_add(m->options.drift, truth != predicted || truth == SLUICE_NO_CLASS);
    if (m->options.prediction) sl_meter_tell(m, margin, truth, predicted);
    return SLUICE_OK;
}

sluice_status sluice_meter_add_class(sluice_meter *m, uint32_t truth, uint32_t predicted, uint32_t rank,
                                     double probability) {
    return add_class(m, truth, predicted, rank, probability, NAN);
}

sluice_status sl_meter_add_learned_class(sluice_meter *m, const sluice_model *model, double margin, double y) {
    const size_t predicted = sl_many_predicted(model);
    return add_class(m, (uint32_t)y, predicted == SL_NO_CLASS ? SLUICE_NO_CLASS : (uint32_t)predicted, 0, NAN,
                     predicted == SL_NO_CLASS ? NAN : margin);
}

/* ---- testing ----------------------------------------------------------------------------------------------------- */

enum { PIECE = 1 << 16 }; /* margins that are held at once, about */

typedef struct answers {
    sluice_class_answers of; /* of a piece */
    uint32_t *truth;
    size_t classes, rows; /* rows: the most of a piece */
} answers;

static bool answers_make(answers *a, const sluice_model *model, size_t ranks, size_t rows) {
    const size_t classes = sluice_model_classes(model), fit = classes < PIECE ? PIECE / (classes + 1) + 1 : 1;
    *a = (answers){.of = {.size = sizeof a->of}, .classes = classes, .rows = rows < fit ? rows : fit};
    a->of.top = ranks < classes ? ranks : classes ? classes : 1;
    a->truth = malloc((a->rows + 1) * sizeof *a->truth);
    a->of.best = malloc((a->rows * a->of.top + 1) * sizeof *a->of.best);
    if (sl_many_has_probabilities(model)) {
        a->of.probabilities = malloc((a->rows * classes + 1) * sizeof *a->of.probabilities);
        if (!a->of.probabilities) return false;
    }
    return a->truth && a->of.best;
}

static void answers_free(answers *a) {
    free(a->truth);
    free(a->of.best);
    free(a->of.probabilities);
}

static sluice_status add_answer(sluice_meter *m, const answers *a, size_t i) {
    const uint32_t truth = a->truth[i], *best = a->of.best + i * a->of.top;
    size_t rank = 0;
    while (rank < a->of.top && best[rank] != truth) rank++;
    const bool has_probability = a->of.probabilities && truth != SLUICE_NO_CLASS;
    const double probability = has_probability ? a->of.probabilities[i * a->classes + truth] : 0;
    return sluice_meter_add_class(m, truth, best[0], (uint32_t)rank + 1, a->of.probabilities ? probability : NAN);
}

sluice_status sluice_meter_test_batch(sluice_meter *m, const sluice_batch *b) {
    const sluice_model *model = m->options.model;
    if (!model || !sl_model_is_of_many(model))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "the meter has no model of several classes");
    answers a;
    sluice_status status = SLUICE_OK;
    if (!answers_make(&a, model, m->options.top_classes, b->rows))
        status = sl_fail(&m->error, SLUICE_E_MEMORY, "no memory for the answers of %zu classes", a.classes);
    for (size_t first = 0, n; first < b->rows && status == SLUICE_OK; first += n) {
        n = b->rows - first < a.rows ? b->rows - first : a.rows;
        status = sluice_model_classify(model, b, first, n, &a.of, &m->error);
        if (status == SLUICE_OK) status = sluice_model_truths(model, b, first, n, a.truth, &m->error);
        for (size_t i = 0; i < n && status == SLUICE_OK; i++)
            if (!b->has_weights || b->weight[first + i] != 0) status = add_answer(m, &a, i);
    }
    answers_free(&a);
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

void sl_meter_measure_classes(const sluice_meter *m, sluice_measures *r) {
    const size_t known = m->options.model ? sluice_model_classes(m->options.model) : 0;
    sl_class_counts_measure(&m->classes, r);
    r->classes = known > m->classes.n ? known : m->classes.n;
}

sluice_status sluice_meter_class(sluice_meter *m, size_t class_index, sluice_class_measures *measures) {
    sluice_status status = sl_sized_check(measures, "sluice_class_measures", &m->error);
    if (status != SLUICE_OK) return status;
    if (!m->of_many) return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "the meter is of two classes");
    const sluice_class_measures of = sl_class_counts_of(&m->classes, class_index);
    sl_sized_write(measures, &of, sizeof of);
    return SLUICE_OK;
}

double sluice_meter_top_accuracy(const sluice_meter *m, size_t k) { return sl_class_counts_top(&m->classes, k); }

size_t sluice_meter_confusions(const sluice_meter *m, sluice_confusion *cells, size_t room) {
    return sl_class_counts_cells(&m->classes, cells, room);
}
