/* tune --report: the best points along a stream. */
#include "page/html.h"
#include "tune/tune_marks.h"

#include <inttypes.h>
#include <math.h>

enum { HEIGHT = 320, MOST_LINES = 5, BEST_COLOUR = 6 };

/* ---- figures ----------------------------------------------------------------------------------------------------- */

void put_measure(FILE *out, const sluice_measure_info *m, double value, int with_sign) {
    if (isnan(value))
        fputs("\xe2\x80\x93", out);
    else if (!m->is_share)
        fprintf(out, "%.6g", value);
    else
        fprintf(out, with_sign ? "%.3f %%" : "%.3f", 100 * value);
}

static void number_label(FILE *out, double value, double step) {
    if (step >= 1)
        html_short(out, value);
    else
        fprintf(out, "%.*f", (int)ceil(-log10(step) - 1e-9), value);
}

put_label *measure_label(const sluice_measure_info *m) { return m->is_share ? percent_label : number_label; }

void put_point_name(FILE *out, const sluice_point *p) {
    const char *varied;
    html_text(out, p->learner->name);
    for (size_t i = 0; (varied = varied_at(p, i)); i++) fputc(' ', out), html_text(out, varied);
}

/* ---- the chart --------------------------------------------------------------------------------------------------- */

/* A line: the figures of a point by part. */
typedef struct course {
    const sluice_point *p;
    const double *y;
    size_t n, rank;
} course;

typedef struct courses {
    const tuning *t;
    const sluice_measure_info *measure; /* of the lines */
    course of[MOST_LINES];
    size_t n;
    chart c;
} courses;

/* How many examples there are up to the end of a part that is measured. */
static double end_of(const courses *g, const course *line, size_t i) {
    const int forward = g->t->mode == TUNE_FORWARD; /* the first part is not measured */
    return (double)g->t->rows * (double)(i + 1 + (size_t)forward) / (double)(line->n + (size_t)forward);
}

static void add_line(courses *g, const sluice_point *p, size_t rank) {
    const int forward = g->t->mode == TUNE_FORWARD;
    course line = {p, forward ? p->runs : p->by_part, forward ? p->n_runs : p->n_parts, rank};
    if (p->failure || !line.y || line.n < 2) return;
    g->of[g->n++] = line;
    for (size_t i = 0; i < line.n; i++) {
        if (isnan(line.y[i])) continue;
        g->c.y.low = fmin(g->c.y.low, line.y[i]);
        g->c.y.high = fmax(g->c.y.high, line.y[i]);
    }
}

static int colour_of(const course *line) { return line->rank == 1 ? BEST_COLOUR : (int)line->rank - 2; }

static void put_dot(FILE *out, const courses *g, const course *line, size_t i) {
    if (isnan(line->y[i])) return;
    fprintf(out, "<g class=\"point\"><title>rank %zu, ", line->rank);
    put_point_name(out, line->p);
    fputs(", examples up to ", out);
    html_grouped(out, (uint64_t)end_of(g, line, i));
    fprintf(out, ": %s ", g->measure->title);
    put_measure(out, g->measure, line->y[i], 1);
    fputs("</title>", out);
    chart_mark(out, &g->c, colour_of(line), 1, end_of(g, line, i), line->y[i]);
    fprintf(out, "<circle class=\"hit\" cx=\"%.1f\" cy=\"%.1f\" r=\"7\"/></g>\n",
            axis_place(&g->c.x, end_of(g, line, i)), axis_place(&g->c.y, line->y[i]));
}

static void put_line(FILE *out, const courses *g, const course *line) {
    char letter = 'M';
    fprintf(out, "<path class=\"line c%d\" d=\"", colour_of(line));
    for (size_t i = 0; i < line->n; i++) chart_line_to(out, &g->c, &letter, end_of(g, line, i), line->y[i]);
    fputs("\"/>\n", out);
    for (size_t i = 0; i < line->n; i++) put_dot(out, g, line, i);
}

static void put_caption(FILE *out, const courses *g) {
    fprintf(out, "<figure class=\"wide\">\n<figcaption><b>The best points along the stream: %s%s</b>",
            g->measure->title,
            g->t->mode == TUNE_FORWARD ? " of each part, predicted from those before it" : " while learning");
    for (size_t i = 0; i < g->n; i++) {
        char text[32];
        snprintf(text, sizeof text, "rank %zu", g->of[i].rank);
        figure_key(out, colour_of(&g->of[i]), "line", g->of[i].rank == 1 ? "the best" : text);
    }
    fputs("</figcaption>\n", out);
}

void put_stream_chart(FILE *out, const tuning *t) {
    courses g = {.t = t, .measure = t->mode == TUNE_FORWARD ? t->measure : sluice_measure_at(SLUICE_MEASURE_ERROR)};
    if (t->mode == TUNE_RANDOM) return;
    g.c = chart_small("stream-chart", "the best points along the stream", HEIGHT);
    for (size_t i = 0; i < t->done && i < MOST_LINES; i++) add_line(&g, sluice_search_point(t->search, i), i + 1);
    if (!g.n) return;
    g.c.x.low = 0;
    g.c.x.high = (double)t->rows;
    axis_ticks(&g.c.x, 1);
    axis_round(&g.c.y, 1e-4);
    put_caption(out, &g);
    chart_start(out, &g.c);
    chart_y_axis(out, &g.c, measure_label(g.measure), NULL);
    chart_x_axis(out, &g.c, count_label, "examples");
    chart_frame(out, &g.c, g.c.right);
    for (size_t i = g.n; i-- > 0;) put_line(out, &g, &g.of[i]);
    figure_end(out);
}
