/* sweep --html: one page that needs nothing else. */
#include "chart.h"
#include "command_line.h"
#include "html.h"
#include "message.h"
#include "text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct page {
    const sweeping *w;
    const char *command_line;
} page;

/* The colours are those of Okabe and Ito, which all kinds of eyes tell apart; yellow is left out, white paper shows it
 * badly. */
static const char style[] =
    ":root{--paper:#fff;--ink:#1a1a1a;--faint:#666;--rule:#ddd;color-scheme:light dark}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e8e8e8;--faint:#a0a0a0;--rule:#3a3d42}}\n"
    "body{margin:2rem auto;max-width:62rem;padding:0 1rem;background:var(--paper);color:var(--ink);"
    "font:15px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;margin:0 0 1rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    "svg{width:100%;height:auto;display:block}svg text{fill:var(--ink);font-family:inherit}\n"
    ".tick{font-size:13px}.axis{font-size:14px}.legend{font-size:14px}svg .faint{fill:var(--faint);font-size:12px}\n"
    ".grid{stroke:var(--rule);fill:none}.frame{stroke:var(--ink);fill:none}\n"
    ".line{stroke:var(--c);fill:none;stroke-width:1.8}.bar{stroke:var(--c);fill:none;stroke-width:1.2}\n"
    ".mark{stroke:var(--c);fill:var(--c);fill-opacity:.85;stroke-width:1.8}.hit{fill:transparent}\n"
    ".point:hover .mark{stroke:var(--ink)}\n"
    ".c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:#e69f00}.c5{--c:#56b4e9}.c6{--c:var(--ink)"
    "}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}th,td{padding:.15rem .7rem;text-align:right}\n"
    "th{border-bottom:1px solid var(--ink);font-weight:600}.name{text-align:left}td{white-space:nowrap}\n"
    "td.why{white-space:normal;text-align:left}.tables{overflow-x:auto}\n"
    "tr.first td{border-top:1px solid var(--rule)}td svg{width:26px;height:16px;display:inline-block;"
    "vertical-align:-3px;margin-right:.4rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--faint)}dd{margin:0;"
    "overflow-wrap:anywhere}code{font-family:ui-monospace,monospace;font-size:.92em}\n"
    "#tip{position:fixed;display:none;pointer-events:none;background:var(--ink);color:var(--paper);padding:.2rem .5rem;"
    "border-radius:4px;font-size:13px;max-width:24rem}\n"
    "@media print{@page{margin:15mm}body{margin:0;max-width:none;font-size:10pt;"
    "-webkit-print-color-adjust:exact;print-color-adjust:exact}svg,tr{break-inside:avoid}h2{break-after:avoid}"
    "thead{display:table-header-group}table{font-size:8.5pt}th,td{padding:.1rem .4rem}}\n";

/* Titles show by themselves, but late. */
static const char script[] =
    "const tip=document.getElementById('tip');\n"
    "for(const p of document.querySelectorAll('.point')){\n"
    "const t=p.querySelector('title'),text=t.textContent;t.remove();p.setAttribute('aria-label',text);\n"
    "p.addEventListener('mousemove',e=>{tip.textContent=text;tip.style.display='block';\n"
    "tip.style.left=Math.min(e.clientX+14,innerWidth-tip.offsetWidth-8)+'px';tip.style.top=(e.clientY+16)+'px'});\n"
    "p.addEventListener('mouseleave',()=>{tip.style.display='none'})}\n";

static void put_fact(FILE *out, const char *name, const char *text) {
    fprintf(out, "<dt>%s</dt><dd>", name);
    html_text(out, text);
    fputs("</dd>\n", out);
}

static void put_facts(FILE *out, const page *g) {
    const sweeping *w = g->w;
    fputs("<dl>\n<dt>command</dt><dd><code>", out);
    html_text(out, g->command_line);
    fputs("</code></dd>\n", out);
    for (size_t i = 0; i < w->a->n_inputs; i++) put_fact(out, i ? "" : "learned from", w->a->inputs[i]);
    if (!w->a->n_inputs) put_fact(out, "learned from", "standard input");
    fprintf(out, "<dt>examples</dt><dd>%" PRIu64 ", %" PRIu64 " positive", w->examples, w->positives);
    if (w->skipped.total) fprintf(out, "; %" PRIu64 " malformed lines skipped", w->skipped.total);
    if (w->passes > 1) fprintf(out, "; %" PRIu64 " passes", w->passes);
    if (w->repeats > 1) fprintf(out, "; %" PRIu64 " runs in different orders", w->repeats);
    fputs("</dd>\n", out);
    const point *any = best_at(w, -INFINITY, NULL);
    if (any) fprintf(out, "<dt>features seen</dt><dd>%.10g</dd>\n", any->features_seen);
    if (w->dimension) fprintf(out, "<dt>sparsity of</dt><dd>%" PRIu64 " features</dd>\n", w->dimension);
    if (w->test) {
        put_fact(out, "tested on", w->test);
        fprintf(out, "<dt>test examples</dt><dd>%zu</dd>\n", sluice_batch_rows(w->test_rows));
    } else {
        put_fact(out, "tested on", "nothing: the errors are those made while learning");
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
            which % CHART_COLOURS);
    put_marker(out, which);
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
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<title>Error against sparsity</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n%s</style>\n</head>\n"
            "<body>\n<h1>Error against sparsity</h1>\n<figure style=\"margin:0\">\n",
            style);
    put_chart(out, g->w);
    fputs("</figure>\n", out);
    put_facts(out, g);
    fputs("<div class=\"tables\">\n", out);
    put_best(out, g->w);
    put_findings(out, g->w);
    put_points(out, g->w);
    fprintf(out, "</div>\n<div id=\"tip\"></div>\n<script>\n%s</script>\n</body>\n</html>\n", script);
}

int write_page(const sweeping *w) {
    char *command_line = given_command_line(w->a);
    if (!command_line) return out_of_memory();
    page g = {w, command_line};
    int rc = write_text_file(w->html, put_page, &g);
    free(command_line);
    return rc;
}
