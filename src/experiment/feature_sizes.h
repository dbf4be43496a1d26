/* How large the values of features are. */
#ifndef SL_FEATURE_SIZES_H
#define SL_FEATURE_SIZES_H

#include "sluice.h"

/* By feature, over rows: the root of the mean square of its values, as a model with these settings sees them when it
 * has learned the rows; where a row does not have the feature its value is 0. Rows count by their importance. */
typedef struct sl_feature_sizes sl_feature_sizes;

sl_feature_sizes *sl_feature_sizes_of(const sluice_batch *rows, const sluice_settings *settings, sluice_error *err);
double sl_feature_size(const sl_feature_sizes *s, uint64_t id);
void sl_feature_sizes_free(sl_feature_sizes *s);

#endif
