/* What the settings make of a row's values before its length counts: --transform. */
#ifndef SL_ROW_VALUES_H
#define SL_ROW_VALUES_H

#include "model/model.h"

/* Whether the settings change values one by one. */
static inline bool sl_changes_values(const sluice_settings *s) { return s->transform != SLUICE_TRANSFORM_NONE; }

/* The value v as the settings change it. */
float sl_changed_value(const sluice_model *m, float v);

/* The value of a row's k-th feature as predicting sees it, but for the row's length. */
static inline float sl_row_input(const sluice_model *m, const sl_raw_row *r, size_t k) {
    return sl_changes_values(&m->settings) ? sl_changed_value(m, r->value[k]) : r->value[k];
}

/* The same, times what normalization multiplies by. */
static inline float sl_row_value(const sluice_model *m, const sl_raw_row *r, size_t k, double scale) {
    const float v = sl_row_input(m, r, k);
    return scale == 1 ? v : (float)(v * scale);
}

#endif
