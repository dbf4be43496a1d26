/* train --report: charts of error and size during the run. */
#include "page/chart.h"
#include "page/html.h"
#include "train/train_page.h"

#include <inttypes.h>
#include <math.h>

/* Up to FEW points have visible marks; more have a line alone. */
enum { FEW = 12, HEIGHT = 300 };

/* A strip between two values of x over which the pointer shows a point. */
static void start_strip(FILE *out, const chart *c, double from, double to) {
    double x = axis_place(&c->x, from);
    fprintf(out, "<g class=\"point\"><rect class=\"hit\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"/>", x,
            c->top, axis_place(&c->x, to) - x, c->bottom - c->top);
}

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

typedef struct interval {
    double examples, before, so_far, since; /* where it ends and begins; the error of all so far, and of the interval */
    uint64_t mistakes, length;
} interval;

static interval interval_at(const history *c, size_t i) {
    const struct history_point none = {0, 0}, *p = &c->points[i], *last = i ? p - 1 : &none;
    interval e = {.examples = (double)p->examples, .before = (double)last->examples, .so_far = NAN, .since = NAN};
    e.mistakes = p->mistakes - last->mistakes;
    e.length = p->examples - last->examples;
    if (p->examples) e.so_far = (double)p->mistakes / (double)p->examples;
    if (e.length) e.since = (double)e.mistakes / (double)e.length;
    return e;
}

static void put_interval(FILE *out, const chart *c, const interval *e, int few) {
    if (!e->length) return; /* rows of importance 0 */
    start_strip(out, c, e->before, e->examples);
    fputs("<title>after ", out);
    html_grouped(out, (uint64_t)e->examples);
    fputs(" examples: error ", out);
    html_percent(out, e->so_far, 2);
    fputs(" so far, ", out);
    html_percent(out, e->since, 2);
    fputs(" of the last ", out);
    html_grouped(out, e->length);
    fputs("</title>", out);
    chart_mark(out, c, 1, few, e->examples, e->since);
    chart_mark(out, c, 0, few, e->examples, e->so_far);
    fputs("</g>\n", out);
}

/* A line where the error was noticed to have risen, with a handle above the chart, where no point is, to read it. */
static void put_alarms(FILE *out, const train_page *g, const chart *c) {
    const drift_watch *w = &g->t->drift;
    char text[DRIFT_TEXT];
    for (uint64_t i = 0; i < drift_figures(w).alarms; i++) {
        const sluice_drift_alarm *alarm = drift_alarm(w, i);
        if (!alarm) continue;
        const double x = axis_place(&c->x, (double)(alarm->example - w->examples_before));
        fprintf(out, "<g class=\"alarm c3\"><title>%s</title><path class=\"line thin dashed\" d=\"M%.1f %.0fV%.0f\"/>",
                drift_text(alarm, text), x, c->bottom, c->top);
        fprintf(out, "<path class=\"mark\" d=\"M%.1f %.0fl-5 -8h10z\"/></g>\n", x, c->top);
    }
}

