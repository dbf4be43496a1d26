/* Prints the results of a sweep as tables. */
#include "args/command_line.h"
#include "search/point_report.h"
#include "sweep/sweeping.h"
#include "terminal/figures.h"

#include <math.h>
#include <stdlib.h>

static void print_error(const sweeping *w, double error, double deviation) {
    print_figure(9, error);
    if (w->repeats < 2) return;
    fputs(" +-", stdout);
    print_figure(7, deviation);
}

static void print_errors(const sweeping *w, const sluice_point *p) {
    print_error(w, progressive_error(p), p->error_deviation);
    if (w->test) print_error(w, p->mean, p->deviation);
    printf("  %9s", COUNT((uint64_t)(p->nonzeros + 0.5)));
    if (isnan(p->sparsity))
        printf("  %8s", "");
    else
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
        for (size_t k = 0; k + 1 < c->points[0]->n_params; k++) printf(" %s", c->points[0]->params[k]);
    snprintf(first, sizeof first, "\n%10s", c->param->name);
    print_head(w, first);
    putchar('\n');
    for (size_t i = 0; i < c->n; i++) {
        const sluice_point *p = c->points[i];
        if (!is_shown(w, p)) continue;
        printf("%10s", swept_value(p));
        if (p->failure)
            printf("  failed: %s", p->failure);
        else
            print_errors(w, p);
        putchar('\n');
    }
}

/* Levels that no point has with a weight left are left out. */
static void print_best(const sweeping *w) {
    const double *levels;
    size_t n = sweep_levels(w, &levels), known = 0;
    const curve *c;
    for (size_t i = 0; i < n; i++) known += best_at(w, levels[i], &c) != NULL;
    if (!known && !w->n_findings) puts("\nno point has a weight left");
    if (!known) return;
    printf("\nthe smallest %s at a sparsity of at least\n", w->test ? "test error" : "error");
    print_head(w, "          ");
    putchar('\n');
    for (size_t i = 0; i < n; i++) {
        const sluice_point *p = best_at(w, levels[i], &c);
        if (!p) continue;
        printf("%10.10g", levels[i]);
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
        printf("%10.10g", f->wanted);
        if (!f->closest) {
            printf("  %s: no point has a weight left\n", f->of->learner->name);
            continue;
        }
        print_errors(w, f->closest);
        printf("  %s %s=%s%s\n", f->of->learner->name, f->of->param->name, swept_value(f->closest),
               f->reached ? "" : "  (cannot be reached; this is the closest)");
    }
}

/* ---- commands that train these models -----------------------------------------------------------------------------
 */

static int has_point(const sluice_point *const *list, size_t n, const sluice_point *p) {
    for (size_t i = 0; i < n; i++)
        if (list[i] == p) return 1;
    return 0;
}

/* The points that the two tables above name, each once. */
static size_t list_chosen(const sweeping *w, const sluice_point **list) {
    const double *levels;
    size_t n_levels = sweep_levels(w, &levels), n = 0;
    for (size_t i = 0; i < n_levels + w->n_findings; i++) {
        const sluice_point *p = i < n_levels ? best_at(w, levels[i], NULL) : w->findings[i - n_levels].closest;
        if (p && !has_point(list, n, p)) list[n++] = p;
    }
    return n;
}

static void print_commands(report *r, const sweeping *w) {
    const double *levels;
    const sluice_point **list = calloc(sweep_levels(w, &levels) + w->n_findings + 1, sizeof *list);
    size_t n = list ? list_chosen(w, list) : 0;
    r->failed |= !list;
    if (n) puts("\ncommands that train these models");
    for (size_t i = 0; i < n; i++) {
        char *line = train_command_line(w->a, list[i], NULL);
        r->failed |= !line;
        printf("  %s\n", line ? line : "");
        free(line);
    }
    free(list);
}

void report_sweep(report *r, const sweeping *w) {
    if (r->as_json) {
        json_sweep(r, w);
        return;
    }
    for (size_t i = 0; i < w->n_curves && !r->is_brief; i++) print_curve(w, &w->curves[i]);
    if (!w->examples) return;
    print_best(w);
    print_findings(w);
    print_commands(r, w);
}
