/* A round is one run of all jobs. Whoever is free takes the next job; the round is over when all have been done. Who
 * comes late finds no job, or one of the round after, which is as good: jobs and context are always the same. */
#include "base/thread_team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    PATIENCE = 1000, /* looks before somebody goes to sleep: some ten microseconds, less than it takes to wake up */
    MOST = 64,
};

struct sl_team {
    void (*job)(void *context, size_t i);
    void *context;
    size_t jobs;
    atomic_size_t next, done;
    atomic_uint round;
    atomic_bool stop;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    unsigned n;
    pthread_t thread[MOST];
};

static inline void breathe(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void work(sl_team *c) {
    for (size_t i; (i = atomic_fetch_add(&c->next, 1)) < c->jobs;) {
        c->job(c->context, i);
        if (atomic_fetch_add(&c->done, 1) + 1 < c->jobs) continue;
        pthread_mutex_lock(&c->lock);
        pthread_cond_signal(&c->ended);
        pthread_mutex_unlock(&c->lock);
    }
}

static void await_round(sl_team *c, unsigned last) {
    for (int i = 0; i < PATIENCE && atomic_load(&c->round) == last; i++) breathe();
    if (atomic_load(&c->round) != last) return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->round) == last) pthread_cond_wait(&c->begun, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void await_end(sl_team *c) {
    for (int i = 0; i < PATIENCE && atomic_load(&c->done) < c->jobs; i++) breathe();
    if (atomic_load(&c->done) == c->jobs) return;
    pthread_mutex_lock(&c->lock);
    while (atomic_load(&c->done) < c->jobs) pthread_cond_wait(&c->ended, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

static void *follow(void *at) {
    sl_team *c = at;
    for (unsigned round = 0;;) {
        await_round(c, round);
        round = atomic_load(&c->round);
        if (atomic_load(&c->stop)) return NULL;
        work(c);
    }
}

static void begin_round(sl_team *c) {
    pthread_mutex_lock(&c->lock);
    atomic_fetch_add(&c->round, 1);
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
}

sl_team *sl_team_new(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context) {
    sl_team *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->job = job;
    c->context = context;
    c->jobs = jobs;
    atomic_init(&c->next, jobs);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->ended, NULL);
    if (threads > jobs) threads = (unsigned)jobs;
    if (threads > MOST) threads = MOST;
    /* who cannot be started is not missed: the others take more */
    while (c->n + 1 < threads && pthread_create(&c->thread[c->n], NULL, follow, c) == 0) c->n++;
    return c;
}

void sl_team_run(sl_team *c) {
    atomic_store(&c->done, 0);
    atomic_store(&c->next, 0);
    begin_round(c);
    work(c);
    await_end(c);
}

void sl_team_free(sl_team *c) {
    if (!c) return;
    atomic_store(&c->stop, true);
    begin_round(c);
    while (c->n) pthread_join(c->thread[--c->n], NULL);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->begun);
    pthread_cond_destroy(&c->ended);
    free(c);
}
