/* Worker threads that share out jobs, in rounds.
 *
 * A round is one run of all jobs. Every thread takes the next job until none is left; the round ends when all jobs are
 * done. A thread that wakes up late finds no job left, or takes one of the next round: both are correct, since the jobs
 * and the context never change. */
#include "base/thread_team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    SPINS = 1000, /* polls before a thread sleeps: about ten microseconds, less than waking up takes */
    MAX_THREADS = 256,
};

struct sl_team {
    void (*job)(void *context, size_t i);
    void *context;
    size_t jobs;
    atomic_size_t next, done;
    atomic_uint round;
    atomic_bool stop; /* the threads end after the present round */
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;
    unsigned n; /* threads started */
    pthread_t thread[MAX_THREADS];
};

unsigned sl_cores(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (unsigned)n : 1;
}

static inline void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void do_jobs(sl_team *t) {
    for (size_t i; (i = atomic_fetch_add(&t->next, 1)) < t->jobs;) {
        t->job(t->context, i);
        if (atomic_fetch_add(&t->done, 1) + 1 < t->jobs) continue;
        pthread_mutex_lock(&t->lock);
        pthread_cond_signal(&t->ended);
        pthread_mutex_unlock(&t->lock);
    }
}

static void await_round(sl_team *t, unsigned last) {
    for (int i = 0; i < SPINS && atomic_load(&t->round) == last; i++) pause_briefly();
    if (atomic_load(&t->round) != last) return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->round) == last) pthread_cond_wait(&t->begun, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void await_end(sl_team *t) {
    for (int i = 0; i < SPINS && atomic_load(&t->done) < t->jobs; i++) pause_briefly();
    if (atomic_load(&t->done) == t->jobs) return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->done) < t->jobs) pthread_cond_wait(&t->ended, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

static void *run_rounds(void *team) {
    sl_team *t = team;
    for (unsigned round = 0;;) {
        await_round(t, round);
        round = atomic_load(&t->round);
        bool last = atomic_load(&t->stop);
        do_jobs(t);
        if (last) return NULL;
    }
}

static void begin_round(sl_team *t) {
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->round, 1);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

static void team_init(sl_team *t, size_t jobs, void (*job)(void *context, size_t i), void *context) {
    t->job = job;
    t->context = context;
    t->jobs = jobs;
    t->n = 0;
    atomic_init(&t->next, jobs); /* no job until a round begins */
    atomic_init(&t->done, 0);
    atomic_init(&t->round, 0);
    atomic_init(&t->stop, false);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->ended, NULL);
}

/* If a thread cannot be started, the others do its share. */
static void start_threads(sl_team *t, unsigned threads) {
    if (!threads) threads = sl_cores();
    if (threads > t->jobs) threads = (unsigned)t->jobs;
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    while (t->n + 1 < threads && pthread_create(&t->thread[t->n], NULL, run_rounds, t) == 0) t->n++;
}

static void end_threads(sl_team *t) {
    while (t->n) pthread_join(t->thread[--t->n], NULL);
    pthread_mutex_destroy(&t->lock);
    pthread_cond_destroy(&t->begun);
    pthread_cond_destroy(&t->ended);
}

/* The first round is the last, and has begun when the threads start: none of them ever waits. */
void sl_parallel(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context) {
    sl_team t;
    team_init(&t, jobs, job, context);
    atomic_store(&t.next, 0);
    atomic_store(&t.round, 1);
    atomic_store(&t.stop, true);
    start_threads(&t, threads);
    do_jobs(&t);
    end_threads(&t);
}

sl_team *sl_team_new(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context) {
    sl_team *t = malloc(sizeof *t);
    if (!t) return NULL;
    team_init(t, jobs, job, context);
    start_threads(t, threads);
    return t;
}

void sl_team_run(sl_team *t) {
    atomic_store(&t->done, 0);
    atomic_store(&t->next, 0);
    begin_round(t);
    do_jobs(t);
    await_end(t);
}

void sl_team_free(sl_team *t) {
    if (!t) return;
    atomic_store(&t->stop, true);
    begin_round(t); /* without jobs: `next` is past the last */
    end_threads(t);
    free(t);
}
