/* The curves of a sweep as SVG. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "sweep.h"

/* Lines and markers take their colours from the classes c0, c1, ... of the page; as many as there are colours. */
enum { CHART_COLOURS = 7 };

/* Error against sparsity, on the scale of the logarithm of the share of nonzeros: 90, 99 and 99.9 % lie equally far
 * apart. Points without any nonzero stand beside it. */
void put_chart(FILE *out, const sweeping *w);
/* The marker that stands for a curve, around the origin. */
void put_marker(FILE *out, size_t which);

#endif
