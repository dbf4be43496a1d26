/* Text from outside (file names, names of features, what a model keeps) on its way to a terminal. */
#ifndef CLI_SHOWN_TEXT_H
#define CLI_SHOWN_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes a text as a terminal may show it (sluice_escape). */
void put_shown(FILE *out, const char *text);
/* The same for any bytes, with backslashes as \x5c: the bytes can be told from it. Returns how many characters it
 * wrote. */
int put_exact(FILE *out, const char *bytes, size_t n);
/* Whether the text is shown as it is. */
int shows_as_it_is(const char *text);

#endif
