/* Measures a model on labelled inputs. */
#include "measure/measure.h"

#include "output/class_text.h"
#include "output/message.h"
#include "terminal/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int measure_options(const args *a, sluice_meter_options *how) {
    *how = (sluice_meter_options){.size = sizeof *how};
    int rc = args_positive(a, "mu-pos", 1, &how->mu_pos);
    if (!rc) rc = args_positive(a, "cost-missed", INFINITY, &how->cost_missed);
    if (!rc) rc = args_positive(a, "cost-alarm", INFINITY, &how->cost_alarm);
    return rc;
}

typedef struct measuring {
    const sluice_model *model;
    sluice_meter *meter;
    double *margins;
    size_t room;
    int known;
    worst_mistakes *worst;
    sluice_meter *one; /* of several classes: measures one of them against all others; NULL: not wanted */
    uint32_t one_class;
} measuring;

/* What takes the margins of each row: the worst mistakes, and one class as a binary problem. */
static int measure_rows(measuring *m, const sluice_batch *batch) {
    sluice_error err = {0};
    uint32_t truth, predicted;
    sluice_class_answers of = {.size = sizeof of, .top = 1, .best = &predicted, .margins = m->margins};
    int rc = DONE;
    for (size_t i = 0; i < sluice_batch_rows(batch) && !rc; i++) {
        if (sluice_model_classify(m->model, batch, i, 1, &of, &err) != SLUICE_OK ||
            sluice_model_truths(m->model, batch, i, 1, &truth, &err) != SLUICE_OK)
            return complain_error(&err);
        if (m->worst) rc = note_worst_class(m->worst, m->model, batch, i, truth, predicted, m->margins);
        if (!m->one || !(sluice_batch_weight(batch, i) > 0)) continue;
        if (sluice_meter_add(m->one, m->margins[m->one_class], truth == m->one_class ? 1 : -1) != SLUICE_OK)
            return complain_error(sluice_meter_error(m->one));
    }
    return rc;
}

/* Of several classes; what is measured of two needs margins. */
static int measure_classes(void *context, const sluice_batch *batch) {
    measuring *m = context;
    sluice_error err = {0};
    const size_t n = sluice_model_classes(m->model);
    int rc = reserve_margins(&m->margins, &m->room, n);
    sluice_class_answers of = {.size = sizeof of, .margins = m->margins};
    for (size_t i = 0; i < sluice_batch_rows(batch) && !m->known && !rc; i++) {
        if (sluice_model_classify(m->model, batch, i, 1, &of, &err) != SLUICE_OK) return complain_error(&err);
        m->known = any_margin(m->margins, n, 0);
    }
    if (rc) return rc;
    if (sluice_meter_test_batch(m->meter, batch) != SLUICE_OK) return complain_error(sluice_meter_error(m->meter));
    return m->one || m->worst ? measure_rows(m, batch) : DONE;
}

static int measure_batch(void *context, const sluice_batch *batch) {
    measuring *m = context;
    int rc = reserve_margins(&m->margins, &m->room, sluice_batch_rows(batch));
    if (rc) return rc;
    sluice_error err = {0};
    if (sluice_model_margins(m->model, batch, m->margins, &err) != SLUICE_OK) return complain_error(&err);
    m->known = m->known || any_margin(m->margins, sluice_batch_rows(batch), empty_margin(m->model));
    if (m->worst && (rc = note_worst(m->worst, m->model, batch, m->margins))) return rc;
    if (sluice_meter_add_batch(m->meter, batch, m->margins) == SLUICE_OK) return DONE;
    return complain_error(sluice_meter_error(m->meter));
}

const threshold shape_goals[SHAPE_GOALS] = {
    {THRESHOLD_GOAL, "precision 50 %", SLUICE_GOAL_PRECISION, 0.5},
    {THRESHOLD_GOAL, "precision 80 %", SLUICE_GOAL_PRECISION, 0.8},
    {THRESHOLD_GOAL, "precision 90 %", SLUICE_GOAL_PRECISION, 0.9},
    {THRESHOLD_GOAL, "precision 95 %", SLUICE_GOAL_PRECISION, 0.95},
    {THRESHOLD_GOAL, "precision 99 %", SLUICE_GOAL_PRECISION, 0.99},
    {THRESHOLD_GOAL, "recall 50 %", SLUICE_GOAL_RECALL, 0.5},
    {THRESHOLD_GOAL, "recall 80 %", SLUICE_GOAL_RECALL, 0.8},
    {THRESHOLD_GOAL, "recall 90 %", SLUICE_GOAL_RECALL, 0.9},
    {THRESHOLD_GOAL, "recall 95 %", SLUICE_GOAL_RECALL, 0.95},
    {THRESHOLD_GOAL, "recall 99 %", SLUICE_GOAL_RECALL, 0.99},
    {THRESHOLD_GOAL, "largest F1", SLUICE_GOAL_F1, NAN},
    {THRESHOLD_GOAL, "least cost", SLUICE_GOAL_COST, NAN},
};

