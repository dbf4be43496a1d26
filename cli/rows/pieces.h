/* Independent pieces of work, done by several threads. */
#ifndef CLI_PIECES_H
#define CLI_PIECES_H

#include <stddef.h>

/* Calls work(context, i) once for every i below n, on up to so many threads (0: as many as the machine has cores).
 * Which thread does which piece is left to chance: no result may depend on it. */
void in_parallel(size_t n, unsigned threads, void (*work)(void *context, size_t i), void *context);
/* How many threads that are. */
unsigned thread_count(unsigned threads);

#endif
