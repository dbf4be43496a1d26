/* train --report: the race of `auto` as a picture, and its candidates. */
#include "output/race_report.h"
#include "page/chart.h"
#include "page/html.h"
#include "page/page.h"
#include "train/train_page.h"

#include <inttypes.h>
#include <math.h>

enum {
    HEIGHT = 380,
    MOST_CHANGES = 12,
    MOST_DROPS = 256,
    LEAST_LINE = 6, /* of a line, in units of the picture */
    EARLY = 256,    /* before this many examples errors say little: they are shown in short runs alone */
    LONG_RUN = 2560,
};

/* A race as it is drawn: those that have led longest have colours. */
typedef struct race {
    const train_page *g;
    const sluice_model *model;
    const race_history *h;
    size_t n, first; /* candidates; the first point that is drawn */
    sluice_candidate candidates[RACE_CANDIDATES];
    int colour[RACE_CANDIDATES]; /* -1: it never led, or others led longer */
    chart c;
} race;

static double examples_at(const race *r, size_t point) {
    return (double)(r->g->t->examples_before + r->h->points[point].examples);
}

/* Colours for those that have led, the longest first. */
static void give_colours(race *r) {
    for (size_t i = 0; i < r->n; i++) r->colour[i] = -1;
    for (int colour = 0; colour < PAGE_COLOURS; colour++) {
        size_t longest = r->n;
        for (size_t i = 0; i < r->n; i++)
            if (r->colour[i] < 0 && r->candidates[i].led &&
                (longest == r->n || r->candidates[i].led > r->candidates[longest].led))
                longest = i;
        if (longest < r->n) r->colour[longest] = colour;
    }
}

static race race_of(const train_page *g) {
    race r = {.g = g, .model = g->t->model, .h = &g->t->history.race};
    r.n = sluice_model_candidates(r.model);
    if (r.n > RACE_CANDIDATES) r.n = RACE_CANDIDATES;
    for (size_t i = 0; i < r.n; i++) {
        r.candidates[i].size = sizeof r.candidates[i];
        sluice_model_candidate(r.model, i, &r.candidates[i]);
    }
    give_colours(&r);
    while (r.first + 1 < r.h->n && examples_at(&r, r.first) < EARLY && examples_at(&r, r.h->n - 1) >= LONG_RUN)
        r.first++;
    return r;
}

/* ---- the picture ------------------------------------------------------------------------------------------------- */

static void put_class(FILE *out, const race *r, size_t candidate) {
    if (r->colour[candidate] < 0)
        fputs("rest", out);
    else
        fprintf(out, "c%d", r->colour[candidate]);
}

/* Whether a line between two recorded points can be seen. */
static int is_long(const race *r, size_t from, size_t to) {
    return to > from &&
           axis_place(&r->c.x, log10(examples_at(r, to))) - axis_place(&r->c.x, log10(examples_at(r, from))) >=
               LEAST_LINE;
}

static void put_line(FILE *out, const race *r, size_t candidate, size_t from, size_t to, const char *kind) {
    char letter = 'M';
    if (!is_long(r, from, to)) return;
    fprintf(out, "<path class=\"line %s ", kind);
    put_class(out, r, candidate);
    fputs("\" d=\"", out);
    for (size_t i = from; i <= to; i++)
        chart_line_to(out, &r->c, &letter, log10(examples_at(r, i)), (double)r->h->points[i].error[candidate]);
    fputs("\"/>\n", out);
}

/* One line for every stretch in which the candidate learned. */
static void put_lines(FILE *out, const race *r, size_t candidate) {
    for (size_t i = r->first; i < r->h->n; i++) {
        size_t end = i;
        if (isnan(r->h->points[i].error[candidate])) continue;
        while (end + 1 < r->h->n && !isnan(r->h->points[end + 1].error[candidate])) end++;
        put_line(out, r, candidate, i, end, "thin");
        i = end;
    }
}

static void put_leads(FILE *out, const race *r) {
    for (size_t i = r->first, end; i < r->h->n; i = end + 1) {
        const size_t leader = r->h->points[i].leader;
        for (end = i; end + 1 < r->h->n && r->h->points[end + 1].leader == leader;) end++;
        if (leader < r->n) put_line(out, r, leader, i, end, "lead");
    }
}

static void put_name(FILE *out, const race *r, size_t candidate) {
    fprintf(out, "candidate %zu, %s", candidate + 1, r->candidates[candidate].learner->name);
}

