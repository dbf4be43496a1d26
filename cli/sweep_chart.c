/* sweep --html: error against sparsity, on the scale of the logarithm of the share of nonzeros: 90, 99 and 99.9 % lie
 * equally far apart. Points without any nonzero stand beside it. */
#include "chart.h"
#include "html.h"
#include "page.h"
#include "sweep.h"

#include <math.h>

enum { WIDTH = 960, HEIGHT = 560, LEFT = 78, RIGHT = 800, TOP = 22, BOTTOM = 480, NONE_WIDTH = 70 };

/* x: -log10 of the share of nonzeros; y: rates. */
typedef struct picture {
    chart c;
    int none; /* there are points without nonzeros */
    double dimension;
} picture;

static double decades(const point *p) { return -log10(1 - p->sparsity); }

static int is_shown(const sweeping *w, const point *p) {
    return !p->failure && !isnan(p->sparsity) && !isnan(point_error(w, p));
}

static double deviation(const sweeping *w, const point *p) {
    double d = w->test ? p->deviation : p->error_deviation;
    return isnan(d) ? 0 : d;
}

static double at_x(const picture *g, const point *p) {
    return p->nonzeros == 0 ? RIGHT - NONE_WIDTH / 2.0 : axis_place(&g->c.x, decades(p));
}

static void cover(const sweeping *w, picture *g, const point *p) {
    double error = point_error(w, p), d = deviation(w, p);
    axis *x = &g->c.x, *y = &g->c.y;
    y->low = fmin(y->low, fmax(error - d, 0));
    y->high = fmax(y->high, error + d);
    g->dimension = w->dimension ? (double)w->dimension : p->features_seen;
    if (p->nonzeros == 0) {
        g->none = 1;
        return;
    }
    x->low = fmin(x->low, decades(p));
    x->high = fmax(x->high, decades(p));
}

static picture make_picture(const sweeping *w) {
    double legend = TOP + 24.0 * (double)w->n_curves;
    picture g = {.c = {.id = "chart",
                       .title = w->test ? "test error against sparsity" : "error while learning against sparsity",
                       .width = WIDTH,
                       .height = fmax(HEIGHT, legend),
                       .left = LEFT,
                       .right = RIGHT,
                       .top = TOP,
                       .bottom = BOTTOM,
                       .x = {INFINITY, -INFINITY, LEFT, RIGHT, 0},
                       .y = {INFINITY, -INFINITY, BOTTOM, TOP, 0}}};
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++)
            if (is_shown(w, w->curves[i].points[k])) cover(w, &g, w->curves[i].points[k]);
    axis *x = &g.c.x;
    if (g.none) x->to = RIGHT - NONE_WIDTH;
    if (x->low > x->high) x->low = x->high = 0;
    double margin = fmax(0.03 * (x->high - x->low), 0.35 - (x->high - x->low) / 2); /* room for two ticks at least */
    double left = fmax(x->low - margin, fmin(x->low, 0) - 0.05);                    /* nothing is less sparse than 0 */
    x->high += 2 * margin - (x->low - left);
    x->low = left;
    axis_round(&g.c.y, 1e-4);
    return g;
}

static void put_x_tick(FILE *out, const picture *g, double x, const char *label, double nonzeros) {
    chart_x_tick(out, &g->c, x, label);
    if (g->dimension > 0)
        fprintf(out, "<text class=\"tick faint\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>", x,
                BOTTOM + 38, nonzeros);
    fputc('\n', out);
}

/* Shares of 1, 0.5, 0.2, 0.1, ...; over many decades the powers of ten alone. */
static void put_x_axis(FILE *out, const picture *g) {
    static const double steps[] = {1, 0.5, 0.2};
    const axis *x = &g->c.x;
    int all = x->high - x->low < 3.5;
    for (int decade = (int)floor(x->low); decade <= (int)ceil(x->high); decade++)
        for (int i = 0; i < (all ? 3 : 1); i++) {
            double share = steps[i] * pow(10, -decade), d = -log10(share);
            char label[32];
            if (d < x->low || d > x->high) continue;
            snprintf(label, sizeof label, "%.10g %%", 100 * (1 - share));
            put_x_tick(out, g, axis_place(x, d), label, share * g->dimension);
        }
    if (g->none) put_x_tick(out, g, RIGHT - NONE_WIDTH / 2.0, "100 %", 0);
    chart_x_name(out, &g->c, BOTTOM + 66, "sparsity (logarithm of the share of nonzeros); below: nonzeros");
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

static void put_line(FILE *out, const sweeping *w, const picture *g, const curve *c) {
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
        fprintf(out, "%c%.1f %.1f", letter, at_x(g, p), axis_place(&g->c.y, point_error(w, p)));
        letter = 'L';
    }
    fputs("\"/>\n", out);
}

static void put_point(FILE *out, const sweeping *w, const picture *g, const curve *c, size_t which, const point *p) {
    double error = point_error(w, p), d = deviation(w, p), y = axis_place(&g->c.y, error);
    fprintf(out, "<g class=\"point\" transform=\"translate(%.1f %.1f)\"><title>", at_x(g, p), y);
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
        double high = axis_place(&g->c.y, error + d) - y, low = axis_place(&g->c.y, fmax(error - d, g->c.y.low)) - y;
        fprintf(out, "<path class=\"bar\" d=\"M0 %.1fV%.1fM-4 %.1fH4M-4 %.1fH4\"/>", low, high, low, high);
    }
    chart_marker(out, which);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

static void put_curve(FILE *out, const sweeping *w, const picture *g, size_t which) {
    const curve *c = &w->curves[which];
    fprintf(out, "<g class=\"curve c%zu\">\n", which % PAGE_COLOURS);
    put_line(out, w, g, c);
    for (size_t i = 0; i < c->n; i++)
        if (is_shown(w, c->points[i])) put_point(out, w, g, c, which, c->points[i]);
    double y = TOP + 14 + 24.0 * (double)which;
    fprintf(out, "<g transform=\"translate(%d %.1f)\"><path class=\"line\" d=\"M-14 0H14\"/>", RIGHT + 32, y);
    chart_marker(out, which);
    fputs("<text class=\"legend\" x=\"22\" y=\"5\">", out);
    html_text(out, c->learner->name);
    fputs("</text></g></g>\n", out);
}

void put_sweep_chart(FILE *out, const sweeping *w) {
    picture g = make_picture(w);
    chart_start(out, &g.c);
    chart_y_axis(out, &g.c, percent_label, w->test ? "test error" : "error while learning");
    put_x_axis(out, &g);
    chart_frame(out, &g.c, g.c.x.to);
    for (size_t i = 0; i < w->n_curves; i++) put_curve(out, w, &g, i);
    chart_end(out);
}
