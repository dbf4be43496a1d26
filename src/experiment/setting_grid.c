/* Reads settings that a search varies, such as normalize=l2, by the rules of parameters. */
#include "experiment/setting_grid.h"

#include "base/error.h"

#include <string.h>

enum { TRANSFORM, SCALE, NORMALIZE, BIAS, N_SETTINGS };

/* By SLUICE_TRANSFORM_, SLUICE_SCALE_ and SLUICE_NORMALIZE_. */
static const char *const transforms[] = {"none", "log1p", "binary", NULL};
static const char *const scales[] = {"none", "running", "maxabs", "idf", NULL};
static const char *const norms[] = {"none", "l2", NULL};

static const sluice_param_info table[N_SETTINGS] = {
    [TRANSFORM] = {"transform", "what becomes of each value", SLUICE_TRANSFORM_NONE, 0, 2, 1, transforms},
    [SCALE] = {"scale", "what each value is divided by, or idf", SLUICE_SCALE_NONE, 0, 3, 1, scales},
    [NORMALIZE] = {"normalize", "what the length of a row becomes", SLUICE_NORMALIZE_NONE, 0, 1, 1, norms},
    [BIAS] = {"bias", "value of the constant feature; 0: none", 0, -1e12, 1e12, 0, NULL},
};

const sluice_param_info *sluice_search_setting(const char *name) {
    const size_t length = strcspn(name, "=");
    for (size_t i = 0; i < N_SETTINGS; i++)
        if (strlen(table[i].name) == length && memcmp(table[i].name, name, length) == 0) return &table[i];
    return NULL;
}

sluice_status sl_setting_check(const char *text, sluice_error *err) {
    double values[N_SETTINGS];
    return sluice_params_read("the settings", table, N_SETTINGS, &text, 1, values, err);
}

void sl_setting_apply(const char *text, sluice_settings *settings) {
    double values[N_SETTINGS];
    if (sluice_params_read("the settings", table, N_SETTINGS, &text, 1, values, NULL) != SLUICE_OK) return;
    switch (sluice_search_setting(text) - table) {
    case TRANSFORM:
        settings->transform = (unsigned)values[TRANSFORM];
        break;
    case SCALE:
        settings->scale = (unsigned)values[SCALE];
        break;
    case NORMALIZE:
        settings->normalize = (unsigned)values[NORMALIZE];
        break;
    default:
        settings->bias = values[BIAS];
        break;
    }
}
