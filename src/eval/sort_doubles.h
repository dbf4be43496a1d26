/* Sorts many numbers by value, ascending. None may be NaN; of -0 and 0, which are equal, -0 comes first. */
#ifndef SL_SORT_DOUBLES_H
#define SL_SORT_DOUBLES_H

#include <stddef.h>

void sl_sort_doubles(double *x, size_t n);

#endif
