/* Finds the word nearest to one that was mistyped or cut short; upper and lower case are the same. */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

typedef struct nearest {
    const char *wanted, *word; /* the best so far; NULL while none is near enough to suggest */
    size_t distance;
} nearest;

nearest nearest_start(const char *wanted);
/* Whether this word is nearer than those before. */
int nearest_try(nearest *n, const char *word);

#endif
