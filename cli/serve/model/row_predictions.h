/* What a snapshot says of the rows of a request. */
#ifndef CLI_ROW_PREDICTIONS_H
#define CLI_ROW_PREDICTIONS_H

#include "serve/model/served_model.h"

/* What is asked for. */
typedef struct prediction_request {
    int probabilities;
    int all_classes; /* several classes: the margins (and probabilities) of all */
    size_t top;      /* several classes: how many to name; 0: the predicted one */
} prediction_request;

typedef struct predictions {
    const snapshot *by;
    size_t rows;
    double *margin; /* of the positive class; of several classes that of the predicted one, NaN where there is none */
    double *probability; /* likewise; NaN where there is none. NULL: not asked for */
    uint32_t *label;     /* position in by->label; SLUICE_NO_CLASS: a model of several classes knows none yet */
    size_t top;          /* several classes: rows x top, the most likely ones first; 0: two classes */
    uint32_t *best;
    double *all_margins, *all_probabilities; /* several classes: rows x by->classes; NULL: not asked for */
} predictions;

/* Predicts all rows and counts the classes. The arrays belong to the thread and last until its next call. */
sluice_status predict_rows(served_model *m, const snapshot *s, const sluice_batch *batch,
                           const prediction_request *what, predictions *p, sluice_error *err);

#endif
