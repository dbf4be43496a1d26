/* Text for a terminal of 80 columns. */
#ifndef CLI_WRAP_H
#define CLI_WRAP_H

#include <stdio.h>

/* Prints words from column `indent` on, or from `column`, where the cursor is, if that is further right; lines that
 * would be too long go on at `indent`. A newline in the text is kept, and [words in brackets] are not broken.
 * Ends the line. */
void print_wrapped(FILE *out, const char *text, int column, int indent);

#endif
