#include "point_report.h"
#include "sweep.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- for a person ------------------------------------------------------------------------------------------------ */

static void print_error(const sweeping *w, double error, double deviation) {
    print_figure(9, error);
    if (w->repeats < 2) return;
    fputs(" +-", stdout);
    print_figure(7, deviation);
}

static void print_errors(const sweeping *w, const point *p) {
    print_error(w, progressive_error(p), p->error_deviation);
    if (w->test) print_error(w, p->mean, p->deviation);
    printf("  %9.0f", p->nonzeros);
    printf("  %8.6f", p->sparsity);
}

static void print_head(const sweeping *w, const char *first) {
    int width = w->repeats > 1 ? 19 : 9;
    printf("%s%*s", first, width, "error");
    if (w->test) printf("%*s", width, "test");
    printf("  %9s  %8s", "nonzeros", "sparsity");
}

static void print_curve(const sweeping *w, const curve *c) {
    char first[32];
    printf("\n%s", c->learner->name);
    for (size_t i = 0; i < c->n && i < 1; i++)
        for (size_t k = 0; k + 1 < c->points[0]->recipe.n_params; k++) printf(" %s", c->points[0]->recipe.params[k]);
    snprintf(first, sizeof first, "\n%10s", c->param->name);
    print_head(w, first);
    putchar('\n');
    for (size_t i = 0; i < c->n; i++) {
        const point *p = c->points[i];
        printf("%10s", swept_value(p));
        if (p->failure)
            printf("  failed: %s", p->failure);
        else
            print_errors(w, p);
        putchar('\n');
    }
}

static void print_best(const sweeping *w) {
    const double *levels;
    size_t n = sweep_levels(w, &levels);
    printf("\nthe smallest %s at a sparsity of at least\n", w->test ? "test error" : "error");
    for (size_t i = 0; i < n; i++) {
        const curve *c;
        const point *p = best_at(w, levels[i], &c);
        if (!p) continue;
        printf("%10.4g", levels[i]);
        print_errors(w, p);
        printf("  %s %s=%s\n", c->learner->name, c->param->name, swept_value(p));
    }
}

static void print_findings(const sweeping *w) {
    if (!w->n_findings) return;
    print_head(w, "\n  wanted  ");
    putchar('\n');
    for (size_t i = 0; i < w->n_findings; i++) {
        const finding *f = &w->findings[i];
        printf("%10.6g", f->wanted);
        if (f->closest) {
            print_errors(w, f->closest);
            printf("  %s %s=%s", f->of->learner->name, f->of->param->name, swept_value(f->closest));
        } else {
            printf("  %s", f->of->learner->name);
        }
        puts(f->reached ? "" : "  (cannot be reached; this is the closest)");
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void json_test(report *r, const sweeping *w, const point *p) {
    if (!w->test) {
        json_null(&r->j, "test");
        return;
    }
    report_open(r, "test");
    report_measures(r, &p->test);
    json_number(&r->j, "error_rate_deviation", p->deviation);
    json_open(&r->j, "error_rates", '[');
    for (uint64_t i = 0; i < w->repeats; i++) json_number(&r->j, NULL, p->each[i]);
    json_close(&r->j, ']');
    report_close(r);
}

static void json_figures(report *r, const sweeping *w, const point *p) {
    json_null(&r->j, "failed");
    json_count(&r->j, "examples", p->examples);
    json_count(&r->j, "mistakes", p->mistakes);
    json_number(&r->j, "error_rate", progressive_error(p));
    json_number(&r->j, "error_rate_deviation", p->error_deviation);
    json_number(&r->j, "features_seen", p->features_seen);
    json_number(&r->j, "nonzeros", p->nonzeros);
    json_number(&r->j, "sparsity", p->sparsity);
    json_number(&r->j, "sparsity_deviation", p->sparsity_deviation);
    json_test(r, w, p);
}

static void json_failure(report *r, const point *p) {
    static const char *const missing[] = {"examples",      "mistakes", "error_rate", "error_rate_deviation",
                                          "features_seen", "nonzeros", "sparsity",   "sparsity_deviation",
                                          "test"};
    json_text(&r->j, "failed", p->failure);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) json_null(&r->j, missing[i]);
}

static void json_point(report *r, const sweeping *w, const curve *c, const point *p) {
    double value = INFINITY;
    json_text(&r->j, "learner", c->learner->name);
    json_point_params(r, p);
    json_text(&r->j, "swept", c->param->name);
    sluice_parse_number(swept_value(p), &value);
    json_number(&r->j, "value", value);
    if (p->failure)
        json_failure(r, p);
    else
        json_figures(r, w, p);
}

static void json_points(report *r, const sweeping *w) {
    json_open(&r->j, "points", '[');
    for (size_t i = 0; i < w->n_curves; i++)
        for (size_t k = 0; k < w->curves[i].n; k++) {
            json_open(&r->j, NULL, '{');
            json_point(r, w, &w->curves[i], w->curves[i].points[k]);
            json_close(&r->j, '}');
        }
    json_close(&r->j, ']');
}

static void json_best(report *r, const sweeping *w) {
    const double *levels;
    size_t n = sweep_levels(w, &levels);
    json_open(&r->j, "best", '[');
    for (size_t i = 0; i < n; i++) {
        const curve *c;
        const point *p = best_at(w, levels[i], &c);
        if (!p) continue;
        json_open(&r->j, NULL, '{');
        json_number(&r->j, "sparsity_at_least", levels[i]);
        json_point(r, w, c, p);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

static void json_findings(report *r, const sweeping *w) {
    json_open(&r->j, "wanted", '[');
    for (size_t i = 0; i < w->n_findings; i++) {
        const finding *f = &w->findings[i];
        json_open(&r->j, NULL, '{');
        json_number(&r->j, "sparsity_wanted", f->wanted);
        json_truth(&r->j, "reached", f->reached);
        if (f->closest)
            json_point(r, w, f->of, f->closest);
        else
            json_text(&r->j, "learner", f->of->learner->name);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

void report_sweep(report *r, const sweeping *w) {
    if (r->as_json) {
        json_points(r, w);
        json_best(r, w);
        json_findings(r, w);
        return;
    }
    for (size_t i = 0; i < w->n_curves; i++) print_curve(w, &w->curves[i]);
    print_best(w);
    print_findings(w);
}
