/* The learners that tests go through: those of the table, then the forms of them that forget. Both have trials. */
#ifndef SL_EVERY_LEARNER_H
#define SL_EVERY_LEARNER_H

#include "learner/learner.h"

/* NULL past the last. */
static inline const sl_learner *every_learner(size_t i) {
    size_t n = 0;
    while (sl_learners[n]) n++;
    if (i < n) return sl_learners[i];
    i -= n;
    for (size_t k = 0; k < n; k++)
        if (sl_learners[k]->forgetting && i-- == 0) return sl_learners[k]->forgetting;
    return NULL;
}

#endif
