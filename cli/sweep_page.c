/* sweep --html: one page that needs nothing else. */
#include "chart.h"
#include "command_line.h"
#include "html.h"
#include "message.h"
#include "page.h"
#include "sweep.h"
#include "text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct page {
    const sweeping *w;
    const char *command_line;
} page;

static void put_facts(FILE *out, const page *g) {
    const sweeping *w = g->w;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < w->a->n_inputs; i++) page_fact(out, i ? "" : "learned from", w->a->inputs[i]);
    if (!w->a->n_inputs) page_fact(out, "learned from", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%" PRIu64 ", %" PRIu64 " positive", w->examples, w->positives);
    if (w->skipped.total) fprintf(out, "; %" PRIu64 " malformed lines skipped", w->skipped.total);
    if (w->passes > 1) fprintf(out, "; %" PRIu64 " passes", w->passes);
    if (w->repeats > 1) fprintf(out, "; %" PRIu64 " runs in different orders", w->repeats);
    fputs("</dd>\n", out);
    const point *any = best_at(w, -INFINITY, NULL);
    if (any) fprintf(out, "<dt>features seen</dt><dd>%.10g</dd>\n", any->features_seen);
    if (w->dimension) fprintf(out, "<dt>sparsity of</dt><dd>%" PRIu64 " features</dd>\n", w->dimension);
    if (w->test) {
        page_fact(out, "tested on", w->test);
        fprintf(out, "<dt>test examples</dt><dd>%zu</dd>\n", sluice_batch_rows(w->test_rows));
    } else {
        page_fact(out, "tested on", "nothing: the errors are those made while learning");
    }
    fprintf(out, "<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void put_head(FILE *out, const sweeping *w, const char *first) {
    fprintf(out,
            "<table>\n<thead><tr>%s<th class=\"name\">learner</th><th class=\"name\" "
            "colspan=\"2\">parameter</th><th>error while learning</th>",
            first);
    if (w->test) fputs("<th>test error</th>", out);
    fputs("<th>nonzeros</th><th>sparsity</th></tr></thead>\n<tbody>\n", out);
}

static void put_error(FILE *out, const sweeping *w, double error, double deviation) {
    fputs("<td>", out);
    html_percent(out, error, 3);
    if (w->repeats > 1 && !isnan(deviation)) fprintf(out, " \xc2\xb1 %.3f", 100 * deviation);
    fputs("</td>", out);
}

static void put_point(FILE *out, const sweeping *w, const curve *c, const point *p) {
    size_t which = (size_t)(c - w->curves);
    fprintf(out, "<td class=\"name\"><svg class=\"c%zu\" viewBox=\"-13 -8 26 16\" aria-hidden=\"true\">",
            which % PAGE_COLOURS);
    chart_marker(out, which);
    fputs("</svg>", out);
    html_text(out, c->learner->name);
    fprintf(out, "</td><td class=\"name\">%s</td><td>%s</td>", c->param->name, swept_value(p));
    if (p->failure) {
        fprintf(out, "<td class=\"why\" colspan=\"%d\">failed: ", w->test ? 4 : 3);
        html_text(out, p->failure);
        fputs("</td>", out);
        return;
    }
    put_error(out, w, progressive_error(p), p->error_deviation);
    if (w->test) put_error(out, w, p->mean, p->deviation);
    fputs("<td>", out);
    html_count(out, p->nonzeros);
    fputs("</td><td>", out);
    html_percent(out, p->sparsity, 4);
    fputs("</td>", out);
}

static void put_best(FILE *out, const sweeping *w) {
    const double *levels;
    size_t n = sweep_levels(w, &levels);
    fprintf(out, "<h2>The smallest %s at a sparsity of at least</h2>\n", w->test ? "test error" : "error");
    put_head(out, w, "<th>level</th>");
    for (size_t i = 0; i < n; i++) {
        const curve *c;
        const point *p = best_at(w, levels[i], &c);
        if (!p) continue;
        fprintf(out, "<tr><td>%.10g %%</td>", 100 * levels[i]);
        put_point(out, w, c, p);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void put_findings(FILE *out, const sweeping *w) {
    if (!w->n_findings) return;
    fputs("<h2>What gives the wanted sparsity</h2>\n", out);
    put_head(out, w, "<th>wanted</th>");
    for (size_t i = 0; i < w->n_findings; i++) {
        const finding *f = &w->findings[i];
        if (!f->closest) continue;
        fprintf(out, "<tr><td>%.10g %%%s</td>", 100 * f->wanted, f->reached ? "" : " (out of reach)");
        put_point(out, w, f->of, f->closest);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table>\n", out);
}

static void put_points(FILE *out, const sweeping *w) {
    fputs("<h2>All points</h2>\n", out);
    put_head(out, w, "");
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            fputs(i && !k ? "<tr class=\"first\">" : "<tr>", out);
            put_point(out, w, &w->curves[i], w->curves[i].points[k]);
            fputs("</tr>\n", out);
        }
    fputs("</tbody></table>\n", out);
}

static void put_page(FILE *out, const void *what) {
    const page *g = what;
    page_start(out, "Error against sparsity");
    fputs("<figure class=\"wide\">\n", out);
    put_sweep_chart(out, g->w);
    fputs("</figure>\n", out);
    put_facts(out, g);
    fputs("<div class=\"tables\">\n", out);
    put_best(out, g->w);
    put_findings(out, g->w);
    put_points(out, g->w);
    fputs("</div>\n", out);
    page_end(out);
}

int write_page(const sweeping *w) {
    char *command_line = given_command_line(w->a);
    if (!command_line) return out_of_memory();
    page g = {w, command_line};
    int rc = write_text_file(w->html, put_page, &g);
    free(command_line);
    return rc;
}
