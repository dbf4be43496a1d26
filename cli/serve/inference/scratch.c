/* Memory of a thread for the arrays of one request: pieces of blocks, given back all at once. */
#include "serve/inference/scratch.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BLOCK = 1 << 16, KEPT_BLOCK = 1 << 20, ALIGNMENT = 16 };

typedef struct block {
    struct block *next;
    size_t room, used;
    _Alignas(ALIGNMENT) char bytes[];
} block;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local block *blocks; /* the newest, largest one first */

static void free_blocks(void *unused) {
    (void)unused;
    for (block *next; blocks; blocks = next) {
        next = blocks->next;
        free(blocks);
    }
}

static void make_key(void) { pthread_key_create(&key, free_blocks); }

void scratch_begin(void) {
    if (!blocks) return;
    if (blocks->room <= KEPT_BLOCK) { /* the newest one has the room of all: the next request needs no other */
        block *kept = blocks;
        blocks = kept->next;
        free_blocks(NULL);
        kept->next = NULL;
        kept->used = 0;
        blocks = kept;
    } else {
        free_blocks(NULL);
    }
}

void *scratch_take(size_t n, size_t size) {
    if (size && n > (SIZE_MAX / 4 - ALIGNMENT) / size) return NULL;
    const size_t bytes = (n * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!blocks || blocks->room - blocks->used < bytes) {
        size_t room = blocks ? 2 * blocks->room : FIRST_BLOCK;
        if (room < bytes) room = bytes;
        pthread_once(&once, make_key);
        block *b = malloc(sizeof *b + room);
        if (!b) return NULL;
        *b = (block){.next = blocks, .room = room};
        blocks = b;
        pthread_setspecific(key, b); /* not NULL: the thread's end frees them */
    }
    void *piece = blocks->bytes + blocks->used;
    blocks->used += bytes;
    return piece;
}
