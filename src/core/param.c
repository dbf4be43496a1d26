/* Parameters: text in, numbers out, every name and range checked against the learner's table. */
#include "core/param.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"

/* "eta, lambda, r" or "constant, inverse, sqrt" for a message. */
static void list_params(char *out, size_t room, const sluice_learner_info *info) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < info->n_params && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", info->params[i].name);
}

static void list_choices(char *out, size_t room, const char *const *choices) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; choices[i] && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", choices[i]);
}

static sluice_status read_value(const sluice_param_info *p, const char *learner, const char *text, double *value,
                                sluice_error *err) {
    char shown[128];
    if (p->choices) {
        for (size_t i = 0; p->choices[i]; i++)
            if (strcmp(p->choices[i], text) == 0) {
                *value = (double)i;
                return SLUICE_OK;
            }
        char words[128];
        list_choices(words, sizeof words, p->choices);
        return sl_fail(err, SLUICE_E_USAGE, "parameter %s of %s is one of %s, not %s", p->name, learner, words,
                       sl_quote(shown, text, strlen(text)));
    }
    double v;
    if (strcmp(text, "inf") == 0 && p->max == INFINITY && p->value == INFINITY)
        v = INFINITY; /* a limit that can be switched off */
    else if (!sluice_parse_number(text, &v))
        return sl_fail(err, SLUICE_E_USAGE, "parameter %s of %s wants a number, not %s", p->name, learner,
                       sl_quote(shown, text, strlen(text)));
    if (p->integer && v != INFINITY && v != floor(v))
        return sl_fail(err, SLUICE_E_USAGE, "parameter %s of %s wants a whole number, not %s", p->name, learner,
                       sl_quote(shown, text, strlen(text)));
    if (!(v >= p->min && v <= p->max)) {
        char least[32], most[32];
        sluice_format_double(least, p->min);
        sluice_format_double(most, p->max);
        return sl_fail(err, SLUICE_E_USAGE, "parameter %s of %s lies between %s and %s, not at %s", p->name, learner,
                       p->min == -INFINITY ? "minus infinity" : least, p->max == INFINITY ? "infinity" : most,
                       sl_quote(shown, text, strlen(text)));
    }
    *value = v;
    return SLUICE_OK;
}

sluice_status sl_params_read(const sl_learner *learner, const char *const *given, size_t n, double *values,
                             sluice_error *err) {
    const sluice_learner_info *info = &learner->info;
    for (size_t i = 0; i < info->n_params; i++) values[i] = info->params[i].value;
    bool set[SL_MAX_PARAMS] = {false};
    for (size_t g = 0; g < n; g++) {
        char shown[128];
        const char *equals = strchr(given[g], '=');
        if (!equals)
            return sl_fail(err, SLUICE_E_USAGE, "parameter %s has no value; write name=value",
                           sl_quote(shown, given[g], strlen(given[g])));
        size_t length = (size_t)(equals - given[g]), i = 0;
        while (i < info->n_params &&
               !(strlen(info->params[i].name) == length && memcmp(info->params[i].name, given[g], length) == 0))
            i++;
        if (i == info->n_params) {
            char names[256];
            list_params(names, sizeof names, info);
            return sl_fail(err, SLUICE_E_USAGE, "%s has no parameter %s; it has %s", info->name,
                           sl_quote(shown, given[g], length), names[0] ? names : "none");
        }
        double before = values[i];
        sluice_status status = read_value(&info->params[i], info->name, equals + 1, &values[i], err);
        if (status != SLUICE_OK) return status;
        if (set[i] && values[i] != before)
            return sl_fail(err, SLUICE_E_USAGE, "parameter %s is given twice, with different values",
                           info->params[i].name);
        set[i] = true;
    }
    return SLUICE_OK;
}

void sl_param_write(char text[128], const sluice_param_info *param, double value) {
    char number[32];
    const char *shown = number;
    if (param->choices)
        shown = param->choices[(size_t)value];
    else if (value == INFINITY)
        shown = "inf";
    else
        sluice_format_double(number, value);
    snprintf(text, 128, "%s=%s", param->name, shown);
}
