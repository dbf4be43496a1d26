/* tune --report: one page that needs nothing else: every point's measure against its nonzeros, and a table. */
#include "args/command_line.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "output/text_file.h"
#include "page/chart.h"
#include "page/html.h"
#include "page/page.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEIGHT = 360, MOST_POINTS = 500, MOST_LEARNERS = 64 };

typedef struct page {
    const tune_facts *f;
    const char *command_line, *title;
    const sluice_learner_info *learners[MOST_LEARNERS]; /* in the order of their best points */
    size_t n_learners, shown, undrawn;
    chart c;
} page;

static const sluice_point *point_at(const page *g, size_t i) { return sluice_search_point(g->f->t->search, i); }

static int is_drawn(const sluice_point *p) { return !p->failure && !isnan(p->mean) && p->nonzeros > 0; }

static double spread(const sluice_point *p) { return isnan(p->deviation) ? 0 : p->deviation; }

/* All measures but the cost are rates. */
static int is_rate(const page *g) { return g->f->t->measure->name[0] != 'c'; }

static void put_measure(FILE *out, const page *g, double value, int with_sign) {
    if (isnan(value))
        fputs("\xe2\x80\x93", out);
    else if (!is_rate(g))
        fprintf(out, "%.6g", value);
    else
        fprintf(out, with_sign ? "%.3f %%" : "%.3f", 100 * value);
}

static const char *measure_name(const page *g) {
    static const char *const names[][2] = {
        {"error_rate", "error"}, {"balanced_accuracy", "balanced accuracy"}, {"auc", "AUC"}, {"f1", "F1"}};
    const char *name = g->f->t->measure->name;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i][0][0] == name[0]) return names[i][1];
    return name;
}

static size_t learner_number(const page *g, const sluice_learner_info *learner) {
    size_t i = 0;
    while (i < g->n_learners && g->learners[i] != learner) i++;
    return i;
}

static void prepare(page *g) {
    const size_t n = sluice_search_points(g->f->t->search);
    g->shown = n < MOST_POINTS ? n : MOST_POINTS;
    g->c = chart_small("tune-chart", "the measure of every point against its nonzeros", HEIGHT);
    for (size_t i = 0; i < g->shown; i++) {
        const sluice_point *p = point_at(g, i);
        if (learner_number(g, p->learner) == g->n_learners && g->n_learners < MOST_LEARNERS)
            g->learners[g->n_learners++] = p->learner;
        if (!is_drawn(p)) {
            g->undrawn++;
            continue;
        }
        axis *x = &g->c.x, *y = &g->c.y;
        x->low = fmin(x->low, log10(p->nonzeros)), x->high = fmax(x->high, log10(p->nonzeros));
        y->low = fmin(y->low, fmax(p->mean - spread(p), 0)), y->high = fmax(y->high, p->mean + spread(p));
    }
    axis_count_ticks(&g->c.x);
    axis_round(&g->c.y, 1e-4);
}

/* ---- the chart --------------------------------------------------------------------------------------------------- */

static void put_point_name(FILE *out, const sluice_point *p) {
    html_text(out, p->learner->name);
    for (size_t i = p->n_fixed; i < p->n_params; i++) fputc(' ', out), html_text(out, p->params[i]);
    for (size_t i = 0; i < p->n_varied; i++) fputc(' ', out), html_text(out, p->varied[i]);
}

static void put_mark(FILE *out, const page *g, const sluice_point *p, int best) {
    const size_t which = learner_number(g, p->learner);
    const double y = axis_place(&g->c.y, p->mean), d = spread(p);
    fprintf(out, "<g class=\"point c%zu\" transform=\"translate(%.1f %.1f)\"><title>%s",
            best ? 6 : which % (PAGE_COLOURS - 1), axis_place(&g->c.x, log10(p->nonzeros)), y,
            best ? "the best: " : "");
    put_point_name(out, p);
    fprintf(out, ": %s ", measure_name(g));
    put_measure(out, g, p->mean, 1);
    if (!isnan(p->deviation)) {
        fputs(" \xc2\xb1 ", out);
        put_measure(out, g, p->deviation, 1);
    }
    fputs(", ", out);
    html_count(out, p->nonzeros);
    fputs(" nonzeros</title>", out);
    if (d > 0) {
        const double high = axis_place(&g->c.y, p->mean + d) - y,
                     low = axis_place(&g->c.y, fmax(p->mean - d, g->c.y.low)) - y;
        fprintf(out, "<path class=\"bar\" d=\"M0 %.1fV%.1fM-4 %.1fH4M-4 %.1fH4\"/>", low, high, low, high);
    }
    chart_marker(out, best ? 3 : which % 3);
    fputs("<circle class=\"hit\" r=\"9\"/></g>\n", out);
}

static void put_key(FILE *out, size_t colour, size_t marker, const char *text) {
    fprintf(out, "\n<span class=\"key\"><svg class=\"symbol c%zu\" viewBox=\"-14 -8 28 16\" aria-hidden=\"true\">",
            colour);
    chart_marker(out, marker);
    fputs("</svg>", out);
    html_text(out, text);
    fputs("</span>", out);
}

