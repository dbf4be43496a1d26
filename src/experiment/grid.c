#include "experiment/grid.h"

#include "output/message.h"
#include "args/params.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where in the command line one is, for messages. */
typedef struct reading {
    const char *command, *option, *whole; /* option: "--grid eta=" */
    int drawing;
    grid *g;
} reading;

static int wrong(const reading *r, const char *item, const char *what) {
    const char *name = strchr(r->option, ' ') + 1; /* "eta=", or nothing */
    if (r->g->param->choices) {
        char words[PARAM_TEXT];
        return wrong_usage(r->command, "%s%s: '%s' %s; %s takes words: %s", r->option, r->whole, item, what,
                           r->g->param->name, param_range_text(r->g->param, words));
    }
    return wrong_usage(r->command, "%s%s: '%s' %s; write for instance %s0.1,1,10, %s2^-5..2^5 or %s0.01..100:9",
                       r->option, r->whole, item, what, name, name, name);
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
    char base[GRID_TEXT];
    double exponent;
    snprintf(base, sizeof base, "%.*s", (int)(hat - text), text);
    if (!sluice_parse_number(base, &n->base) || !sluice_parse_number(hat + 1, &exponent)) return 0;
    if (n->base <= 0 || exponent != floor(exponent) || fabs(exponent) > 1000) return 0;
    n->exponent = (int)exponent;
    n->value = power(n->base, n->exponent);
    return isfinite(n->value) && n->value > 0;
}

static int has_value(const grid *g, const char *text) {
    for (size_t i = 0; i < g->n_values; i++)
        if (strcmp(g->values[i], text) == 0) return 1;
    return 0;
}

static int add_text(grid *g, const char *text) {
    if (has_value(g, text)) return DONE;
    if ((g->n_values & (g->n_values - 1)) == 0) { /* full at every power of two */
        void *larger = realloc(g->values, (g->n_values ? 2 * g->n_values : 1) * sizeof *g->values);
        if (!larger) return out_of_memory();
        g->values = larger;
    }
    snprintf(g->values[g->n_values++], GRID_TEXT, "%s", text);
    return DONE;
}

int grid_add(grid *g, double value) {
    char text[GRID_TEXT];
    sluice_format_double(text, value);
    return add_text(g, text);
}

/* A value between the ends: four digits, or a whole number. */
static double settle(const grid *g, const grid_item *range, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.4g", value);
    sluice_parse_number(text, &value);
    if (g->param->integer) value = floor(value + 0.5);
    return value < range->low ? range->low : value > range->high ? range->high : value;
}

static int add_points(grid *g, const grid_item *range, size_t points) {
    int rc = DONE;
    double ratio = range->high / range->low;
    for (size_t i = 0; i < points && !rc; i++) {
        double value = range->low * pow(ratio, points > 1 ? (double)i / (double)(points - 1) : 0);
        rc = grid_add(g, settle(g, range, i == 0 ? range->low : i + 1 == points ? range->high : value));
    }
    return rc;
}

static grid_item *add_item(grid *g) {
    grid_item *larger = realloc(g->items, (g->n_items + 1) * sizeof *larger);
    if (!larger) return NULL;
    g->items = larger;
    return memset(&g->items[g->n_items++], 0, sizeof *larger);
}

/* Powers of a base below 1 grow as their exponents fall. */
static int add_powers(grid *g, number low, number high) {
    int rc = DONE, step = low.exponent <= high.exponent ? 1 : -1;
    for (int e = low.exponent; !rc; e += step) {
        rc = grid_add(g, power(low.base, e));
        if (e == high.exponent) break;
    }
    return rc;
}

/* LOW..HIGH or LOW..HIGH:POINTS; `dots` is where they stand. */
static int read_range(const reading *r, const char *item, const char *dots) {
    char low[GRID_TEXT], high[GRID_TEXT];
    double points = 0;
    const char *colon = strchr(dots, ':');
    size_t length = strlen(dots + 2);
    snprintf(low, sizeof low, "%.*s", (int)(dots - item), item);
    snprintf(high, sizeof high, "%.*s", (int)(colon ? (size_t)(colon - dots - 2) : length), dots + 2);
    number from, to;
    if (r->g->param->choices) return wrong(r, item, "is a range");
    if (!parse_value(low, &from) || !parse_value(high, &to)) return wrong(r, item, "is no range of numbers");
    if (from.value <= 0) return wrong(r, item, "is a range over logarithms, which begins above 0: list such values");
    if (from.value > to.value) return wrong(r, item, "runs backwards");
    if (colon &&
        (!sluice_parse_number(colon + 1, &points) || points != floor(points) || points < 2 || points > GRID_MOST))
        return wrong(r, item, "wants a whole number from 2 to 10000 behind the colon");
    int powers = from.base > 0 && from.base == to.base && from.base != 1;
    if (!colon && !powers && !r->drawing) return wrong(r, item, "does not say how many values there are between");
    grid_item *range = add_item(r->g);
    if (!range) return out_of_memory();
    range->low = from.value;
    range->high = to.value;
    if (colon) return add_points(r->g, range, (size_t)points);
    return powers ? add_powers(r->g, from, to) : add_points(r->g, range, 2);
}

static int read_item(const reading *r, const char *item) {
    const char *dots = strstr(item, "..");
    if (dots) return read_range(r, item, dots);
    char text[GRID_TEXT];
    number n;
    int fine = parse_value(item, &n);
    if (fine) sluice_format_double(text, n.value);
    if (!fine && !r->g->param->choices && strcmp(item, "inf") != 0) return wrong(r, item, "is no number");
    grid_item *single = add_item(r->g);
    if (!single) return out_of_memory();
    snprintf(single->text, sizeof single->text, "%s", fine ? text : item);
    return add_text(r->g, single->text);
}

int grid_read(const char *command, const char *option, const sluice_param_info *param, const char *values, int drawing,
              grid *g) {
    *g = (grid){.param = param};
    reading r = {command, option, values, drawing, g};
    for (const char *at = values;; at++) {
        char item[GRID_TEXT];
        size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (length == 0) return wrong(&r, item, "is no value");
        if (length >= sizeof item) return wrong(&r, item, "is too long");
        int rc = read_item(&r, item);
        if (rc) return rc;
        if (!*(at += length)) return DONE;
    }
}

int grid_around(const sluice_param_info *param, double least, double most, size_t points, grid *g) {
    *g = (grid){.param = param};
    grid_item *range = add_item(g);
    if (!range) return out_of_memory();
    range->low = fmax(param->value * least, param->min);
    range->high = fmin(param->value * most, param->max);
    return add_points(g, range, points);
}

double grid_between(const sluice_param_info *param, double low, double high, double share) {
    grid g = {.param = param};
    grid_item range = {.low = low, .high = high};
    return settle(&g, &range, low * pow(high / low, share));
}

void grid_free(grid *g) {
    free(g->items);
    free(g->values);
}

void grid_draw(const grid *g, rng *r, char text[GRID_TEXT]) {
    const grid_item *item = &g->items[rng_below(r, g->n_items)];
    snprintf(text, GRID_TEXT, "%s", item->text);
    if (*text) return;
    double low = log(item->low), high = log(item->high);
    sluice_format_double(text, settle(g, item, exp(low + rng_uniform(r) * (high - low))));
}

int grid_at_end(const grid *g, const char *value, int drawing) {
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
