/* The values that a parameter is tried with:
 *
 *   VALUES = ITEM,ITEM,...
 *   ITEM   = VALUE | VALUE..VALUE | VALUE..VALUE:POINTS      ranges are logarithmic
 *   VALUE  = a number | a word | BASE^EXPONENT
 *
 * 2^-5..2^5 has all powers between, 0.01..100:9 nine values at equal ratios. Values in ranges have four digits. */
#ifndef SL_GRID_H
#define SL_GRID_H

#include "sluice.h"

enum { SL_GRID_TEXT = 48, SL_GRID_MAX_POINTS = 10000 };

typedef struct sl_grid_item {
    char text[SL_GRID_TEXT]; /* a single value; "": a range */
    double low, high;
} sl_grid_item;

typedef struct sl_grid {
    const sluice_param_info *param;
    sl_grid_item *items; /* to draw from */
    size_t n_items;
    char (*values)[SL_GRID_TEXT]; /* to go through: each once, as sluice_params_read() takes them */
    size_t n_values;
} sl_grid;

/* Reads VALUES for a parameter. With `drawing`, a range needs no number of points. Free with sl_grid_free() in any
 * case. */
sluice_status sl_grid_read(const sluice_param_info *param, const char *values, int drawing, sl_grid *g,
                           sluice_error *err);
/* The values as they stand there, whatever they are: for what takes texts that the library does not know. */
sluice_status sl_grid_of_texts(const sluice_param_info *param, const char *values, sl_grid *g, sluice_error *err);
/* `points` values around the default, from `least` times it to `most` times it, at equal ratios. */
sluice_status sl_grid_around(const sluice_param_info *param, double least, double most, size_t points, sl_grid *g,
                             sluice_error *err);
/* The value at a share of the way between two others, on the logarithmic scale, rounded as in ranges. */
double sl_grid_between(const sluice_param_info *param, double low, double high, double share);
/* Adds a value, unless the grid has it. */
sluice_status sl_grid_add(sl_grid *g, double value, sluice_error *err);
void sl_grid_free(sl_grid *g);

/* Draws an item, all with the same probability, and within a range log-uniformly. */
void sl_grid_draw(const sl_grid *g, sluice_random *r, char text[SL_GRID_TEXT]);

/* Whether a value lies at the end of what was tried, though the parameter could go further. With `drawing`: within a
 * twentieth of the range. */
int sl_grid_at_end(const sl_grid *g, const char *value, int drawing);

#endif
