/* --scale idf: values are multiplied by the inverse document frequency of their feature,
 * 1 + log((1 + n) / (1 + d)), where n rows were learned before this one (sl_space.rows) and d of them had the feature
 * (sl_scale.rows). A row is counted when it is learned, after its values were computed with the counts before it: what
 * learning predicts is what predicting would have said. */
#ifndef SL_IDF_H
#define SL_IDF_H

#include "model/model.h"

/* The factor of a feature that `rows` of n rows had. */
double sl_idf(uint64_t n, uint32_t rows);
/* A value times that of its feature, whose slot may be SL_NO_SLOT. */
float sl_times_idf(const sl_space *sp, float v, uint32_t slot);
/* Counts a row that is laid out for the rule: its values are not 0, and the bias is no feature. */
void sl_idf_count(sl_space *sp, const sl_row *x);

#endif
