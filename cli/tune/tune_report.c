/* The results of `sluice tune`: a table, or JSON. */
#include "measure/class_figures.h"
#include "output/message.h"
#include "output/wrap.h"
#include "search/point_report.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const sluice_point *best_point(const tuning *t) { return sluice_search_point(t->search, 0); }

/* The learner, and what distinguishes the point from the learner's others. */
static void print_point_name(const sluice_point *p) {
    printf("  %s", p->learner->name);
    for (size_t i = p->n_fixed; i < p->n_params; i++) printf(" %s", p->params[i]);
    for (size_t i = 0; i < p->n_varied; i++) printf(" %s", p->varied[i]);
    putchar('\n');
}

static void print_points(const tuning *t, size_t top) {
    size_t n = sluice_search_points(t->search), shown = top && top < n ? top : n;
    printf("\n%zu of %zu points%s\n", shown, n, shown < n ? " (--top 0 shows all)" : "");
    printf("rank %8s deviation nonzeros sparsity seconds  point\n", t->measure->option);
    for (size_t i = 0; i < shown; i++) {
        const sluice_point *p = sluice_search_point(t->search, i);
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
        print_point_name(p);
    }
}

/* The standard error of the mean over the folds that have the measure; NaN where that is one. */
static double standard_error(const sluice_point *p) {
    double n = 0;
    for (size_t i = 0; i < p->n_runs; i++) n += isnan(p->runs[i]) ? 0 : 1;
    return p->deviation / sqrt(n);
}

/* Why the first point is best, where another one has a better measure. */
static void print_choice(const tuning *t) {
    const size_t i = sluice_search_best_mean(t->search);
    if (i == 0) return;
    const sluice_point *p = sluice_search_point(t->search, i);
    char text[256];
    snprintf(
        text, sizeof text,
        "Point 1 is the sparsest within one standard error (%.4f) of the best %s, that of point %zu, which --choose "
        "best takes.",
        standard_error(p), t->measure->option, i + 1);
    putchar('\n');
    print_wrapped(stdout, text, 0, 0);
}

static void json_failure(report *r, const sluice_point *p) {
    static const char *const missing[] = {"mean",       "deviation", "folds",    "mistakes",
                                          "error_rate", "nonzeros",  "sparsity", "test"};
    json_text(&r->j, "failed", p->failure);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) json_null(&r->j, missing[i]);
}

static void json_figures(report *r, const sluice_point *p) {
    json_null(&r->j, "failed");
    json_number(&r->j, "mean", p->mean);
    json_number(&r->j, "deviation", p->deviation);
    json_open(&r->j, "folds", '[');
    for (size_t i = 0; i < p->n_runs; i++) json_number(&r->j, NULL, p->runs[i]);
    json_close(&r->j, ']');
    json_count(&r->j, "mistakes", p->mistakes);
    json_number(&r->j, "error_rate", p->examples ? (double)p->mistakes / (double)p->examples : NAN);
    json_number(&r->j, "nonzeros", p->nonzeros);
    json_number(&r->j, "sparsity", p->sparsity);
    report_open(r, "test");
    report_measured(r, p->test->classes != 0, p->test);
    report_close(r);
}

/* Those settings that differ between points. */
static void json_settings(report *r, const sluice_point *p) {
    json_open(&r->j, "settings", '{');
    for (size_t i = 0; i < p->n_varied; i++) {
        const sluice_param_info *setting = sluice_search_setting(p->varied[i]);
        const char *text = p->varied[i] + strlen(setting->name) + 1;
        double value;
        if (!setting->choices && sluice_parse_number(text, &value))
            json_number(&r->j, setting->name, value);
        else
            json_text(&r->j, setting->name, text);
    }
    json_close(&r->j, '}');
}

static void json_point(report *r, const sluice_point *p) {
    json_text(&r->j, "learner", p->learner->name);
    json_point_params(r, p);
    json_settings(r, p);
    if (p->failure)
        json_failure(r, p);
    else
        json_figures(r, p);
    json_number(&r->j, "seconds", p->seconds);
}

static void json_best(report *r, const tuning *t, const char *command_line) {
    const sluice_point *best = best_point(t);
    json_open(&r->j, "best", '{');
    json_point(r, best);
    json_open(&r->j, "at_end", '[');
    for (size_t i = 0; i + best->n_fixed < best->n_params; i++) {
        const char *param = best->params[best->n_fixed + i];
        if (sluice_search_at_end(t->search, 0, i))
            json_text(&r->j, NULL, sluice_learner_param(best->learner, param)->name);
    }
    json_close(&r->j, ']');
    json_text(&r->j, "command", command_line);
    json_close(&r->j, '}');
}

/* The point with the best measure, which a sparser one may have been preferred to. */
static void json_best_measure(report *r, const tuning *t) {
    const size_t i = sluice_search_best_mean(t->search);
    const sluice_point *p = sluice_search_point(t->search, i);
    json_open(&r->j, "best_measure", '{');
    json_count(&r->j, "point", i);
    json_number(&r->j, "mean", p->mean);
    json_number(&r->j, "standard_error", standard_error(p));
    json_close(&r->j, '}');
}

void report_points(report *r, const tuning *t, size_t top, const char *command_line) {
    if (!r->as_json) {
        print_points(t, top);
        print_choice(t);
        printf("\nthe best on all examples: %s\n", command_line);
        return;
    }
    json_open(&r->j, "points", '[');
    for (size_t i = 0; i < sluice_search_points(t->search); i++) {
        json_open(&r->j, NULL, '{');
        json_point(r, sluice_search_point(t->search, i));
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
    json_best_measure(r, t);
    json_best(r, t, command_line);
}

void note_ends(const tuning *t) {
    const sluice_point *best = best_point(t);
    for (size_t i = 0; i + best->n_fixed < best->n_params; i++) {
        const char *param = best->params[best->n_fixed + i];
        size_t length = strcspn(param, "=");
        if (sluice_search_at_end(t->search, 0, i))
            note("the best %.*s (%s) is at the end of its range: widen it", (int)length, param, param + length + 1);
    }
}
