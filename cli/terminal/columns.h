/* How wide the terminal is that results go to, and texts cut to that. */
#ifndef CLI_COLUMNS_H
#define CLI_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

enum { ANY_WIDTH = 1 << 20 };

/* The columns of a terminal; 80 where it does not say. */
int columns_of(int descriptor);
/* The columns that results may take: ANY_WIDTH where standard output is no terminal, and with -v. */
int result_columns(void);
/* Writes bytes as put_exact() does, in at most `room` columns: where they need more the end is left out, and "..." says
 * so. Returns the columns written; of ANY_WIDTH, the characters. */
int put_cut(FILE *out, const char *bytes, size_t n, int room);

#endif
