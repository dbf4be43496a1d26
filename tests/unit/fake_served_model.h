/* A model for tests of what queues rows for it: it learns nothing, and notes what it was asked to learn. */
#ifndef FAKE_SERVED_MODEL_H
#define FAKE_SERVED_MODEL_H

#include "serve/model/served_model.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct served_model {
    const char *name, *cannot_learn;
    pthread_mutex_t lock;
    job *first, **end;
    uint64_t queued, room;
    uint64_t store, last_label, saved_label; /* in the model, in its file */
    int asked_to_save, refuses;              /* refuses: what is queued, though it had room */
    const sluice_cost *costs;
    size_t n_costs;
    /* learns a row; not SLUICE_OK: it cannot */
    sluice_status (*learn)(served_model *m, job *j);
    void *context;
};

static inline void fake_model(served_model *m, const char *name) {
    memset(m, 0, sizeof *m);
    m->name = name;
    m->end = &m->first;
    m->room = 1000;
    pthread_mutex_init(&m->lock, NULL);
}

/* Does what is queued, as the thread of a model would. */
static inline size_t fake_learn_all(served_model *m) {
    size_t n = 0;
    for (;; n++) {
        pthread_mutex_lock(&m->lock);
        job *j = m->first;
        if (j && !(m->first = j->next)) m->end = &m->first;
        if (j) m->queued--;
        pthread_mutex_unlock(&m->lock);
        if (!j) return n;
        j->status = m->learn ? m->learn(m, j) : SLUICE_OK;
        if (j->status == SLUICE_OK) j->learned = 1;
        if (j->label_number > m->last_label) m->last_label = j->label_number;
        j->done(j);
    }
}

static inline void fake_save(served_model *m) {
    pthread_mutex_lock(&m->lock);
    m->saved_label = m->last_label;
    pthread_mutex_unlock(&m->lock);
}

const char *served_name(const served_model *m) { return m->name; }
const char *served_cannot_learn(const served_model *m) { return m->cannot_learn; }
void served_take_labels_of(served_model *m, uint64_t store) { m->store = store; }
void served_ask_save(served_model *m) { m->asked_to_save++; }

uint64_t served_saved_label(const served_model *m) {
    pthread_mutex_lock((pthread_mutex_t *)&m->lock);
    const uint64_t saved = m->saved_label;
    pthread_mutex_unlock((pthread_mutex_t *)&m->lock);
    return saved;
}

int served_has_room(const served_model *m, uint64_t rows) {
    pthread_mutex_lock((pthread_mutex_t *)&m->lock);
    const int has = m->queued + rows <= m->room;
    pthread_mutex_unlock((pthread_mutex_t *)&m->lock);
    return has;
}

int served_enqueue(served_model *m, job *j) {
    pthread_mutex_lock(&m->lock);
    const int takes = m->queued < m->room && !m->refuses;
    if (takes) {
        j->next = NULL;
        *m->end = j;
        m->end = &j->next;
        m->queued++;
    }
    pthread_mutex_unlock(&m->lock);
    return takes;
}

const model_reading *served_reading(const served_model *m) { return (const model_reading *)m; }

sluice_reader_options reading_options(const model_reading *r, const char *format, int to_learn) {
    const served_model *m = (const served_model *)r;
    sluice_reader_options reading = {.size = sizeof reading, .format = format, .words = 1};
    reading.every_line = !to_learn;
    reading.costs = m->costs;
    reading.n_costs = m->n_costs;
    return reading;
}

#endif
