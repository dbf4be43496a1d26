/* Pseudo-labels: the classes that a model learns rows without a label with. */
#ifndef SL_PSEUDO_LABELS_H
#define SL_PSEUDO_LABELS_H

#include "model/model.h"

typedef struct sl_pseudo_label {
    bool is_likely; /* whether the row is to be learned */
    double y;       /* with this: +1 or -1 inside, or the class */
} sl_pseudo_label;

/* What the model predicts for a row. Only want of memory makes it fail. */
sluice_status sl_pseudo_label_find(sluice_model *m, const sl_raw_row *r, sl_pseudo_label *label);

#endif
