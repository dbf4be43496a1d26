/* Figures of a model, as the learner thread writes them down for all others. */
#include "serve/model/served_parts.h"

#include "output/progress.h"

#include <math.h>
#include <string.h>

void served_count(served_model *m) {
    atomic_store_explicit(&m->version, examples_of(m->model), memory_order_relaxed);
    atomic_store_explicit(&m->examples, m->examples_done, memory_order_relaxed);
    atomic_store_explicit(&m->mistakes, m->mistakes_done, memory_order_relaxed);
}

static void take_drift(const served_model *m, served_figures *f) {
    const sluice_drift_figures d = drift_figures(&m->drift);
    f->window_error = d.window_error;
    f->fading_error = d.fading_error;
    f->drift_alarms = m->alarms_done + (m->drift.drift ? d.alarms : 0);
    f->last_alarm = m->last_alarm;
    f->window = 0;
    const sluice_detector_info *info = m->drift.drift ? sluice_drift_detector(m->drift.drift) : NULL;
    for (size_t i = 0; info && i < info->n_params; i++)
        if (strcmp(info->params[i].name, "window") == 0) f->window = (uint64_t)sluice_drift_param(m->drift.drift, i);
}

void served_update_figures(served_model *m) {
    m->counted = now_seconds();
    sluice_model_facts facts = {.size = sizeof facts};
    sluice_model_quick_facts(m->model, &facts);
    const snapshot *s = atomic_load(&m->current);
    served_count(m);
    pthread_mutex_lock(&m->figures_lock);
    served_figures *f = &m->figures;
    f->learner = facts.learner;
    f->updates = facts.updates;
    f->features_seen = facts.features_seen;
    f->evicted = facts.evicted;
    f->refused = facts.refused;
    f->nonzeros = s->nonzeros;
    f->snapshot_version = s->version;
    f->snapshot_cost = m->snapshot_cost;
    f->saved_age = m->saved_at; /* when, until it is read */
    f->memory = sluice_model_memory(m->model);
    take_drift(m, f);
    served_topics_figures(m, f);
    pthread_mutex_unlock(&m->figures_lock);
}

void served_read_figures(served_model *m, served_figures *figures) {
    const double now = now_seconds();
    pthread_mutex_lock(&m->figures_lock);
    *figures = m->figures;
    pthread_mutex_unlock(&m->figures_lock);
    figures->saved_age = now - figures->saved_age;
    figures->version = atomic_load(&m->version);
    figures->examples = atomic_load(&m->examples);
    figures->mistakes = atomic_load(&m->mistakes);
    figures->error_rate = figures->examples ? (double)figures->mistakes / (double)figures->examples : NAN;
    figures->saved_version = atomic_load(&m->saved_version);
    figures->queued_rows = atomic_load(&m->queued_rows);
    figures->queue_room = m->settings.queue_rows;
    figures->refused_rows = atomic_load(&m->refused_rows);
    const snapshot *s = served_take(m);
    figures->snapshot_version = s->version;
    figures->nonzeros = s->nonzeros;
    figures->snapshot_age = now - s->made;
    served_release(s);
}
