/* Pages that need nothing else: what all of them share. For light and dark screens, phones and paper. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <stdio.h>

/* The number of classes c0, c1, ..., which give lines, marks and bars their colours. */
enum { PAGE_COLOURS = 7 };

/* Everything up to the text; the title is plain text. */
void page_start(FILE *out, const char *title);
/* The same with further styles. */
void page_start_styled(FILE *out, const char *title, const char *more);
/* The tooltip, and the script that fills it with the <title> of the element of class `point` under the pointer. */
void page_end(FILE *out);

/* The styles, in pieces; NULL past the last. */
const char *page_style(size_t i);

/* A line of a <dl>. */
void page_fact(FILE *out, const char *name, const char *text);

#endif
