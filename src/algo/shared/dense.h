/* The matrix of the -full learners: S, symmetric and positive definite, a row and a column per feature in the order in
 * which features first had a value.
 *
 * All of them shrink it by the same step, S^-1 += x x'/r, which is S -= (Sx)(Sx)'/(r + x'Sx). Taken as it stands,
 * rounding makes S indefinite sooner or later where features are nearly collinear or of very different scales. So S is
 * kept as U D U', U upper triangular with ones on its diagonal, D diagonal, and the step is Bierman's (Factorization
 * Methods for Discrete Sequential Estimation, 1977, chapter V): the same number of operations and of passes over
 * memory, no roots, and D stays positive however numbers round. S starts at I.
 *
 * s->dense.matrix holds U column after column, each ended by its element of D; of s->dense.work the first half is U'x
 * and the second Sx. Cost: O(d^2) a round for d features. 64 bits: the matrix is corrected over and over. */
#ifndef SL_DENSE_H
#define SL_DENSE_H

#include "learner/learner.h"

typedef struct sl_dense {
    uint32_t column; /* of the matrix, from 1; 0: it has had no value yet */
} sl_dense;

extern const sl_field sl_dense_fields[1];
bool sl_dense_prepare(sl_state *s, const sl_row *x);
uint32_t sl_dense_row_of(const void *features, uint32_t slot);

/* x'y for a vector y over the features */
double sl_dense_dot(const sl_state *s, const sl_row *x, const double *y);
/* x'Sx, leaving U'x in s->dense.work */
double sl_dense_variance(sl_state *s, const sl_row *x);
/* S^-1 += x x'/r for the x last given to sl_dense_variance(). Returns r + x'Sx and leaves Sx where sl_dense_Sx() says,
 * both with S as it was. Where numbers left their range and S is no longer positive definite, s->dense.lost says so. */
double sl_dense_shrink(sl_state *s, double r);
static inline double *sl_dense_Sx(const sl_state *s) { return s->dense.work + s->dense.order; }
/* s->dense.vector += step Sx */
void sl_dense_step(sl_state *s, double step);

/* margins and weights of learners whose s->dense.vector is the weights */
double sl_dense_score(sl_state *s, const sl_row *x);
void sl_dense_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w);
void sl_dense_rescale(sl_state *s, uint32_t slot, double by);

#define SL_DENSE_STATE                                                                                                 \
    .info.flags = SLUICE_LEARNER_DENSE, SL_STATE_OF(sl_dense, sl_dense_fields), .row_of = sl_dense_row_of,             \
    .prepare = sl_dense_prepare

#endif
