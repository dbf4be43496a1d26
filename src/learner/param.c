/* Parameters: text in, numbers out, every name and range checked against the learner's table. */
#include "learner/param.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

/* "eta, lambda, r" or "constant, inverse, sqrt" for a message. */
static void list_params(char *out, size_t room, const sluice_param_info *params, size_t n) {
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", params[i].name);
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

static size_t find(const sluice_param_info *params, size_t n, const char *name) {
    size_t i = 0, length = strcspn(name, "=");
    while (i < n && !(strlen(params[i].name) == length && memcmp(params[i].name, name, length) == 0)) i++;
    return i;
}

sluice_status sluice_params_read(const char *owner, const sluice_param_info *params, size_t n_params,
                                 const char *const *given, size_t n_given, double *values, sluice_error *err) {
    for (size_t i = 0; i < n_params; i++) values[i] = params[i].value;
    for (size_t g = 0; g < n_given; g++) {
        char shown[128];
        size_t length = strcspn(given[g], "="), i = find(params, n_params, given[g]);
        if (!given[g][length])
            return sl_fail(err, SLUICE_E_USAGE, "parameter %s has no value; write name=value",
                           sl_quote(shown, given[g], length));
        if (i == n_params) {
            char names[256];
            list_params(names, sizeof names, params, n_params);
            return sl_fail(err, SLUICE_E_USAGE, "%s has no parameter %s; it has %s", owner,
                           sl_quote(shown, given[g], length), names[0] ? names : "none");
        }
        bool again = false;
        for (size_t before = 0; before < g; before++) again |= find(params, n_params, given[before]) == i;
        double first = values[i];
        sluice_status status = read_value(&params[i], owner, given[g] + length + 1, &values[i], err);
        if (status != SLUICE_OK) return status;
        if (again && values[i] != first)
            return sl_fail(err, SLUICE_E_USAGE, "parameter %s is given twice, with different values", params[i].name);
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
