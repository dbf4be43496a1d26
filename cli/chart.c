#include "chart.h"

#include "html.h"

#include <math.h>

enum { WIDTH = 960, HEIGHT = 560, LEFT = 78, RIGHT = 800, TOP = 22, BOTTOM = 480, NONE_WIDTH = 70 };

/* Where figures lie. */
typedef struct axes {
    double x0, x1, right;  /* -log10 of the share of nonzeros; where they end in the picture */
    double y0, y1, y_step; /* rates */
    int none;              /* there are points without nonzeros */
    double dimension;
} axes;

static double decades(const point *p) { return -log10(1 - p->sparsity); }

static int is_shown(const sweeping *w, const point *p) {
    return !p->failure && !isnan(p->sparsity) && !isnan(point_error(w, p));
}

static double deviation(const sweeping *w, const point *p) {
    double d = w->test ? p->deviation : p->error_deviation;
    return isnan(d) ? 0 : d;
}

static double at_x(const axes *a, const point *p) {
    if (p->nonzeros == 0) return RIGHT - NONE_WIDTH / 2.0;
    return LEFT + (decades(p) - a->x0) / (a->x1 - a->x0) * (a->right - LEFT);
}
static double at_y(const axes *a, double rate) { return BOTTOM - (rate - a->y0) / (a->y1 - a->y0) * (BOTTOM - TOP); }

