/* train --report: predictions at all thresholds, and their probabilities. */
#include "page/chart.h"
#include "page/html.h"
#include "train/train_page.h"

#include <math.h>

enum { HEIGHT = 400 };

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
    fputs(" of the positives, alarms at ", out);
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
    chart h = start_square(out, "roc-chart", "ROC: share of positives found against share of negatives alarmed at",
                           "ROC curve", "area (AUC)", g->judged->auc, "negatives alarmed at", "positives found");
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

void put_reliability_chart(FILE *out, const train_page *g) {
    const shape *s = &g->shape;
    chart h = start_square(out, "reliability-chart", "share of positives against predicted probability",
                           "Probability and truth", "calibration error", g->judged->calibration_error,
                           "predicted probability", "share of positives");
    put_diagonal(out, &h);
    for (size_t i = 0; i < s->n_bins; i++) {
        const sluice_calibration_bin *b = &s->bins[i];
        double x = axis_place(&h.x, b->probability), rate = share(b->positives, b->examples);
        fprintf(out, "<g class=\"point c0\" transform=\"translate(%.1f %.1f)\"><title>", x, axis_place(&h.y, rate));
        html_grouped(out, b->examples);
        fputs(" examples with probabilities of ", out);
        html_percent(out, b->lowest, 1);
        fputs(" to ", out);
        html_percent(out, b->highest, 1);
        fputs(", on average ", out);
        html_percent(out, b->probability, 2);
        fputs(": ", out);
        html_percent(out, rate, 2);
        fputs(" are positive</title>", out);
        fprintf(out, "<path class=\"bar\" d=\"M%.1f 0H%.1f\"/>", axis_place(&h.x, b->lowest) - x,
                axis_place(&h.x, b->highest) - x);
        chart_marker(out, 0);
        fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
    }
    figure_end(out);
}
