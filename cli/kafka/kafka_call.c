/* Calls of librdkafka that wait for brokers longer than they are waited for. */
#include "kafka/kafka_call.h"

#if SLUICE_HAVE_RDKAFKA
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* The last of its thread and its owner frees it. */
struct kafka_call {
    void (*work)(void *context);
    void *context;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool returned, left;
};

static void free_call(kafka_call *c) {
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void *make_call(void *context) {
    kafka_call *c = context;
    c->work(c->context);
    pthread_mutex_lock(&c->lock);
    c->returned = true;
    pthread_cond_signal(&c->changed);
    const bool last = c->left;
    pthread_mutex_unlock(&c->lock);
    if (last) free_call(c);
    return NULL;
}

kafka_call *kafka_call_begin(void (*work)(void *context), void *context) {
    pthread_t thread;
    kafka_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    *c = (kafka_call){.work = work, .context = context};
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    if (pthread_create(&thread, NULL, make_call, c) == 0) {
        pthread_detach(thread);
        return c;
    }
    free_call(c);
    return NULL;
}

bool kafka_call_wait(kafka_call *c, double seconds) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    const double behind = (double)end.tv_nsec * 1e-9 + seconds;
    end.tv_sec += (time_t)behind;
    end.tv_nsec = (long)((behind - (double)(time_t)behind) * 1e9);
    pthread_mutex_lock(&c->lock);
    while (!c->returned && pthread_cond_timedwait(&c->changed, &c->lock, &end) == 0) continue;
    const bool returned = c->returned;
    pthread_mutex_unlock(&c->lock);
    return returned;
}

void kafka_call_end(kafka_call *c) {
    pthread_mutex_lock(&c->lock);
    c->left = true;
    const bool last = c->returned;
    pthread_mutex_unlock(&c->lock);
    if (last) free_call(c);
}
#endif