/* Strips over which the pointer shows who led. */
static void put_strips(FILE *out, const race *r) {
    double from = r->c.left;
    for (size_t i = r->first; i < r->h->n; i++) {
        const struct race_point *p = &r->h->points[i];
        const double x = axis_place(&r->c.x, log10(examples_at(r, i)));
        if (p->leader >= r->n || isnan(p->error[p->leader]) || x - from < 2) continue;
        fprintf(out, "<g class=\"point\"><rect class=\"hit\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\"/>",
                from, r->c.top, x - from, r->c.bottom - r->c.top);
        fputs("<title>after ", out);
        html_grouped(out, (uint64_t)examples_at(r, i));
        fputs(" examples: error ", out);
        html_percent(out, (double)p->error[p->leader], 2);
        fputs(" of the leader, ", out);
        put_name(out, r, p->leader);
        fprintf(out, "; %zu learn</title>", p->alive);
        chart_mark(out, &r->c, r->colour[p->leader] < 0 ? 0 : r->colour[p->leader], 0, log10(examples_at(r, i)),
                   (double)p->error[p->leader]);
        fputs("</g>\n", out);
        from = x;
    }
}

/* Where a candidate was dropped. Of marks that cover each other one alone can be pointed at. */
static void put_drop(FILE *out, const race *r, const sluice_race_event *e, double x, double y, int pointed) {
    fputs(pointed ? "<g class=\"point " : "<g pointer-events=\"none\" class=\"", out);
    put_class(out, r, e->candidate);
    fprintf(out, "\" transform=\"translate(%.1f %.1f)\">", x, y);
    if (pointed) {
        fputs("<circle class=\"hit\" r=\"6\"/><title>after ", out);
        html_grouped(out, e->examples);
        fputs(" examples: error ", out);
        html_percent(out, e->error, 2);
        fputs(" of ", out);
        put_name(out, r, e->candidate);
        fputs(", which was dropped</title>", out);
    }
    chart_marker(out, 6);
    fputs("</g>\n", out);
}

static void put_drops(FILE *out, const race *r) {
    const sluice_race_event *e;
    double last_x[MOST_DROPS], last_y[MOST_DROPS];
    size_t n = 0;
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++) {
        const double at = e->examples ? log10((double)e->examples) : -1;
        if (e->kind != SLUICE_RACE_DROPPED || e->candidate >= r->n || isnan(e->error)) continue;
        if (at < r->c.x.low || at > r->c.x.high || e->error < r->c.y.low || e->error > r->c.y.high) continue;
        const double x = axis_place(&r->c.x, at), y = axis_place(&r->c.y, e->error);
        int pointed = n < MOST_DROPS;
        for (size_t k = 0; k < n; k++) pointed &= fabs(x - last_x[k]) > 13 || fabs(y - last_y[k]) > 13;
        put_drop(out, r, e, x, y, pointed);
        if (!pointed) continue;
        last_x[n] = x;
        last_y[n++] = y;
    }
}

/* Powers of ten and, where these are few, twice and five times them. */
static void put_x_axis(FILE *out, const chart *c) {
    static const double multiples[] = {1, 2, 5};
    const size_t n = c->x.high - c->x.low < 2.5 ? 3 : 1;
    for (double power = floor(c->x.low); power <= c->x.high; power++)
        for (size_t i = 0; i < n; i++) {
            const double at = power + log10(multiples[i]);
            char text[32];
            if (at < c->x.low - 1e-9 || at > c->x.high + 1e-9) continue;
            const double value = multiples[i] * pow(10, power);
            snprintf(text, sizeof text,
                     value >= 1e6   ? "%gM"
                     : value >= 1e3 ? "%gk"
                                    : "%g",
                     value >= 1e6   ? value / 1e6
                     : value >= 1e3 ? value / 1e3
                                    : value);
            chart_x_tick(out, c, axis_place(&c->x, at), text);
        }
    chart_x_name(out, c, c->bottom + 42, "examples (logarithmic)");
}

static void scale_axes(race *r) {
    r->c.x.low = log10(examples_at(r, r->first));
    r->c.x.high = log10(examples_at(r, r->h->n - 1));
    for (size_t i = r->first; i < r->h->n; i++)
        for (size_t k = 0; k < r->n; k++) {
            const double error = (double)r->h->points[i].error[k];
            if (isnan(error)) continue;
            r->c.y.low = fmin(r->c.y.low, error);
            r->c.y.high = fmax(r->c.y.high, error);
        }
    axis_round(&r->c.y, 1e-4);
}

