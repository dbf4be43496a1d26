/* The heaviest features of a snapshot, for the page. */
#ifndef CLI_HEAVY_FEATURES_H
#define CLI_HEAVY_FEATURES_H

#include "serve/model/served_model.h"

/* Appends [{"label", "against", "features": [{"feature", "weight"}, ...]}, ...]: of two classes the ones of the
 * positive class, else those of each class or pair, as far as there is room on a page. A pass over all weights. */
void heavy_put(const snapshot *s, text_buffer *to);

#endif
