/* Logarithmic axes of rates, with a place of its own for a rate of 0. */
#ifndef CLI_RATE_AXIS_H
#define CLI_RATE_AXIS_H

#include "page/chart.h"

enum { MOST_RATE_TICKS = 24 };

/* The axis of the chart that it belongs to holds logarithms (base 10) and begins where the place of 0 ends. */
typedef struct rate_axis {
    double least, most; /* of the rates above 0 that are to be on it */
    int has_zero;
    double zero; /* the logarithm that a rate of 0 is drawn at */
    double tick[MOST_RATE_TICKS];
    size_t n;
} rate_axis;

rate_axis rate_axis_new(void);
/* The rate is to be on the axis. */
void rate_axis_cover(rate_axis *r, double rate);
/* Chooses the ticks and sets the range of the axis: what was covered, up to the ticks around it. */
void rate_axis_set(rate_axis *r, axis *a);
/* What is drawn instead of the rate: its logarithm, not less than the axis has; NaN for NaN. */
double rate_axis_value(const rate_axis *r, const axis *a, double rate);
/* Grid and labels, as far as there is room for them, and the name, which may be NULL. */
void rate_axis_draw_x(FILE *out, const chart *c, const rate_axis *r, const char *name);
void rate_axis_draw_y(FILE *out, const chart *c, const rate_axis *r, const char *name);

#endif
