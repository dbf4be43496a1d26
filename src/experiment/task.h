/* A long piece of work: its progress, and whether it was cancelled. */
#ifndef SL_TASK_H
#define SL_TASK_H

#include "sluice.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct sl_task {
    sluice_progress_function progress; /* NULL: it is not reported */
    void *context;
    uint64_t done, total;
    atomic_bool cancelled;
    pthread_mutex_t lock; /* one call of `progress` at a time */
} sl_task;

void sl_task_begin(sl_task *t, sluice_progress_function progress, void *context, uint64_t total);
/* After n more units of work, or 0 in the middle of a long one. Returns whether the work was cancelled. */
int sl_task_advance(sl_task *t, uint64_t n);
/* SLUICE_E_CANCELLED if it was cancelled, otherwise SLUICE_OK. */
sluice_status sl_task_end(sl_task *t, sluice_error *err);

/* Seconds on a clock that only goes forward. */
double sl_seconds(void);

#endif
