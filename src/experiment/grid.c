/* Reads the values to try a parameter with, and draws from them. */
#include "experiment/grid.h"

#include "base/error.h"
#include "experiment/dataset.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A grid while its text is read. */
typedef struct reading {
    int drawing;
    sl_grid *g;
    sluice_error *err;
} reading;

static sluice_status wrong(const reading *r, const char *item, const char *what) {
    const sluice_param_info *p = r->g->param;
    if (!p->choices)
        return sl_fail(r->err, SLUICE_E_USAGE, "'%s' %s; write for instance 0.1,1,10, 2^-5..2^5 or 0.01..100:9", item,
                       what);
    char words[256] = "";
    size_t n = 0;
    for (size_t i = 0; p->choices[i] && n < sizeof words; i++)
        n += (size_t)snprintf(words + n, sizeof words - n, "%s%s", i ? "|" : "", p->choices[i]);
    return sl_fail(r->err, SLUICE_E_USAGE, "'%s' %s; %s takes words: %s", item, what, p->name, words);
}

typedef struct number {
    double value, base; /* base 0: no power */
    int exponent;
} number;

static double power(double base, int exponent) {
    char text[24];
    double value = pow(base, exponent);
    snprintf(text, sizeof text, "1e%d", exponent);
    if (base == 10) sluice_parse_number(text, &value); /* pow() may miss the last digit */
    return value;
}

/* "0.5", "2^-5" */
static int parse_value(const char *text, number *n) {
    *n = (number){0};
    const char *hat = strchr(text, '^');
    if (!hat) return sluice_parse_number(text, &n->value);
    char base[SL_GRID_TEXT];
    double exponent;
    snprintf(base, sizeof base, "%.*s", (int)(hat - text), text);
    if (!sluice_parse_number(base, &n->base) || !sluice_parse_number(hat + 1, &exponent)) return 0;
    if (n->base <= 0 || exponent != floor(exponent) || fabs(exponent) > 1000) return 0;
    n->exponent = (int)exponent;
    n->value = power(n->base, n->exponent);
    return isfinite(n->value) && n->value > 0;
}

static int has_value(const sl_grid *g, const char *text) {
    for (size_t i = 0; i < g->n_values; i++)
        if (strcmp(g->values[i], text) == 0) return 1;
    return 0;
}

static sluice_status add_text(sl_grid *g, const char *text, sluice_error *err) {
    if (has_value(g, text)) return SLUICE_OK;
    if ((g->n_values & (g->n_values - 1)) == 0) { /* full at every power of two */
        void *larger = realloc(g->values, (g->n_values ? 2 * g->n_values : 1) * sizeof *g->values);
        if (!larger) return sl_no_memory(err);
        g->values = larger;
    }
    snprintf(g->values[g->n_values++], SL_GRID_TEXT, "%s", text);
    return SLUICE_OK;
}

sluice_status sl_grid_add(sl_grid *g, double value, sluice_error *err) {
    char text[SL_GRID_TEXT];
    sluice_format_double(text, value);
    return add_text(g, text, err);
}

/* A value between the ends: four digits, or a whole number. */
static double settle(const sl_grid *g, const sl_grid_item *range, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    sluice_parse_number(text, &value);
    if (g->param->integer) value = floor(value + 0.5);
    return value < range->low ? range->low : value > range->high ? range->high : value;
}

static sluice_status add_points(sl_grid *g, const sl_grid_item *range, size_t points, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    double ratio = range->high / range->low;
    for (size_t i = 0; i < points && status == SLUICE_OK; i++) {
        double value = range->low * pow(ratio, points > 1 ? (double)i / (double)(points - 1) : 0);
        status = sl_grid_add(g, settle(g, range, i == 0 ? range->low : i + 1 == points ? range->high : value), err);
    }
    return status;
}

static sl_grid_item *add_item(sl_grid *g) {
    sl_grid_item *larger = realloc(g->items, (g->n_items + 1) * sizeof *larger);
    if (!larger) return NULL;
    g->items = larger;
    return memset(&g->items[g->n_items++], 0, sizeof *larger);
}

/* Powers of a base below 1 grow as their exponents fall. */
static sluice_status add_powers(sl_grid *g, number low, number high, sluice_error *err) {
    sluice_status status = SLUICE_OK;
    int step = low.exponent <= high.exponent ? 1 : -1;
    for (int e = low.exponent; status == SLUICE_OK; e += step) {
        status = sl_grid_add(g, power(low.base, e), err);
        if (e == high.exponent) break;
    }
    return status;
}

