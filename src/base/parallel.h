/* Work in pieces that do not depend on each other, shared out among threads. */
#ifndef SL_PARALLEL_H
#define SL_PARALLEL_H

#include <stddef.h>

/* How many threads the machine runs at once. */
unsigned sl_cores(void);

/* Calls job(context, i) for i = 0 .. jobs-1, in any order, from up to so many threads (0: as many as there are cores);
 * returns when all are done. A piece's result must not depend on who does it or when. */
void sl_parallel(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context);

#endif
