/* Linear algebra over the rows of a batch and a square matrix of n columns, n rows, of which the lower triangle counts,
 * row after row. Work is cut into tiles whose size depends on nothing but n, each one call of BLAS: so many threads
 * share it, and the numbers do not depend on how many. */
#ifndef SL_TILES_H
#define SL_TILES_H

#include "learner/learner.h"

/* a += c sum_i h_i x_i x_i' over the rows held. `room`: n * sl_tiles_rows() numbers to work with. */
void sl_tiles_add_gram(const sl_state *s, double c, double *a, size_t n, double *room);
/* a becomes its Cholesky factor L, LL' = a; false: it is not positive definite (or too close to that for 64 bits). */
bool sl_tiles_cholesky(const sl_state *s, double *a, size_t n);
/* x^ = L^-1 x for `rows` (at most sl_tiles_rows()) of the rows held, from row `first` on, one after the other in `x`,
 * and their squared lengths. */
void sl_tiles_solve(const sl_state *s, const double *l, size_t n, size_t first, size_t rows, double *x,
                    double *square_norm);

/* Examples that are worked on at once: as many as make a matrix like the other, or all. */
size_t sl_tiles_rows(const sl_state *s);

#endif