/* LOW..HIGH or LOW..HIGH:POINTS; `dots` points to the dots. */
static sluice_status read_range(const reading *r, const char *item, const char *dots) {
    char low[SL_GRID_TEXT], high[SL_GRID_TEXT];
    double points = 0;
    const char *colon = strchr(dots, ':');
    size_t length = strlen(dots + 2);
    snprintf(low, sizeof low, "%.*s", (int)(dots - item), item);
    snprintf(high, sizeof high, "%.*s", (int)(colon ? (size_t)(colon - dots - 2) : length), dots + 2);
    number from, to;
    if (r->g->param->choices) return wrong(r, item, "is a range");
    if (!parse_value(low, &from) || !parse_value(high, &to)) return wrong(r, item, "is no range of numbers");
    if (from.value <= 0) return wrong(r, item, "is a logarithmic range, which begins above 0: list such values");
    if (from.value > to.value) return wrong(r, item, "runs backwards");
    if (colon && (!sluice_parse_number(colon + 1, &points) || points != floor(points) || points < 2 ||
                  points > SL_GRID_MAX_POINTS))
        return wrong(r, item, "needs a whole number from 2 to 10000 behind the colon");
    int powers = from.base > 0 && from.base == to.base && from.base != 1;
    if (!colon && !powers && !r->drawing) return wrong(r, item, "does not say how many values there are between");
    sl_grid_item *range = add_item(r->g);
    if (!range) return sl_no_memory(r->err);
    range->low = from.value;
    range->high = to.value;
    if (colon) return add_points(r->g, range, (size_t)points, r->err);
    return powers ? add_powers(r->g, from, to, r->err) : add_points(r->g, range, 2, r->err);
}

static sluice_status read_item(const reading *r, const char *item) {
    const char *dots = strstr(item, "..");
    if (dots) return read_range(r, item, dots);
    char text[SL_GRID_TEXT];
    number n;
    int fine = parse_value(item, &n);
    if (fine) sluice_format_double(text, n.value);
    if (!fine && !r->g->param->choices && strcmp(item, "inf") != 0) return wrong(r, item, "is no number");
    sl_grid_item *single = add_item(r->g);
    if (!single) return sl_no_memory(r->err);
    snprintf(single->text, sizeof single->text, "%s", fine ? text : item);
    return add_text(r->g, single->text, r->err);
}

static sluice_status read_text(const reading *r, const char *item) {
    sl_grid_item *single = add_item(r->g);
    if (!single) return sl_no_memory(r->err);
    snprintf(single->text, sizeof single->text, "%s", item);
    return add_text(r->g, item, r->err);
}

static sluice_status read_items(const reading *r, const char *values,
                                sluice_status (*read)(const reading *r, const char *item)) {
    for (const char *at = values;; at++) {
        char item[SL_GRID_TEXT];
        size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (length == 0) return wrong(r, item, "is no value");
        if (length >= sizeof item) return wrong(r, item, "is too long");
        sluice_status status = read(r, item);
        if (status != SLUICE_OK) return status;
        if (!*(at += length)) return SLUICE_OK;
    }
}

sluice_status sl_grid_read(const sluice_param_info *param, const char *values, int drawing, sl_grid *g,
                           sluice_error *err) {
    *g = (sl_grid){.param = param};
    return read_items(&(reading){drawing, g, err}, values, read_item);
}

sluice_status sl_grid_of_texts(const sluice_param_info *param, const char *values, sl_grid *g, sluice_error *err) {
    *g = (sl_grid){.param = param};
    return read_items(&(reading){0, g, err}, values, read_text);
}

sluice_status sl_grid_around(const sluice_param_info *param, double least, double most, size_t points, sl_grid *g,
                             sluice_error *err) {
    *g = (sl_grid){.param = param};
    sl_grid_item *range = add_item(g);
    if (!range) return sl_no_memory(err);
    range->low = fmax(param->value * least, param->min);
    range->high = fmin(param->value * most, param->max);
    return add_points(g, range, points, err);
}

double sl_grid_between(const sluice_param_info *param, double low, double high, double share) {
    sl_grid g = {.param = param};
    sl_grid_item range = {.low = low, .high = high};
    return settle(&g, &range, low * pow(high / low, share));
}

void sl_grid_free(sl_grid *g) {
    free(g->items);
    free(g->values);
}

void sl_grid_draw(const sl_grid *g, sluice_random *r, char text[SL_GRID_TEXT]) {
    const sl_grid_item *item = &g->items[sluice_random_below(r, g->n_items)];
    snprintf(text, SL_GRID_TEXT, "%s", item->text);
    if (*text) return;
    double low = log(item->low), high = log(item->high);
    sluice_format_double(text, settle(g, item, exp(low + sluice_random_uniform(r) * (high - low))));
}

int sl_grid_at_end(const sl_grid *g, const char *value, int drawing) {
    double low = INFINITY, high = -INFINITY, v, x;
    if (g->param->choices || g->n_values + (drawing != 0) < 3 || !sluice_parse_number(value, &v)) return 0;
    for (size_t i = 0; i < g->n_values; i++) {
        if (!sluice_parse_number(g->values[i], &x)) return 0;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    double margin = drawing && low > 0 ? pow(high / low, 0.05) : 1;
    return (v <= low * margin && low > g->param->min) || (v >= high / margin && high < g->param->max);
}