static void put_chart(FILE *out, const page *g) {
    fprintf(out,
            "<figure class=\"wide\">\n<figcaption><b>%s of every point, with the standard deviation over the folds</b>",
            is_rate(g) && g->f->t->measure->name[0] == 'e' ? "Error" : measure_name(g));
    put_key(out, 6, 3, "the best");
    for (size_t i = 0; i < g->n_learners; i++) put_key(out, i % (PAGE_COLOURS - 1), i % 3, g->learners[i]->name);
    fputs("</figcaption>\n", out);
    chart_start(out, &g->c);
    chart_y_axis(out, &g->c, is_rate(g) ? percent_label : count_label, NULL);
    chart_count_axis(out, &g->c, "nonzeros (logarithmic)");
    chart_frame(out, &g->c, g->c.right);
    for (size_t i = g->shown; i-- > 1;)
        if (is_drawn(point_at(g, i))) put_mark(out, g, point_at(g, i), 0);
    if (is_drawn(point_at(g, 0))) put_mark(out, g, point_at(g, 0), 1);
    figure_end(out);
    if (g->undrawn)
        fprintf(out, "<p><small>%zu points that failed, or whose models have no weight, are not drawn.</small></p>\n",
                g->undrawn);
}

/* ---- facts and the table ----------------------------------------------------------------------------------------- */

static void put_facts(FILE *out, const page *g) {
    const tune_facts *f = g->f;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < f->a->n_inputs; i++) page_fact(out, i ? "" : "examples of", f->a->inputs[i]);
    if (!f->a->n_inputs) page_fact(out, "examples of", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%" PRIu64, f->examples);
    if (f->skipped) fprintf(out, "; %" PRIu64 " malformed lines skipped", f->skipped);
    fprintf(out, "</dd>\n<dt>folds</dt><dd>%" PRIu64 "</dd>\n", f->folds);
    if (f->passes > 1) fprintf(out, "<dt>passes</dt><dd>%" PRIu64 "</dd>\n", f->passes);
    page_fact(out, "the best is",
              f->choose == SLUICE_CHOOSE_BEST ? "the point of the best measure"
                                              : "the sparsest within one standard error of the best measure");
    fputs("<dt>its model</dt><dd><code>", out);
    html_text(out, f->command_line);
    fprintf(out, "</code></dd>\n<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

static void put_row(FILE *out, const page *g, size_t i) {
    const sluice_point *p = point_at(g, i);
    fprintf(out, "<tr%s><td>%zu</td>", i ? "" : " class=\"now\"", i + 1);
    if (p->failure) {
        fputs("<td class=\"why\" colspan=\"4\">failed: ", out);
        html_text(out, p->failure);
        fputs("</td>", out);
    } else {
        fputs("<td>", out);
        put_measure(out, g, p->mean, 0);
        fputs("</td><td>", out);
        put_measure(out, g, p->deviation, 0);
        fputs("</td><td>", out);
        html_count(out, p->nonzeros);
        fputs("</td><td>", out);
        if (isnan(p->sparsity))
            fputs("\xe2\x80\x93", out);
        else
            fprintf(out, "%.2f", 100 * p->sparsity);
        fputs("</td>", out);
    }
    fputs("<td class=\"name\">", out);
    put_point_name(out, p);
    fputs("</td></tr>\n", out);
}

static void put_points(FILE *out, const page *g) {
    const size_t all = sluice_search_points(g->f->t->search);
    if (g->shown < all)
        fprintf(out, "<h2>The best %zu of %zu points</h2>\n", g->shown, all);
    else
        fprintf(out, "<h2>%zu points</h2>\n", all);
    fprintf(out,
            "<div class=\"tables\">\n<table>\n<thead><tr><th>rank</th><th>%s%s</th><th>deviation</th><th>nonzeros</th>"
            "<th>sparsity, %%</th><th class=\"name\">point</th></tr></thead>\n<tbody>\n",
            measure_name(g), is_rate(g) ? ", %" : "");
    for (size_t i = 0; i < g->shown; i++) put_row(out, g, i);
    fputs("</tbody></table>\n</div>\n", out);
}

static void put_page(FILE *out, const void *what) {
    const page *g = what;
    page_start(out, g->title);
    put_chart(out, g);
    put_facts(out, g);
    put_points(out, g);
    page_end(out);
}

static char *make_title(const page *g) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    const args *a = g->f->a;
    if (!out) return NULL;
    fputs("Parameters: ", out);
    for (size_t i = 0; i < g->n_learners; i++) fprintf(out, "%s%s", i ? ", " : "", g->learners[i]->name);
    fprintf(out, " on %s", a->n_inputs ? a->inputs[0] : "standard input");
    if (a->n_inputs > 1) fprintf(out, " and %zu more", a->n_inputs - 1);
    return memory_text_close(&text, NULL);
}

int write_tune_page(const char *path, const tune_facts *facts) {
    page g = {.f = facts};
    prepare(&g);
    char *command_line = given_command_line(facts->a), *title = make_title(&g);
    g.command_line = command_line, g.title = title;
    int rc = command_line && title ? write_text_file(path, put_page, &g) : out_of_memory();
    free(command_line);
    free(title);
    return rc;
}
