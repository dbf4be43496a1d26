/* select --report: one page that needs nothing else: the error of every budget, and the features of the largest. */
#include "args/command_line.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "output/text_file.h"
#include "page/chart.h"
#include "page/html.h"
#include "page/page.h"
#include "select/select_report.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEIGHT = 340, MOST_FEATURES = 1000 };

typedef struct page {
    const select_facts *f;
    const char *command_line, *title;
    chart c;
    size_t drawn;
} page;

static const sluice_budget *budget_at(const page *g, size_t i) { return sluice_selection_budget(g->f->selection, i); }

static size_t budgets(const page *g) { return sluice_selection_count(g->f->selection); }

static void prepare(page *g) {
    g->c = chart_small("select-chart", "error by number of features", HEIGHT);
    axis *x = &g->c.x, *y = &g->c.y;
    for (size_t i = 0; i < budgets(g); i++) {
        const sluice_budget *b = budget_at(g, i);
        if (isnan(b->test->error_rate)) continue;
        g->drawn++;
        x->low = fmin(x->low, log10((double)b->features)), x->high = fmax(x->high, log10((double)b->features));
        y->low = 0, y->high = fmax(y->high, b->test->error_rate);
    }
    axis_count_ticks(x);
    axis_round(y, 1e-4);
}

static void put_budget_mark(FILE *out, const page *g, const sluice_budget *b) {
    fprintf(out, "<g class=\"point c0\" transform=\"translate(%.1f %.1f)\"><title>",
            axis_place(&g->c.x, log10((double)b->features)), axis_place(&g->c.y, b->test->error_rate));
    html_grouped(out, b->features);
    fputs(" features: error ", out);
    html_percent(out, b->test->error_rate, 3);
    fprintf(out, ", %zu chosen</title>", b->n);
    chart_marker(out, 0);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

static void put_chart(FILE *out, const page *g) {
    char letter = 'M';
    if (!g->drawn) return;
    fprintf(out, "<figure class=\"wide\">\n<figcaption><b>Error on %s</b></figcaption>\n",
            g->f->test ? "the test examples" : "held-out examples");
    chart_start(out, &g->c);
    chart_y_axis(out, &g->c, percent_label, NULL);
    chart_count_axis(out, &g->c, "features (logarithmic)");
    chart_frame(out, &g->c, g->c.right);
    fputs("<path class=\"line c0\" d=\"", out);
    for (size_t i = 0; i < budgets(g); i++)
        chart_line_to(out, &g->c, &letter, log10((double)budget_at(g, i)->features), budget_at(g, i)->test->error_rate);
    fputs("\"/>\n", out);
    for (size_t i = 0; i < budgets(g); i++)
        if (!isnan(budget_at(g, i)->test->error_rate)) put_budget_mark(out, g, budget_at(g, i));
    figure_end(out);
}

static void put_facts(FILE *out, const page *g) {
    const select_facts *f = g->f;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < f->a->n_inputs; i++) page_fact(out, i ? "" : "learned from", f->a->inputs[i]);
    if (!f->a->n_inputs) page_fact(out, "learned from", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%s", COUNT(f->examples));
    if (f->skipped) fprintf(out, "; %s malformed lines skipped", COUNT(f->skipped));
    if (f->passes > 1) fprintf(out, "; %" PRIu64 " passes", f->passes);
    fputs("</dd>\n", out);
    page_fact(out, "tested on", f->test ? f->test : "held-out examples");
    fprintf(out, "<dt>test examples</dt><dd>%s</dd>\n", COUNT(f->test_examples));
    fprintf(out, "<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

/* The head has the sign. */
static void put_rate(FILE *out, double rate, double factor, int digits) {
    if (isnan(rate))
        fputs("<td>\xe2\x80\x93</td>", out);
    else
        fprintf(out, "<td>%.*f</td>", digits, factor * rate);
}

static void put_budgets(FILE *out, const page *g) {
    fputs("<h2>Budgets</h2>\n<div class=\"tables\">\n<table>\n<thead><tr><th>features</th><th>chosen</th><th>error, "
          "%</th>"
          "<th>balanced accuracy, %</th><th>AUC</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < budgets(g); i++) {
        const sluice_budget *b = budget_at(g, i);
        fprintf(out, "<tr><td>%s</td><td>%s</td>", COUNT(b->features), COUNT(b->n));
        put_rate(out, b->test->error_rate, 100, 3);
        put_rate(out, b->test->balanced_accuracy, 100, 3);
        put_rate(out, b->test->auc, 1, 4);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n</div>\n", out);
}

/* The length of a bar is relative to the highest score; its colour is that of the weight's sign. */
static void put_features(FILE *out, const page *g) {
    const sluice_budget *b = budget_at(g, budgets(g) - 1);
    const size_t most = g->f->top && g->f->top < MOST_FEATURES ? (size_t)g->f->top : MOST_FEATURES;
    const size_t shown = b->n < most ? b->n : most;
    if (!b->n) {
        fputs("<p>No feature was chosen.</p>\n", out);
        return;
    }
    const double highest = fmax((double)b->scores[0], 1e-300);
    if (shown < b->n)
        fprintf(out, "<h2>The first %s of the %s features chosen for %s</h2>\n", COUNT(shown), COUNT(b->n),
                COUNT(b->features));
    else
        fprintf(out, "<h2>The %s features chosen for %s</h2>\n", COUNT(b->n), COUNT(b->features));
    fputs("<div class=\"tables\">\n<table class=\"weights\">\n<thead><tr><th class=\"name\">feature</th><th "
          "class=\"bars\">score</th><th>in from</th><th>weight</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < shown; i++) {
        fputs("<tr><td class=\"name\">", out);
        put_feature_name(out, &b->chosen[i]);
        fprintf(out,
                "</td><td class=\"bars c%d\"><i style=\"width:%.1f%%\"></i></td><td>%" PRIu64
                "</td><td>%.4g</td></tr>\n",
                b->chosen[i].weight < 0, 100 * (double)b->scores[i] / highest,
                sluice_selection_since(g->f->selection, b->chosen[i].id), (double)b->chosen[i].weight);
    }
    fputs("</tbody></table>\n</div>\n", out);
}

static void put_page(FILE *out, const void *what) {
    const page *g = what;
    page_start(out, g->title);
    if (!g->f->examples) fputs("<p class=\"note\">There was no example to learn from.</p>\n", out);
    put_chart(out, g);
    put_facts(out, g);
    put_budgets(out, g);
    put_features(out, g);
    page_end(out);
}

static char *make_title(const select_facts *f) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    fprintf(out, "Features: %s on %s", f->learner, f->a->n_inputs ? f->a->inputs[0] : "standard input");
    if (f->a->n_inputs > 1) fprintf(out, " and %zu more", f->a->n_inputs - 1);
    return memory_text_close(&text, NULL);
}

int write_select_page(const char *path, const select_facts *facts) {
    char *command_line = given_command_line(facts->a), *title = make_title(facts);
    page g = {.f = facts, .command_line = command_line, .title = title};
    prepare(&g);
    int rc = command_line && title ? write_text_file(path, put_page, &g) : out_of_memory();
    free(command_line);
    free(title);
    return rc;
}
