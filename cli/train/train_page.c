/* train --report: one page about a run. */
#include "train/train_page.h"

#include "args/command_line.h"
#include "page/html.h"
#include "output/message.h"
#include "page/page.h"
#include "output/report.h"
#include "output/text_file.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- the head ---------------------------------------------------------------------------------------------------- */

static void put_note(FILE *out, const char *text) { fprintf(out, "<p class=\"note\">%s</p>\n", text); }

static void put_notes(FILE *out, const train_page *g) {
    const training *t = g->t;
    const sluice_measures *m = &t->measures;
    uint64_t positives = m->true_pos + m->false_neg;
    const int one_class = g->classes ? g->classes->n < 2 : positives == 0 || positives == m->examples;
    if (!m->examples) put_note(out, "There was no example to learn from.");
    if (t->interrupted)
        put_note(out, "A signal ended the run before its inputs did: this page is about what was learned until then.");
    if (t->drift.has_stopped)
        put_note(out,
                 "An alarm of <code>--on-drift stop</code> ended the run before its inputs did: this page is about "
                 "what was learned until then.");
    if (t->blind)
        put_note(out, g->apart
                          ? "All examples were predicted before the first batch was learned: the figures while "
                            "learning are those of an empty model. Those on other examples are the model\xe2\x80\x99s."
                          : "All examples were predicted before the first batch was learned: the errors on this page "
                            "are those of an empty model. <code>--test FILE</code> measures the model.");
    if (m->examples && one_class)
        put_note(out, "All examples to learn from have the same label: there was nothing to tell apart.");
    if (t->passes > 1)
        put_note(out, "The error while learning is that of the first pass: from the second pass on every example had "
                      "been learned before.");
    if (g->t->facts.updates && !g->t->facts.nonzeros)
        put_note(out, "No weight is left: a parameter that makes the model sparse is too strong for this data.");
}

static void put_lead(FILE *out, const train_page *g) {
    const sluice_learner_info *l = g->t->facts.learner;
    fputs("<p class=\"lead\"><b>", out);
    html_text(out, l->name);
    fputs("</b>: ", out);
    html_text(out, l->summary);
    fputs(".<br><small>", out);
    html_text(out, l->paper);
    fputs("</small></p>\n<p><code>", out);
    html_text(out, g->command_line);
    fputs("</code></p>\n", out);
}

static void start_card(FILE *out) { fputs("<div class=\"card\"><b>", out); }

static void end_card(FILE *out, const char *name) { fprintf(out, "</b><span>%s</span></div>\n", name); }

static void rate_card(FILE *out, const char *name, double rate) {
    start_card(out);
    html_percent(out, rate, 2);
    end_card(out, name);
}

static void count_card(FILE *out, const char *name, uint64_t n) {
    start_card(out);
    html_grouped(out, n);
    end_card(out, name);
}

/* A figure's name, and what it was measured on. */
static const char *card_name(const train_page *g, const char *figure, char text[64]) {
    snprintf(text, 64, "%s%s", figure, !g->apart ? "" : g->t->test ? ", test" : ", hold-out");
    return text;
}

static void put_cards(FILE *out, const train_page *g) {
    const training *t = g->t;
    const sluice_measures *m = g->judged;
    fputs("<div class=\"cards\">\n", out);
    char text[64];
    if (g->apart) rate_card(out, t->test ? "test error" : "hold-out error", m->error_rate);
    rate_card(out, "error while learning", t->measures.error_rate);
    if (g->classes) {
        rate_card(out, card_name(g, "macro F1", text), m->macro_f1);
    } else {
        start_card(out);
        if (isnan(m->auc))
            fputs("\xe2\x80\x93", out);
        else
            fprintf(out, "%.4f", m->auc);
        end_card(out, card_name(g, "AUC", text));
    }
    rate_card(out, card_name(g, "balanced accuracy", text), m->balanced_accuracy);
    count_card(out, "examples", t->measures.examples);
    count_card(out, "features seen", g->t->facts.features_seen);
    count_card(out, "nonzero weights", g->t->facts.nonzeros);
    rate_card(out, "sparsity", sparsity(&g->t->facts, t->dimension));
    fputs("</div>\n", out);
}

/* ---- the sections ------------------------------------------------------------------------------------------------ */

