/* Which class a margin gives. */
#ifndef SL_THRESHOLD_H
#define SL_THRESHOLD_H

#include "model/model.h"

/* Whether a margin, as it leaves the model, means the positive class. All that counts or prints predictions asks here.
 */
static inline bool sl_model_decides_positive(const sluice_model *m, double margin) {
    if (m->has_threshold) return margin > m->threshold;
    return margin > 0 || (margin == 0 && m->classes.turned); /* 0 is the class that is -1 inside */
}

#endif
