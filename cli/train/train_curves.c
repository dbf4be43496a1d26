/* train --report: predictions at all thresholds, and their probabilities. */
#include "page/chart.h"
#include "page/html.h"
#include "page/rate_axis.h"
#include "terminal/figures.h"
#include "train/train_page.h"

#include <math.h>

enum { HEIGHT = 400, WIDE_LABELS = 88 };

/* Both axes from 0 to 1. */
static chart make_square(const char *id, const char *title) {
    chart c = chart_small(id, title, HEIGHT);
    c.x.high = c.y.high = 1;
    c.x.low = c.y.low = 0;
    c.x.step = c.y.step = 0.2;
    return c;
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : NAN; }

/* What a threshold leads to: as rates. */
typedef struct rates {
    double found, alarmed, precision;
} rates;

static rates rates_of(const sluice_measures *m, uint64_t true_pos, uint64_t false_pos) {
    return (rates){share(true_pos, m->true_pos + m->false_neg), share(false_pos, m->false_pos + m->true_neg),
                   share(true_pos, true_pos + false_pos)};
}

static void put_rates_title(FILE *out, const rates *r, const char *where, double margin) {
    fprintf(out, "<title>%s", where);
    if (isinf(margin)) fputs("predicting +1 always", out);
    if (isfinite(margin)) fprintf(out, "margins above %.4g are +1", margin);
    fputs(": finds ", out);
    html_percent(out, r->found, 2);
    fputs(" of the positives, predicts +1 for ", out);
    html_percent(out, r->alarmed, 2);
    fputs(" of the negatives; precision ", out);
    html_percent(out, r->precision, 2);
    fputs("</title>", out);
}

static void put_threshold(FILE *out, const chart *c, const rates *r, double margin, double x, double y) {
    if (isnan(x) || isnan(y)) return;
    fputs("<g class=\"point\">", out);
    put_rates_title(out, r, "", margin);
    chart_mark(out, c, 0, 0, x, y);
    fprintf(out, "<circle class=\"hit\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/></g>\n", axis_place(&c->x, x),
            axis_place(&c->y, y));
}

