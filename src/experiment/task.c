/* Progress and cancellation of long work. */
#include "experiment/task.h"

#include "base/error.h"

#include <time.h>

void sl_task_begin(sl_task *t, sluice_progress_function progress, void *context, uint64_t total) {
    t->progress = progress;
    t->context = context;
    t->done = 0;
    t->total = total;
    atomic_init(&t->cancelled, 0);
    pthread_mutex_init(&t->lock, NULL);
}

int sl_task_advance(sl_task *t, uint64_t n) {
    if (!t->progress) return 0;
    pthread_mutex_lock(&t->lock);
    t->done += n;
    if (!atomic_load(&t->cancelled) && t->progress(t->context, t->done, t->total)) atomic_store(&t->cancelled, 1);
    pthread_mutex_unlock(&t->lock);
    return atomic_load(&t->cancelled);
}

sluice_status sl_task_end(sl_task *t, sluice_error *err) {
    pthread_mutex_destroy(&t->lock);
    return atomic_load(&t->cancelled) ? sl_fail(err, SLUICE_E_CANCELLED, "cancelled") : SLUICE_OK;
}

double sl_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
