/* The rule of a predict-only model: its state is the weights, and it never learns. */
#include "model/model.h"

typedef struct feature {
    float w;
} feature;

static const sl_field fields[] = {SL_FIELD(w, SL_F32)};

static void weights(const sl_state *s, const uint32_t *slot, size_t n, float *w) {
    const feature *f = s->features;
    for (size_t k = 0; k < n; k++) w[k] = f[slot[k]].w;
}

const sl_learner sl_predict_only = {
    .info.name = "final",
    SL_STATE_OF(feature, fields),
    .kernels.weights = weights,
};
