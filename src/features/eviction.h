/* Eviction: which features are dropped when a limit on their number (max_features) is reached. */
#ifndef SL_EVICTION_H
#define SL_EVICTION_H

#include "features/feature_keys.h"

/* Says which features may go: sets idle[k] where the feature at slot[k] has weight zero and the learner does not keep
 * it for another reason. The features do not know their weights, so the model passes this function. */
typedef struct sl_idle_test {
    void (*test)(const void *model, const uint32_t *slot, size_t n, bool *idle);
    const void *model;
} sl_idle_test;

static inline bool sl_features_full(const sl_features *f) {
    return sl_features_limited(f) && f->names.used >= f->limit.most;
}

/* Evicts idle features in round t: those seen longest ago first, then those added first; none that was last seen in
 * round t itself. Whether any could be evicted shows in sl_features_full(). False: no memory. */
bool sl_evict(sl_features *f, uint64_t t, const sl_idle_test *idle);

#endif
