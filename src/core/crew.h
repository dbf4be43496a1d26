/* Threads that do the same jobs again and again: to start them anew each time would take as long as a short job. */
#ifndef SL_CREW_H
#define SL_CREW_H

#include <stddef.h>

typedef struct sl_crew sl_crew;

/* `threads` of them, the caller counted in, for jobs 0 to jobs - 1. NULL: no memory. */
sl_crew *sl_crew_new(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context);
/* Does all jobs once, each in one thread; returns when all are done. */
void sl_crew_run(sl_crew *c);
void sl_crew_free(sl_crew *c);

#endif
