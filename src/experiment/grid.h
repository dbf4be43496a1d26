/* The values that a parameter is tried with, as --grid NAME=VALUES gives them:
 *
 *   VALUES = ITEM,ITEM,...
 *   ITEM   = VALUE | VALUE..VALUE | VALUE..VALUE:POINTS      a range runs over the logarithm
 *   VALUE  = a number | a word | BASE^EXPONENT
 *
 * 2^-5..2^5 has all powers between, 0.01..100:9 nine values at equal ratios. Values in ranges have four digits. */
#ifndef CLI_GRID_H
#define CLI_GRID_H

#include "rows/rng.h"
#include "sluice.h"

#include <stddef.h>

enum { GRID_TEXT = 48, GRID_MOST = 10000 /* values */ };

typedef struct grid_item {
    char text[GRID_TEXT]; /* a single value; "": a range */
    double low, high;
} grid_item;

typedef struct grid {
    const sluice_param_info *param;
    grid_item *items; /* to draw from */
    size_t n_items;
    char (*values)[GRID_TEXT]; /* to go through: each once, as the library reads them */
    size_t n_values;
} grid;

/* Reads VALUES for a parameter; `option` is what stands before them, "--grid eta=" or "--lambda ". With `drawing`, a
 * range needs no number of points. Returns an exit status after saying what is wrong. Free with grid_free() in any
 * case. */
int grid_read(const char *command, const char *option, const sluice_param_info *param, const char *values, int drawing,
              grid *g);
/* So many values around the default, from `least` times it to `most` times, at equal ratios. Returns an exit status. */
int grid_around(const sluice_param_info *param, double least, double most, size_t points, grid *g);
/* The value at a share of the way between two others, over the logarithm, as ranges have them. */
double grid_between(const sluice_param_info *param, double low, double high, double share);
/* Adds a value, unless the grid has it. Returns an exit status. */
int grid_add(grid *g, double value);
void grid_free(grid *g);

/* Draws an item, each alike, and within a range log-uniformly. */
void grid_draw(const grid *g, rng *r, char text[GRID_TEXT]);

/* Whether a value lies at the end of what was tried, though the parameter could go further. With `drawing`: within a
 * twentieth of the range. */
int grid_at_end(const grid *g, const char *value, int drawing);

#endif
