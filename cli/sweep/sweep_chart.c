/* sweep --html: error, on a logarithmic scale, against sparsity, on a logarithmic scale of the share of nonzeros: 90,
 * 99 and 99.9 % are equally far apart. Points without any nonzero are drawn beside it. */
#include "page/chart.h"
#include "page/html.h"
#include "page/page.h"
#include "page/rate_axis.h"
#include "sweep/sweeping.h"
#include "terminal/figures.h"

#include <math.h>

enum { HEIGHT = 360, NONE_WIDTH = 76, NONE_AT = 24 /* from the right */ };

/* x: the decades between the features and the nonzeros; y: logarithms of rates. */
typedef struct picture {
    chart c;
    rate_axis rates;
    size_t points;
    int none; /* there are points without nonzeros */
    double dimension;
} picture;

/* Computed from the counts, since a sparsity close to 1 has few significant digits. */
static double decades(const sweeping *w, const sluice_point *p) { return log10(point_dimension(w, p) / p->nonzeros); }

static int is_drawn(const sweeping *w, const sluice_point *p) {
    return is_shown(w, p) && !p->failure && !isnan(p->sparsity) && !isnan(point_error(w, p));
}

static double deviation(const sweeping *w, const sluice_point *p) {
    double d = w->test ? p->deviation : p->error_deviation;
    return isnan(d) ? 0 : d;
}

static double none_x(const picture *g) { return g->c.right - NONE_AT; }

static double value_y(const picture *g, double rate) { return rate_axis_value(&g->rates, &g->c.y, rate); }

static double at_y(const picture *g, double rate) { return axis_place(&g->c.y, value_y(g, rate)); }

static double at_x(const sweeping *w, const picture *g, const sluice_point *p) {
    return p->nonzeros == 0 ? none_x(g) : axis_place(&g->c.x, decades(w, p));
}

static void cover(const sweeping *w, picture *g, const sluice_point *p) {
    double error = point_error(w, p), d = deviation(w, p);
    axis *x = &g->c.x;
    g->points++;
    rate_axis_cover(&g->rates, error);
    rate_axis_cover(&g->rates, error + d);
    if (error > d) rate_axis_cover(&g->rates, error - d);
    g->dimension = point_dimension(w, p);
    if (p->nonzeros == 0) {
        g->none = 1;
        return;
    }
    x->low = fmin(x->low, decades(w, p));
    x->high = fmax(x->high, decades(w, p));
}

static picture make_picture(const sweeping *w) {
    picture g = {.c = chart_small("chart",
                                  w->test ? "test error against sparsity" : "error while learning against sparsity",
                                  HEIGHT),
                 .rates = rate_axis_new()};
    g.c.height += 24; /* for another line below */
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++)
            if (is_drawn(w, w->curves[i].points[k])) cover(w, &g, w->curves[i].points[k]);
    axis *x = &g.c.x;
    if (g.none) x->to = g.c.right - NONE_WIDTH;
    if (x->low > x->high) x->low = x->high = 0;
    double margin = fmax(0.03 * (x->high - x->low), 0.35 - (x->high - x->low) / 2); /* room for two ticks at least */
    double left = fmax(x->low - margin, fmin(x->low, 0) - 0.05);                    /* nothing is less sparse than 0 */
    x->high += 2 * margin - (x->low - left);
    x->low = left;
    rate_axis_set(&g.rates, &g.c.y);
    return g;
}

/* ---- the axis ---------------------------------------------------------------------------------------------------- */

