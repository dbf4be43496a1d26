/* Predicting: margins from a model that does not change. */
#include "base/error.h"
#include "rows/example.h"
#include "model/row_layout.h"

static void prefetch_names(const sluice_model *m, const sluice_batch *b, size_t i, size_t end) {
    if (i >= end) return;
    sl_raw_row r = sl_batch_raw(b, i);
    sl_row_prefetch(&m->features, &r);
}

static double margin_of(const sluice_model *m, const sl_raw_row *r) {
    sl_state s = m->state;
    s.features = m->features.space.features;
    double scale = sl_row_scale(m, r), sum = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_CHUNK];
        float value[SL_CHUNK], w[SL_CHUNK];
        size_t n = 0;
        for (; k < r->n && n < SL_CHUNK; k++) {
            slot[n] = sl_row_slot(m, r, k);
            value[n] = scale == 1 ? r->value[k] : (float)(r->value[k] * scale);
            n += slot[n] != SL_NO_SLOT && value[n] != 0;
        }
        m->kernels.weights(&s, slot, n, w);
        for (size_t i = 0; i < n; i++) sum += (double)w[i] * (double)value[i];
    }
    uint32_t bias = sl_space_bias(&m->features.space);
    if (bias != SL_NO_SLOT) {
        float w;
        m->kernels.weights(&s, &bias, 1, &w);
        sum += (double)w * m->settings.bias;
    }
    return sum;
}

sluice_status sluice_model_margin(const sluice_model *m, const sluice_example *x, double *margin, sluice_error *err) {
    if (sl_check_values(x, err) != SLUICE_OK) return SLUICE_E_DATA;
    sl_raw_row r = sl_example_raw(x);
    *margin = margin_of(m, &r);
    if (isfinite(*margin)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_NUMERIC, "the margin is no number: the model has left the range of numbers");
}

/* margin_of() for the common case, a predict-only model that takes rows as they lie: one loop over plain weights. */
static double frozen_margin(const sl_space *sp, const sluice_batch *b, size_t at, size_t end) {
    const float *w = (const float *)(const void *)sp->features;
    double sum = 0;
    for (size_t k = at; k < end; k++) {
        uint32_t slot = b->id[k];
        if (slot >= sp->direct && (slot = sl_space_probe(sp, sl_batch_id(b, k))) == SL_NO_SLOT) continue;
        sum += (double)w[slot] * (double)b->value[k];
    }
    return sum;
}

void sluice_model_margins(const sluice_model *m, const sluice_batch *b, double *margins) {
    bool plain = m->rule == &sl_predict_only && m->settings.bias == 0 && !m->settings.normalize &&
                 !m->settings.hash_bits && !m->features.named && !b->has_names;
    for (size_t i = 0; i < b->rows; i++) {
        size_t at = b->start[i], end = b->start[i + 1];
        sl_raw_row r = sl_batch_raw(b, i);
        prefetch_names(m, b, i + 1, b->rows);
        margins[i] = plain ? frozen_margin(&m->features.space, b, at, end) : margin_of(m, &r);
    }
}
