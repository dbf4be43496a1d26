/* MODL: learner, parameters, settings and counts of a model, as lines of text "key=value". */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "file/saver.h"
#include "learner/param.h"
#include "model/classes/matrix.h"

static void put_text(sl_saver *s, const char *key, const char *value) {
    sl_save_text(s, key, strlen(key));
    sl_save_text(s, "=", 1);
    sl_save_text(s, value, strlen(value));
    sl_save_text(s, "\n", 1);
}

static void put_count(sl_saver *s, const char *key, uint64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_text(s, key, text);
}

static void put_number(sl_saver *s, const char *key, double value) {
    char text[32];
    sluice_format_double(text, value);
    put_text(s, key, text);
}

static void put_list(sl_saver *s, const char *key, const uint64_t *numbers, size_t n) {
    char text[64 * 21 + 1] = "", *t = text;
    for (size_t i = 0; i < n; i++) t += sprintf(t, "%s%" PRIu64, i ? " " : "", numbers[i]);
    put_text(s, key, text);
}

static void put_calibration(sl_saver *s, const sl_online_calibration *c) {
    double numbers[SL_ONLINE_CALIBRATION_NUMBERS];
    char text[SL_ONLINE_CALIBRATION_NUMBERS * 33], *t = text;
    memcpy(numbers, c, sizeof numbers);
    for (size_t i = 0; i < SL_ONLINE_CALIBRATION_NUMBERS; i++) {
        if (i) *t++ = ' ';
        t += sluice_format_double(t, numbers[i]);
    }
    put_text(s, "calibration", text);
}

static void put_identity(sl_saver *s, const sluice_model *m) {
    char text[256];
    sl_fields_text(text, m->rule);
    put_text(s, "learner", m->learner->info.name);
    put_text(s, "kind", sl_model_is_predict_only(m) ? "predict-only" : "full");
    if (m->settings.classes != SLUICE_CLASSES_TWO) put_text(s, "classes", sl_classes_key(m->settings.classes));
    put_text(s, "fields", text);
    if (m->matrix) {
        sl_fields_text(text, m->matrix->pair_rule);
        put_text(s, "pair_fields", text);
    }
    for (size_t i = 0; i < m->learner->info.n_params; i++) {
        const sluice_param_info *param = &m->learner->info.params[i];
        if (param->extra && m->params[i] == param->value) continue; /* older versions do not know it */
        sl_param_write(text, param, m->params[i]);                  /* "NAME=VALUE" */
        sl_save_text(s, "param ", 6);
        sl_save_text(s, text, strlen(text));
        sl_save_text(s, "\n", 1);
    }
}

static void put_counts(sl_saver *s, const sluice_model *m) {
    const sl_space *sp = &m->features.space;
    const sl_limit *limit = &m->features.limit;
    put_count(s, "examples", m->state.t);
    put_count(s, "mistakes", m->mistakes);
    put_count(s, "updates", m->updates);
    put_count(s, "positives", m->positives);
    if (m->pseudo.rows) put_count(s, "pseudo", m->pseudo.rows);
    if (m->settings.scale == SLUICE_SCALE_IDF && sp->scaled) put_count(s, "idf_rows", sp->rows);
    put_count(s, "features_seen", sp->seen);
    put_count(s, "features_added", sp->births);
    put_count(s, "named", m->features.named);
    put_count(s, "evicted", limit->evicted);
    put_count(s, "refused", limit->refused);
    put_count(s, "next_scan", limit->next_scan);
    uint64_t numbers[64];
    put_list(s, "growth", numbers, sluice_model_growth(m, numbers, 64));
    size_t n = 0; /* a model with names has its features in that order, so that nothing more is needed */
    for (; !m->features.named && n < SL_NEWEST && n < sp->arrivals; n++)
        numbers[n] = sp->newest[(sp->arrivals - 1 - n) % SL_NEWEST];
    put_list(s, "newest", numbers, n);
    put_calibration(s, &m->calibration);
}

sluice_status sl_save_modl(sl_saver *s, const sluice_model *m) {
    sl_save_begin(s, "MODL", 0);
    put_identity(s, m);
    for (size_t i = 0; m->rule->scalars && m->rule->scalars[i]; i++) {
        if (!isfinite(m->scalars[i])) return sl_fail(s->err, SLUICE_E_NUMERIC, "%s is not finite", m->rule->scalars[i]);
        char key[64] = "scalar ";
        put_number(s, strncat(key, m->rule->scalars[i], 32), m->scalars[i]);
    }
    put_number(s, "bias", m->settings.bias);
    put_count(s, "normalize", m->settings.normalize);
    if (m->settings.transform) put_count(s, "transform", m->settings.transform);
    if (m->settings.scale) put_count(s, "scale", m->settings.scale);
    put_count(s, "hash_bits", m->settings.hash_bits);
    put_count(s, "max_features", m->settings.max_features);
    put_counts(s, m);
    return sl_save_end(s);
}
