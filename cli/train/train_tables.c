/* train --report: the tables. */
#include "page/html.h"
#include "args/params.h"
#include "output/report.h"
#include "train/train_page.h"
#include "output/weights.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- right and wrong --------------------------------------------------------------------------------------------- */

/* The shade is the share of its row. */
static void put_cell(FILE *out, const char *what, int wrong, uint64_t n, uint64_t of_row, uint64_t of_all) {
    double shade = of_row ? (double)n / (double)of_row : 0;
    fprintf(out, "<td class=\"cell c%d\" style=\"--s:%.0f%%\"><b>", wrong, 30 * shade);
    html_grouped(out, n);
    fprintf(out, "</b><br>%s<br>", what);
    html_percent(out, of_all ? (double)n / (double)of_all : NAN, 2);
    fputs("</td>", out);
}

static void put_rate(FILE *out, const char *name, double rate) {
    fprintf(out, "<td class=\"rate\">%s<br><b>", name);
    html_percent(out, rate, 2);
    fputs("</b></td>", out);
}

void put_confusion(FILE *out, const sluice_measures *m) {
    uint64_t positives = m->true_pos + m->false_neg, negatives = m->true_neg + m->false_pos;
    fputs("<table class=\"matrix\">\n<tr><td></td><th>predicted +1</th><th>predicted \xe2\x88\x92"
          "1</th><td></td></tr>\n<tr><th>is +1</th>",
          out);
    put_cell(out, "found", 0, m->true_pos, positives, m->examples);
    put_cell(out, "missed", 1, m->false_neg, positives, m->examples);
    put_rate(out, "recall", m->recall);
    fputs("</tr>\n<tr><th>is \xe2\x88\x92"
          "1</th>",
          out);
    put_cell(out, "false alarms", 1, m->false_pos, negatives, m->examples);
    put_cell(out, "true negatives", 0, m->true_neg, negatives, m->examples);
    put_rate(out, "specificity", m->specificity);
    fputs("</tr>\n<tr><td></td>", out);
    put_rate(out, "precision", m->precision);
    put_rate(out, "F1", m->f1);
    put_rate(out, "accuracy", m->accuracy);
    fputs("</tr>\n</table>\n", out);
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

/* In percent, as the head of the column says. */
static void put_percent_cell(FILE *out, double rate) {
    if (isnan(rate))
        fputs("<td>\xe2\x80\x93</td>", out);
    else
        fprintf(out, "<td>%.1f</td>", 100 * rate);
}

static void put_threshold_row(FILE *out, const train_page *g, const char *name, const sluice_chosen *c) {
    fprintf(out, "<td class=\"name\">%s%s</td><td>%.4g</td>", name, c->reached ? "" : ": not reached", c->margin);
    if (sluice_model_has_probability(g->t->result))
        fprintf(out, "<td>%.3g</td>", sluice_model_probability(g->t->result, c->margin));
    put_percent_cell(out, c->precision);
    put_percent_cell(out, c->recall);
    put_percent_cell(out, c->f1);
    put_percent_cell(out, c->alarms);
    fputs("</tr>\n", out);
}

/* What the charts show, for reading without a pointer. */
void put_threshold_table(FILE *out, const train_page *g) {
    const sluice_measures *m = g->judged;
    sluice_chosen now = {.margin = g->threshold, .reached = 1, .precision = m->precision, .recall = m->recall};
    now.f1 = m->f1;
    now.alarms = (double)(m->true_pos + m->false_pos) / (double)m->examples;
    fputs("<div class=\"tables\"><table class=\"thresholds\">\n<thead><tr><th class=\"name\">threshold "
          "for</th><th>margin above</th>",
          out);
    if (sluice_model_has_probability(g->t->result)) fputs("<th>proba&shy;bility</th>", out);
    fputs("<th>preci&shy;sion %</th><th>recall %</th><th>F1 %</th><th>alarms %</th></tr></thead>\n<tbody>\n"
          "<tr class=\"now\">",
          out);
    put_threshold_row(out, g, "as predicted", &now);
    for (size_t i = 0; i < SHAPE_GOALS; i++) {
        int new_kind = i == 0 || shape_goals[i].goal != shape_goals[i - 1].goal;
        fputs(new_kind && i + 1 < SHAPE_GOALS ? "<tr class=\"first\">" : "<tr>", out);
        put_threshold_row(out, g, shape_goals[i].text, &g->shape.chosen[i]);
    }
    fputs("</tbody></table></div>\n<p><small>Alarms are the examples predicted +1, precision is how many of these are "
          "+1. "
          "A row for a precision has the highest recall that keeps to it, a row for a recall the highest "
          "precision.</small></p>\n",
          out);
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

enum { NAME_LENGTH = 120 };

static void put_term(FILE *out, const worst_term *t) {
    if (t->is_bias)
        fputs("<i>bias</i>", out);
    else if (!t->named)
        fprintf(out, "%" PRIu64, t->id);
    else {
        fputs("<bdi>", out);
        html_bytes(out, t->name, t->n, NAME_LENGTH);
        fputs("</bdi>", out);
    }
    fprintf(out, " <b>%+.3g</b><br>\n", t->contribution);
}

void put_worst(FILE *out, const worst_mistakes *worst) {
    fputs("<div class=\"tables\"><table class=\"worst\">\n<thead><tr><th>line</th><th class=\"name\">is</th><th "
          "class=\"name\">predicted</th><th>margin</th><th class=\"name\">because of</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < worst->n; i++) {
        const mistake *m = &worst->mistakes[i];
        fprintf(out, "<tr><td>%" PRIu64 "</td><td class=\"why\"><bdi>", m->line);
        html_bytes(out, m->label, strlen(m->label), NAME_LENGTH);
        fputs("</bdi></td><td class=\"why\"><bdi>", out);
        html_bytes(out, m->said, strlen(m->said), NAME_LENGTH);
        fprintf(out, "</bdi></td><td>%.4g</td><td class=\"why\">", m->margin);
        for (size_t k = 0; k < m->n; k++) put_term(out, &m->terms[k]);
        if (!m->n) fputs("none", out);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

/* The heaviest of one sign; the length of a bar is relative to the heaviest of all. */
static void put_side(FILE *out, int positive, const sluice_weight *weights, size_t n, double heaviest) {
    fprintf(out, "<table class=\"weights c%d\">\n<caption>for %s</caption>\n", !positive,
            positive ? "+1"
                     : "\xe2\x88\x92"
                       "1");
    for (size_t i = 0; i < n; i++) {
        double weight = (double)weights[i].weight;
        fputs("<tr><td class=\"name\">", out);
        put_feature_name(out, &weights[i]);
        fprintf(out, "</td><td class=\"bars\"><i style=\"width:%.1f%%\"></i></td><td>%.4g</td></tr>\n",
                100 * fabs(weight) / heaviest, weight);
    }
    if (!n) fputs("<tr><td class=\"name\">none</td></tr>\n", out);
    fputs("</table>\n", out);
}

void put_features(FILE *out, const train_page *g) {
    size_t top = g->t->top ? (size_t)g->t->top : 20;
    sluice_weight *positive = g->weights, *negative = g->weights + g->n_positive;
    if (!g->n_weights) {
        fputs("<p>No feature has a weight.</p>\n", out);
        return;
    }
    size_t n_positive = sluice_weights_heaviest(positive, g->n_positive, top);
    size_t n_negative = sluice_weights_heaviest(negative, g->n_weights - g->n_positive, top);
    double heaviest =
        fmax(n_positive ? fabs((double)positive->weight) : 0, n_negative ? fabs((double)negative->weight) : 0);
    fputs("<div class=\"sides\">\n", out);
    put_side(out, 1, positive, n_positive, heaviest);
    put_side(out, 0, negative, n_negative, heaviest);
    fputs("</div>\n", out);
}

/* ---- all figures ------------------------------------------------------------------------------------------------- */

static report start_rows(FILE *out, const char *caption) {
    fprintf(out, "<table class=\"rows\">\n<caption>%s</caption>\n", caption);
    return report_rows(out);
}

void put_all_measures(FILE *out, const train_page *g) {
    const training *t = g->t;
    report r = start_rows(out, "while learning");
    report_measured(&r, is_of_many(t->model), &t->measures);
    fputs("</table>\n", out);
    if (g->apart) {
        r = start_rows(out, t->test ? "on the test file" : "on the hold-out");
        report_measured(&r, is_of_many(t->model), &g->apart->measures);
        report_skipped(&r, &g->apart->skipped);
        fputs("</table>\n", out);
    }
    r = start_rows(out, "the model and the run");
    report_size(&r, &g->t->facts, t->dimension);
    report_count(&r, "updates", t->updates_ended + g->t->facts.updates - t->updates_before);
    report_pseudo(&r, &t->pseudo, &t->facts);
    if (g->t->facts.learner->flags & SLUICE_LEARNER_BATCH) report_count(&r, "waiting", t->waiting);
    report_count(&r, "passes", t->passes);
    report_skipped(&r, &t->skipped);
    if (t->drift.drift) report_count(&r, "drift_alarms", drift_figures(&t->drift).alarms);
    report_speed(&r, t->seconds, learned_now(t));
    fputs("</table>\n", out);
}

void put_params(FILE *out, const train_page *g) {
    const sluice_learner_info *l = g->t->facts.learner;
    if (!l->n_params) return;
    fputs(
        "<div class=\"tables\"><table>\n<thead><tr><th class=\"name\">parameter</th><th>value</th><th>default</th><th "
        "class=\"name\">meaning</th></tr></thead>\n<tbody>\n",
        out);
    for (size_t i = 0; i < l->n_params; i++) {
        const sluice_param_info *p = &l->params[i];
        char text[PARAM_TEXT];
        if (p->extra && sluice_model_param(g->t->model, i) == p->value) continue; /* as the other reports do */
        fprintf(out, "<tr><td class=\"name\">%s</td><td>", p->name);
        html_text(out, param_value_text(p, sluice_model_param(g->t->model, i), text));
        fputs("</td><td>", out);
        html_text(out, param_value_text(p, p->value, text));
        fputs("</td><td class=\"why\">", out);
        html_text(out, p->help);
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

void put_settings(FILE *out, const train_page *g) {
    report r = start_rows(out, "settings");
    report_settings(&r, g->t->result);
    fputs("</table>\n", out);
}
