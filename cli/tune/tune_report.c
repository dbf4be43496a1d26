#include "output/message.h"
#include "search/point_report.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The learner, and what distinguishes the point from its others. */
static void print_point_name(const tuning *t, const point *p) {
    const search *s = search_of(&t->list, p);
    printf("  %s", p->recipe.learner->name);
    for (size_t i = 0; i < s->n_grids; i++) printf(" %s", p->recipe.params[s->n_fixed + i]);
    putchar('\n');
}

static void print_points(const tuning *t, size_t top) {
    size_t n = t->list.n_points, shown = top && top < n ? top : n;
    printf("\n%zu of %zu points%s\n", shown, n, shown < n ? " (--top 0 shows all)" : "");
    printf("rank %8s deviation nonzeros sparsity seconds  point\n", tune_measure_names[t->measure - tune_measures]);
    for (size_t i = 0; i < shown; i++) {
        const point *p = &t->list.points[i];
        printf("%4zu ", i + 1);
        if (p->failure) {
            printf("%8s%36s", "failed", "");
        } else {
            print_figure(8, p->mean);
            print_figure(10, p->deviation);
            printf(" %8.0f", p->nonzeros);
            print_figure(9, p->sparsity);
            printf(" %7.3f", p->seconds);
        }
        print_point_name(t, p);
    }
}

static void json_failure(report *r, const point *p) {
    static const char *const missing[] = {"mean",       "deviation", "folds",    "mistakes",
                                          "error_rate", "nonzeros",  "sparsity", "test"};
    json_text(&r->j, "failed", p->failure);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) json_null(&r->j, missing[i]);
}

static void json_figures(report *r, const tuning *t, const point *p) {
    json_null(&r->j, "failed");
    json_number(&r->j, "mean", p->mean);
    json_number(&r->j, "deviation", p->deviation);
    json_open(&r->j, "folds", '[');
    for (size_t i = 0; i < t->folds.n; i++) json_number(&r->j, NULL, p->each[i]);
    json_close(&r->j, ']');
    json_count(&r->j, "mistakes", p->mistakes);
    json_number(&r->j, "error_rate", p->examples ? (double)p->mistakes / (double)p->examples : NAN);
    json_number(&r->j, "nonzeros", p->nonzeros);
    json_number(&r->j, "sparsity", p->sparsity);
    report_open(r, "test");
    report_measures(r, &p->test);
    report_close(r);
}

static void json_point(report *r, const tuning *t, const point *p) {
    json_text(&r->j, "learner", p->recipe.learner->name);
    json_point_params(r, p);
    if (p->failure)
        json_failure(r, p);
    else
        json_figures(r, t, p);
    json_number(&r->j, "seconds", p->seconds);
}

static int best_at_end(const tuning *t, size_t i) {
    const point *best = &t->list.points[0];
    const search *s = search_of(&t->list, best);
    return grid_at_end(&s->grids[i], point_value(s, best, i), t->random > 0);
}

static void json_best(report *r, const tuning *t, const char *command_line) {
    const search *s = search_of(&t->list, &t->list.points[0]);
    json_open(&r->j, "best", '{');
    json_point(r, t, &t->list.points[0]);
    json_open(&r->j, "at_end", '[');
    for (size_t i = 0; i < s->n_grids; i++)
        if (best_at_end(t, i)) json_text(&r->j, NULL, s->grids[i].param->name);
    json_close(&r->j, ']');
    json_text(&r->j, "command", command_line);
    json_close(&r->j, '}');
}

void report_points(report *r, const tuning *t, size_t top, const char *command_line) {
    if (!r->as_json) {
        print_points(t, top);
        printf("\nthe best on all examples: %s\n", command_line);
        return;
    }
    json_open(&r->j, "points", '[');
    for (size_t i = 0; i < t->list.n_points; i++) {
        json_open(&r->j, NULL, '{');
        json_point(r, t, &t->list.points[i]);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
    json_best(r, t, command_line);
}

void note_ends(const tuning *t) {
    const point *best = &t->list.points[0];
    const search *s = search_of(&t->list, best);
    for (size_t i = 0; i < s->n_grids; i++)
        if (best_at_end(t, i))
            complain("note: the best %s (%s) is at the end of its range: widen it", s->grids[i].param->name,
                     point_value(s, best, i));
}