static void put_keys(FILE *out, const race *r) {
    int others = 0;
    for (int colour = 0; colour < PAGE_COLOURS; colour++)
        for (size_t i = 0; i < r->n; i++) {
            char text[64];
            if (r->colour[i] != colour) continue;
            snprintf(text, sizeof text, "%zu %s", i + 1, r->candidates[i].learner->name);
            figure_key(out, colour, "line", text);
        }
    for (size_t i = 0; i < r->n; i++) others |= r->colour[i] < 0;
    if (others)
        fputs("\n<span class=\"key rest\"><svg viewBox=\"-14 -6 28 12\" aria-hidden=\"true\"><path class=\"line thin\" "
              "d=\"M-13 0H13\"/></svg>others</span>",
              out);
    fputs("\n<span class=\"key\"><svg class=\"symbol rest\" viewBox=\"-14 -8 28 16\" aria-hidden=\"true\">", out);
    chart_marker(out, 6);
    fputs("</svg>dropped</span></figcaption>\n", out);
}

static void put_race_chart(FILE *out, race *r) {
    r->c = chart_small("race-chart", "fading error of the candidates over examples", HEIGHT);
    scale_axes(r);
    fputs("<div class=\"wide\">\n", out);
    figure_start(out, "Fading error of each candidate; thick while it led");
    put_keys(out, r);
    chart_start(out, &r->c);
    chart_y_axis(out, &r->c, percent_label, NULL);
    put_x_axis(out, &r->c);
    chart_frame(out, &r->c, r->c.right);
    for (size_t i = 0; i < r->n; i++)
        if (r->colour[i] < 0) put_lines(out, r, i);
    for (size_t i = 0; i < r->n; i++)
        if (r->colour[i] >= 0) put_lines(out, r, i);
    put_leads(out, r);
    put_strips(out, r);
    put_drops(out, r);
    figure_end(out);
    fputs("</div>\n", out);
}

/* ---- the candidates ---------------------------------------------------------------------------------------------- */

static void put_state(FILE *out, const sluice_candidate *c) {
    if (c->is_alive)
        fputs(c->is_leader ? "leads" : "learns", out);
    else
        html_grouped(out, c->dropped);
}

static void put_candidates(FILE *out, const race *r) {
    fputs("<div class=\"tables\">\n<table>\n<caption>Candidates</caption>\n<tr><th>number</th><th "
          "class=\"name\">configuration</th><th>fading error</th><th>nonzero weights</th><th>led for</th><th>dropped "
          "after</th></tr>\n",
          out);
    for (size_t i = 0; i < r->n; i++) {
        const sluice_candidate *c = &r->candidates[i];
        fprintf(out, "<tr%s><td>%zu</td><td class=\"name\"><code>", c->is_leader ? " class=\"now\"" : "", i + 1);
        put_candidate(out, c);
        fputs("</code></td><td>", out);
        html_percent(out, c->error, 2);
        fputs("</td><td>", out);
        html_grouped(out, c->nonzeros);
        fputs("</td><td>", out);
        html_grouped(out, c->led);
        fputs("</td><td>", out);
        put_state(out, c);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n</div>\n", out);
}

static int is_change(const sluice_race_event *e) {
    return e->kind == SLUICE_RACE_LEADS || e->kind == SLUICE_RACE_RESTARTED;
}

/* Who led from when on: the last changes. */
static void put_changes(FILE *out, const race *r) {
    const sluice_race_event *e;
    size_t changes = 0, at = 0;
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++) changes += is_change(e) ? 1 : 0;
    if (!changes) return;
    fputs("<div class=\"tables\">\n<table class=\"thresholds\">\n<caption>Who led", out);
    if (changes > MOST_CHANGES) fprintf(out, ": the last %d of %zu changes", MOST_CHANGES, changes);
    fputs("</caption>\n<tr><th>after examples</th><th class=\"name\">candidate</th><th>fading error</th><th "
          "class=\"name\"></th></tr>\n",
          out);
    for (size_t i = 0; (e = sluice_model_race_event(r->model, i)); i++) {
        if (!is_change(e) || at++ + MOST_CHANGES < changes || e->candidate >= r->n) continue;
        fputs("<tr><td>", out);
        html_grouped(out, e->examples);
        fprintf(out, "</td><td class=\"name\">%" PRIu32 " %s</td><td>", e->candidate + 1,
                r->candidates[e->candidate].learner->name);
        html_percent(out, e->error, 2);
        fprintf(out, "</td><td class=\"name\">%s</td></tr>\n",
                e->kind == SLUICE_RACE_RESTARTED ? "the stream has changed: the race began again" : "");
    }
    fputs("</table>\n</div>\n", out);
}

void put_race(FILE *out, const train_page *g) {
    race r = race_of(g);
    if (!r.n) return;
    fputs("<h2>The race</h2>\n<p>Candidates learn the same examples side by side; each is measured by its errors on "
          "examples that it had not learned yet, the latest of which count most. The leader answers: of those whose "
          "error "
          "is not clearly above the least, the sparsest. Candidates without hope are dropped.</p>\n",
          out);
    if (r.h->n > r.first + 1) put_race_chart(out, &r);
    put_candidates(out, &r);
    put_changes(out, &r);
}
