/* Probabilities of a model: where they come from, and fitting them on a hold-out. */
#include <float.h>
#include <stdlib.h>

#include "base/error.h"
#include "model/classes/many.h"
#include "model/probability.h"
#include "model/race/race.h"

#define CERTAIN 30.0 /* the largest log odds that a calibration can justify: a probability within 1e-13 of 0 or 1 */

int sluice_model_calibration(const sluice_model *m) {
    if (sl_model_is_of_many(m) && !sl_many_has_probabilities(m)) return SLUICE_CALIBRATION_NONE;
    if (m->holdout.kind) return m->holdout.kind;
    if (m->race) return sluice_model_calibration(sl_race_leader(m));
    if (m->learner->has_probability && m->learner->has_probability(m->params)) return SLUICE_CALIBRATION_LOG_ODDS;
    return sl_model_is_of_many(m) || sl_online_calibration_ready(&m->calibration) ? SLUICE_CALIBRATION_ONLINE
                                                                                  : SLUICE_CALIBRATION_NONE;
}

int sluice_model_has_probability(const sluice_model *m) {
    return sluice_model_calibration(m) != SLUICE_CALIBRATION_NONE;
}

double sl_model_log_odds(const sluice_model *m, double margin) {
    int kind = sluice_model_calibration(m);
    if (kind == SLUICE_CALIBRATION_NONE) return NAN;
    if (m->race && !m->holdout.kind)
        return sl_turn(&m->classes, sl_model_log_odds(sl_race_leader(m), sl_turn(&m->classes, margin)));
    if (kind == SLUICE_CALIBRATION_LOG_ODDS) return margin;
    double t = kind == SLUICE_CALIBRATION_ONLINE
                   ? sl_turn(&m->classes, sl_online_calibration_log_odds(&m->calibration, sl_turn(&m->classes, margin)))
                   : sl_holdout_log_odds(&m->holdout, margin);
    return fmax(-CERTAIN, fmin(CERTAIN, t));
}

double sluice_model_probability(const sluice_model *m, double margin) {
    if (sl_model_is_of_many(m)) return NAN;
    return 1 / (1 + exp(-sl_model_log_odds(m, margin)));
}

/* ---- fitting ----------------------------------------------------------------------------------------------------- */

static int by_margin(const void *a, const void *b) {
    const sl_pool *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low ? 1 : x->mean < y->mean ? -1 : x->mean > y->mean;
}

/* Makes a pool of every example with a weight above 0; SIZE_MAX: one is invalid. */
static size_t make_pools(sl_pool *pools, const double *margins, const double *labels, const double *weights, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double weight = weights ? weights[i] : 1;
        if (!isfinite(margins[i]) || !(weight >= 0 && weight <= (double)FLT_MAX)) return SIZE_MAX;
        if (weight > 0) pools[kept++] = (sl_pool){margins[i] + 0.0, margins[i] + 0.0, labels[i] > 0, weight};
    }
    qsort(pools, kept, sizeof *pools, by_margin);
    return kept;
}

static bool one_class(const sl_pool *pools, size_t n) {
    size_t positives = 0;
    for (size_t i = 0; i < n; i++) positives += pools[i].mean > 0;
    return positives == 0 || positives == n;
}

static sluice_status fit(sl_holdout *f, sl_pool *pools, size_t n, int kind, sluice_error *err) {
    if (n == SIZE_MAX) return sl_fail(err, SLUICE_E_DATA, "a margin or a weight to calibrate with is no number");
    if (one_class(pools, n))
        return sl_fail(err, SLUICE_E_DATA, "calibration needs examples of both classes, and these have not");
    if (kind == SLUICE_CALIBRATION_PLATT)
        sl_fit_platt(f, pools, n);
    else
        sl_fit_isotonic(f, pools, n);
    return SLUICE_OK;
}

sluice_status sluice_model_calibrate(sluice_model *m, const double *margins, const double *labels,
                                     const double *weights, size_t n, int kind) {
    if (sl_model_is_of_many(m))
        return sl_fail(&m->error, SLUICE_E_UNSUPPORTED, "a hold-out calibrates models of two classes");
    if (kind == SLUICE_CALIBRATION_NONE) {
        m->holdout.kind = SLUICE_CALIBRATION_NONE;
        return SLUICE_OK;
    }
    if (kind != SLUICE_CALIBRATION_PLATT && kind != SLUICE_CALIBRATION_ISOTONIC)
        return sl_fail(&m->error, SLUICE_E_USAGE, "a hold-out is fitted by platt or isotonic");
    sl_pool *pools = malloc((n + 1) * sizeof *pools);
    if (!pools) return sl_fail(&m->error, SLUICE_E_MEMORY, "no memory to calibrate with %zu examples", n);
    sluice_status status = fit(&m->holdout, pools, make_pools(pools, margins, labels, weights, n), kind, &m->error);
    free(pools);
    return status;
}
