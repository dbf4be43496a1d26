/* train --report: the tables of several classes. */
#include "output/message.h"
#include "page/html.h"
#include "train/train_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_IN_MATRIX = 100, /* classes; of more those with the most mistakes are shown: */
    SHOWN_OF_MORE = 60,
    MOST_WITH_COUNTS = 30, /* classes whose cells have room for a number */
    MOST_LISTED = 100,     /* in the table of classes */
    MOST_CONFUSED = 15,
    CLASSES_WITH_FEATURES = 30,
    ROW_LABEL = 28, /* characters of a label that are shown */
    COLUMN_LABEL = 20,
};

/* clang-format off */
const char class_styles[] =
    ".heat{overflow:auto;max-height:92vh;margin:0 0 .6rem}\n"
    ".heat table{border-collapse:separate;border-spacing:1px;font-size:13px;line-height:1.15}\n"
    ".heat th{position:sticky;left:0;z-index:1;background:var(--paper);border:0;font-weight:400;padding:0 .4rem 0 0;white-space:nowrap}\n"
    ".heat thead th{top:0;vertical-align:bottom;text-align:center;padding:0 .15rem .3rem}.heat thead th:first-child{z-index:2;text-align:left}\n"
    ".heat .up span{writing-mode:vertical-rl;transform:rotate(180deg)}\n"
    ".heat td{background:color-mix(in srgb,var(--rule) 35%,var(--paper));min-width:2.3rem;height:1.9rem;padding:0 .2rem;text-align:center}\n"
    ".heat td.c0,.heat td.c1{background:color-mix(in srgb,var(--c) var(--s),var(--paper))}\n"
    ".heat td.c0{box-shadow:inset 0 0 0 1.5px var(--c);font-weight:600}\n"
    ".heat .sum{background:none;color:var(--faint);padding:0 .3rem;min-width:0}.heat thead .sum{padding-bottom:.3rem}\n"
    ".heat.tight table{font-size:11px}.heat.tight td{min-width:1.7rem;height:1.45rem;padding:0 .1rem}\n"
    ".heat.large table{font-size:15px}.heat.large td{min-width:4.2rem;height:2.5rem}\n"
    /* as many cells as fit, and on a large screen more than the text is wide; then the page scrolls, not the box */
    ".heat.fine{--cell:clamp(9px,calc((96vw - 15rem)/var(--n) - 1px),14px)}\n"
    ".heat.fine table{font-size:calc(var(--cell)*.2 + 7.4px);line-height:1}\n"
    ".heat.fine td{min-width:var(--cell);height:var(--cell);padding:0}\n"
    ".heat.fine td.c0{box-shadow:inset 0 0 0 1px var(--c)}.heat.fine thead th{padding:0 0 .2rem}.heat.fine .sum{padding:0 .2rem}\n"
    ".swatch{display:inline-block;width:1.1em;height:.8em;margin:0 .3em 0 .8em;background:color-mix(in srgb,var(--c) 45%,var(--paper))}\n"
    ".swatch.c0{box-shadow:inset 0 0 0 1.5px var(--c);margin-left:0}\n"
    ".figures td.name{white-space:normal;overflow-wrap:anywhere}.figures td.bars{width:5rem;padding-right:0}\n"
    ".byclass{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:1rem 2rem}\n"
    ".byclass .weights{width:100%}.byclass caption{color:var(--ink);font-weight:600;overflow-wrap:anywhere}\n"
    "@media(max-width:40rem){.heat th{max-width:7rem;overflow:hidden;text-overflow:ellipsis}.heat thead th{max-width:none}\n"
    ".heat td{min-width:1.9rem}.heat.large table{font-size:13px}.heat.large td{min-width:2.8rem}.figures .bars{display:none}.figures td.name{min-width:6rem}}\n"
    "@media screen and (min-width:62rem){.heat.broad{width:96vw;margin:0 calc(50% - 48vw) .6rem;overflow:visible;max-height:none;\n"
    "--cell:clamp(7.5px,calc((96vw - 15rem)/var(--n) - 1px),14px)}.heat.broad table{margin:0 auto}}\n"
    "@media print{.heat{overflow:visible;max-height:none}.heat th{position:static}.heat table{font-size:7.5pt}\n"
    ".heat.tight td{min-width:5mm;height:4.5mm}.heat.tight table{font-size:6pt}\n"
    ".heat.fine{--cell:calc(140mm/var(--n))}.heat.fine table{font-size:calc(var(--cell)*.55 + 2px);border-spacing:.2px}}\n";
/* clang-format on */

/* ---- labels ------------------------------------------------------------------------------------------------------ */

static sluice_name label_of(const train_page *g, uint32_t class_index) {
    sluice_class c = {.size = sizeof c};
    sluice_model_class(g->t->result, class_index, &c);
    return c.text;
}

