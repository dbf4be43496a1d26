/* Measures what the configurations of a sweep predict before they learn a row, as a meter does for one model. */
#include "sweep/sweep.h"

static sluice_meter *new_meter(const sluice_model *model, const sluice_meter_options *how, bool probabilities,
                               sluice_error *err) {
    sluice_meter_options own = *how;
    own.model = probabilities ? model : NULL;
    sluice_meter_defaults(model, &own);
    return sluice_meter_new(&own, err);
}

static sluice_status measure_part(sluice_sweep *w, sl_sweep_part *a, const sluice_meter_options *how,
                                  bool probabilities, sluice_error *err) {
    for (size_t l = 0; l < a->n; l++) {
        if (a->n_lanes && !(a->outline[l] = sl_sweep_outline(w, a->first + l, err))) return err->status;
        if (!(a->meter[l] = new_meter(a->n_lanes ? a->outline[l] : a->model, how, probabilities, err)))
            return err->status;
    }
    return SLUICE_OK;
}

sluice_status sl_sweep_measure(sluice_sweep *w, const sluice_meter_options *how, bool probabilities,
                               sluice_error *err) {
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < w->n_parts && status == SLUICE_OK; i++)
        status = measure_part(w, &w->parts[i], how, probabilities, err);
    return status;
}

sluice_meter *sl_sweep_meter(const sluice_sweep *w, size_t i) {
    const sl_sweep_part *a = w->parts;
    while (i >= a->first + a->n) a++;
    return a->meter[i - a->first];
}

/* Meters of two classes have all their memory. A configuration that has left the range of numbers has no figures. */
void sl_sweep_count(sl_sweep_part *a, double y, bool calibrated) {
    for (size_t l = 0; l < a->n; l++) {
        if (a->broken[l]) continue;
        if (calibrated) a->outline[l]->calibration = a->calibration[l];
        sl_meter_add_learned(a->meter[l], a->outline[l], a->lanes->m[l], y);
    }
}

void sl_sweep_meters_free(sl_sweep_part *a) {
    for (size_t l = 0; l < SL_MAX_LANES; l++) {
        sluice_meter_free(a->meter[l]);
        sluice_model_free(a->outline[l]);
    }
}