static void put_x_tick(FILE *out, const picture *g, double x, const char *label, double nonzeros) {
    chart_x_tick(out, &g->c, x, label);
    fprintf(out, "<text class=\"tick faint\" x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">", x, g->c.bottom + 38);
    if (nonzeros < 1e6)
        fputs(COUNT((uint64_t)(nonzeros + 0.5)), out);
    else
        html_short(out, nonzeros);
    fputs("</text>\n", out);
}

static void put_share_tick(FILE *out, const picture *g, double share) {
    const axis *x = &g->c.x;
    double d = -log10(share);
    char label[32];
    if (d < x->low || d > x->high) return;
    if (share > 9e-6)
        snprintf(label, sizeof label, "%.10g %%", 100 * (1 - share));
    else
        snprintf(label, sizeof label, "1 - %.0e", share);
    put_x_tick(out, g, axis_place(x, d), label, share * g->dimension);
}

/* Shares of 1, 0.5, 0.2, 0.1, ...; where these do not find room, powers of ten alone, or some of them. */
static void put_x_axis(FILE *out, const picture *g) {
    enum { ROOM = 70 };
    static const double steps[] = {1, 0.5, 0.2};
    const axis *x = &g->c.x;
    double decade_width = (x->to - x->from) / (x->high - x->low);
    int all = log10(2) * decade_width >= ROOM, stride = (int)ceil(ROOM / decade_width);
    if (all) stride = 1;
    for (int decade = (int)floor(x->low / stride) * stride; decade <= (int)ceil(x->high); decade += stride)
        for (int i = 0; i < (all ? 3 : 1); i++) put_share_tick(out, g, steps[i] * pow(10, -decade));
    if (g->none) put_x_tick(out, g, none_x(g), "100 %", 0);
    chart_x_name(out, &g->c, g->c.bottom + 60, "sparsity (logarithm of the share of nonzeros); below: nonzeros");
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* Where there are more curves than colours, the lines differ. */
static const char *line_class(size_t which) {
    static const char *const classes[] = {"line", "line d1", "line d2", "line d3"};
    return classes[which / PAGE_COLOURS % (sizeof classes / sizeof *classes)];
}

void put_curve_key(FILE *out, const sweeping *w, const curve *c) {
    size_t which = (size_t)(c - w->curves);
    fprintf(out,
            "<svg class=\"symbol c%zu\" viewBox=\"-14 -8 28 16\" aria-hidden=\"true\"><path class=\"%s\" "
            "d=\"M-13 0H13\"/>",
            which % PAGE_COLOURS, line_class(which));
    chart_marker(out, which);
    fputs("</svg>", out);
    html_text(out, c->learner->name);
}

static void put_line(FILE *out, const sweeping *w, const picture *g, const curve *c) {
    char letter = 'M';
    fprintf(out, "<path class=\"%s\" d=\"", line_class((size_t)(c - w->curves)));
    for (size_t i = 0; i < c->n; i++) {
        const sluice_point *p = c->points[i];
        /* points beside the scale are not joined */
        if (is_drawn(w, p))
            chart_line_to(out, &g->c, &letter, p->nonzeros > 0 ? decades(w, p) : NAN, value_y(g, point_error(w, p)));
    }
    fputs("\"/>\n", out);
}

static void put_point(FILE *out, const sweeping *w, const picture *g, const curve *c, size_t which,
                      const sluice_point *p) {
    double error = point_error(w, p), d = deviation(w, p), y = at_y(g, error);
    fprintf(out, "<g class=\"point\" transform=\"translate(%.1f %.1f)\"><title>", at_x(w, g, p), y);
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
        double high = at_y(g, error + d) - y, low = at_y(g, fmax(error - d, 0)) - y;
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
        if (is_drawn(w, c->points[i])) put_point(out, w, g, c, which, c->points[i]);
    fputs("</g>\n", out);
}

void put_sweep_chart(FILE *out, const sweeping *w) {
    picture g = make_picture(w);
    if (!g.points) return;
    fprintf(out, "<figure class=\"wide\">\n<figcaption><b>%s (logarithmic)</b>",
            w->test ? "Test error" : "Error while learning");
    for (size_t i = 0; i < w->n_curves; i++) {
        fputs("\n<span class=\"key\">", out);
        put_curve_key(out, w, &w->curves[i]);
        fputs("</span>", out);
    }
    fputs("</figcaption>\n", out);
    chart_start(out, &g.c);
    rate_axis_draw_y(out, &g.c, &g.rates, NULL);
    put_x_axis(out, &g);
    chart_frame(out, &g.c, g.c.x.to);
    for (size_t i = 0; i < w->n_curves; i++) put_curve(out, w, &g, i);
    figure_end(out);
}