static void put_history(FILE *out, const train_page *g) {
    if (!g->t->measures.examples) return;
    fputs("<h2>How learning went</h2>\n<p>Every example is predicted first and then learned.</p>\n<div "
          "class=\"charts\">\n",
          out);
    put_error_chart(out, g);
    put_size_chart(out, g);
    fputs("</div>\n", out);
}

/* Which predictions a section is about. */
static void put_judged(FILE *out, const train_page *g, const char *more) {
    fputs("<p>", out);
    if (g->t->test) {
        fputs("Predictions on the test file <code>", out);
        html_text(out, g->t->test);
        fputs("</code>.", out);
    } else if (g->apart) {
        fputs("Predictions on the hold-out <code>", out);
        html_text(out, args_value(g->t->a, "holdout"));
        fputs("</code>, which was not learned.", out);
    } else {
        fputs("Predictions made while learning, each before its example was learned (progressive): there was no "
              "<code>--test FILE</code> and no <code>--holdout 0.2</code>.",
              out);
    }
    fprintf(out, "%s</p>\n", more);
}

static void put_thresholds(FILE *out, const train_page *g) {
    fputs("<h2>Other thresholds</h2>\n", out);
    if (!g->shape.n_cuts) {
        fputs("<p>There is no curve: it takes examples of both classes.</p>\n", out);
        return;
    }
    put_judged(out, g, " The diamond is the model as it predicts; dashed is what guessing reaches.");
    fputs("<div class=\"charts\">\n", out);
    put_roc_chart(out, g);
    put_precision_chart(out, g);
    fputs("</div>\n", out);
    put_threshold_table(out, g);
}

static const char *why_no_probabilities(const train_page *g) {
    if (!sluice_model_has_probability(g->t->result))
        return "The model has no probabilities. <code>--calibrate FILE</code> fits them to a hold-out.";
    if (!g->apart)
        return "Probabilities are judged on a test file or a hold-out: <code>--test FILE</code>, <code>--holdout "
               "0.2</code>.";
    return "There was no example to judge them by.";
}

static void put_probabilities(FILE *out, const train_page *g) {
    const sluice_measures *m = g->judged;
    fputs("<h2>Probabilities</h2>\n", out);
    if (!g->shape.n_bins) {
        fprintf(out, "<p>%s</p>\n", why_no_probabilities(g));
        return;
    }
    put_judged(out, g,
               " Each point is a bin of about equally many examples. The horizontal bar is the range of their "
               "probabilities, the vertical one what the share of positives could be by chance (95 %); on the dashed "
               "line probabilities are what they say.");
    fputs("<div class=\"charts\">\n", out);
    put_reliability_chart(out, g);
    fputs("<div>\n<table class=\"rows\">\n", out);
    report r = report_rows(out);
    report_figure(&r, "log_loss", m->log_loss);
    report_figure(&r, "brier", m->brier);
    report_figure(&r, "calibration_error", m->calibration_error);
    report_count(&r, "bins", g->shape.n_bins);
    report_count(&r, "examples", m->examples);
    fputs("</table>\n", out);
    put_reliability_table(out, g);
    fputs("</div>\n</div>\n", out);
}

