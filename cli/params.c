#include "params.h"

#include "message.h"
#include "nearest.h"

#include <math.h>
#include <string.h>

static size_t count_choices(const sluice_param_info *p) {
    size_t n = 0;
    while (p->choices[n]) n++;
    return n;
}

const char *param_value_text(const sluice_param_info *p, double value, char text[PARAM_TEXT]) {
    if (p->choices) {
        size_t i = (size_t)value;
        return i < count_choices(p) ? p->choices[i] : "?";
    }
    if (isinf(value)) return value > 0 ? "inf" : "-inf";
    sluice_format_double(text, value);
    return text;
}

const char *param_range_text(const sluice_param_info *p, char text[PARAM_TEXT]) {
    size_t n = 0;
    if (p->choices) {
        for (size_t i = 0; p->choices[i] && n < PARAM_TEXT; i++)
            n += (size_t)snprintf(text + n, PARAM_TEXT - n, "%s%s", i ? "|" : "", p->choices[i]);
        return text;
    }
    char min[PARAM_TEXT], max[PARAM_TEXT];
    const char *low = param_value_text(p, p->min, min), *high = param_value_text(p, p->max, max);
    snprintf(text, PARAM_TEXT, "[%.40s, %.40s]", low, high);
    return text;
}

void param_value_json(json *j, const char *key, const sluice_param_info *p, double value) {
    char text[PARAM_TEXT];
    if (p->choices)
        json_text(j, key, param_value_text(p, value, text));
    else
        json_number(j, key, value);
}

void print_params(const sluice_param_info *params, size_t n) {
    size_t name = 4, value = 7, range = 5;
    char text[PARAM_TEXT];
    for (size_t i = 0; i < n; i++) {
        size_t a = strlen(params[i].name), b = strlen(param_value_text(&params[i], params[i].value, text)),
               c = strlen(param_range_text(&params[i], text));
        if (a > name) name = a;
        if (b > value) value = b;
        if (c > range) range = c;
    }
    for (size_t i = 0; i < n; i++) {
        printf("  %-*s  %-*s", (int)name, params[i].name, (int)value,
               param_value_text(&params[i], params[i].value, text));
        printf("  %-*s  %s\n", (int)range, param_range_text(&params[i], text), params[i].help);
    }
}

/* A bar would end the table's cell. */
static void print_cell(const char *text) {
    for (; *text; text++) {
        if (*text == '|') putchar('\\');
        putchar(*text);
    }
}

void print_params_markdown(const sluice_param_info *params, size_t n) {
    char text[PARAM_TEXT];
    puts("| parameter | default | range | meaning |\n|---|---|---|---|");
    for (size_t i = 0; i < n; i++) {
        printf("| `%s` | %s | ", params[i].name, param_value_text(&params[i], params[i].value, text));
        print_cell(param_range_text(&params[i], text));
        printf(" | ");
        print_cell(params[i].help);
        puts(" |");
    }
}

static int unknown_param(const char *owner, const sluice_param_info *params, size_t n, const char *name) {
    char known[512] = "none";
    nearest best = nearest_start(name);
    size_t length = 0;
    for (size_t i = 0; i < n && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", params[i].name);
        nearest_try(&best, params[i].name);
    }
    complain("%s has no parameter '%s'%s%s%s; it has: %s", owner, name, best.word ? " (did you mean '" : "",
             best.word ? best.word : "", best.word ? "'?)" : "", known);
    return WRONG_USAGE;
}

static int read_value(const char *owner, const sluice_param_info *p, const char *text, double *value) {
    if (p->choices) {
        for (size_t i = 0; p->choices[i]; i++)
            if (strcmp(p->choices[i], text) == 0) {
                *value = (double)i;
                return DONE;
            }
    } else if (sluice_parse_number(text, value) && *value >= p->min && *value <= p->max &&
               !(p->integer && floor(*value) != *value)) {
        return DONE;
    }
    char range[PARAM_TEXT];
    complain("%s: parameter %s=%s: it must be %s%s", owner, p->name, text,
             p->choices   ? "one of "
             : p->integer ? "a whole number in "
                          : "a number in ",
             param_range_text(p, range));
    return WRONG_USAGE;
}

int read_params(const char *owner, const sluice_param_info *params, size_t n, const char *const *texts, size_t n_texts,
                double *values) {
    for (size_t i = 0; i < n; i++) values[i] = params[i].value;
    for (size_t t = 0; t < n_texts; t++) {
        size_t length = strcspn(texts[t], "="), i = 0;
        if (!texts[t][length]) {
            complain("-P %s: write it as name=value", texts[t]);
            return WRONG_USAGE;
        }
        while (i < n && (strlen(params[i].name) != length || memcmp(params[i].name, texts[t], length) != 0)) i++;
        if (i == n) {
            char name[64];
            snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), texts[t]);
            return unknown_param(owner, params, n, name);
        }
        int rc = read_value(owner, &params[i], texts[t] + length + 1, &values[i]);
        if (rc) return rc;
    }
    return DONE;
}