shape shape_of(sluice_meter *meter) {
    shape s;
    s.n_cuts = sluice_meter_curve(meter, s.cuts, SHAPE_CUTS);
    for (size_t i = 0; i < SHAPE_GOALS && s.n_cuts; i++) {
        s.chosen[i] = (sluice_chosen){.size = sizeof s.chosen[i]};
        sluice_meter_choose(meter, shape_goals[i].goal, shape_goals[i].value,
                            &s.chosen[i]); /* there are both classes */
    }
    s.n_bins = sluice_meter_bins(meter, s.bins);
    return s;
}

int measure_inputs(const sluice_model *model, const inputs *from, const sluice_reader_options *reading,
                   const sluice_meter_options *how, progress *live, measured *result) {
    sluice_error err = {0};
    sluice_meter_options exact = *how;
    exact.exact_auc = 1;
    sluice_meter_defaults(model, &exact); /* it fails for a wrong size alone */
    /* of two classes the final form predicts fastest; it gives the same margins */
    const int many = is_of_many(model);
    sluice_model *final = many ? NULL : sluice_model_final(model, &err);
    exact.model = many ? model : final;
    sluice_meter *meter = exact.model ? sluice_meter_new(&exact, &err) : NULL;
    /* thresholds of one of several classes are chosen by its margins alone */
    sluice_meter_options alone = *how;
    alone.exact_auc = 1;
    const int needs_one = many && result->n_goals;
    sluice_meter *one = meter && needs_one ? sluice_meter_new(&alone, &err) : NULL;
    input_stream stream = {0};
    int rc = meter && (one || !needs_one) ? DONE : complain_error(&err);
    if (!rc) rc = input_stream_open(&stream, from, NULL, reading);
    if (!rc) {
        measuring m = {.model = exact.model, .meter = meter, .worst = result->worst, .one = one};
        m.one_class = result->goal_class;
        if (sluice_model_settings(model)->classes == SLUICE_CLASSES_OVO) m.worst = NULL; /* nothing explains those */
        rc = each_batch(&stream, live, many ? measure_classes : measure_batch, &m);
        free(m.margins);
        if (m.worst) worst_free(m.worst);
        result->known = m.known;
        if (!from->held) tally_skipped(&result->skipped, stream.reader); /* else learning has told of them */
        result->measures = (sluice_measures){.size = sizeof result->measures};
        sluice_meter_read(meter, &result->measures);
        sluice_meter *cut = one ? one : meter;
        sluice_measures of_two = result->measures;
        if (one) sluice_meter_read(one, &of_two);
        result->positives = of_two.true_pos + of_two.false_neg;
        if (result->needs_shape) result->shape = shape_of(cut);
        if (!rc) rc = class_figures_of(model, meter, &result->classes);
        if (!rc) rc = choose_thresholds(cut, result->goals, result->n_goals, result->chosen);
    }
    input_stream_close(&stream);
    sluice_meter_free(meter);
    sluice_meter_free(one);
    sluice_model_free(final);
    return rc;
}

void warn_one_label(const sluice_model *classes, uint64_t examples, uint64_t positives, const char *what) {
    char text[CLASS_TEXT];
    if (!examples) warning("%s: there are no examples", what);
    const int several = sluice_model_settings(classes)->classes != SLUICE_CLASSES_TWO;
    if (examples < 2 || (several ? sluice_model_classes(classes) > 1 : positives > 0 && positives < examples)) return;
    size_t n = sluice_model_classes(classes), one = n == 2 && (positives > 0) == (positive_class(classes) == 1);
    warning("%s: all %s labels are %s; there is nothing to tell apart", what, COUNT(examples),
            n           ? class_text(classes, one, text)
            : positives ? "1"
                        : "-1 or 0");
}

/* Of several classes: no examples, or labels that are not among them. */
static void warn_many(const sluice_model *model, const sluice_measures *m, const char *what) {
    char text[CLASS_TEXT];
    if (!m->examples) warning("%s: there are no examples", what);
    if (m->examples > 1 && sluice_model_classes(model) == 1 && !m->unknown_labels)
        warning("%s: all %s labels are %s; there is nothing to tell apart", what, COUNT(m->examples),
                class_text(model, 0, text));
    if (m->unknown_labels)
        warning("%s: the labels of %s of %s examples are none of the model's classes; they count as mistakes", what,
                COUNT(m->unknown_labels), COUNT(m->examples));
}

void warn_one_class_of(const sluice_model *model, const sluice_measures *m, const char *what) {
    if (is_of_many(model)) {
        warn_many(model, m, what);
        return;
    }
    warn_one_label(model, m->examples, m->true_pos + m->false_neg, what);
}

void warn_measured(const sluice_model *model, const measured *m, const char *what) {
    warn_skipped(&m->skipped, what);
    warn_one_class_of(model, &m->measures, what);
    if (m->measures.examples && !m->known) warn_unknown(what, m->measures.examples);
}