/* The model as it predicts. */
static void put_predicted(FILE *out, const chart *c, const rates *r, double margin, double x, double y) {
    if (isnan(x) || isnan(y)) return;
    fprintf(out, "<g class=\"point c1\" transform=\"translate(%.1f %.1f)\">", axis_place(&c->x, x),
            axis_place(&c->y, y));
    put_rates_title(out, r, "as predicted, ", margin);
    chart_marker(out, 3);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

/* Both charts of thresholds, which differ in their axes alone. */
static void put_thresholds(FILE *out, const train_page *g, const chart *c, int is_roc) {
    const sluice_measures *m = g->judged;
    const shape *s = &g->shape;
    char letter = 'M';
    double precision = NAN;
    fputs("<path class=\"line c0\" d=\"", out);
    for (size_t i = 0; i < s->n_cuts; i++) {
        rates r = rates_of(m, s->cuts[i].true_pos, s->cuts[i].false_pos);
        if (!isnan(r.precision)) precision = r.precision;
        r.precision = precision; /* undefined where nothing is predicted +1: the line continues horizontally */
        chart_line_to(out, c, &letter, is_roc ? r.alarmed : r.found, is_roc ? r.found : r.precision);
    }
    fputs("\"/>\n", out);
    for (size_t i = 0; i < s->n_cuts; i++) {
        rates r = rates_of(m, s->cuts[i].true_pos, s->cuts[i].false_pos);
        put_threshold(out, c, &r, s->cuts[i].margin, is_roc ? r.alarmed : r.found, is_roc ? r.found : r.precision);
    }
    rates r = rates_of(m, m->true_pos, m->false_pos);
    put_predicted(out, c, &r, g->threshold, is_roc ? r.alarmed : r.found, is_roc ? r.found : r.precision);
}

static void put_diagonal(FILE *out, const chart *c) {
    fprintf(out, "<path class=\"grid dashed\" d=\"M%.0f %.0fL%.0f %.0f\"/>\n", c->left, c->bottom, c->right, c->top);
}

/* What the charts of this page have in common, up to the axes and the frame. */
static chart start_square(FILE *out, const char *id, const char *what, const char *title, const char *value_name,
                          double value, const char *x, const char *y) {
    chart h = make_square(id, what);
    figure_start(out, title);
    figure_value(out, value_name, value);
    fputs("</figcaption>\n", out);
    chart_start(out, &h);
    chart_y_axis(out, &h, percent_label, y);
    chart_x_axis(out, &h, percent_label, x);
    chart_frame(out, &h, h.right);
    return h;
}

void put_roc_chart(FILE *out, const train_page *g) {
    chart h = start_square(out, "roc-chart", "ROC: share of positives found against share of negatives predicted +1",
                           "ROC curve", "area (AUC)", g->judged->auc, "negatives predicted +1", "positives found");
    put_diagonal(out, &h);
    put_thresholds(out, g, &h, 1);
    figure_end(out);
}

void put_precision_chart(FILE *out, const train_page *g) {
    const sluice_measures *m = g->judged;
    chart h = start_square(out, "precision-chart", "precision against share of positives found", "Precision and recall",
                           "average precision", m->average_precision, "positives found (recall)", "precision");
    fprintf(out, "<path class=\"grid dashed\" d=\"M%.0f %.1fH%.0f\"/>\n", h.left,
            axis_place(&h.y, share(m->true_pos + m->false_neg, m->examples)), h.right);
    put_thresholds(out, g, &h, 0);
    figure_end(out);
}

/* ---- probabilities ----------------------------------------------------------------------------------------------- */

/* Probabilities and shares of positives; logarithms of them where positives are rare, which would all lie in a corner
 * otherwise. */
typedef struct reliability {
    chart c;
    rate_axis x, y; /* the same rates; their places of 0 differ */
    int is_logarithmic;
} reliability;

static const double rare_positives = 0.1, least_drawn = 1e-5;

/* What lies below the least that is drawn is drawn as 0. */
static double drawn_rate(double rate) { return rate < least_drawn ? 0 : rate; }

static double place_x(const reliability *l, double rate) {
    return axis_place(&l->c.x, l->is_logarithmic ? rate_axis_value(&l->x, &l->c.x, drawn_rate(rate)) : rate);
}

static double place_y(const reliability *l, double rate) {
    return axis_place(&l->c.y, l->is_logarithmic ? rate_axis_value(&l->y, &l->c.y, drawn_rate(rate)) : rate);
}

/* 95 of 100 such shares are that far from the true one (Wilson's interval). */
static void likely_share(const sluice_calibration_bin *b, double *low, double *high) {
    const double z = 1.96, n = (double)b->examples, p = (double)b->positives / n;
    const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    const double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    *low = b->positives ? fmax(middle - half, 0) : 0;
    *high = fmin(middle + half, 1);
}

static reliability make_reliability(const train_page *g) {
    const sluice_measures *m = g->judged;
    reliability l = {.c = make_square("reliability-chart", "share of positives against predicted probability"),
                     .x = rate_axis_new()};
    l.is_logarithmic = share(m->true_pos + m->false_neg, m->examples) < rare_positives;
    if (!l.is_logarithmic) return l;
    for (size_t i = 0; i < g->shape.n_bins; i++) {
        const sluice_calibration_bin *b = &g->shape.bins[i];
        double low, high;
        likely_share(b, &low, &high);
        const double covered[] = {b->probability, b->highest, share(b->positives, b->examples), low, high};
        for (size_t k = 0; k < sizeof covered / sizeof *covered; k++) rate_axis_cover(&l.x, drawn_rate(covered[k]));
    }
    l.y = l.x;
    l.c.left = l.c.x.from = WIDE_LABELS;
    rate_axis_set(&l.x, &l.c.x);
    rate_axis_set(&l.y, &l.c.y);
    return l;
}

static void put_reliability_axes(FILE *out, const reliability *l) {
    static const char x[] = "predicted probability", y[] = "share of positives";
    const chart *c = &l->c;
    if (l->is_logarithmic) {
        rate_axis_draw_y(out, c, &l->y, y);
        rate_axis_draw_x(out, c, &l->x, x);
    } else {
        chart_y_axis(out, c, percent_label, y);
        chart_x_axis(out, c, percent_label, x);
    }
    chart_frame(out, c, c->right);
    fprintf(out, "<path class=\"grid dashed\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", c->x.from, c->y.from, c->x.to, c->y.to);
}

static void put_reliability_point(FILE *out, const reliability *l, const sluice_calibration_bin *b) {
    double rate = share(b->positives, b->examples), x = place_x(l, b->probability), y = place_y(l, rate), low, high;
    likely_share(b, &low, &high);
    fprintf(out, "<g class=\"point c0\" transform=\"translate(%.1f %.1f)\"><title>", x, y);
    html_grouped(out, b->examples);
    fputs(" examples with probabilities of ", out);
    html_share(out, b->lowest);
    fputs(" to ", out);
    html_share(out, b->highest);
    fputs(", on average ", out);
    html_share(out, b->probability);
    fputs(": ", out);
    html_share(out, rate);
    fputs(" are positive (", out);
    html_grouped(out, b->positives);
    fputs(")</title>", out);
    fprintf(out, "<path class=\"bar\" d=\"M%.1f 0H%.1f\"/>", place_x(l, b->lowest) - x, place_x(l, b->highest) - x);
    fprintf(out, "<path class=\"bar\" d=\"M0 %.1fV%.1f\"/>", place_y(l, low) - y, place_y(l, high) - y);
    chart_marker(out, 0);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

void put_reliability_chart(FILE *out, const train_page *g) {
    const reliability l = make_reliability(g);
    figure_start(out, l.is_logarithmic ? "Probability and truth (logarithmic)" : "Probability and truth");
    figure_value(out, "calibration error", g->judged->calibration_error);
    fputs("</figcaption>\n", out);
    chart_start(out, &l.c);
    put_reliability_axes(out, &l);
    for (size_t i = 0; i < g->shape.n_bins; i++) put_reliability_point(out, &l, &g->shape.bins[i]);
    figure_end(out);
}

void put_reliability_table(FILE *out, const train_page *g) {
    fputs("<div class=\"tables\">\n<table class=\"thresholds\">\n<thead><tr><th>predicted, %</th><th>positive, %</th>"
          "<th>positives</th><th>examples</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < g->shape.n_bins; i++) {
        const sluice_calibration_bin *b = &g->shape.bins[i];
        fprintf(out, "<tr><td>%.3g</td><td>%.3g</td><td>%s</td><td>%s</td></tr>\n", 100 * b->probability,
                100 * share(b->positives, b->examples), COUNT(b->positives), COUNT(b->examples));
    }
    fputs("</tbody></table>\n</div>\n", out);
}
