/* Predicting: margins, probabilities and single weights of a model that does not change. */
#include "base/error.h"
#include "rows/example.h"
#include "model/race/race.h"
#include "model/row_layout.h"
#include "model/scaling/row_values.h"
#include "rows/csr.h"

static void prefetch_names(const sluice_model *m, const sluice_batch *b, size_t i, size_t end) {
    if (i >= end) return;
    sl_raw_row r = sl_batch_raw(b, i);
    sl_row_prefetch(&m->features, &r);
}

static sluice_status not_finite(sluice_error *err) {
    return sl_fail(err, SLUICE_E_NUMERIC, "a margin is not a number: the model has left the range of numbers");
}

/* ---- margins ----------------------------------------------------------------------------------------------------- */

double sl_model_raw_margin(const sluice_model *m, const sl_raw_row *r) {
    if (m->race) {
        sl_race_row row;
        if (!sl_race_row_make(&row, m, r)) return NAN;
        const double margin = sl_model_raw_margin(sl_race_leader(m), &row.row);
        sl_race_row_free(&row);
        return margin;
    }
    sl_state s = m->state;
    s.features = m->features.space.features;
    double scale = 0, sum = 0;
    for (size_t k = 0; k < r->n;) {
        uint32_t slot[SL_CHUNK];
        float value[SL_CHUNK], w[SL_CHUNK];
        const size_t n = sl_row_known(m, r, &k, &scale, slot, value);
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

static sluice_status several_classes(sluice_error *err) {
    return sl_fail(err, SLUICE_E_UNSUPPORTED,
                   "a model of several classes has a margin for each: sluice_model_classify()");
}

sluice_status sluice_model_margin(const sluice_model *m, const sluice_example *x, double *margin, sluice_error *err) {
    if (sl_model_is_of_many(m)) return several_classes(err);
    if (sl_check_values(x, err) != SLUICE_OK) return SLUICE_E_DATA;
    uint64_t hash[SL_HASHED_NAMES];
    const sl_raw_row r = sl_example_hashed(x, hash);
    sl_row_prefetch(&m->features, &r);
    *margin = sl_turn(&m->classes, sl_model_raw_margin(m, &r));
    if (isfinite(*margin)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_NUMERIC, "the margin is not a number: the model has left the range of numbers");
}

/* sl_model_raw_margin() for the common case, a predict-only model and rows whose ids are slots: one loop over plain
 * weights. */
static double predict_only_margin(const sl_space *sp, const sluice_batch *b, size_t at, size_t end) {
    const float *w = (const float *)(const void *)sp->features;
    double sum = 0;
    for (size_t k = at; k < end; k++) {
        uint32_t slot = b->id[k];
        if (slot >= sp->direct && (slot = sl_space_probe(sp, sl_batch_id(b, k))) == SL_NO_SLOT) continue;
        sum += (double)w[slot] * (double)b->value[k];
    }
    return sum;
}

/* The margins of rows first .. first + n - 1; whether all are finite. */
static bool margins_of(const sluice_model *m, const sluice_batch *b, size_t first, size_t n, double *margins) {
    bool plain = m->rule == &sl_predict_only && m->settings.bias == 0 && !m->settings.normalize &&
                 !sl_changes_values(&m->settings) && !m->settings.hash_bits && !m->features.named && !b->has_names,
         finite = true;
    for (size_t i = first; i < first + n; i++) {
        size_t at = b->start[i], end = b->start[i + 1];
        sl_raw_row r = sl_batch_raw(b, i);
        prefetch_names(m, b, i + 1, first + n);
        double margin = plain ? predict_only_margin(&m->features.space, b, at, end) : sl_model_raw_margin(m, &r);
        finite &= isfinite(margin);
        margins[i - first] = sl_turn(&m->classes, margin);
    }
    return finite;
}

sluice_status sluice_model_margins_rows(const sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                        double *margins, sluice_error *err) {
    if (sl_model_is_of_many(m)) return several_classes(err);
    if (first > b->rows || n > b->rows - first)
        return sl_fail(err, SLUICE_E_USAGE, "the batch has only %zu rows", b->rows);
    return margins_of(m, b, first, n, margins) ? SLUICE_OK : not_finite(err);
}

sluice_status sluice_model_margins(const sluice_model *m, const sluice_batch *b, double *margins, sluice_error *err) {
    return sluice_model_margins_rows(m, b, 0, b->rows, margins, err);
}

sluice_status sluice_model_margins_csr(const sluice_model *m, const sluice_csr *csr, double *margins,
                                       sluice_error *err) {
    sl_csr_reader r;
    bool finite = true;
    if (sl_model_is_of_many(m)) return several_classes(err);
    sluice_status status = sl_csr_open(&r, csr, false, err);
    while (status == SLUICE_OK && (status = sl_csr_next(&r, err)) == SLUICE_OK)
        finite &= margins_of(m, &r.batch, 0, r.batch.rows, margins + r.first);
    sl_csr_close(&r);
    if (status != SLUICE_END) return status;
    return finite ? SLUICE_OK : not_finite(err);
}

/* ---- probabilities ----------------------------------------------------------------------------------------------- */

static sluice_status check_probability(const sluice_model *m, sluice_error *err) {
    if (sluice_model_has_probability(m)) return SLUICE_OK;
    return sl_fail(err, SLUICE_E_UNSUPPORTED, "the model has no probabilities: it has seen nothing but margins of 0");
}

/* Margins become probabilities, also where some are not finite: those become NaN. */
static sluice_status to_probabilities(const sluice_model *m, sluice_status status, size_t n, double *values) {
    if (status != SLUICE_OK && status != SLUICE_E_NUMERIC) return status;
    for (size_t i = 0; i < n; i++) values[i] = isfinite(values[i]) ? sluice_model_probability(m, values[i]) : NAN;
    return status;
}

sluice_status sluice_model_probabilities_rows(const sluice_model *m, const sluice_batch *b, size_t first, size_t n,
                                              double *probabilities, sluice_error *err) {
    sluice_status status = check_probability(m, err);
    if (status != SLUICE_OK) return status;
    return to_probabilities(m, sluice_model_margins_rows(m, b, first, n, probabilities, err), n, probabilities);
}

sluice_status sluice_model_probabilities_csr(const sluice_model *m, const sluice_csr *csr, double *probabilities,
                                             sluice_error *err) {
    sluice_status status = check_probability(m, err);
    if (status != SLUICE_OK) return status;
    status = sluice_model_margins_csr(m, csr, probabilities, err);
    return to_probabilities(m, status, csr ? csr->rows : 0, probabilities);
}

/* ---- weights ----------------------------------------------------------------------------------------------------- */

static double weight_of(const sluice_model *m, const sl_raw_row *r) {
    if (sl_model_is_of_many(m)) return 0;
    uint32_t slot = sl_row_slot(m, r, 0);
    if (slot == SL_NO_SLOT) return 0;
    sl_state s = m->state;
    s.features = m->features.space.features;
    float w;
    m->kernels.weights(&s, &slot, 1, &w);
    return sl_turn(&m->classes, (double)w);
}

double sluice_model_weight_of_id(const sluice_model *m, uint64_t id) {
    return weight_of(m, &(sl_raw_row){.ids = &id, .n = 1});
}

double sluice_model_weight_of_name(const sluice_model *m, sluice_name name) {
    return weight_of(m, &(sl_raw_row){.names = &name, .n = 1});
}

double sluice_model_bias_weight(const sluice_model *m) {
    uint32_t slot = sl_space_bias(&m->features.space);
    if (slot == SL_NO_SLOT || sl_model_is_of_many(m)) return 0;
    sl_state s = m->state;
    s.features = m->features.space.features;
    float w;
    m->kernels.weights(&s, &slot, 1, &w);
    return sl_turn(&m->classes, (double)w);
}
