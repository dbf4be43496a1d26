/* Logarithmic axes of rates in percent. */
#include "page/rate_axis.h"

#include <math.h>

enum { ZERO_ROOM = 34, X_ROOM = 52, Y_ROOM = 16 };
static const double wide = 3, medium = 1, narrow = 0.45, /* decades, from which on there are fewer ticks in each */
    least_ratio = 1.02;

rate_axis rate_axis_new(void) { return (rate_axis){.least = INFINITY, .most = -INFINITY}; }

void rate_axis_cover(rate_axis *r, double rate) {
    if (rate == 0) r->has_zero = 1;
    if (!(rate > 0)) return;
    r->least = fmin(r->least, rate);
    r->most = fmax(r->most, rate);
}

/* ---- ticks ------------------------------------------------------------------------------------------------------- */

/* From the last one that is not above what is covered to the first one that is not below. */
static void add_tick(rate_axis *r, double rate) {
    const double slack = 1e-9;
    if (rate <= r->least * (1 + slack)) r->n = 0;
    if (r->n && r->tick[r->n - 1] >= r->most * (1 - slack)) return;
    if (r->n < MOST_RATE_TICKS) r->tick[r->n++] = rate;
}

/* These multiples of every stride-th power of ten. */
static void add_multiples(rate_axis *r, const double *multiples, size_t n, int stride) {
    const int first = (int)floor(log10(r->least)) - stride, last = (int)ceil(log10(r->most)) + stride;
    for (int power = first - ((first % stride) + stride) % stride; power <= last; power += stride)
        for (size_t i = 0; i < n; i++) add_tick(r, multiples[i] * pow(10, power));
}

/* At equal distances of the rates themselves. */
static void add_steps(rate_axis *r) {
    axis plain = {.low = r->least, .high = r->most};
    axis_round(&plain, 1e-9);
    for (int i = 0; plain.low + i * plain.step <= plain.high + plain.step; i++)
        if (plain.low + i * plain.step > plain.step / 2) add_tick(r, plain.low + i * plain.step);
}

static void choose_ticks(rate_axis *r) {
    static const double few[] = {1}, some[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 7};
    enum { MOST_POWERS = 8 };
    const double decades = log10(r->most / r->least);
    r->n = 0;
    if (decades > wide)
        add_multiples(r, few, 1, (int)ceil(decades / MOST_POWERS));
    else if (decades > medium)
        add_multiples(r, some, sizeof some / sizeof *some, 1);
    else if (decades > narrow)
        add_multiples(r, many, sizeof many / sizeof *many, 1);
    else
        add_steps(r);
}

void rate_axis_set(rate_axis *r, axis *a) {
    if (!(r->least <= r->most)) {
        r->least = 0.01;
        r->most = 1;
    }
    if (r->most < r->least * least_ratio) {
        r->least /= least_ratio;
        r->most *= least_ratio;
    }
    choose_ticks(r);
    a->low = log10(fmin(r->tick[0], r->least));
    a->high = log10(fmax(r->tick[r->n - 1], r->most));
    const double start = a->from;
    if (r->has_zero) a->from += a->to > a->from ? ZERO_ROOM : -ZERO_ROOM;
    r->zero = a->low + (start - a->from) / (a->to - a->from) * (a->high - a->low);
}

double rate_axis_value(const rate_axis *r, const axis *a, double rate) {
    if (isnan(rate)) return NAN;
    return rate > 0 ? fmax(log10(rate), a->low) : r->has_zero ? r->zero : a->low;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void put_tick(FILE *out, const chart *c, int is_x, double at, double rate) {
    char label[32];
    snprintf(label, sizeof label, "%.4g %%", 100 * rate);
    if (is_x)
        chart_x_tick(out, c, at, label);
    else
        chart_y_tick(out, c, at, label);
}

static void draw(FILE *out, const chart *c, const rate_axis *r, int is_x) {
    const axis *a = is_x ? &c->x : &c->y;
    const double room = is_x ? X_ROOM : Y_ROOM;
    double last = -INFINITY;
    if (r->has_zero) put_tick(out, c, is_x, last = axis_place(a, r->zero), 0);
    for (size_t i = 0; i < r->n; i++) {
        const double at = axis_place(a, log10(r->tick[i]));
        if (fabs(at - last) < room) continue;
        put_tick(out, c, is_x, at, r->tick[i]);
        last = at;
    }
}

void rate_axis_draw_x(FILE *out, const chart *c, const rate_axis *r, const char *name) {
    draw(out, c, r, 1);
    if (name) chart_x_name(out, c, c->bottom + 42, name);
}

void rate_axis_draw_y(FILE *out, const chart *c, const rate_axis *r, const char *name) {
    draw(out, c, r, 0);
    if (name) chart_y_name(out, c, name);
}