void put_error_chart(FILE *out, const train_page *g) {
    const history *c = &g->t->history;
    chart h = chart_small("error-chart", "error while learning over examples", HEIGHT);
    h.x.low = 0;
    for (size_t i = 0; i < c->n; i++) {
        interval e = interval_at(c, i);
        h.x.high = fmax(h.x.high, e.examples);
        h.y.low = fmin(h.y.low, fmin(e.so_far, e.since));
        h.y.high = fmax(h.y.high, fmax(e.so_far, e.since));
    }
    if (h.y.low == h.y.high) { /* one interval, or none differs: some room around it */
        h.y.low = fmax(h.y.low - 0.05, 0);
        h.y.high = fmin(h.y.high + 0.05, 1);
    }
    axis_ticks(&h.x, 1);
    axis_round(&h.y, 1e-4);
    figure_start(out, "Error while learning");
    figure_key(out, 0, "line", "all so far");
    figure_key(out, 1, "line thin", "each interval by itself");
    if (drift_figures(&g->t->drift).alarms) figure_key(out, 3, "line thin dashed", "drift alarms");
    fputs("</figcaption>\n", out);
    chart_start(out, &h);
    chart_y_axis(out, &h, percent_label, NULL);
    chart_x_axis(out, &h, count_label, "examples");
    chart_frame(out, &h, h.right);
    put_alarms(out, g, &h); /* below the points */
    char letter = 'M';
    fputs("<path class=\"line thin c1\" d=\"", out);
    for (size_t i = 0; i < c->n; i++)
        chart_line_to(out, &h, &letter, interval_at(c, i).examples, interval_at(c, i).since);
    fputs("\"/>\n<path class=\"line c0\" d=\"", out);
    letter = 'M';
    for (size_t i = 0; i < c->n; i++)
        chart_line_to(out, &h, &letter, interval_at(c, i).examples, interval_at(c, i).so_far);
    fputs("\"/>\n", out);
    for (size_t i = 0; i < c->n; i++) {
        interval e = interval_at(c, i);
        put_interval(out, &h, &e, c->n <= FEW);
    }
    figure_end(out);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void power_label(FILE *out, double value, double step) {
    (void)step;
    html_short(out, pow(10, value));
}

/* Where few of very many features have a weight, both are visible only on a logarithmic scale, which has no 0. */
static double size_on(int logarithmic, uint64_t n) {
    if (!logarithmic) return (double)n;
    return n ? log10((double)n) : NAN;
}

/* The first sizes are too close together for the pointer: a strip is at least two pixels wide. */
static void put_sizes(FILE *out, const history *c, const chart *h, int logarithmic) {
    double shown = 0, pixel = (h->x.high - h->x.low) / (h->right - h->left);
    for (size_t i = 0; i < c->n_sizes; i++) {
        const struct history_size *s = &c->sizes[i];
        double x = (double)s->examples;
        if (x - shown < 2 * pixel) continue;
        start_strip(out, h, shown, x);
        fputs("<title>after ", out);
        html_grouped(out, s->examples);
        fputs(" examples: ", out);
        html_grouped(out, s->features_seen);
        fputs(" features seen, ", out);
        html_grouped(out, s->nonzeros);
        fputs(" nonzero weights</title>", out);
        chart_mark(out, h, 2, c->n_sizes <= FEW, x, size_on(logarithmic, s->features_seen));
        chart_mark(out, h, 0, c->n_sizes <= FEW, x, size_on(logarithmic, s->nonzeros));
        fputs("</g>\n", out);
        shown = x;
    }
}

void put_size_chart(FILE *out, const train_page *g) {
    const history *c = &g->t->history;
    const uint64_t features = g->t->facts.features_seen, nonzeros = g->t->facts.nonzeros;
    int logarithmic = features > 100 && (features > 20 * nonzeros || nonzeros > 20 * features);
    chart h = chart_small("size-chart", "features seen and nonzeros over examples", HEIGHT);
    h.x.low = h.y.low = 0;
    for (size_t i = 0; i < c->n_sizes; i++) {
        h.x.high = fmax(h.x.high, (double)c->sizes[i].examples);
        h.y.high = fmax(h.y.high, size_on(logarithmic, c->sizes[i].features_seen));
        /* of several classes each has weights of its own */
        if (g->classes) h.y.high = fmax(h.y.high, size_on(logarithmic, c->sizes[i].nonzeros));
    }
    axis_ticks(&h.x, 1);
    axis_round(&h.y, 1);
    figure_start(out, logarithmic ? "Size of the model (logarithmic)" : "Size of the model");
    figure_key(out, 2, "line", "features seen");
    figure_key(out, 0, "line thin", "nonzero weights");
    fputs("</figcaption>\n", out);
    chart_start(out, &h);
    chart_y_axis(out, &h, logarithmic ? power_label : count_label, NULL);
    chart_x_axis(out, &h, count_label, "examples");
    chart_frame(out, &h, h.right);
    char letter = 'M';
    fputs("<path class=\"line c2\" d=\"", out);
    for (size_t i = 0; i < c->n_sizes; i++)
        chart_line_to(out, &h, &letter, (double)c->sizes[i].examples, size_on(logarithmic, c->sizes[i].features_seen));
    fputs("\"/>\n<path class=\"line thin c0\" d=\"", out);
    letter = 'M';
    for (size_t i = 0; i < c->n_sizes; i++)
        chart_line_to(out, &h, &letter, (double)c->sizes[i].examples, size_on(logarithmic, c->sizes[i].nonzeros));
    fputs("\"/>\n", out);
    put_sizes(out, c, &h, logarithmic);
    figure_end(out);
}
