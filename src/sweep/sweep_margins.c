/* Predicting with all configurations of a sweep at once: a feature is found once for all lanes. */
#include <math.h>

#include "model/row_layout.h"
#include "model/scaling/row_values.h"
#include "sweep/sweep.h"

size_t sl_sweep_part_size(const sluice_sweep *w) { return w->parts[0].n_lanes; }

/* Whether ids of the batch may be slots of the model; a batch of names has no ids. */
static bool is_plain(const sluice_model *m, const sluice_batch *b) {
    return !m->settings.hash_bits && !m->features.named && !b->has_names;
}

/* For plain batches alone. */
static void prefetch_row(const sl_sweep_part *a, const sluice_batch *b, size_t row) {
    const sl_space *sp = &a->model->features.space;
    for (size_t k = b->start[row]; k < b->start[row + 1]; k++) {
        if (b->id[k] >= sp->direct) continue;
        const char *feature = sl_space_at(sp, b->id[k]);
        for (size_t line = 0; line < a->lanes->size; line += 64) __builtin_prefetch(feature + line);
    }
}

/* The slots and values of up to SL_CHUNK features from *k on; returns how many the model knows. */
static size_t find_features(const sluice_model *m, const sl_raw_row *r, double scale, bool plain, size_t *k,
                            uint32_t *slot, float *value) {
    const sl_space *sp = &m->features.space;
    size_t n = 0;
    for (; *k < r->n && n < SL_CHUNK; ++*k) {
        uint32_t id = plain ? r->batch->id[r->at + *k] : UINT32_MAX;
        slot[n] = id < sp->direct ? id : sl_row_slot(m, r, *k);
        value[n] = sl_row_value(m, r, *k, slot[n], scale);
        n += slot[n] != SL_NO_SLOT && value[n] != 0;
    }
    return n;
}

/* The same sums, in the same order, as the predict-only model of each configuration makes. */
static void margins_of_row(const sl_sweep_part *a, const sl_lanes *lanes, const sl_raw_row *r, bool plain, double *m) {
    const sluice_model *model = a->model;
    const double scale = sl_row_scale(model, r);
    void (*add)(const sl_lanes *s, const uint32_t *slot, const float *value, size_t n, double *m) =
        a->kernels->margins[sl_sweep_kernel(a)];
    for (size_t l = 0; l < a->n_lanes; l++) m[l] = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_CHUNK];
        float value[SL_CHUNK];
        size_t n = find_features(model, r, scale, plain, &k, slot, value);
        add(lanes, slot, value, n, m);
    }
    uint32_t bias = sl_space_bias(&model->features.space);
    if (bias == SL_NO_SLOT) return;
    float w[SL_MAX_LANES];
    a->kernels->weights[sl_sweep_kernel(a)](lanes, &bias, 1, w);
    for (size_t l = 0; l < a->n_lanes; l++) m[l] += (double)w[l] * model->settings.bias;
}

void sl_sweep_margins(const sluice_sweep *w, size_t first, size_t n, const sluice_batch *b, double *margins) {
    for (size_t k = 0; k < w->n_parts; k++) {
        const sl_sweep_part *a = &w->parts[k];
        size_t from = first > a->first ? first : a->first,
               end = a->first + a->n < first + n ? a->first + a->n : first + n;
        if (from >= end) continue;
        const sl_lanes lanes = sl_sweep_lanes(a);
        const bool plain = is_plain(a->model, b);
        for (size_t i = 0; i < b->rows; i++) {
            double m[SL_MAX_LANES];
            sl_raw_row r = sl_batch_raw(b, i);
            if (plain && i + 1 < b->rows) prefetch_row(a, b, i + 1);
            margins_of_row(a, &lanes, &r, plain, m);
            for (size_t c = from; c < end; c++)
                margins[(c - first) * b->rows + i] = sl_turn(&a->model->classes, m[c - a->first]);
        }
    }
}
