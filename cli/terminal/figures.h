/* Numbers for a person: 1,234,567. Never in JSON, in tab-separated text, or where a number may be typed again. */
#ifndef CLI_FIGURES_H
#define CLI_FIGURES_H

#include <stdint.h>

enum { FIGURE_TEXT = 48 };

/* A count with a comma before every three digits. */
const char *count_text(uint64_t n, char text[FIGURE_TEXT]);
/* The same as a value, for the arguments of printf. */
#define COUNT(n) count_text((n), (char[FIGURE_TEXT]){0})
/* Any figure, rounded to this number of significant digits; digits before the point are never left out. */
const char *figure_text(double x, int digits, char text[FIGURE_TEXT]);

#endif
