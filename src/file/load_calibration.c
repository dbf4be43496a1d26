/* CALI, THRE: the calibration fitted on a hold-out, and the threshold. */
#include <string.h>

#include "file/loader.h"

static double get_f64(const unsigned char *from) {
    uint64_t bits = sl_get_le(from, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_platt(sl_holdout *f, const unsigned char *at, size_t pairs) {
    if (pairs != 1) return false;
    f->a = get_f64(at);
    f->b = get_f64(at + 8);
    return isfinite(f->a) && isfinite(f->b) && f->a >= 0;
}

static bool read_knots(sl_holdout *f, const unsigned char *at, size_t pairs) {
    if (pairs == 0 || pairs > SL_KNOTS) return false;
    for (f->n = 0; f->n < pairs; f->n++, at += 16) {
        size_t i = f->n;
        f->margin[i] = get_f64(at);
        f->p[i] = get_f64(at + 8);
        if (!isfinite(f->margin[i]) || !(f->p[i] > 0 && f->p[i] < 1)) return false;
        if (i && !(f->margin[i] > f->margin[i - 1] && f->p[i] >= f->p[i - 1])) return false;
    }
    return true;
}

sluice_status sl_load_calibration(sl_loader *l) {
    sl_holdout *f = &l->model->holdout;
    size_t n = (size_t)(l->end - l->at);
    bool fine = f->kind == SLUICE_CALIBRATION_NONE && l->format >= 3 && n % 16 == 1;
    if (fine) f->kind = *l->at;
    fine = fine && ((f->kind == SLUICE_CALIBRATION_PLATT && read_platt(f, l->at + 1, n / 16)) ||
                    (f->kind == SLUICE_CALIBRATION_ISOTONIC && read_knots(f, l->at + 1, n / 16)));
    return fine ? SLUICE_OK : DAMAGED(l, "its calibration is impossible");
}

sluice_status sl_load_threshold(sl_loader *l) {
    sluice_model *m = l->model;
    bool fine = !m->has_threshold && l->end - l->at == 8;
    if (fine) m->threshold = get_f64(l->at);
    m->has_threshold = fine && isfinite(m->threshold);
    return m->has_threshold ? SLUICE_OK : DAMAGED(l, "its threshold is impossible");
}
