/* Prints points of a search. */
#ifndef CLI_POINT_REPORT_H
#define CLI_POINT_REPORT_H

#include "args/args.h"
#include "output/report.h"

/* Prints a number `width` wide; a dash for NaN. */
void print_figure(int width, double x);
/* The settings that a model of the point has when it was learned from the inputs, as `train` shows them;
 * `format` is that of the last input, or NULL. */
void report_search_settings(report *r, const args *a, const sluice_point *like, const char *format);
/* All parameters of a point as JSON. */
void json_point_params(report *r, const sluice_point *p);

#endif
