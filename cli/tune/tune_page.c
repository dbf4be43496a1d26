/* tune --report: one page that needs nothing else: every point's measure against its nonzeros, and a table. */
#include "args/command_line.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "output/text_file.h"
#include "page/chart.h"
#include "page/html.h"
#include "page/page.h"
#include "run/signals.h"
#include "terminal/figures.h"
#include "tune/tune_marks.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEIGHT = 360, MOST_POINTS = 500, MOST_LEARNERS = 64 };

typedef struct page {
    const tuning *t;
    const char *command_line, *title;
    const sluice_learner_info *learners[MOST_LEARNERS]; /* in the order of their best points */
    size_t n_learners, shown, undrawn;
    chart c;
} page;

static const sluice_point *point_at(const page *g, size_t i) { return sluice_search_point(g->t->search, i); }

static int is_drawn(const sluice_point *p) { return !p->failure && !isnan(p->mean) && p->nonzeros > 0; }

static double spread(const sluice_point *p) { return isnan(p->deviation) ? 0 : p->deviation; }

static size_t learner_number(const page *g, const sluice_learner_info *learner) {
    size_t i = 0;
    while (i < g->n_learners && g->learners[i] != learner) i++;
    return i;
}

static void prepare(page *g) {
    const size_t n = g->t->done;
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

static void put_mark(FILE *out, const page *g, const sluice_point *p, int best) {
    const size_t which = learner_number(g, p->learner);
    const double y = axis_place(&g->c.y, p->mean), d = spread(p);
    fprintf(out, "<g class=\"point c%zu\" transform=\"translate(%.1f %.1f)\"><title>%s",
            best ? 6 : which % (PAGE_COLOURS - 1), axis_place(&g->c.x, log10(p->nonzeros)), y,
            best ? "the best: " : "");
    put_point_name(out, p);
    fprintf(out, ": %s ", g->t->measure->title);
    put_measure(out, g->t->measure, p->mean, 1);
    if (!isnan(p->deviation)) {
        fputs(" \xc2\xb1 ", out);
        put_measure(out, g->t->measure, p->deviation, 1);
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

/* The measure, with a capital: "Recall at precision 0.95". */
static void put_heading(FILE *out, const page *g) {
    const char *title = g->t->measure->title;
    fprintf(out, "%c%s", toupper((unsigned char)*title), title + 1);
    if (g->t->how.precision > 0) fprintf(out, " %g", g->t->how.precision);
}

static void put_chart(FILE *out, const page *g) {
    fputs("<figure class=\"wide\">\n<figcaption><b>", out);
    put_heading(out, g);
    fputs(g->t->mode == TUNE_PROGRESSIVE ? " of every point while learning</b>"
          : g->t->mode == TUNE_FORWARD   ? " of every point, with the standard deviation over the parts</b>"
                                         : " of every point, with the standard deviation over the folds</b>",
          out);
    put_key(out, 6, 3, "the best");
    for (size_t i = 0; i < g->n_learners; i++) put_key(out, i % (PAGE_COLOURS - 1), i % 3, g->learners[i]->name);
    fputs("</figcaption>\n", out);
    chart_start(out, &g->c);
    chart_y_axis(out, &g->c, measure_label(g->t->measure), NULL);
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
    const tuning *t = g->t;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < t->a->n_inputs; i++) page_fact(out, i ? "" : "examples of", t->a->inputs[i]);
    if (!t->a->n_inputs) page_fact(out, "examples of", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%s", COUNT(t->rows));
    if (t->skipped.total) fprintf(out, "; %s malformed lines skipped", COUNT(t->skipped.total));
    fputs("</dd>\n<dt>measured</dt><dd>", out);
    if (t->mode == TUNE_RANDOM)
        fprintf(out, "on %" PRIu64 " folds at random, each predicted from the others", t->n_folds);
    else if (t->mode == TUNE_FORWARD)
        fprintf(out, "on %" PRIu64 " parts in order, each predicted from those before it", t->n_folds);
    else
        fputs("on every example before it is learned", out);
    fputs("</dd>\n", out);
    if (t->passes > 1) fprintf(out, "<dt>passes</dt><dd>%" PRIu64 "</dd>\n", t->passes);
    const double error = sluice_search_standard_error(t->search, sluice_search_best_mean(t->search));
    page_fact(out, "the best is",
              t->how.choose == SLUICE_CHOOSE_BEST || isnan(error)
                  ? "the point of the best measure"
                  : "the sparsest within one standard error of the best measure");
    if (t->interrupted)
        fprintf(out, "<dt>ended by</dt><dd>%s: %s of %s points were done</dd>\n", signal_name(t->interrupted),
                COUNT(t->done), COUNT(sluice_search_points(t->search)));
    fputs("<dt>its model</dt><dd><code>", out);
    html_text(out, t->command_line);
    fprintf(out, "</code></dd>\n<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

/* One run has no deviation. */
static int has_deviations(const page *g) { return g->t->mode != TUNE_PROGRESSIVE; }

static void put_row(FILE *out, const page *g, size_t i) {
    const sluice_point *p = point_at(g, i);
    fprintf(out, "<tr%s><td>%zu</td>", i ? "" : " class=\"now\"", i + 1);
    if (p->failure) {
        fprintf(out, "<td class=\"why\" colspan=\"%d\">failed: ", has_deviations(g) ? 4 : 3);
        html_text(out, p->failure);
        fputs("</td>", out);
    } else {
        fputs("<td>", out);
        put_measure(out, g->t->measure, p->mean, 0);
        fputs("</td><td>", out);
        if (has_deviations(g)) {
            put_measure(out, g->t->measure, p->deviation, 0);
            fputs("</td><td>", out);
        }
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
    const size_t all = g->t->done;
    if (g->shown < all)
        fprintf(out, "<h2>The best %zu of %zu points</h2>\n", g->shown, all);
    else
        fprintf(out, "<h2>%zu points</h2>\n", all);
    fprintf(out,
            "<div class=\"tables\">\n<table>\n<thead><tr><th>rank</th><th>%s%s</th>%s<th>nonzeros</th>"
            "<th>sparsity, %%</th><th class=\"name\">point</th></tr></thead>\n<tbody>\n",
            g->t->measure->title, g->t->measure->is_share ? ", %" : "", has_deviations(g) ? "<th>deviation</th>" : "");
    for (size_t i = 0; i < g->shown; i++) put_row(out, g, i);
    fputs("</tbody></table>\n</div>\n", out);
}

static void put_page(FILE *out, const void *what) {
    const page *g = what;
    page_start(out, g->title);
    put_chart(out, g);
    put_stream_chart(out, g->t);
    put_facts(out, g);
    put_points(out, g);
    page_end(out);
}

static char *make_title(const page *g) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    const args *a = g->t->a;
    if (!out) return NULL;
    fputs("Parameters: ", out);
    for (size_t i = 0; i < g->n_learners; i++) fprintf(out, "%s%s", i ? ", " : "", g->learners[i]->name);
    fprintf(out, " on %s", a->n_inputs ? a->inputs[0] : "standard input");
    if (a->n_inputs > 1) fprintf(out, " and %zu more", a->n_inputs - 1);
    return memory_text_close(&text, NULL);
}

int write_tune_page(const char *path, const tuning *t) {
    page g = {.t = t};
    prepare(&g);
    char *command_line = given_command_line(t->a), *title = make_title(&g);
    g.command_line = command_line, g.title = title;
    int rc = command_line && title ? write_text_file(path, put_page, &g) : out_of_memory();
    free(command_line);
    free(title);
    return rc;
}
