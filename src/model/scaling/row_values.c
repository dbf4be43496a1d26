/* Values as the settings change them one by one: transforms, and the scales of features. */
#include "model/scaling/row_values.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

float sl_transformed(unsigned transform, float v) {
    switch (transform) {
    case SLUICE_TRANSFORM_LOG1P:
        return copysignf((float)log1p(fabs((double)v)), v);
    case SLUICE_TRANSFORM_BINARY:
        return v > 0 ? 1 : v < 0 ? -1 : v;
    default:
        return v;
    }
}

/* v/s; s = 0: the feature has no scale, and |v| is that of this row. */
static float divided(float v, float s) {
    if (v == 0) return v;
    if (s == 0) return v > 0 ? 1 : -1;
    if (fabsf(v) <= s) return (float)((double)v / (double)s); /* as in learning it always is */
    return (float)fmax(-FLT_MAX, fmin(FLT_MAX, (double)v / (double)s));
}

float sl_changed_value(const sluice_model *m, float v, uint32_t slot) {
    const sl_space *sp = &m->features.space;
    v = sl_transformed(m->settings.transform, v);
    if (!sp->scaled) return v;
    if (m->settings.scale == SLUICE_SCALE_IDF) return sl_times_idf(sp, v, slot);
    return divided(v, slot == SL_NO_SLOT ? 0 : sp->scale[slot].largest);
}

static void grow_scale(sluice_model *m, uint32_t slot, float size) {
    float *scale = &m->features.space.scale[slot].largest;
    if (!(size > *scale)) return;
    m->grown.list[m->grown.n++] = (sl_growth){slot, *scale, *scale > 0 ? (double)size / (double)*scale : 1};
    *scale = size;
}

void sl_scales_take_effect(sluice_model *m) {
    for (size_t i = 0; i < m->grown.n; i++) {
        const sl_growth *g = &m->grown.list[i];
        if (g->before > 0 && m->settings.scale == SLUICE_SCALE_RUNNING) m->kernels.rescale(&m->state, g->slot, g->by);
    }
    m->grown.n = 0;
}

void sl_scales_undo(sluice_model *m) {
    while (m->grown.n) { /* the last first: one feature may have grown twice, where ids collide */
        const sl_growth *g = &m->grown.list[--m->grown.n];
        m->features.space.scale[g->slot].largest = g->before;
    }
}

/* A row whose features are all different, in one go. */
static void scale_row(sluice_model *m, const sl_raw_row *r, const uint32_t *slot) {
    const sl_scale *const scale = m->features.space.scale;
    const unsigned transform = m->settings.transform;
    m->grown.n = 0;
    for (size_t k = 0; k < r->n; k++) {
        const float v = transform ? sl_transformed(transform, r->value[k]) : r->value[k];
        if (__builtin_expect(fabsf(v) > scale[slot[k]].largest, 0)) grow_scale(m, slot[k], fabsf(v));
        m->row_input[k] = divided(v, scale[slot[k]].largest);
    }
}

void sl_change_row(sluice_model *m, const sl_raw_row *r, const uint32_t *slot) {
    const sl_space *sp = &m->features.space;
    float *v = m->row_input;
    const bool idf = m->settings.scale == SLUICE_SCALE_IDF;
    if (sp->scaled && !idf && !m->settings.hash_bits && !m->row_unscaled) {
        scale_row(m, r, slot);
        return;
    }
    for (size_t k = 0; k < r->n; k++) v[k] = sl_transformed(m->settings.transform, r->value[k]);
    if (!sp->scaled) return;
    m->grown.n = 0;
    for (size_t k = 0; k < r->n && !idf; k++) grow_scale(m, slot[k], fabsf(v[k]));
    if (m->row_unscaled) memcpy(m->row_unscaled, v, r->n * sizeof *v);
    for (size_t k = 0; k < r->n; k++) /* when all have grown: ids may collide */
        v[k] = idf ? sl_times_idf(sp, v[k], slot[k]) : divided(v[k], sp->scale[slot[k]].largest);
}

double sl_unit_length(const float *value, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += (double)value[k] * (double)value[k];
    return sum > 0 ? 1 / sqrt(sum) : 1;
}

/* ---- pending rows ------------------------------------------------------------------------------------------------ */

/* Scales n values of a row; the bias, if there is one, is its last. */
static void scale_pending_row(const sluice_model *m, const uint32_t *column, size_t n, float *value) {
    const sl_space *sp = &m->features.space;
    const uint32_t *slot_of = m->state.batch.slot_of;
    const size_t features = n && slot_of[column[n - 1]] == sl_space_bias(sp) ? n - 1 : n;
    for (size_t k = 0; k < features; k++) {
        const uint32_t slot = slot_of[column[k]];
        value[k] = m->settings.scale == SLUICE_SCALE_IDF ? sl_times_idf(sp, value[k], slot)
                                                         : divided(value[k], sp->scale[slot].largest);
    }
    if (m->settings.normalize == SLUICE_NORMALIZE_NONE) return;
    const double by = sl_unit_length(value, features);
    for (size_t k = 0; k < features; k++) value[k] = (float)(value[k] * by);
}

float *sl_scale_pending(const sluice_model *m) {
    const sl_pending *b = &m->state.batch.pending;
    float *value = malloc((b->nonzeros + 1) * sizeof *value);
    if (!value) return NULL;
    if (b->nonzeros) memcpy(value, b->value, b->nonzeros * sizeof *value);
    for (size_t i = 0; i < b->rows; i++)
        scale_pending_row(m, b->column + b->start[i], b->start[i + 1] - b->start[i], value + b->start[i]);
    return value;
}
