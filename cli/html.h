/* Text and figures in a page. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include <stdio.h>

/* Text as text, whatever bytes it has: in an element or a quoted attribute. */
void html_text(FILE *out, const char *text);
/* A number of things, or the mean of some. */
void html_count(FILE *out, double mean);
/* A rate in percent with so many digits behind the point; a dash where there is none. */
void html_percent(FILE *out, double rate, int digits);

#endif
