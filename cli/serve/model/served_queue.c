/* The queue of jobs, bounded in rows, and how the learner thread waits. */
#include "serve/model/served_parts.h"

#include "output/message.h"
#include "output/progress.h"

#include <math.h>
#include <time.h>

void served_queue_init(served_model *m) {
    pthread_condattr_t how;
    m->last = &m->first;
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&how);
#ifndef __APPLE__ /* has no such call, and no `sluice serve` */
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
#endif
    pthread_cond_init(&m->more, &how);
    pthread_condattr_destroy(&how);
}

void served_queue_free(served_model *m) {
    pthread_cond_destroy(&m->more);
    pthread_mutex_destroy(&m->lock);
}

/* Each job is something: jobs without rows must not fill the memory either. */
static uint64_t rows_of(const job *j) {
    const size_t rows = j->kind == JOB_LEARN && j->batch ? sluice_batch_rows(j->batch) : 0;
    return rows ? rows : 1;
}

/* A job that is larger than the queue has its turn when nothing else waits. */
static int has_room(const served_model *m, uint64_t rows) {
    const uint64_t queued = atomic_load_explicit(&m->queued_rows, memory_order_relaxed), all = m->settings.queue_rows;
    return !queued || (queued < all && rows <= all - queued);
}

int served_has_room(const served_model *m, uint64_t rows) { return has_room(m, rows); }

/* With the lock held. */
static void wake(served_model *m) {
    pthread_cond_signal(&m->more);
    if (m->waits) sluice_reader_wake(m->waits);
}

void served_wake(served_model *m) {
    pthread_mutex_lock(&m->lock);
    wake(m);
    pthread_mutex_unlock(&m->lock);
}

int served_enqueue(served_model *m, job *j) {
    j->rows = rows_of(j);
    j->next = NULL;
    pthread_mutex_lock(&m->lock);
    const int taken = !m->closed && has_room(m, j->rows);
    if (taken) {
        const int was_empty = !m->first;
        *m->last = j;
        m->last = &j->next;
        atomic_fetch_add_explicit(&m->queued_rows, j->rows, memory_order_relaxed);
        if (was_empty) wake(m);
    } else {
        atomic_fetch_add_explicit(&m->refused_rows, j->rows, memory_order_relaxed);
    }
    pthread_mutex_unlock(&m->lock);
    return taken;
}

job *served_next_job(served_model *m) {
    pthread_mutex_lock(&m->lock);
    job *j = m->first;
    if (j) m->first = j->next;
    if (!m->first) m->last = &m->first;
    pthread_mutex_unlock(&m->lock);
    return j;
}

void served_finish_job(served_model *m, job *j) {
    atomic_fetch_sub_explicit(&m->queued_rows, j->rows, memory_order_relaxed);
    if (j->done) j->done(j);
}

static int has_work(const served_model *m) { return m->first || m->closed || m->save_asked; }

void served_wait(served_model *m, double until) {
    pthread_mutex_lock(&m->lock);
    while (!has_work(m) && now_seconds() < until) {
        const double at = fmin(until, now_seconds() + 1); /* replaced snapshots are looked after each second */
        const struct timespec when = {(time_t)at, (long)(1e9 * (at - floor(at)))};
        if (pthread_cond_timedwait(&m->more, &m->lock, &when) && m->retired) break;
    }
    pthread_mutex_unlock(&m->lock);
}

sluice_status served_wait_for_topics(served_model *m, double until, const sluice_batch **batch) {
    pthread_mutex_lock(&m->lock);
    if (has_work(m) || now_seconds() >= until) sluice_reader_wake(m->reader); /* it takes what is there */
    m->waits = m->reader;
    pthread_mutex_unlock(&m->lock);
    atomic_store(&m->due, isfinite(until) ? until : 0);
    const sluice_status status = sluice_reader_next(m->reader, batch);
    pthread_mutex_lock(&m->lock);
    m->waits = NULL;
    pthread_mutex_unlock(&m->lock);
    atomic_store(&m->due, 0);
    return status;
}

void served_tick(served_model *m) {
    const double due = atomic_load(&m->due);
    if (due > 0 && now_seconds() >= due) served_wake(m);
}

void served_ask_save(served_model *m) {
    pthread_mutex_lock(&m->lock);
    m->save_asked = 1;
    wake(m);
    pthread_mutex_unlock(&m->lock);
}

int served_save_asked(served_model *m) {
    pthread_mutex_lock(&m->lock);
    const int asked = m->save_asked;
    m->save_asked = 0;
    pthread_mutex_unlock(&m->lock);
    return asked;
}

int served_ends(served_model *m) {
    pthread_mutex_lock(&m->lock);
    const int ends = m->closed;
    pthread_mutex_unlock(&m->lock);
    return ends;
}

int served_is_closed(served_model *m) {
    pthread_mutex_lock(&m->lock);
    const int closed = m->closed && !m->first;
    pthread_mutex_unlock(&m->lock);
    return closed;
}
