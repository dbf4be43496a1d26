/* A model of two classes becomes one of several, one against the rest: when a third class comes.
 *
 * The problem of the class that is +1 inside is the model as it is; that of the other is its mirror image, what the
 * same rows with opposite labels would have made: a rule that treats both classes alike makes the opposite steps. The
 * problem for classes to come, which has had every row as -1 in a model that was one against the rest from the start,
 * is not known: it begins here. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/classes/ovr.h"
#include "model/classes/problems.h"
#include "model/race/race.h"

static void *no_memory(sluice_model *m, sluice_error *err) {
    sluice_model_free(m);
    sl_fail(err, SLUICE_E_MEMORY, "no memory for a model of several classes");
    return NULL;
}

/* ---- the mirror image -------------------------------------------------------------------------------------------- */

/* Whether a learner treats both classes alike, so that its signed numbers are the opposite ones in the mirror. */
static bool has_mirror_image(const sl_learner *learner, const double *params) {
    return !learner->finish && !learner->rank && !learner->draws && !sl_one_sided(learner, params);
}

static void negate(char *feature, const sl_field *field) {
    char *at = feature + field->offset;
    double d;
    float f;
    if (field->type == SL_F64) {
        memcpy(&d, at, sizeof d);
        d = 0 - d; /* not -0 */
        memcpy(at, &d, sizeof d);
    } else if (field->type == SL_F32) {
        memcpy(&f, at, sizeof f);
        f = 0 - f;
        memcpy(at, &f, sizeof f);
    }
}

/* The model, or its mirror image, without its classes. */
static sluice_model *problem_of(const sluice_model *m, bool mirrored, sluice_error *err) {
    sluice_model *to = sl_model_copy_without_pending(m, err);
    if (!to) return NULL;
    sl_class_labels_free(to);
    to->classes = (sl_class_labels){0};
    free((char *)(uintptr_t)to->settings.positive);
    to->settings.positive = NULL;
    sl_metadata_free(&to->metadata);
    to->metadata = (sl_metadata){0};
    sl_positions_free(&to->positions);
    to->holdout.kind = SLUICE_CALIBRATION_NONE;
    to->has_threshold = false;
    if (!mirrored) return to;
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&to->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < to->learner->n_fields; i++)
                if (to->learner->fields[i].least < 0)
                    negate(sl_space_at(&to->features.space, slot[k]), &to->learner->fields[i]);
    for (size_t i = 0; i < to->state.dense.order; i++) to->state.dense.vector[i] = 0 - to->state.dense.vector[i];
    to->positives = sl_model_examples(m) - m->positives;
    to->calibration.b = 0 - to->calibration.b;
    to->calibration.hab = 0 - to->calibration.hab;
    return to;
}

/* ---- one learner ------------------------------------------------------------------------------------------------- */

static bool add_features(sluice_model *to, const sluice_model *from) {
    sl_keys_walk w;
    uint32_t slot;
    bool fine = sl_keys_start(&w, &from->features);
    while (fine && sl_keys_next(&w)) fine = sl_keys_add_like(&to->features, &from->features, &w.at, &slot);
    sl_keys_end(&w);
    return fine;
}

/* The problems of both classes, and an empty one for classes to come, in models of their own. */
static bool put_problems(sluice_model *to, sluice_model *const problem[2]) {
    sluice_model *come = sl_model_empty(to->learner, to->learner, to->params, &problem[0]->settings, NULL), *own[2];
    for (size_t i = 0; i < 2; i++) own[i] = sluice_model_copy(problem[i], NULL);
    bool fine = come && own[0] && own[1];
    if (fine) {
        come->state.t = to->state.t;
        come->pseudo.rows = to->pseudo.rows;
        sl_problems_empty(to, false);
        fine = sl_problems_put(to, 0, own[0]); /* which makes room for all */
    }
    if (!fine) {
        sluice_model_free(come);
        for (size_t i = 0; i < 2; i++) sluice_model_free(own[i]);
        return false;
    }
    sl_problems_put(to, 1, own[1]);
    sl_problems_put(to, 2, come);
    return true;
}

/* The lanes of classes to come know nothing, but have what lanes share: it depends on the rows alone, and kernels take
 * it from one lane for others. */
static bool put_lanes_to_come(sluice_model *to, const sluice_model *m, sluice_error *err) {
    if (!to->learner->shared_by) return true; /* as they are when they are made */
    sluice_model *come = problem_of(m, false, err);
    if (!come) return false;
    come->mistakes = come->updates = come->positives = 0;
    come->calibration = (sl_online_calibration){0};
    uint32_t slot[SL_CHUNK];
    uint64_t cursor = 0;
    for (size_t n; (n = sl_space_chunk(&come->features.space, &cursor, slot));)
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < come->learner->n_fields; i++) {
                const sl_field *f = &come->learner->fields[i];
                if (f->least < 0 && f->type != SL_U32)
                    memset(sl_space_at(&come->features.space, slot[k]) + f->offset, 0, sl_type_size(f->type));
            }
    const bool fine = sl_ovr_put_model(to, 2, come);
    if (fine) sl_ovr_settle(to);
    sluice_model_free(come);
    return fine;
}

