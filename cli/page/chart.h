/* Charts as SVG: axes, grids, markers. The callers draw the contents. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdio.h>

/* Maps values from low to high to pixels from `from` to `to`. */
typedef struct axis {
    double low, high, from, to;
    double step; /* between ticks */
} axis;

typedef struct chart {
    const char *id, *title;
    double width, height;            /* of the picture */
    double left, right, top, bottom; /* of the frame within */
    axis x, y;
} chart;

typedef void put_label(FILE *out, double value, double step);
/* Rates in percent, with as many digits as the step needs; numbers of things. */
put_label percent_label, count_label;

/* The pixel of a value. */
double axis_place(const axis *a, double value);
/* Sets the step to 1, 2 or 5 times a power of ten and not below `least`: about six of them cover the axis. Where low is
 * above high there are no values, and the axis becomes 0 to 1. */
void axis_ticks(axis *a, double least);
/* Widens the axis to whole steps, too. */
void axis_round(axis *a, double least);

/* A chart of which two fit side by side; its text is readable on a phone, where it is some 370 pixels wide. The axes
 * have no values yet. */
chart chart_small(const char *id, const char *title, double height);
void chart_start(FILE *out, const chart *c);
void chart_end(FILE *out);
/* Grid, labels and name (it may be NULL) of an axis that has its step and begins with a tick. */
void chart_x_axis(FILE *out, const chart *c, put_label *label, const char *name);
void chart_y_axis(FILE *out, const chart *c, put_label *label, const char *name);
/* The same for an axis of logarithms (base 10) of counts, which is widened to have two ticks at least: at 1, 2 and 5
 * times powers of ten, or at powers alone where these do not find room. */
void chart_count_axis(FILE *out, const chart *c, const char *name);
void axis_count_ticks(axis *a);
/* The lines left and below, up to x. */
void chart_frame(FILE *out, const chart *c, double x);

/* A line of the grid at x with text below it, or at y with text beside it; the name of the axis. */
void chart_x_tick(FILE *out, const chart *c, double x, const char *text);
void chart_y_tick(FILE *out, const chart *c, double y, const char *text);
void chart_y_name(FILE *out, const chart *c, const char *name);
void chart_x_name(FILE *out, const chart *c, double y, const char *name);

/* One point of a line, whose path begins with *letter = 'M'; no line leads to or from where a value is NaN. */
void chart_line_to(FILE *out, const chart *c, char *letter, double x, double y);
/* A dot, shown always or while the pointer is over its group; none where a value is NaN. */
void chart_mark(FILE *out, const chart *c, int colour, int always, double x, double y);
/* The marker of a curve, around the origin. */
void chart_marker(FILE *out, size_t which);

/* A chart with its caption: a title, then what its lines are and figures that belong to it, then "</figcaption>" and
 * the chart. Texts are HTML. */
void figure_start(FILE *out, const char *title);
void figure_key(FILE *out, int colour, const char *line_class, const char *text);
void figure_value(FILE *out, const char *name, double x);
/* Ends the chart, too. */
void figure_end(FILE *out);

#endif