static void put_label_text(FILE *out, const train_page *g, uint32_t class_index, size_t most, const char *none) {
    if (class_index == SLUICE_NO_CLASS) {
        fprintf(out, "<i>%s</i>", none);
        return;
    }
    const sluice_name label = label_of(g, class_index);
    fputs("<bdi>", out);
    html_bytes(out, label.text, label.n, most);
    fputs("</bdi>", out);
}

/* In an attribute. */
static void put_plain_label(FILE *out, const train_page *g, uint32_t class_index) {
    const sluice_name label =
        class_index == SLUICE_NO_CLASS ? (sluice_name){"an unknown label", 16} : label_of(g, class_index);
    html_bytes(out, label.text, label.n, 60);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* The part of the matrix that is shown. */
typedef struct matrix {
    const train_page *g;
    const class_figures *f;
    const uint32_t *shown; /* classes, by their labels */
    size_t n;
    uint64_t *row; /* scratch: counts by class */
    int upright;   /* the labels of the columns stand on end */
} matrix;

static uint64_t mistakes_of(const class_figures *f, uint32_t c) {
    return f->of[c].support + f->of[c].predicted - 2 * f->of[c].hits;
}

static int more_mistakes(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Chooses the classes to show, by their labels. `counts` is scratch. Returns how many. */
static size_t choose_classes(const class_figures *f, uint64_t *counts, uint32_t *shown) {
    if (f->n <= MOST_IN_MATRIX) {
        memcpy(shown, f->order, f->n * sizeof *shown);
        return f->n;
    }
    for (uint32_t c = 0; c < f->n; c++) counts[c] = mistakes_of(f, c);
    qsort(counts, f->n, sizeof *counts, more_mistakes);
    const uint64_t least = counts[SHOWN_OF_MORE - 1];
    size_t n = 0, equals = SHOWN_OF_MORE; /* places for those that have just the least */
    while (equals && counts[SHOWN_OF_MORE - equals] > least) equals--;
    for (size_t i = 0; i < f->n; i++) {
        const uint64_t mistakes = mistakes_of(f, f->order[i]);
        if (mistakes < least || (mistakes == least && !equals)) continue;
        equals -= mistakes == least;
        shown[n++] = f->order[i];
    }
    return n;
}

static void put_column_heads(FILE *out, const matrix *m) {
    fputs("<thead><tr><th><small>is \\ predicted</small></th>", out);
    for (size_t i = 0; i < m->n; i++) {
        fprintf(out, "<th%s><span>", m->upright ? " class=\"up\"" : "");
        put_label_text(out, m->g, m->shown[i], COLUMN_LABEL, "");
        fputs("</span></th>", out);
    }
    fputs("<th class=\"sum\">re&shy;call</th></tr></thead>\n<tbody>\n", out);
}

/* Right ones are shaded by their share of the row; of wrong ones small shares are to be seen, too. */
static void put_matrix_cell(FILE *out, const matrix *m, uint32_t truth, uint32_t predicted, uint64_t in_row) {
    const uint64_t n = m->row[predicted];
    const int right = truth == predicted;
    const double share = in_row ? (double)n / (double)in_row : 0;
    if (!n && !right) {
        fputs("<td></td>", out);
        return;
    }
    fprintf(out, "<td class=\"c%d\" style=\"--s:%.0f%%\" title=\"", !right,
            right ? 12 + 48 * share : fmax(5, 60 * sqrt(fmin(1, 2 * share))));
    put_plain_label(out, m->g, truth);
    fputs(right ? ", found: " : " taken for ", out);
    if (!right) {
        put_plain_label(out, m->g, predicted);
        fputs(": ", out);
    }
    fprintf(out, "%" PRIu64 " of %" PRIu64 "\">", n, in_row);
    if (m->n <= MOST_WITH_COUNTS && n < 10000) fprintf(out, "%" PRIu64, n);
    if (m->n <= MOST_WITH_COUNTS && n >= 10000) html_short(out, floor((double)n / 1000) * 1000);
    fputs("</td>", out);
}

static void put_matrix_row(FILE *out, const matrix *m, uint32_t truth) {
    const class_figures *f = m->f;
    uint64_t all = 0;
    memset(m->row, 0, f->n * sizeof *m->row);
    for (size_t i = 0; i < f->n_cells; i++) {
        if (f->cells[i].truth != truth) continue;
        all += f->cells[i].examples;
        if (f->cells[i].predicted != SLUICE_NO_CLASS) m->row[f->cells[i].predicted] = f->cells[i].examples;
    }
    fputs("<tr><th>", out);
    put_label_text(out, m->g, truth, ROW_LABEL, "unknown label");
    fputs("</th>", out);
    for (size_t i = 0; i < m->n; i++) put_matrix_cell(out, m, truth, m->shown[i], all);
    if (truth != SLUICE_NO_CLASS && f->of[truth].support)
        fprintf(out, "<td class=\"sum\">%.0f</td>", 100 * f->of[truth].recall);
    else
        fputs("<td class=\"sum\">\xe2\x80\x93</td>", out);
    fputs("</tr>\n", out);
}

static void put_precisions(FILE *out, const matrix *m) {
    fputs("<tr><th class=\"sum\">precision</th>", out);
    for (size_t i = 0; i < m->n; i++) {
        const sluice_class_measures *of = &m->f->of[m->shown[i]];
        if (of->predicted && m->n <= MOST_WITH_COUNTS)
            fprintf(out, "<td class=\"sum\">%.0f</td>", 100 * of->precision);
        else
            fprintf(out, "<td class=\"sum\">%s</td>", m->n <= MOST_WITH_COUNTS ? "\xe2\x80\x93" : "");
    }
    fputs("<td class=\"sum\"></td></tr>\n", out);
}

static size_t longest_label(const matrix *m) {
    size_t longest = 0;
    for (size_t i = 0; i < m->n; i++) {
        const size_t n = label_of(m->g, m->shown[i]).n;
        if (n > longest) longest = n;
    }
    return longest;
}

static void put_matrix(FILE *out, matrix *m) {
    const size_t longest = longest_label(m);
    const int fine = m->n > MOST_WITH_COUNTS, tight = !fine && m->n > 12;
    m->upright = fine || (tight ? longest > 3 : longest > (m->n <= 5 ? 10 : 5));
    fprintf(out,
            "<p><small><span class=\"swatch c0\"></span>right<span class=\"swatch c1\"></span>wrong: the stronger, "
            "the larger the share of the row, which is what the examples are. Recall and precision are in "
            "percent.%s</small></p>\n",
            fine ? " Pointing at a cell shows its count." : "");
    if (m->n < m->f->n)
        fprintf(out, "<p class=\"note\">The matrix shows the %zu classes with the most mistakes of %zu.</p>\n", m->n,
                m->f->n);
    fprintf(out, "<div class=\"heat%s%s\" style=\"--n:%zu\" tabindex=\"0\"><table>\n",
            fine       ? " fine"
            : tight    ? " tight"
            : m->n < 7 ? " large"
                       : "",
            m->n > 50 ? " broad" : "", m->n);
    put_column_heads(out, m);
    for (size_t i = 0; i < m->n; i++) put_matrix_row(out, m, m->shown[i]);
    if (m->f->n_cells && m->f->cells[m->f->n_cells - 1].truth == SLUICE_NO_CLASS)
        put_matrix_row(out, m, SLUICE_NO_CLASS);
    if (!fine) put_precisions(out, m);
    fputs("</tbody></table></div>\n", out);
}

void put_class_matrix(FILE *out, const train_page *g) {
    matrix m = {.g = g, .f = g->classes, .shown = g->shown, .n = g->n_shown, .row = g->counts};
    if (m.n) put_matrix(out, &m);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

void put_confused(FILE *out, const train_page *g) {
    size_t places[MOST_CONFUSED + 1];
    const class_figures *f = g->classes;
    const size_t n = most_confused(f, places, MOST_CONFUSED);
    if (!n) return;
    fputs("<h2>Most frequent mistakes</h2>\n<div class=\"tables\"><table class=\"figures\">\n<thead><tr><th "
          "class=\"name\">is</th><th class=\"name\">taken for</th><th>examples</th><th>of its class "
          "%</th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < n; i++) {
        const sluice_confusion *c = &f->cells[places[i]];
        fputs("<tr><td class=\"name\">", out);
        put_label_text(out, g, c->truth, 60, "unknown label");
        fputs("</td><td class=\"name\">", out);
        put_label_text(out, g, c->predicted, 60, "no answer");
        fputs("</td><td>", out);
        html_grouped(out, c->examples);
        if (c->truth == SLUICE_NO_CLASS)
            fputs("</td><td>\xe2\x80\x93</td></tr>\n", out);
        else
            fprintf(out, "</td><td>%.1f</td></tr>\n", 100 * (double)c->examples / (double)f->of[c->truth].support);
    }
    fputs("</tbody></table></div>\n", out);
}

void put_class_table(FILE *out, const train_page *g) {
    const class_figures *f = g->classes;
    fputs("<h2>Each class</h2>\n<div class=\"tables\"><table class=\"figures c0\">\n<thead><tr><th "
          "class=\"name\">class</th><th>ex&shy;amples</th><th>pre&shy;dicted</th><th>preci&shy;sion "
          "%</th><th>recall %</th><th>F1 %</th><th class=\"bars\"></th></tr></thead>\n<tbody>\n",
          out);
    for (size_t i = 0; i < f->n && i < MOST_LISTED; i++) {
        const sluice_class_measures *of = &f->of[f->order[i]];
        fputs("<tr><td class=\"name\">", out);
        put_label_text(out, g, f->order[i], 60, "");
        fputs("</td><td>", out);
        html_grouped(out, of->support);
        fputs("</td><td>", out);
        html_grouped(out, of->predicted);
        fprintf(out,
                "</td><td>%.1f</td><td>%.1f</td><td>%.1f</td><td class=\"bars\"><i style=\"width:%.0f%%\"></i></td>"
                "</tr>\n",
                100 * of->precision, 100 * of->recall, 100 * of->f1, 100 * of->f1);
    }
    fputs("</tbody></table></div>\n", out);
    if (f->n > MOST_LISTED)
        fprintf(out, "<p><small>The first %d of %zu by their labels; <code>--json</code> has all.</small></p>\n",
                MOST_LISTED, f->n);
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

static size_t positive_only(sluice_weight *weights, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (weights[i].weight > 0) weights[kept++] = weights[i];
    return kept;
}

static void put_problem(FILE *out, const train_page *g, const class_weights *c) {
    fputs("<table class=\"weights c0\">\n<caption>", out);
    put_label_text(out, g, c->problem.positive, 40, "");
    if (c->problem.negative != SLUICE_NO_CLASS) {
        fputs(" <small>against</small> ", out);
        put_label_text(out, g, c->problem.negative, 40, "");
    }
    fputs("</caption>\n", out);
    for (size_t i = 0; i < c->n; i++) {
        const double weight = (double)c->weights[i].weight;
        fprintf(out, "<tr class=\"c%d\"><td class=\"name\">", weight < 0);
        put_feature_name(out, &c->weights[i]);
        fprintf(out, "</td><td class=\"bars\"><i style=\"width:%.1f%%\"></i></td><td>%.4g</td></tr>\n",
                100 * fabs(weight) / fabs((double)c->weights[0].weight), weight);
    }
    if (!c->n) fputs("<tr><td class=\"name\">none</td></tr>\n", out);
    fputs("</table>\n", out);
}

void put_class_features(FILE *out, const train_page *g) {
    const size_t all = sluice_model_problems(g->t->result);
    fprintf(out, "<p>%s</p>\n<div class=\"byclass\">\n",
            sluice_model_settings(g->t->result)->classes == SLUICE_CLASSES_OVO
                ? "Positive weights speak for the first of the two classes, negative ones for the other."
                : "The features that speak most for each class.");
    for (size_t i = 0; i < g->n_problems; i++) put_problem(out, g, &g->problems[i]);
    fputs("</div>\n", out);
    if (all > g->n_problems)
        fprintf(out, "<p><small>%zu of %zu; <code>sluice inspect --class W</code> shows others.</small></p>\n",
                g->n_problems, all);
}

/* ---- what the page needs ----------------------------------------------------------------------------------------- */

/* The heaviest weights of a problem. Returns an exit status. */
static int take_weights(const train_page *g, size_t i, class_weights *c) {
    sluice_error err = {0};
    sluice_weight *all;
    size_t n;
    c->problem = (sluice_problem){.size = sizeof c->problem};
    sluice_model_problem(g->t->result, i, &c->problem);
    if (sluice_model_problem_weights(g->t->result, i, &all, &n, &err) != SLUICE_OK) return complain_error(&err);
    if (c->problem.negative == SLUICE_NO_CLASS) n = positive_only(all, n);
    n = sluice_weights_heaviest(all, n, g->t->top ? (size_t)g->t->top : 10);
    c->weights = malloc((n + 1) * sizeof *c->weights);
    c->n = c->weights ? n : 0;
    if (c->n) memcpy(c->weights, all, n * sizeof *all);
    sluice_free(all);
    return c->weights ? DONE : out_of_memory();
}

int prepare_classes(train_page *g) {
    const class_figures *f = g->classes;
    const size_t all = sluice_model_problems(g->t->result);
    g->shown = malloc((f->n + 1) * sizeof *g->shown);
    g->counts = malloc((f->n + 1) * sizeof *g->counts);
    g->problems = calloc(CLASSES_WITH_FEATURES, sizeof *g->problems);
    if (!g->shown || !g->counts || !g->problems) return out_of_memory();
    g->n_shown = choose_classes(f, g->counts, g->shown);
    const int pairs = sluice_model_settings(g->t->result)->classes == SLUICE_CLASSES_OVO;
    int rc = DONE;
    for (size_t i = 0; i < all && i < CLASSES_WITH_FEATURES && !rc; i++, g->n_problems++)
        rc = take_weights(g, pairs ? i : f->order[i], &g->problems[i]);
    return rc;
}

void free_classes(train_page *g) {
    for (size_t i = 0; i < g->n_problems; i++) free(g->problems[i].weights);
    free(g->problems);
    free(g->shown);
    free(g->counts);
}
