/* sweep --json. */
#include "measure/class_figures.h"
#include "args/command_line.h"
#include "search/point_report.h"
#include "sweep/sweeping.h"

#include <stdlib.h>

static void json_test(report *r, const sweeping *w, const sluice_point *p) {
    if (!w->test) {
        json_null(&r->j, "test");
        return;
    }
    report_open(r, "test");
    report_measured(r, p->test->classes != 0, p->test);
    json_number(&r->j, "error_rate_deviation", p->deviation);
    json_open(&r->j, "error_rates", '[');
    for (uint64_t i = 0; i < w->repeats; i++) json_number(&r->j, NULL, p->runs[i]);
    json_close(&r->j, ']');
    report_close(r);
}

static void json_figures(report *r, const sweeping *w, const sluice_point *p) {
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

static void json_failure(report *r, const sluice_point *p) {
    static const char *const missing[] = {"examples",      "mistakes", "error_rate", "error_rate_deviation",
                                          "features_seen", "nonzeros", "sparsity",   "sparsity_deviation",
                                          "test"};
    json_text(&r->j, "failed", p->failure);
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) json_null(&r->j, missing[i]);
}

static void json_point(report *r, const sweeping *w, const curve *c, const sluice_point *p) {
    json_text(&r->j, "learner", c->learner->name);
    json_point_params(r, p);
    json_text(&r->j, "swept", c->param->name);
    json_number(&r->j, "value", swept_number(p));
    json_truth(&r->j, "searched", p->searched);
    if (p->failure)
        json_failure(r, p);
    else
        json_figures(r, w, p);
}

/* With what makes its model. */
static void json_chosen(report *r, const sweeping *w, const curve *c, const sluice_point *p) {
    char *line = train_command_line(w->a, p, NULL);
    r->failed |= !line;
    json_point(r, w, c, p);
    json_text(&r->j, "command", line);
    free(line);
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
        const sluice_point *p = best_at(w, levels[i], &c);
        if (!p) continue;
        json_open(&r->j, NULL, '{');
        json_number(&r->j, "sparsity_at_least", levels[i]);
        json_chosen(r, w, c, p);
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
            json_chosen(r, w, f->of, f->closest);
        else
            json_text(&r->j, "learner", f->of->learner->name);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

void json_sweep(report *r, const sweeping *w) {
    json_points(r, w);
    json_best(r, w);
    json_findings(r, w);
}
