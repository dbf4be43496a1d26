/* Worker threads: independent jobs shared out among them, once or again and again. */
#ifndef SL_THREAD_TEAM_H
#define SL_THREAD_TEAM_H

#include <stddef.h>

/* The number of threads the machine runs at once. */
unsigned sl_cores(void);

/* Calls job(context, i) once for i = 0 .. jobs - 1, in any order, from up to `threads` threads, the calling one among
 * them (0: one for each core); returns when all jobs are done. A job's result must not depend on which thread runs it
 * or when. */
void sl_parallel(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context);

/* The same jobs many times: the threads wait between the rounds, since starting them can take as long as a short job.
 */
typedef struct sl_team sl_team;

/* Starts the threads; the calling thread counts as one of them. NULL: no memory. */
sl_team *sl_team_new(unsigned threads, size_t jobs, void (*job)(void *context, size_t i), void *context);
/* One round: runs all jobs once and returns when they are done. */
void sl_team_run(sl_team *team);
void sl_team_free(sl_team *team);

#endif