/* 1, 2 or 5 times a power of ten: some six of them cover the span. */
static double nice_step(double span) {
    double power = pow(10, floor(log10(span / 6))), ratio = span / 6 / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

static void cover(const sweeping *w, axes *a, const point *p) {
    double error = point_error(w, p), d = deviation(w, p);
    a->y0 = fmin(a->y0, fmax(error - d, 0));
    a->y1 = fmax(a->y1, error + d);
    a->dimension = w->dimension ? (double)w->dimension : p->features_seen;
    if (p->nonzeros == 0) {
        a->none = 1;
        return;
    }
    a->x0 = fmin(a->x0, decades(p));
    a->x1 = fmax(a->x1, decades(p));
}

static axes make_axes(const sweeping *w) {
    axes a = {INFINITY, -INFINITY, RIGHT, INFINITY, -INFINITY, 0, 0, 0};
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++)
            if (is_shown(w, w->curves[i].points[k])) cover(w, &a, w->curves[i].points[k]);
    if (a.none) a.right = RIGHT - NONE_WIDTH;
    if (a.x0 > a.x1) a.x0 = a.x1 = 0;
    double margin = fmax(0.03 * (a.x1 - a.x0), 0.35 - (a.x1 - a.x0) / 2); /* room for two ticks at least */
    double left = fmax(a.x0 - margin, fmin(a.x0, 0) - 0.05);              /* nothing is less sparse than 0 */
    a.x1 += 2 * margin - (a.x0 - left);
    a.x0 = left;
    if (a.y0 > a.y1) a.y0 = 0, a.y1 = 1;
    a.y_step = nice_step(fmax(a.y1 - a.y0, 1e-4));
    a.y0 = floor(a.y0 / a.y_step) * a.y_step;
    a.y1 = ceil(a.y1 / a.y_step + 1e-9) * a.y_step;
    return a;
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

static void put_y_axis(FILE *out, const axes *a, const char *what) {
    int digits = a->y_step >= 0.00999 ? 0 : (int)ceil(-log10(a->y_step * 100) - 1e-9);
    int ticks = (int)lround((a->y1 - a->y0) / a->y_step);
    for (int i = 0; i <= ticks; i++) {
        double rate = a->y0 + i * a->y_step, y = at_y(a, rate);
        fprintf(out,
                "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\" "
                "text-anchor=\"end\">",
                LEFT, y, RIGHT, LEFT - 8, y + 4);
        html_percent(out, rate, digits);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(18 %d) rotate(-90)\">%s</text>\n",
            (TOP + BOTTOM) / 2, what);
}

static void put_x_tick(FILE *out, const axes *a, double x, const char *label, double nonzeros) {
    fprintf(out,
            "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\" "
            "text-anchor=\"middle\">%s</text>",
            x, TOP, BOTTOM + 5, x, BOTTOM + 21, label);
    if (a->dimension > 0)
        fprintf(out, "<text class=\"tick faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>", x,
                BOTTOM + 38, nonzeros);
    fputc('\n', out);
}

/* Shares of 1, 0.5, 0.2, 0.1, ...; over many decades the powers of ten alone. */
static void put_x_axis(FILE *out, const axes *a) {
    static const double steps[] = {1, 0.5, 0.2};
    int all = a->x1 - a->x0 < 3.5;
    for (int decade = (int)floor(a->x0); decade <= (int)ceil(a->x1); decade++)
        for (int i = 0; i < (all ? 3 : 1); i++) {
            double share = steps[i] * pow(10, -decade), d = -log10(share);
            char label[32];
            if (d < a->x0 || d > a->x1) continue;
            snprintf(label, sizeof label, "%.10g %%", 100 * (1 - share));
            put_x_tick(out, a, LEFT + (d - a->x0) / (a->x1 - a->x0) * (a->right - LEFT), label, share * a->dimension);
        }
    if (a->none) put_x_tick(out, a, RIGHT - NONE_WIDTH / 2.0, "100 %", 0);
    fprintf(
        out,
        "<text class=\"axis\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">sparsity (logarithm of the share of nonzeros); "
        "below: nonzeros</text>\n",
        (LEFT + RIGHT) / 2, BOTTOM + 66);
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

void put_marker(FILE *out, size_t which) {
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

static void put_line(FILE *out, const sweeping *w, const axes *a, const curve *c) {
    char letter = 'M';
    fputs("<path class=\"line\" d=\"", out);
    for (size_t i = 0; i < c->n; i++) {
        const point *p = c->points[i];
        if (!is_shown(w, p)) continue;
        /* no line leads to where the scale does not */
        if (p->nonzeros == 0) {
            letter = 'M';
            continue;
        }
        fprintf(out, "%c%.1f %.1f", letter, at_x(a, p), at_y(a, point_error(w, p)));
        letter = 'L';
    }
    fputs("\"/>\n", out);
}

static void put_point(FILE *out, const sweeping *w, const axes *a, const curve *c, size_t which, const point *p) {
    double error = point_error(w, p), d = deviation(w, p), y = at_y(a, error);
    fprintf(out, "<g class=\"point\" transform=\"translate(%.1f %.1f)\"><title>", at_x(a, p), y);
    html_text(out, c->learner->name);
    fprintf(out, " %s=%s: %s ", c->param->name, swept_value(p), w->test ? "test error" : "error");
    html_percent(out, error, 3);
    if (w->repeats > 1) fprintf(out, " \xc2\xb1 %.3f %%", 100 * d);
    fputs(", ", out);
    html_count(out, p->nonzeros);
    fputs(" nonzeros, sparsity ", out);
    html_percent(out, p->sparsity, 4);
    fputs("</title>", out);
    if (d > 0) {
        double high = at_y(a, error + d) - y, low = at_y(a, fmax(error - d, a->y0)) - y;
        fprintf(out, "<path class=\"bar\" d=\"M0 %.1fV%.1fM-4 %.1fH4M-4 %.1fH4\"/>", low, high, low, high);
    }
    put_marker(out, which);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

static void put_curve(FILE *out, const sweeping *w, const axes *a, size_t which) {
    const curve *c = &w->curves[which];
    fprintf(out, "<g class=\"curve c%zu\">\n", which % CHART_COLOURS);
    put_line(out, w, a, c);
    for (size_t i = 0; i < c->n; i++)
        if (is_shown(w, c->points[i])) put_point(out, w, a, c, which, c->points[i]);
    double y = TOP + 14 + 24.0 * (double)which;
    fprintf(out, "<g transform=\"translate(%d %.1f)\"><path class=\"line\" d=\"M-14 0H14\"/>", RIGHT + 32, y);
    put_marker(out, which);
    fputs("<text class=\"legend\" x=\"22\" y=\"5\">", out);
    html_text(out, c->learner->name);
    fputs("</text></g></g>\n", out);
}

void put_chart(FILE *out, const sweeping *w) {
    axes a = make_axes(w);
    const char *what = w->test ? "test error" : "error while learning";
    double legend = TOP + 24.0 * (double)w->n_curves;
    fprintf(out,
            "<svg id=\"chart\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-labelledby=\"chart-title\">\n"
            "<title id=\"chart-title\">%s against sparsity</title>\n",
            WIDTH, fmax(HEIGHT, legend), what);
    put_y_axis(out, &a, what);
    put_x_axis(out, &a);
    fprintf(out, "<path class=\"frame\" d=\"M%d %dV%dH%.1f\"/>\n", LEFT, TOP, BOTTOM, a.right);
    for (size_t i = 0; i < w->n_curves; i++) put_curve(out, w, &a, i);
    fputs("</svg>\n", out);
}
