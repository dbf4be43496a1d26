/* Text that is written through a stream and kept in memory: it is complete, or there is none. open_memstream() does not
 * say where memory ran out in the middle. */
#ifndef CLI_MEMORY_TEXT_H
#define CLI_MEMORY_TEXT_H

#include <stdio.h>

typedef struct memory_text {
    char *text;
    size_t n, room;
    int failed;
    FILE *out;
} memory_text;

/* The stream to write to; NULL: no memory, and there is nothing to close. `m` stays where it is until it is closed. */
FILE *memory_text_open(memory_text *m);
/* Closes the stream. Returns the text, ended by a NUL, to be freed; NULL where any of it is missing. `n` may be NULL.
 */
char *memory_text_close(memory_text *m, size_t *n);

#endif