static void put_data(FILE *out, const train_page *g) {
    const training *t = g->t;
    const sluice_measures *m = &t->measures;
    uint64_t positives = m->true_pos + m->false_neg;
    fputs("<h2>Data</h2>\n<dl>\n", out);
    for (size_t i = 0; i < t->a->n_inputs; i++) page_fact(out, i ? "" : "learned from", t->a->inputs[i]);
    if (!t->a->n_inputs) page_fact(out, "learned from", "standard input");
    if (t->format) page_fact(out, "format", t->format);
    if (g->classes)
        fprintf(out, "<dt>examples</dt><dd>%s of %s classes", COUNT(m->examples), COUNT(g->classes->n));
    else
        fprintf(out, "<dt>examples</dt><dd>%s: %s positive, %s negative", COUNT(m->examples), COUNT(positives),
                COUNT(m->examples - positives));
    if (t->passes > 1) fprintf(out, "; in %" PRIu64 " passes", t->passes);
    if (t->skipped.total) fprintf(out, "; %s malformed lines skipped", COUNT(t->skipped.total));
    fputs("</dd>\n", out);
    if (t->history.rows)
        fprintf(out, "<dt>values</dt><dd>%.4g in an example on average</dd>\n",
                (double)t->history.values / (double)t->history.rows);
    if (t->examples_before)
        fprintf(out, "<dt>before</dt><dd>the model had learned %s examples in earlier runs</dd>\n",
                COUNT(t->examples_before));
    if (has_hold_out(t)) page_fact(out, "held out", args_value(t->a, "holdout"));
    page_fact(out, "tested on", t->test ? t->test : "nothing");
    if (t->thresholding.is_set) page_fact(out, "threshold", t->thresholding.wish.text);
    if (t->calibrating.path) page_fact(out, "calibrated on", t->calibrating.path);
    if (t->checkpoint.path) page_fact(out, "saved as", t->checkpoint.path);
    fprintf(out, "<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

static void put_several(FILE *out, const train_page *g) {
    put_class_matrix(out, g);
    put_confused(out, g);
    put_class_table(out, g);
}

static void put_page(FILE *out, const void *what) {
    const train_page *g = what;
    char title[80];
    snprintf(title, sizeof title, "What %s learned", g->t->facts.learner->name);
    page_start_styled(out, title, g->classes ? class_styles : "");
    put_lead(out, g);
    put_cards(out, g);
    put_notes(out, g);
    put_history(out, g);
    put_race(out, g);
    fputs("<h2>Right and wrong</h2>\n", out);
    put_judged(out, g, "");
    if (g->classes)
        put_several(out, g);
    else
        put_confusion(out, g->judged);
    if (g->apart && g->t->worst.n) {
        fputs("<h2>Worst mistakes</h2>\n", out);
        put_judged(out, g,
                   g->classes
                       ? " The wrong ones whose margin is furthest above that of their own class, and what moved "
                         "the margin of the class predicted most."
                   : sluice_model_threshold(g->t->result, NULL)
                       ? " The wrong ones that lie farthest from the threshold, and what moved each margin most."
                       : " The wrong ones of the largest margins, and what moved each margin most.");
        put_worst(out, &g->t->worst);
    }
    if (!g->classes) {
        put_thresholds(out, g);
        put_probabilities(out, g);
    }
    fputs("<h2>Heaviest features</h2>\n", out);
    if (g->classes)
        put_class_features(out, g);
    else
        put_features(out, g);
    fputs("<h2>All figures</h2>\n<div class=\"columns\">\n", out);
    put_all_measures(out, g);
    fputs("</div>\n<h2>Parameters and settings</h2>\n", out);
    put_params(out, g);
    fputs("<div class=\"columns\">\n", out);
    put_settings(out, g);
    fputs("</div>\n", out);
    put_data(out, g);
    page_end(out);
}

static size_t positive_first(sluice_weight *weights, size_t n) {
    size_t positive = 0;
    for (size_t i = 0; i < n; i++) {
        if (weights[i].weight <= 0) continue;
        sluice_weight w = weights[i];
        weights[i] = weights[positive];
        weights[positive++] = w;
    }
    return positive;
}

int write_train_page(const training *t) {
    if (!t->page) return DONE;
    sluice_error err = {0};
    int rc = DONE;
    train_page g = {.t = t, .apart = t->test ? &t->tested : has_hold_out(t) ? &t->held : NULL};
    g.judged = g.apart ? &g.apart->measures : &t->measures;
    if (is_of_many(t->result)) {
        g.classes = g.apart ? &g.apart->classes : &t->classes;
        rc = prepare_classes(&g);
    } else if (sluice_model_weights(t->result, &g.weights, &g.n_weights, &err) != SLUICE_OK) {
        return complain_error(&err);
    }
    g.n_positive = positive_first(g.weights, g.n_weights);
    if (g.apart) sluice_model_threshold(t->result, &g.threshold); /* progressive predictions have none */
    g.shape = g.apart ? g.apart->shape : shape_of(t->meter);
    g.command_line = given_command_line(t->a);
    if (!rc) rc = g.command_line ? write_text_file(t->page, put_page, &g) : out_of_memory();
    free(g.command_line);
    free_classes(&g);
    sluice_free(g.weights);
    return rc;
}
