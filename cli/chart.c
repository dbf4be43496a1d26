#include "chart.h"

#include "html.h"

#include <math.h>

double axis_place(const axis *a, double value) {
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

static double nice_step(double span) {
    double power = pow(10, floor(log10(span / 6))), ratio = span / 6 / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

void axis_round(axis *a, double least) {
    if (!(a->low <= a->high)) {
        a->low = 0;
        a->high = 1;
    }
    a->step = fmax(nice_step(fmax(a->high - a->low, least)), least);
    a->low = floor(a->low / a->step) * a->step;
    a->high = ceil(a->high / a->step - 1e-9) * a->step;
    if (a->high <= a->low) a->high = a->low + a->step;
}

void percent_label(FILE *out, double value, double step) {
    html_percent(out, value, step >= 0.00999 ? 0 : (int)ceil(-log10(step * 100) - 1e-9));
}

void count_label(FILE *out, double value, double step) {
    (void)step;
    html_short(out, value);
}

void chart_start(FILE *out, const chart *c) {
    fprintf(out,
            "<svg id=\"%s\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-labelledby=\"%s-title\">\n"
            "<title id=\"%s-title\">%s</title>\n",
            c->id, c->width, c->height, c->id, c->id, c->title);
}

void chart_end(FILE *out) { fputs("</svg>\n", out); }

static int steps_of(const axis *a) { return (int)lround((a->high - a->low) / a->step); }

void chart_y_axis(FILE *out, const chart *c, put_label *label, const char *name) {
    for (int i = 0; i <= steps_of(&c->y); i++) {
        double value = c->y.low + i * c->y.step, y = axis_place(&c->y, value);
        fprintf(out,
                "<path class=\"grid\" d=\"M%.0f %.1fH%.0f\"/><text class=\"tick\" x=\"%.0f\" y=\"%.1f\" "
                "text-anchor=\"end\">",
                c->left, y, c->right, c->left - 8, y + 4);
        label(out, value, c->y.step);
        fputs("</text>\n", out);
    }
    if (name)
        fprintf(out,
                "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(18 %.0f) rotate(-90)\">%s</text>\n",
                (c->top + c->bottom) / 2, name);
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
