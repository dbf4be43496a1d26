/* Points of a search, shown. */
#ifndef CLI_POINT_REPORT_H
#define CLI_POINT_REPORT_H

#include "points.h"
#include "report.h"

/* In so many columns; a dash where there is none. */
void print_figure(int width, double x);
/* All parameters of a point as JSON. */
void json_point_params(report *r, const point *p);

#endif
