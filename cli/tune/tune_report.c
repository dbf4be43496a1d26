/* The results of `sluice tune`: a table, or JSON. */
#include "measure/class_figures.h"
#include "output/class_text.h"
#include "output/message.h"
#include "output/wrap.h"
#include "run/signals.h"
#include "search/point_report.h"
#include "search/reading_grid.h"
#include "terminal/figures.h"
#include "tune/tuning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const sluice_point *best_point(const tuning *t) { return sluice_search_point(t->search, 0); }

const char *varied_at(const sluice_point *p, size_t i) {
    const size_t params = p->n_params - p->n_fixed;
    return i < params ? p->params[p->n_fixed + i] : i - params < p->n_varied ? p->varied[i - params] : NULL;
}

static void print_point_name(const sluice_point *p) {
    const char *varied;
    printf("  %s", p->learner->name);
    for (size_t i = 0; (varied = varied_at(p, i)); i++) printf(" %s", varied);
    putchar('\n');
}

static void print_points(const tuning *t) {
    const size_t n = sluice_search_points(t->search), top = t->top && t->top < t->done ? (size_t)t->top : t->done;
    char heading[16];
    snprintf(heading, sizeof heading, "%.*s", (int)strcspn(t->measure->name, "@"), t->measure->name);
    printf("\n%s of %s points%s\n", COUNT(top), COUNT(n), top < t->done ? " (--top 0 shows all)" : "");
    printf("rank %8s deviation nonzeros sparsity seconds  point\n", heading);
    for (size_t i = 0; i < top; i++) {
        const sluice_point *p = sluice_search_point(t->search, i);
        printf("%4zu ", i + 1);
        if (p->failure) {
            printf("%8s%36s", "failed", "");
        } else {
            print_figure(8, p->mean);
            print_figure(10, p->deviation);
            printf(" %8s", COUNT((uint64_t)(p->nonzeros + 0.5)));
            print_figure(9, p->sparsity);
            printf(" %7.3f", p->seconds);
        }
        print_point_name(p);
    }
}

/* Why the first point is best, where another one has a better measure. */
static void print_choice(const tuning *t) {
    const size_t i = sluice_search_best_mean(t->search);
    if (i == 0) return;
    char text[256];
    snprintf(
        text, sizeof text,
        "Point 1 is the sparsest within one standard error (%.4f) of the best %s, that of point %zu, which --choose "
        "best takes.",
        sluice_search_standard_error(t->search, i), t->measure->title, i + 1);
    putchar('\n');
    print_wrapped(stdout, text, 0, 0);
}

static void json_failure(report *r, const sluice_point *p) {
    static const char *const missing[] = {"mean",       "deviation", "folds",    "mistakes",
                                          "error_rate", "nonzeros",  "sparsity", "test"};
    json_text(&r->j, "failed", p->failure);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) json_null(&r->j, missing[i]);
}

static void json_numbers(report *r, const char *key, const double *x, size_t n) {
    json_open(&r->j, key, '[');
    for (size_t i = 0; i < n; i++) json_number(&r->j, NULL, x[i]);
    json_close(&r->j, ']');
}

static void json_measures(report *r, const tuning *t, const char *key, const sluice_measures *m) {
    report_open(r, key);
    report_measured(r, m->classes != 0, m);
    if (t->how.precision > 0) report_figure(r, "recall_at_precision", m->recall_at_precision);
    report_close(r);
}

static void json_figures(report *r, const tuning *t, const sluice_point *p) {
    const int progressive = t->mode == TUNE_PROGRESSIVE;
    json_null(&r->j, "failed");
    json_number(&r->j, "mean", p->mean);
    json_number(&r->j, "deviation", p->deviation);
    if (progressive)
        json_null(&r->j, "folds");
    else
        json_numbers(r, "folds", p->runs, p->n_runs);
    json_count(&r->j, "mistakes", p->mistakes);
    json_number(&r->j, "error_rate", p->examples ? (double)p->mistakes / (double)p->examples : NAN);
    json_number(&r->j, "nonzeros", p->nonzeros);
    json_number(&r->j, "sparsity", p->sparsity);
    if (!progressive) {
        json_measures(r, t, "test", p->test);
        return;
    }
    json_null(&r->j, "test");
    json_measures(r, t, "progressive", p->test);
    json_numbers(r, "error_by_part", p->by_part, p->n_parts);
}

/* Those settings and readings that differ between points. */
static void json_settings(report *r, const sluice_point *p) {
    json_open(&r->j, "settings", '{');
    for (size_t i = 0; i < p->n_varied; i++) {
        char name[64];
        const sluice_param_info *setting = sluice_search_setting(p->varied[i]);
        const size_t length = strcspn(p->varied[i], "=");
        const char *text = p->varied[i] + length + 1;
        double value;
        snprintf(name, sizeof name, "%.*s", (int)length, p->varied[i]);
        if (!(setting && setting->choices) && sluice_parse_number(text, &value))
            json_number(&r->j, name, value);
        else
            json_text(&r->j, name, text);
    }
    json_close(&r->j, '}');
}

static void json_point(report *r, const tuning *t, const sluice_point *p) {
    json_text(&r->j, "learner", p->learner->name);
    json_point_params(r, p);
    json_settings(r, p);
    if (p->failure)
        json_failure(r, p);
    else
        json_figures(r, t, p);
    json_number(&r->j, "seconds", p->seconds);
}

