/* Prints what `sluice select` chose, and writes it as tab-separated text. */
#include "measure/class_figures.h"
#include "select/select_report.h"
#include "output/text_file.h"
#include "output/weights.h"
#include "terminal/columns.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>

static void print_rate(int width, double x) {
    if (isnan(x))
        printf("%*s", width, "");
    else
        printf("%*.4f", width, x);
}

static void print_budgets(const sluice_selection *s) {
    printf("\n  features    chosen    error  balanced accuracy     auc   seconds\n");
    for (size_t i = 0; i < sluice_selection_count(s); i++) {
        const sluice_budget *b = sluice_selection_budget(s, i);
        printf("%10s%10s", COUNT(b->features), COUNT(b->n));
        print_rate(9, b->test->error_rate);
        print_rate(19, b->test->balanced_accuracy);
        print_rate(8, b->test->auc);
        printf("%10.3g\n", b->seconds);
    }
}

/* In which budgets a feature is says more than how heavy it is. */
static void print_best(const sluice_selection *s, size_t top) {
    enum { NAME_WIDTH = 30, OTHER_COLUMNS = 45 };
    const int room = result_columns() - OTHER_COLUMNS;
    const sluice_budget *b = sluice_selection_budget(s, sluice_selection_count(s) - 1);
    size_t shown = top && top < b->n ? top : b->n;
    printf("\n%s of the %s features chosen for %s%s\n", COUNT(shown), COUNT(b->n), COUNT(b->features),
           shown < b->n ? " (--top 0 lists all)" : "");
    printf("  rank  %-*s  %11s  %11s  in from\n", NAME_WIDTH, "feature", "score", "weight");
    for (size_t i = 0; i < shown; i++) {
        const sluice_weight *f = &b->chosen[i];
        printf("%6zu  ", i + 1);
        print_name_in(stdout, f, NAME_WIDTH, room);
        printf("  %11.6g  %11.6g  %7s\n", (double)b->scores[i], (double)f->weight,
               COUNT(sluice_selection_since(s, f->id)));
    }
}

static void json_budget(report *r, const sluice_budget *b) {
    json_open(&r->j, NULL, '{');
    json_count(&r->j, "features", b->features);
    json_count(&r->j, "chosen", b->n);
    report_open(r, "test");
    report_measured(r, b->test->classes != 0, b->test);
    report_close(r);
    json_number(&r->j, "seconds", b->seconds);
    json_open(&r->j, "selected", '[');
    for (size_t i = 0; i < b->n; i++) {
        json_open(&r->j, NULL, '{');
        json_name(&r->j, &b->chosen[i]);
        json_float(&r->j, "score", b->scores[i]);
        json_float(&r->j, "weight", b->chosen[i].weight);
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
    json_close(&r->j, '}');
}

void report_selection(report *r, const sluice_selection *s, size_t top) {
    if (!r->as_json) {
        print_budgets(s);
        print_best(s, top);
        return;
    }
    json_open(&r->j, "budgets", '[');
    for (size_t i = 0; i < sluice_selection_count(s); i++) json_budget(r, sluice_selection_budget(s, i));
    json_close(&r->j, ']');
}

static void write_budget(FILE *out, const sluice_budget *b) {
    char score[32], weight[32];
    for (size_t i = 0; i < b->n; i++) {
        sluice_format_float(score, b->scores[i]);
        sluice_format_float(weight, b->chosen[i].weight);
        fprintf(out, "%" PRIu64 "\t%zu\t", b->features, i + 1);
        print_name(out, &b->chosen[i], 0);
        fprintf(out, "\t%s\t%s\n", score, weight);
    }
}

static void write_budgets(FILE *out, const void *what) {
    const sluice_selection *s = what;
    fputs("budget\trank\tfeature\tscore\tweight\n", out);
    for (size_t i = 0; i < sluice_selection_count(s); i++) write_budget(out, sluice_selection_budget(s, i));
}

int write_selection(const sluice_selection *s, const char *path) { return write_text_file(path, write_budgets, s); }
