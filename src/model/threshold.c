/* The threshold of a model: which class a margin gives. */
#include "model/threshold.h"

#include <string.h>

#include "base/error.h"

int sluice_model_predicts_positive(const sluice_model *m, double margin) {
    return sl_model_decides_positive(m, margin);
}

int sluice_model_threshold(const sluice_model *m, double *margin) {
    if (margin) *margin = m->has_threshold ? m->threshold : 0;
    return m->has_threshold;
}

sluice_status sluice_model_set_threshold(sluice_model *m, double margin) {
    if (!isfinite(margin)) return sl_fail(&m->error, SLUICE_E_USAGE, "a threshold is a finite margin");
    if (sl_model_is_of_many(m))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "a model of several classes has no threshold");
    m->threshold = margin + 0.0; /* -0 is 0 */
    m->has_threshold = true;
    return SLUICE_OK;
}

void sluice_model_drop_threshold(sluice_model *m) { m->has_threshold = false; }

/* Finite doubles in their order are the numbers from -KEYS to KEYS. */
#define KEYS INT64_C(0x7fefffffffffffff)

static double from_key(int64_t key) {
    uint64_t bits = (uint64_t)(key < 0 ? -key : key);
    double x;
    memcpy(&x, &bits, sizeof x);
    return key < 0 ? -x : x;
}

/* The largest margin whose probability is not above p, found by halving the range of all margins: probabilities do not
 * fall as margins rise. */
double sluice_model_margin_of_probability(const sluice_model *m, double p) {
    if (!sluice_model_has_probability(m) || !(p >= 0 && p <= 1)) return NAN;
    int64_t low = -KEYS, high = KEYS + 1; /* not above p, or the least margin; above p, or beyond the largest */
    for (uint64_t apart; (apart = (uint64_t)high - (uint64_t)low) > 1;) {
        int64_t middle = low + (int64_t)(apart / 2);
        if (sluice_model_probability(m, from_key(middle)) > p)
            high = middle;
        else
            low = middle;
    }
    return from_key(low);
}
