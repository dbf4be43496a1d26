/* What the confidence-weighted learners share: weights that are normally distributed, with mean w and covariance S.
 *
 * With m = w.x, M = y m and v = x'Sx, an update is
 *
 *   w += alpha y S x,   S -= beta (Sx)(Sx)',   beta = 1/(v + r)
 *
 * A rule chooses alpha and r; the latter is how the papers write it too: S^-1 += x x'/r. S is diagonal, or in the -full
 * learners a matrix (dense.h). It starts at a I. What is kept is S/a, so that every feature starts alike.
 * Where v = 0 there is no update. Cost: O(nonzeros of x), -full O(d^2) for d features. */
#ifndef SL_CONFIDENCE_H
#define SL_CONFIDENCE_H

#include "algo/shared/dense.h"
#include "algo/shared/rule.h"

typedef struct sl_rates {
    double alpha, r; /* both > 0 */
} sl_rates;

typedef struct sl_confidence {
    /* Whether there is an update, and which: given the parameters, M, v > 0 and the importance h. */
    bool (*rates)(const double *p, double M, double v, double h, sl_rates *to);
    double edge; /* where M is not below this there is none, whatever v is */
    size_t a;    /* the place of the parameter */
} sl_confidence;

typedef struct sl_sure {
    float w, s; /* S/a */
} sl_sure;

extern const sl_sure sl_sure_fresh;
extern const sl_field sl_sure_fields[2];
double sl_sure_score(sl_state *s, const sl_row *x);
void sl_sure_weights(const sl_state *s, const uint32_t *slot, size_t n, float *w);
bool sl_sure_update(sl_state *s, const sl_row *x, double m, const sl_confidence *rule);
bool sl_full_update(sl_state *s, const sl_row *x, double m, const sl_confidence *rule);

#define SL_DIAGONAL                                                                                                    \
    SL_STATE_OF(sl_sure, sl_sure_fields), .fresh = &sl_sure_fresh, .kernels.score = sl_sure_score,                     \
                                          .kernels.weights = sl_sure_weights
#define SL_FULL SL_DENSE_STATE, .kernels.score = sl_dense_score, .kernels.weights = sl_dense_weights

#define P_PHI(phi)                                                                                                     \
    { "phi", "how sure the model has to be of an example", phi, 1e-6, 1e6, 0, NULL }
#define P_A                                                                                                            \
    { "a", "variance that every weight starts with", 1, 1e-12, 1e12, 0, NULL }

#endif
