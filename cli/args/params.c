/* Prints parameters: values, ranges, tables, JSON. */
#include "args/params.h"

#include "output/wrap.h"

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

void print_params(const sluice_param_info *params, size_t n, int indent) {
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
        int column = printf("%*s%-*s  %-*s", indent, "", (int)name, params[i].name, (int)value,
                            param_value_text(&params[i], params[i].value, text));
        column += printf("  %-*s  ", (int)range, param_range_text(&params[i], text));
        print_wrapped(stdout, params[i].help, column, column);
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
