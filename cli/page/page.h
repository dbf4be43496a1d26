/* Pages that need nothing else: what all of them share. For light and dark screens, phones and paper. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdio.h>

/* Lines, marks and bars take their colours from the classes c0, c1, ...; so many there are. */
enum { PAGE_COLOURS = 7 };

/* Everything up to the text; the title is plain text. */
void page_start(FILE *out, const char *title);
/* The place for values on pointing, and the script that shows them: of every element of class `point` its <title>. */
void page_end(FILE *out);

/* A line of a <dl>. */
void page_fact(FILE *out, const char *name, const char *text);

#endif
