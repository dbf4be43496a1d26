/* Values as the settings change them one by one: log1p, binary. */
#include "model/scaling/row_values.h"

#include <math.h>

float sl_changed_value(const sluice_model *m, float v) {
    switch (m->settings.transform) {
    case SLUICE_TRANSFORM_LOG1P:
        return copysignf((float)log1p(fabs((double)v)), v);
    case SLUICE_TRANSFORM_BINARY:
        return v > 0 ? 1 : v < 0 ? -1 : v;
    default:
        return v;
    }
}