/* A model of several classes that has learned what m has; class `plus` is +1 in m, and `labels` are its classes. */
static sluice_model *several(const sluice_model *m, const sluice_name labels[2], size_t plus, sluice_error *err) {
    sluice_settings settings = m->settings;
    settings.classes = SLUICE_CLASSES_OVR;
    settings.positive = NULL;
    sluice_model *problem[2] = {problem_of(m, plus != 0, err), NULL}, *to = NULL;
    if (problem[0]) problem[1] = problem_of(m, plus != 1, err);
    if (problem[1]) to = sl_many_new(m->learner, m->params, &settings, err);
    bool fine = to != NULL;
    for (size_t i = 0; i < 2 && fine; i++) {
        fine = sl_classes_add(&to->classes.table, labels[i]) != SL_NO_CLASS;
        if (fine) to->classes.table.entry[i].count = problem[i]->positives;
    }
    if (fine) {
        sl_model_copy_counts(to, problem[plus]);
        to->positives = 0;
        to->calibration = (sl_online_calibration){0};
        memset(to->scalars, 0, sizeof to->scalars);
        fine = add_features(to, m);
        sl_model_copy_history(to, m);
        for (size_t i = 0; i < 2 && fine && to->ovr; i++) fine = sl_ovr_put_model(to, i, problem[i]);
        if (fine && to->ovr) fine = put_lanes_to_come(to, m, err);
        if (fine && to->problems) fine = put_problems(to, problem);
        sl_many_set_classes(to, sl_classes_met(to));
    }
    if (!fine && to) to = no_memory(to, err);
    for (size_t i = 0; i < 2; i++) sluice_model_free(problem[i]);
    return to;
}

/* ---- a race ------------------------------------------------------------------------------------------------------ */

/* Every candidate that is left becomes one of several classes, and goes on where it stands. */
static sluice_model *several_race(const sluice_model *m, const sluice_name labels[2], size_t plus, sluice_error *err) {
    const sluice_name numbers[2] = {{"0", 1}, {"1", 1}}; /* the classes, as candidates know them */
    sluice_settings settings = m->race->given;
    settings.classes = SLUICE_CLASSES_OVR;
    settings.positive = NULL;
    sluice_model *to = sl_model_empty(m->learner, m->rule, m->params, &settings, err);
    if (!to) return NULL;
    sl_race *race = to->race;
    const sluice_settings given = race->given;
    sl_race_empty(race);
    *race = *m->race;
    race->number = NULL;
    race->room = 0;
    race->pseudo = false;
    race->given = given;
    race->predicted = SL_NO_CLASS;
    for (size_t i = 0; i < race->n; i++) race->candidate[i].model = NULL;
    for (size_t i = 0; i < race->n; i++) {
        sl_candidate *c = &race->candidate[i];
        c->settings.classes = SLUICE_CLASSES_OVR;
        c->missed = 0; /* there is no positive class */
        const sluice_model *model = m->race->candidate[i].model;
        if (model && !(c->model = several(model, numbers, plus, err))) return sluice_model_free(to), NULL;
    }
    race->fading.positives = 0;
    race->positive = 0;
    bool fine = true;
    for (size_t i = 0; i < 2 && fine; i++) fine = sl_classes_add(&to->classes.table, labels[i]) != SL_NO_CLASS;
    sl_model_copy_counts(to, m);
    sl_keys_walk w;
    fine = fine && sl_keys_start(&w, &m->features);
    if (!fine) return no_memory(to, err);
    for (uint32_t slot; fine && sl_keys_next(&w);) {
        fine = sl_keys_add_like(&to->features, &m->features, &w.at, &slot);
        if (fine)
            memcpy(sl_space_at(&to->features.space, slot), sl_space_at(&m->features.space, w.at.slot),
                   to->features.space.size);
    }
    sl_keys_end(&w);
    if (!fine) return no_memory(to, err);
    sl_model_copy_history(to, m);
    to->classes.table.entry[plus].count = m->positives;
    to->classes.table.entry[1 - plus].count = sl_model_examples(m) - m->positives;
    to->positives = 0;
    to->holdout.kind = SLUICE_CALIBRATION_NONE;
    to->has_threshold = false;
    sl_many_set_classes(to, sl_classes_met(to));
    sl_race_show_leader(to);
    return to;
}

/* ------------------------------------------------------------------------------------------------------------------ */

static sluice_status check(const sluice_model *m, sluice_error *err) {
    if (sl_model_is_of_many(m)) return sl_fail(err, SLUICE_E_USAGE, "the model is of several classes already");
    if (sl_model_is_predict_only(m))
        return sl_fail(err, SLUICE_E_UNSUPPORTED, "a predict-only model cannot learn; keep the full model for that");
    if (m->broken) return sl_fail(err, SLUICE_E_NUMERIC, "the model has left the range of numbers; learn it anew");
    bool fine = m->race || has_mirror_image(m->learner, m->params);
    for (size_t i = 0; m->race && i < m->race->n; i++) {
        const sl_candidate *c = &m->race->candidate[i];
        fine &= !c->model || has_mirror_image(c->learner, c->params);
    }
    if (fine) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_UNSUPPORTED,
                   "%s cannot go on with several classes after it has learned two: it does not treat them alike, or "
                   "keeps rows; learn several classes from the start",
                   m->learner->info.name);
}

sluice_model *sluice_model_several(const sluice_model *m, const sluice_name *labels, sluice_error *err) {
    const sl_class_table *t = &m->classes.table;
    sluice_name own[2] = {{"-1", 2}, {"1", 1}};
    size_t plus = 1;
    if (check(m, err) != SLUICE_OK) return NULL;
    if (labels) own[0] = labels[0], own[1] = labels[1];
    if (t->n) {
        if (t->n != 2) {
            sl_fail(err, SLUICE_E_USAGE, "the model has seen one class alone");
            return NULL;
        }
        for (size_t i = 0; i < 2; i++) own[i] = sl_class_text(t, i);
        plus = m->classes.first_is_plus ? 0 : 1;
    }
    sluice_model *to = m->race ? several_race(m, own, plus, err) : several(m, own, plus, err);
    if (to && !(sl_metadata_copy(&to->metadata, &m->metadata) && sl_positions_copy(&to->positions, &m->positions)))
        to = no_memory(to, err);
    return to;
}
