/* A model begins anew: what it has learned is gone, what it is stays. */
#include "base/error.h"
#include "model/classes/many.h"
#include "model/race/race.h"

static sluice_model *fresh_model(sluice_model *m) {
    sluice_settings settings = m->settings;
    if (m->race) { /* its settings show those of the leader */
        settings = m->race->given;
        settings.positive = m->settings.positive;
    }
    return sl_model_is_of_many(m) && !m->race ? sl_many_new(m->learner, m->params, &settings, &m->error)
                                              : sl_model_empty(m->learner, m->rule, m->params, &settings, &m->error);
}

/* The classes keep their numbers and signs: measures that go on count by them. */
static sluice_status take_classes(sluice_model *fresh, const sluice_model *m) {
    const sl_class_table *t = &m->classes.table;
    if (!sl_model_is_of_many(m)) return sl_classes_take(fresh, m);
    sluice_status status = t->n ? sl_many_reserve(fresh, t->n) : SLUICE_OK;
    for (size_t i = 0; i < t->n && status == SLUICE_OK; i++)
        if (sl_classes_add(&fresh->classes.table, sl_class_text(t, i)) == SL_NO_CLASS)
            status = sl_fail(&fresh->error, SLUICE_E_MEMORY, "no memory for a class");
    return status;
}

sluice_status sluice_model_begin_anew(sluice_model *m) {
    if (sl_model_is_predict_only(m))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "a predict-only model cannot learn, nor begin anew");
    sluice_model *fresh = fresh_model(m);
    if (!fresh) return m->error.status;
    if (take_classes(fresh, m) != SLUICE_OK) {
        m->error = fresh->error;
        sluice_model_free(fresh);
        return m->error.status;
    }
    fresh->state.batch.threads = m->state.batch.threads;
    sl_model_exchange(m, fresh);
    m->pseudo.probability = fresh->pseudo.probability;
    m->pseudo.weight = fresh->pseudo.weight;
    sluice_model_free(fresh);
    return SLUICE_OK;
}
