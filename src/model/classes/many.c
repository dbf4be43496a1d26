/* Models of several classes: what their kinds have in common. */
#include "model/classes/many.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/class_limits.h"
#include "model/classes/matrix.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

sluice_model *sl_many_new(const sl_learner *learner, const double *params, const sluice_settings *settings,
                          sluice_error *err) {
    switch (settings->classes) {
    case SLUICE_CLASSES_MATRIX:
        return sl_matrix_new(learner, params, settings, err);
    case SLUICE_CLASSES_OVO:
        return sl_problems_new(true, learner, params, settings, err);
    default:
        if (sl_learner_lanes(learner)) return sl_ovr_new(learner, params, settings, err);
        return sl_problems_new(false, learner, params, settings, err);
    }
}

void sl_many_free(sluice_model *m) {
    sl_ovr_free(m->ovr);
    sl_matrix_free(m->matrix);
    sl_problems_free(m->problems);
}

uint64_t sl_many_memory(const sluice_model *m) {
    if (m->ovr) return sl_lane_blocks_memory(&m->ovr->lanes);
    if (m->matrix) return sl_matrix_memory(m->matrix);
    return m->problems ? sl_problems_memory(m->problems) : 0;
}

sluice_model *sl_many_like(const sluice_model *from, sluice_error *err) {
    if (from->ovr) return sl_ovr_like(from, err);
    if (from->matrix) return sl_matrix_like(from, err);
    if (from->race) return sl_model_empty(from->learner, from->rule, from->params, &from->settings, err);
    return sl_many_new(from->learner, from->params, &from->settings, err);
}

bool sl_many_copy(sluice_model *to, const sluice_model *from) {
    if (from->ovr) return sl_ovr_copy(to->ovr, from->ovr), true;
    if (from->matrix) return sl_matrix_copy(to, from);
    return !from->problems || sl_problems_copy(to, from);
}

sluice_status sl_many_reserve(sluice_model *m, size_t classes) {
    if (classes > sl_class_limit(m)) return sl_too_many_classes(m);
    return m->race     ? sl_race_reserve(m, classes)
           : m->ovr    ? sl_ovr_reserve(m, classes)
           : m->matrix ? sl_matrix_reserve(m, classes)
                       : sl_problems_reserve(m, classes);
}

static size_t *classes_of(const sluice_model *m) {
    return m->race     ? &m->race->classes
           : m->ovr    ? &m->ovr->classes
           : m->matrix ? &m->matrix->classes
                       : &m->problems->classes;
}

size_t sl_classes_met(const sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    size_t n = t->n;
    while (!sl_model_is_predict_only(m) && n && t->entry[n - 1].count == 0) n--;
    return n;
}

void sl_many_set_classes(sluice_model *m, size_t classes) { *classes_of(m) = classes; }

size_t sl_many_predicted(const sluice_model *m) {
    if (m->race) return m->race->predicted;
    return m->ovr ? m->ovr->predicted : m->matrix ? m->matrix->predicted : m->problems->predicted;
}

void sl_many_count(sluice_model *m, const sl_row *x) {
    const size_t class_index = (size_t)x->y;
    m->mistakes += sl_many_predicted(m) != class_index;
    if (m->ovr) sl_ovr_count(m, x);
    if (m->matrix && sl_online_calibration_due(m->state.t)) sl_matrix_calibrate(m, x);
    if (class_index >= *classes_of(m)) *classes_of(m) = class_index + 1;
}

const sl_online_calibration *sl_class_calibration(const sluice_model *m, size_t class_index) {
    if (m->race) return sl_class_calibration(sl_race_leader(m), class_index);
    if (m->ovr) return &m->ovr->count[class_index].calibration;
    return m->matrix && m->matrix->calibration ? &m->matrix->calibration[class_index] : NULL;
}

/* ---- predicting -------------------------------------------------------------------------------------------------- */

void sl_many_margins(const sluice_model *m, const sl_raw_row *r, double *margins, uint32_t *wins) {
    if (m->race) {
        sl_race_class_margins(m, r, margins, wins);
        return;
    }
    if (m->problems) {
        sl_problems_margins(m, r, margins, wins);
        return;
    }
    memset(wins, 0, m->classes.table.n * sizeof *wins);
    m->ovr ? sl_ovr_margins(m, r, margins) : sl_matrix_margins(m, r, margins);
}

size_t sl_best_class(const double *margins, const uint32_t *wins, size_t n) {
    size_t best = n ? 0 : SL_NO_CLASS;
    for (size_t c = 1; c < n; c++) {
        const bool wins_more = wins && wins[c] > wins[best], wins_less = wins && wins[c] < wins[best];
        if (wins_more || (!wins_less && margins[c] > margins[best])) best = c;
    }
    return best;
}

/* ---- problems ---------------------------------------------------------------------------------------------------- */

sluice_settings sl_binary_settings(const sluice_model *m) {
    sluice_settings settings = m->settings;
    settings.classes = SLUICE_CLASSES_TWO;
    settings.positive = NULL;
    return settings;
}

size_t sl_many_problems(const sluice_model *m) {
    return sl_problems_of(m->settings.classes == SLUICE_CLASSES_OVO, m->classes.table.n);
}

void sl_problem_classes(const sluice_model *m, size_t i, size_t *positive, size_t *negative) {
    *positive = i;
    *negative = SL_NO_CLASS;
    if (m->settings.classes != SLUICE_CLASSES_OVO) return;
    size_t b = 1;
    while (sl_pair_problem(0, b + 1) <= i) b++;
    *positive = b;
    *negative = i - sl_pair_problem(0, b);
}

sluice_model *sl_problem_model(const sluice_model *m, size_t i, sluice_error *err) {
    if (m->race) {
        sluice_model *leader = sl_race_leader_model(m, err), *of = leader ? sl_problem_model(leader, i, err) : NULL;
        sluice_model_free(leader);
        return of;
    }
    if (m->ovr) return sl_ovr_class_model(m, i, err);
    if (m->problems) return sluice_model_copy(m->problems->problem[i], err);
    sl_fail(err, SLUICE_E_UNSUPPORTED, "the classes of a matrix have no binary models");
    return NULL;
}
