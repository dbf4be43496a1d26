/* What the settings make of a row's values before its length counts: each is transformed (--transform), then divided by
 * its feature's scale (--scale).
 *
 * Scales are those of the feature space (sl_space.scale): the largest |value|, transformed, of rows learned so far.
 * When one grows, the rule makes the weight as much larger (learner.h: rescale), so that margins stay; with
 * SLUICE_SCALE_MAXABS the weight stays. With SLUICE_SCALE_IDF they are numbers of rows, and idf.h says what they do. */
#ifndef SL_ROW_VALUES_H
#define SL_ROW_VALUES_H

#include "model/model.h"
#include "model/scaling/idf.h"

/* Whether the settings change values one by one. */
static inline bool sl_changes_values(const sluice_settings *s) {
    return s->transform != SLUICE_TRANSFORM_NONE || s->scale != SLUICE_SCALE_NONE;
}

/* Whether a predict-only model keeps features without a weight: the length of a row depends on their scales. */
static inline bool sl_keeps_all_scales(const sluice_settings *s) {
    return s->scale != SLUICE_SCALE_NONE && s->normalize != SLUICE_NORMALIZE_NONE;
}

/* A value as --transform makes it (SLUICE_TRANSFORM_). */
float sl_transformed(unsigned transform, float v);
/* A value as predicting sees it; its feature's slot may be SL_NO_SLOT. One without a scale becomes 1 or -1; with idf it
 * is that of a feature that no row had. */
float sl_changed_value(const sluice_model *m, float v, uint32_t slot);

/* The value of a row's k-th feature, which has this slot, as predicting sees it, but for the row's length. */
static inline float sl_row_input(const sluice_model *m, const sl_raw_row *r, size_t k, uint32_t slot) {
    return sl_changes_values(&m->settings) ? sl_changed_value(m, r->value[k], slot) : r->value[k];
}

/* The same, times what normalization multiplies by. */
static inline float sl_row_value(const sluice_model *m, const sl_raw_row *r, size_t k, uint32_t slot, double scale) {
    const float v = sl_row_input(m, r, k, slot);
    return scale == 1 ? v : (float)(v * scale);
}

/* Learning: the values of a row whose features have these slots, in m->row_input. Scales grow, and m->grown says which.
 * Of batch learners with scales m->row_unscaled gets the values before they are divided. */
void sl_change_row(sluice_model *m, const sl_raw_row *r, const uint32_t *slot);

/* Makes the weights of these features as much larger, if the settings say so, before the round of the row;
 * sl_model_round() counts it, if they say that; */
void sl_scales_take_effect(sluice_model *m);
/* or makes the scales what they were, where the row is not learned. */
void sl_scales_undo(sluice_model *m);

/* The factor that makes n values a row of length 1. */
double sl_unit_length(const float *value, size_t n);

/* The pending rows of a batch learner as its scales are now; the model has them unscaled. Free it. NULL: no memory. */
float *sl_scale_pending(const sluice_model *m);

#endif
