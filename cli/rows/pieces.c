#include "rows/pieces.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 255 };

typedef struct pieces {
    atomic_size_t next;
    size_t n;
    void (*work)(void *context, size_t i);
    void *context;
} pieces;

unsigned thread_count(unsigned threads) {
    long cores = threads ? (long)threads : sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (unsigned)cores : 1;
}

static void *do_pieces(void *argument) {
    pieces *p = argument;
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->n;) p->work(p->context, i);
    return NULL;
}

void in_parallel(size_t n, unsigned threads, void (*work)(void *context, size_t i), void *context) {
    pieces p = {.n = n, .work = work, .context = context};
    pthread_t others[MAX_THREADS];
    size_t wanted = thread_count(threads) - 1, started = 0;
    if (wanted > MAX_THREADS) wanted = MAX_THREADS;
    /* a thread that cannot be had only makes it slower */
    while (started < wanted && started + 1 < n && pthread_create(&others[started], NULL, do_pieces, &p) == 0) started++;
    do_pieces(&p);
    for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
}
