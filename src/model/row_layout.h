/* Laying out rows for the rule: what learning and predicting share. */
#ifndef SL_ROW_LAYOUT_H
#define SL_ROW_LAYOUT_H

#include "model/model.h"

/* The slot of a row's k-th feature, or SL_NO_SLOT; nothing changes. */
uint32_t sl_row_slot(const sluice_model *m, const sl_raw_row *r, size_t k);
/* The factor that normalization multiplies its values by; 1 without it. */
double sl_row_scale(const sluice_model *m, const sl_raw_row *r);
/* The features of a row from *k on that predicting counts, at most SL_CHUNK of them, which the model knows and whose
 * values are not 0; moves *k behind them. *scale is what the row's length makes of its values; 0: not computed yet. */
size_t sl_row_known(const sluice_model *m, const sl_raw_row *r, size_t *k, double *scale, uint32_t *slot, float *value);

/* A learner whose state is a matrix has a limit; the row is refused before it changes anything. */
sluice_status sl_check_dense_limit(sluice_model *m, const sl_raw_row *r);
/* Room in the model's buffers for rows of n values: slots for two of them, this row's and the next one's. */
bool sl_row_reserve(sluice_model *m, size_t n);
/* Adds the row's features and lays it out for the rule. Its slots are in half 0 or 1 of the model's buffer. */
sluice_status sl_row_lay_out(sluice_model *m, const sl_raw_row *r, size_t half, sl_row *x);
sluice_status sl_no_memory_for_features(sluice_model *m);

#endif
