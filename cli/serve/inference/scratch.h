/* Memory of a thread for the arrays of one request. */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H

#include <stddef.h>

/* Room for n elements of a size, until the thread's next scratch_begin(); NULL: no memory. */
void *scratch_take(size_t n, size_t size);
/* Gives back all that the thread has taken. */
void scratch_begin(void);

#endif
