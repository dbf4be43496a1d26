/* Threads that do the same jobs again and again: to start them anew each time would take as long as a short job. */
#ifndef SL_THREAD_TEAM_H
#define SL_THREAD_TEAM_H

#include <stddef.h>

typedef struct sl_team sl_team;

/* `threads` of them, the caller counted in, for jobs 0 to jobs - 1. NULL: no memory. */
sl_team *sl_team_new(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context);
/* Does all jobs once, each in one thread; returns when all are done. */
void sl_team_run(sl_team *c);
void sl_team_free(sl_team *c);

#endif