static void json_best(report *r, const tuning *t) {
    const sluice_point *best = best_point(t);
    json_open(&r->j, "best", '{');
    json_point(r, t, best);
    json_open(&r->j, "at_end", '[');
    for (size_t i = 0; i + best->n_fixed < best->n_params; i++) {
        const char *param = best->params[best->n_fixed + i];
        if (sluice_search_at_end(t->search, 0, i))
            json_text(&r->j, NULL, sluice_learner_param(best->learner, param)->name);
    }
    json_close(&r->j, ']');
    json_text(&r->j, "command", t->command_line);
    json_close(&r->j, '}');
}

/* The point with the best measure, which a sparser one may have been preferred to. */
static void json_best_measure(report *r, const tuning *t) {
    const size_t i = sluice_search_best_mean(t->search);
    const sluice_point *p = sluice_search_point(t->search, i);
    json_open(&r->j, "best_measure", '{');
    json_count(&r->j, "point", i);
    json_number(&r->j, "mean", p->mean);
    json_number(&r->j, "standard_error", sluice_search_standard_error(t->search, i));
    json_close(&r->j, '}');
}

static void report_points(report *r, const tuning *t) {
    if (!r->as_json) {
        print_points(t);
        print_choice(t);
        printf("\nthe best on all examples: %s\n", t->command_line);
        return;
    }
    json_open(&r->j, "points", '[');
    for (size_t i = 0; i < t->done; i++) {
        json_open(&r->j, NULL, '{');
        json_point(r, t, sluice_search_point(t->search, i));
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
    json_best_measure(r, t);
    json_best(r, t);
}

static void report_search(report *r, const tuning *t) {
    report_text(r, "measure", t->measure->figure);
    if (t->how.precision > 0) report_figure(r, "at_precision", t->how.precision);
    if (r->as_json) report_truth(r, "larger_is_better", t->measure->larger_is_better);
    if (r->as_json) report_text(r, "choose", t->how.choose == SLUICE_CHOOSE_BEST ? "best" : "sparse");
    if (r->as_json || t->mode != TUNE_RANDOM) report_text(r, "mode", tune_mode_name(t));
    if (t->mode != TUNE_PROGRESSIVE)
        report_count(r, "folds", t->n_folds);
    else if (r->as_json)
        report_figure(r, "folds", NAN);
    report_count(r, "passes", t->passes);
    report_plain(r, "seed", t->a->seed);
}

/* The settings of the best point, its readings as options. */
static void report_best_settings(report *r, const tuning *t) {
    const sluice_point *best = best_point(t);
    args with;
    if (args_with_readings(t->a, best->varied, best->n_varied, &with) == DONE)
        report_search_settings(r, &with, best, t->format);
    else
        r->failed = 1;
    args_without_readings(&with);
}

static void report_rows_read(report *r, const tuning *t) {
    report_count(r, "examples", t->rows);
    if (r->is_brief) {
        if (t->skipped.total) report_count(r, "skipped", t->skipped.total);
        return;
    }
    if (!t->settings.classes) report_count(r, "positives", t->positives);
    report_classes(r, sluice_dataset_classes(t->data));
    report_skipped(r, &t->skipped);
    report_figure(r, "seconds", t->seconds);
}

int report_tuning(const tuning *t) {
    report r = report_start(args_has(t->a, "json"));
    if (!r.is_brief) report_search(&r, t);
    if (!r.is_brief) report_best_settings(&r, t);
    report_rows_read(&r, t);
    if (t->interrupted) {
        report_open(&r, "interrupted");
        report_text(&r, "signal", signal_name(t->interrupted));
        report_count(&r, "points_left", sluice_search_points(t->search) - t->done);
        report_close(&r);
    }
    report_points(&r, t);
    return report_end(&r);
}

/* Whether a point that differs from the best one in parameter i, and in no other unless all points tie, is as good:
 * then the best one is at the end of the range by chance. */
static int is_end_by_chance(const tuning *t, size_t i) {
    const double same = 1e-9;
    const sluice_point *best = best_point(t);
    size_t points = 0, ties = 0;
    for (size_t k = 1; k < t->done; k++) {
        const sluice_point *p = sluice_search_point(t->search, k);
        const char *mine, *others;
        size_t differ = 0, differs = 0;
        if (p->failure || isnan(p->mean)) continue;
        points++;
        if (!(fabs(p->mean - best->mean) < same)) continue;
        ties++;
        if (p->learner != best->learner) continue;
        for (size_t v = 0; (mine = varied_at(best, v)) && (others = varied_at(p, v)); v++) {
            if (strcmp(mine, others) == 0) continue;
            differ++;
            differs |= v == i;
        }
        if (differ == 1 && differs) return 1;
    }
    return points && ties == points;
}

void note_ends(const tuning *t) {
    const sluice_point *best = best_point(t);
    for (size_t i = 0; i + best->n_fixed < best->n_params; i++) {
        const char *param = best->params[best->n_fixed + i];
        size_t length = strcspn(param, "=");
        if (sluice_search_at_end(t->search, 0, i) && !is_end_by_chance(t, i))
            note("the best %.*s (%s) is at the end of its range: widen it", (int)length, param, param + length + 1);
    }
}
