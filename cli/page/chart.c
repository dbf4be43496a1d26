/* Draws axes, grids and markers of charts as SVG. */
#include "page/chart.h"

#include "page/html.h"

#include <math.h>

double axis_place(const axis *a, double value) {
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

static double nice_step(double span) {
    double power = pow(10, floor(log10(span / 6))), ratio = span / 6 / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

void axis_ticks(axis *a, double least) {
    if (!(a->low <= a->high)) {
        a->low = 0;
        a->high = 1;
    }
    if (a->low == a->high) a->high += least;
    a->step = fmax(nice_step(a->high - a->low), least);
}

void axis_round(axis *a, double least) {
    axis_ticks(a, least);
    a->low = floor(a->low / a->step) * a->step;
    a->high = ceil(a->high / a->step - 1e-9) * a->step;
}

void percent_label(FILE *out, double value, double step) {
    html_percent(out, value, step >= 0.00999 ? 0 : (int)ceil(-log10(step * 100) - 1e-9));
}

void count_label(FILE *out, double value, double step) {
    (void)step;
    html_short(out, value);
}

chart chart_small(const char *id, const char *title, double height) {
    enum { WIDTH = 520, LEFT = 68, RIGHT = 496, TOP = 12, BELOW = 52 };
    double bottom = height - BELOW;
    return (chart){
        .id = id,
        .title = title,
        .width = WIDTH,
        .height = height,
        .left = LEFT,
        .right = RIGHT,
        .top = TOP,
        .bottom = bottom,
        .x = {INFINITY, -INFINITY, LEFT, RIGHT, 0},
        .y = {INFINITY, -INFINITY, bottom, TOP, 0},
    };
}

void chart_start(FILE *out, const chart *c) {
    fprintf(out,
            "<svg id=\"%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"%s-title\">\n"
            "<title id=\"%s-title\">%s</title>\n",
            c->id, c->width, c->height, c->id, c->id, c->title);
}

void chart_end(FILE *out) { fputs("</svg>\n", out); }

static int steps_of(const axis *a) { return (int)floor((a->high - a->low) / a->step + 1e-6); }

static void start_y_tick(FILE *out, const chart *c, double y) {
    fprintf(out,
            "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/><text class=\"tick\" x=\"%.0f\" y=\"%.1f\" "
            "text-anchor=\"end\">",
            c->left, y, c->right, c->left - 8, y + 4);
}

void chart_y_tick(FILE *out, const chart *c, double y, const char *text) {
    start_y_tick(out, c, y);
    html_text(out, text);
    fputs("</text>\n", out);
}

void chart_y_name(FILE *out, const chart *c, const char *name) {
    fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(18 %.0f) rotate(-90)\">%s</text>\n",
            (c->top + c->bottom) / 2, name);
}

void chart_y_axis(FILE *out, const chart *c, put_label *label, const char *name) {
    for (int i = 0; i <= steps_of(&c->y); i++) {
        double value = c->y.low + i * c->y.step;
        start_y_tick(out, c, axis_place(&c->y, value));
        label(out, value, c->y.step);
        fputs("</text>\n", out);
    }
    if (name) chart_y_name(out, c, name);
}

static void start_x_tick(FILE *out, const chart *c, double x) {
    fprintf(out,
            "<path class=\"grid\" d=\"M%.1f %.0fV%.0f\"/><text class=\"tick\" x=\"%.1f\" y=\"%.0f\" "
            "text-anchor=\"middle\">",
            x, c->top, c->bottom + 5, x, c->bottom + 21);
}

void chart_x_tick(FILE *out, const chart *c, double x, const char *text) {
    start_x_tick(out, c, x);
    html_text(out, text);
    fputs("</text>", out);
}

void chart_x_name(FILE *out, const chart *c, double y, const char *name) {
    fprintf(out, "<text class=\"axis\" x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%s</text>\n",
            (c->left + c->right) / 2, y, name);
}

void chart_x_axis(FILE *out, const chart *c, put_label *label, const char *name) {
    for (int i = 0; i <= steps_of(&c->x); i++) {
        double value = c->x.low + i * c->x.step;
        start_x_tick(out, c, axis_place(&c->x, value));
        label(out, value, c->x.step);
        fputs("</text>\n", out);
    }
    if (name) chart_x_name(out, c, c->bottom + 42, name);
}

/* A power of ten has room in it. */
void axis_count_ticks(axis *a) {
    if (!(a->low <= a->high)) a->low = a->high = 0;
    const double middle = (a->low + a->high) / 2, half = fmax((a->high - a->low) / 2 * 1.06, 0.55);
    a->low = fmax(middle - half, -0.05);
    a->high = a->low + 2 * half;
}

void chart_count_axis(FILE *out, const chart *c, const char *name) {
    enum { ROOM = 46 };
    static const double steps[] = {1, 2, 5};
    const axis *x = &c->x;
    const double decade_width = (x->to - x->from) / (x->high - x->low);
    const int all = log10(2) * decade_width >= ROOM, stride = all ? 1 : (int)ceil(ROOM / decade_width);
    for (int decade = (int)floor(x->low / stride) * stride; decade <= (int)ceil(x->high); decade += stride)
        for (int i = 0; i < (all ? 3 : 1); i++) {
            const double value = steps[i] * pow(10, decade), at = log10(value);
            if (at < x->low || at > x->high || value < 1) continue;
            start_x_tick(out, c, axis_place(x, at));
            html_short(out, value);
            fputs("</text>\n", out);
        }
    chart_x_name(out, c, c->bottom + 42, name);
}

void chart_frame(FILE *out, const chart *c, double x) {
    fprintf(out, "<path class=\"frame\" d=\"M%.0f %.0fV%.0fH%.1f\"/>\n", c->left, c->top, c->bottom, x);
}

void chart_marker(FILE *out, size_t which) {
    static const char *const shapes[] = {
        "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", /* circle */
        "M-4 -4h8v8h-8z",                                /* square */
        "M0 -5.5L5.2 4H-5.2z",                           /* triangle */
        "M0 -5.8L5.8 0L0 5.8L-5.8 0z",                   /* diamond */
        "M0 5.5L5.2 -4H-5.2z",                           /* triangle, on its head */
        "M-5 0H5M0 -5V5",                                /* plus */
        "M-4 -4L4 4M4 -4L-4 4",                          /* cross */
        "M-5 -3H5M-5 3H5",                               /* two bars */
    };
    fprintf(out, "<path class=\"mark\" d=\"%s\"/>", shapes[which % (sizeof shapes / sizeof *shapes)]);
}

void figure_start(FILE *out, const char *title) { fprintf(out, "<figure>\n<figcaption><b>%s</b>", title); }

void figure_key(FILE *out, int colour, const char *kind, const char *text) {
    fprintf(out,
            "\n<span class=\"key c%d\"><svg viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><path class=\"%s\" "
            "d=\"M-13 0H13\"/></svg>%s</span>",
            colour, kind, text);
}

void figure_end(FILE *out) {
    chart_end(out);
    fputs("</figure>\n", out);
}

void chart_line_to(FILE *out, const chart *c, char *letter, double x, double y) {
    if (isnan(x) || isnan(y)) {
        *letter = 'M';
        return;
    }
    fprintf(out, "%c%.1f %.1f", *letter, axis_place(&c->x, x), axis_place(&c->y, y));
    *letter = 'L';
}

void chart_mark(FILE *out, const chart *c, int colour, int always, double x, double y) {
    if (isnan(x) || isnan(y)) return;
    fprintf(out, "<circle class=\"mark c%d%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>", colour, always ? "" : " quiet",
            axis_place(&c->x, x), axis_place(&c->y, y));
}

void figure_value(FILE *out, const char *name, double x) {
    fprintf(out, " <span class=\"key\">%s %.4f</span>", name, x);
}
