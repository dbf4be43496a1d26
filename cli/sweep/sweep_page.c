/* sweep --html: one page that needs nothing else. */
#include "args/command_line.h"
#include "page/html.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "page/page.h"
#include "sweep/sweeping.h"
#include "output/text_file.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct page {
    const sweeping *w;
    const char *command_line, *title;
} page;

static void put_facts(FILE *out, const page *g) {
    const sweeping *w = g->w;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < w->a->n_inputs; i++) page_fact(out, i ? "" : "learned from", w->a->inputs[i]);
    if (!w->a->n_inputs) page_fact(out, "learned from", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%s, %s positive", COUNT(w->examples), COUNT(w->positives));
    if (w->skipped.total) fprintf(out, "; %s malformed lines skipped", COUNT(w->skipped.total));
    if (w->passes > 1) fprintf(out, "; %" PRIu64 " passes", w->passes);
    if (w->repeats > 1) fprintf(out, "; %" PRIu64 " runs in different orders", w->repeats);
    fputs("</dd>\n", out);
    const sluice_point *any = best_at(w, -INFINITY, NULL);
    if (any) fprintf(out, "<dt>features seen</dt><dd>%s</dd>\n", COUNT((uint64_t)(any->features_seen + 0.5)));
    if (w->dimension) fprintf(out, "<dt>sparsity of</dt><dd>%s features</dd>\n", COUNT(w->dimension));
    if (w->test) {
        page_fact(out, "tested on", w->test);
        fprintf(out, "<dt>test examples</dt><dd>%s</dd>\n", COUNT(w->test_examples));
    } else {
        page_fact(out, "tested on", "nothing: the errors are those made while learning");
    }
    fprintf(out, "<dt>made by</dt><dd>sluice %s</dd>\n</dl>\n", sluice_version());
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* The most important columns come first. A small screen has no room for the error while learning beside that on the
 * test file. */
static void put_head(FILE *out, const sweeping *w, const char *first) {
    fprintf(out, "<table>\n<thead><tr>%s<th>sparsity, %%</th>", first);
    if (w->test) fputs("<th>test error, %</th>", out);
    fprintf(
        out,
        "<th%s>error while learning, %%</th><th>nonzeros</th><th class=\"name\">learner</th></tr></thead>\n<tbody>\n",
        w->test ? " class=\"less\"" : "");
}

/* The head has the sign. */
static void put_percent(FILE *out, double rate, int digits) {
    if (isnan(rate))
        fputs("\xe2\x80\x93", out);
    else
        fprintf(out, "%.*f", digits, 100 * rate);
}

static void put_error(FILE *out, const sweeping *w, double error, double deviation, int is_less) {
    fprintf(out, "<td%s>", is_less ? " class=\"less\"" : "");
    put_percent(out, error, 3);
    if (w->repeats > 1 && !isnan(deviation)) fprintf(out, " \xc2\xb1\xc2\xa0%.3f", 100 * deviation);
    fputs("</td>", out);
}

static void put_figures(FILE *out, const sweeping *w, const sluice_point *p) {
    fputs("<td>", out);
    put_percent(out, p->sparsity, 4);
    fputs("</td>", out);
    if (w->test) put_error(out, w, p->mean, p->deviation, 0);
    put_error(out, w, progressive_error(p), p->error_deviation, w->test != NULL);
    fputs("<td>", out);
    html_count(out, p->nonzeros);
    fputs("</td>", out);
}

static void put_why(FILE *out, const sweeping *w, const char *why, const char *more) {
    fprintf(out, "<td class=\"why\" colspan=\"3\">%s", why);
    html_text(out, more);
    fprintf(out, "</td>%s", w->test ? "<td class=\"less\"></td>" : "");
}

/* The rest of a line; p may be NULL. */
static void put_point(FILE *out, const sweeping *w, const curve *c, const sluice_point *p) {
    if (!p)
        put_why(out, w, "no point has a weight left", "");
    else if (p->failure)
        put_why(out, w, "failed: ", p->failure);
    else
        put_figures(out, w, p);
    fputs("<td class=\"name\">", out);
    put_curve_key(out, w, c);
    if (p) fprintf(out, " <span>%s=</span><span>%s</span>", c->param->name, swept_value(p));
    fputs("</td></tr>\n", out);
}

static void put_best(FILE *out, const sweeping *w) {
    const double *levels;
    size_t n = sweep_levels(w, &levels);
    fprintf(out, "<h2>The smallest %s at a sparsity of at least</h2>\n", w->test ? "test error" : "error");
    put_head(out, w, "<th>level, %</th>");
    for (size_t i = 0; i < n; i++) {
        const curve *c;
        const sluice_point *p = best_at(w, levels[i], &c);
        fprintf(out, "<tr><td>%.10g</td>", 100 * levels[i]);
        if (p) {
            put_point(out, w, c, p);
        } else {
            put_why(out, w, "no point has it and a weight left", "");
            fputs("<td></td></tr>\n", out);
        }
    }
    fputs("</tbody></table>\n", out);
}

static void put_findings(FILE *out, const sweeping *w) {
    if (!w->n_findings) return;
    fputs("<h2>What gives the wanted sparsity</h2>\n", out);
    put_head(out, w, "<th>wanted, %</th>");
    for (size_t i = 0; i < w->n_findings; i++) {
        const finding *f = &w->findings[i];
        fprintf(out, "<tr><td>%.10g%s</td>", 100 * f->wanted, f->reached ? "" : " (out of reach)");
        put_point(out, w, f->of, f->closest);
    }
    fputs("</tbody></table>\n", out);
}

static void put_points(FILE *out, const sweeping *w) {
    fputs("<h2>All points</h2>\n", out);
    put_head(out, w, "");
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0, shown = 0; k < w->curves[i].n; k++) {
            const sluice_point *p = w->curves[i].points[k];
            if (!is_shown(w, p)) continue;
            fputs(i && !shown++ ? "<tr class=\"first\">" : "<tr>", out);
            put_point(out, w, &w->curves[i], p);
        }
    fputs("</tbody></table>\n", out);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void put_page(FILE *out, const void *what) {
    const page *g = what;
    page_start(out, g->title);
    if (!g->w->examples) fputs("<p class=\"note\">There was no example to learn from.</p>\n", out);
    put_sweep_chart(out, g->w);
    put_facts(out, g);
    fputs("<div class=\"tables\">\n", out);
    if (g->w->examples) {
        put_best(out, g->w);
        put_findings(out, g->w);
    }
    put_points(out, g->w);
    fputs("</div>\n", out);
    page_end(out);
}

/* What was learned from what; NULL where memory is short. */
static char *make_title(const sweeping *w) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (!out) return NULL;
    fputs("Error against sparsity: ", out);
    for (size_t i = 0; i < w->n_curves; i++) fprintf(out, "%s%s", i ? ", " : "", w->curves[i].learner->name);
    fprintf(out, " on %s", w->a->n_inputs ? w->a->inputs[0] : "standard input");
    if (w->a->n_inputs > 1) fprintf(out, " and %zu more", w->a->n_inputs - 1);
    return memory_text_close(&text, NULL);
}

int write_page(const sweeping *w) {
    char *command_line = given_command_line(w->a), *title = make_title(w);
    page g = {w, command_line, title};
    int rc = command_line && title ? write_text_file(w->html, put_page, &g) : out_of_memory();
    free(command_line);
    free(title);
    return rc;
}
