/* Text and figures in a page. */
#ifndef CLI_HTML_H
#define CLI_HTML_H

#include "sluice.h"

#include <stdint.h>
#include <stdio.h>

/* Text as text, whatever bytes it has: in an element or a quoted attribute. */
void html_text(FILE *out, const char *text);
/* The same of n bytes; of more than `most` characters the rest is left out, and an ellipsis says so. */
void html_bytes(FILE *out, const char *text, size_t n, size_t most);
/* The name or id of a feature. Names may be any bytes; <bdi> keeps right-to-left text from affecting the rest of the
 * line. */
void put_feature_name(FILE *out, const sluice_weight *w);
/* A number of things for a person: 1,234,567. */
void html_grouped(FILE *out, uint64_t n);
/* The same where there is little room: 1.5M. */
void html_short(FILE *out, double n);
/* A number of things, or the mean of some. */
void html_count(FILE *out, double mean);
/* A rate in percent with `digits` digits behind the point; a dash for NaN. */
void html_percent(FILE *out, double rate, int digits);
/* A rate in percent with four significant digits, so that small ones can be told apart. */
void html_share(FILE *out, double rate);

#endif
