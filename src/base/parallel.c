#include "base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST = 64 };

typedef struct work {
    void (*job)(void *context, size_t i);
    void *context;
    size_t jobs;
    atomic_size_t next;
} work;

static void *run(void *at) {
    work *w = at;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->jobs;) w->job(w->context, i);
    return NULL;
}

unsigned sl_cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

void sl_parallel(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context) {
    work w = {.job = job, .context = context, .jobs = jobs};
    pthread_t helper[MOST];
    unsigned n = threads ? threads : sl_cores(), started = 0;
    if (n > jobs) n = (unsigned)jobs;
    if (n > MOST) n = MOST;
    /* who cannot be started is not missed: the others take more */
    while (started + 1 < n && pthread_create(&helper[started], NULL, run, &w) == 0) started++;
    run(&w);
    while (started) pthread_join(helper[--started], NULL);
}
