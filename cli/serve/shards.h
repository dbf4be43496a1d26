/* Threads count in places of their own, so that they do not wait for each other's cache lines; there are as many as
 * this, and the threads beyond share them. */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

#include <stdatomic.h>

enum { SHARDS = 16, CACHE_LINE = 64 };

/* The calling thread's place. */
static inline unsigned my_shard(void) {
    static atomic_uint threads;
    static _Thread_local unsigned number; /* from 1 on */
    if (!number) number = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % SHARDS + 1;
    return number - 1;
}

#endif
