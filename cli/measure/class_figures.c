/* Reports what was measured of several classes. */
#include "measure/class_figures.h"

#include "output/class_text.h"
#include "output/message.h"
#include "terminal/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_DENSE = 1000, /* classes of which the confusion is written as rows of numbers */
    MOST_LISTED = 30,  /* classes that a person gets to see all of */
    WORST_LISTED = 20, /* of more */
    CONFUSIONS = 10,   /* shown */
};

int is_of_many(const sluice_model *model) { return sluice_model_settings(model)->classes != SLUICE_CLASSES_TWO; }

/* ---- taking them out of a meter ---------------------------------------------------------------------------------- */

typedef struct sortable {
    sluice_class label;
    uint32_t class_index;
} sortable;

static int compare_labels(const void *a, const void *b) {
    const sluice_class *x = &((const sortable *)a)->label, *y = &((const sortable *)b)->label;
    if (x->is_number != y->is_number) return x->is_number ? -1 : 1;
    if (x->is_number) return x->number < y->number ? -1 : x->number > y->number;
    const size_t n = x->text.n < y->text.n ? x->text.n : y->text.n;
    const int order = memcmp(x->text.text, y->text.text, n);
    return order ? order : x->text.n < y->text.n ? -1 : x->text.n > y->text.n;
}

static int sort_classes(const sluice_model *model, class_figures *f) {
    sortable *all = malloc((f->n + 1) * sizeof *all);
    if (!all) return out_of_memory();
    for (size_t i = 0; i < f->n; i++) {
        all[i] = (sortable){.label = {.size = sizeof all[i].label}, .class_index = (uint32_t)i};
        sluice_model_class(model, i, &all[i].label);
    }
    qsort(all, f->n, sizeof *all, compare_labels);
    for (size_t i = 0; i < f->n; i++) f->order[i] = all[i].class_index;
    free(all);
    return DONE;
}

int class_figures_of(const sluice_model *model, sluice_meter *meter, class_figures *f) {
    *f = (class_figures){0};
    if (!is_of_many(model)) return DONE;
    f->n = sluice_model_classes(model);
    f->n_cells = sluice_meter_confusions(meter, NULL, 0);
    f->of = calloc(f->n + 1, sizeof *f->of);
    f->order = calloc(f->n + 1, sizeof *f->order);
    f->cells = calloc(f->n_cells + 1, sizeof *f->cells);
    int rc = f->of && f->order && f->cells ? sort_classes(model, f) : out_of_memory();
    if (rc) {
        class_figures_free(f);
        return rc;
    }
    sluice_meter_confusions(meter, f->cells, f->n_cells);
    for (size_t i = 0; i < f->n; i++) {
        f->of[i].size = sizeof f->of[i];
        sluice_meter_class(meter, i, &f->of[i]);
    }
    return DONE;
}

void class_figures_free(class_figures *f) {
    free(f->of);
    free(f->order);
    free(f->cells);
    *f = (class_figures){0};
}

/* ---- figures of all classes together ----------------------------------------------------------------------------- */

/* As a list by k; for a person those that say something. */
static void report_top_accuracies(report *r, const sluice_measures *m) {
    if (r->as_json) {
        json_open(&r->j, "top_accuracy", '[');
        for (size_t k = 0; k < SLUICE_TOP_ACCURACIES; k++) json_number(&r->j, NULL, m->top_accuracy[k]);
        json_close(&r->j, ']');
        return;
    }
    static const size_t shown[] = {2, 3, 5};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        char key[48];
        if (shown[i] >= m->classes || isnan(m->top_accuracy[shown[i] - 1])) continue;
        snprintf(key, sizeof key, "top_%zu_accuracy", shown[i]);
        report_figure(r, key, m->top_accuracy[shown[i] - 1]);
    }
}

static void report_many(report *r, const sluice_measures *m) {
    report_count(r, "examples", m->examples);
    report_count(r, "mistakes", m->mistakes);
    report_figure(r, "error_rate", m->error_rate);
    report_figure(r, "accuracy", m->accuracy);
    report_figure(r, "balanced_accuracy", m->balanced_accuracy);
    if (r->as_json) report_figure(r, "auc", m->auc); /* which a reader of any results may look for */
    report_figure(r, "macro_precision", m->macro_precision);
    report_figure(r, "macro_recall", m->macro_recall);
    report_figure(r, "macro_f1", m->macro_f1);
    report_figure(r, "micro_f1", m->micro_f1);
    report_figure(r, "weighted_f1", m->weighted_f1);
    report_top_accuracies(r, m);
    report_figure(r, "log_loss", m->log_loss);
    if (r->as_json || m->unknown_labels) report_count(r, "unknown_labels", m->unknown_labels);
}

void report_measured(report *r, int many, const sluice_measures *m) {
    if (many)
        report_many(r, m);
    else
        report_measures(r, m);
}

/* ---- each class, as JSON ----------------------------------------------------------------------------------------- */

static void json_figures(json *j, const sluice_model *model, const class_figures *f) {
    json_open(j, "classes", '[');
    for (size_t i = 0; i < f->n; i++) {
        json_open(j, NULL, '{');
        json_class(j, "label", model, (uint32_t)i);
        json_number(j, "precision", f->of[i].precision);
        json_number(j, "recall", f->of[i].recall);
        json_number(j, "f1", f->of[i].f1);
        json_count(j, "support", f->of[i].support);
        json_count(j, "predicted", f->of[i].predicted);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* The row of one truth; *at is the first of its cells, and then that of the next truth. What has no prediction is in no
 * column. */
static void json_row(json *j, const char *key, const class_figures *f, uint32_t truth, size_t *at) {
    json_open(j, key, '[');
    for (uint32_t predicted = 0; predicted < f->n; predicted++) {
        const sluice_confusion *c = &f->cells[*at];
        const int is_next = *at < f->n_cells && c->truth == truth && c->predicted == predicted;
        json_count(j, NULL, is_next ? c->examples : 0);
        *at += (size_t)is_next;
    }
    json_close(j, ']');
    while (*at < f->n_cells && f->cells[*at].truth == truth) ++*at;
}

static void json_dense(json *j, const class_figures *f) {
    size_t at = 0;
    json_open(j, "confusion", '[');
    for (uint32_t truth = 0; truth < f->n; truth++) json_row(j, NULL, f, truth, &at);
    json_close(j, ']');
    if (at < f->n_cells) json_row(j, "confusion_unknown", f, SLUICE_NO_CLASS, &at);
}

static void json_sparse(json *j, const sluice_model *model, const class_figures *f) {
    json_open(j, "confusion", '[');
    for (size_t i = 0; i < f->n_cells; i++) {
        json_open(j, NULL, '{');
        json_class(j, "truth", model, f->cells[i].truth);
        json_class(j, "predicted", model, f->cells[i].predicted);
        json_count(j, "examples", f->cells[i].examples);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- each class, for a person ------------------------------------------------------------------------------------ */

int is_confusion(const sluice_confusion *c) { return c->truth != c->predicted || c->truth == SLUICE_NO_CLASS; }

size_t most_confused(const class_figures *f, size_t *places, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < f->n_cells; i++) {
        if (!is_confusion(&f->cells[i])) continue;
        size_t at = n;
        while (at && f->cells[places[at - 1]].examples < f->cells[i].examples) at--;
        if (at == most) continue;
        n += n < most;
        memmove(places + at + 1, places + at, (n - at - 1) * sizeof *places);
        places[at] = i;
    }
    return n;
}

const char *truth_text(const sluice_model *model, uint32_t class_index, char text[]) {
    return class_index == SLUICE_NO_CLASS ? "(unknown)" : class_text(model, class_index, text);
}

const char *prediction_text(const sluice_model *model, uint32_t class_index, char text[]) {
    return class_index == SLUICE_NO_CLASS ? "(none)" : class_text(model, class_index, text);
}

/* The lowest F1 of the classes that occur first; among equals the class of more examples. */
static int is_worse(const sluice_class_measures *a, const sluice_class_measures *b) {
    return a->f1 != b->f1 ? a->f1 < b->f1 : a->support > b->support;
}

size_t worst_classes(const class_figures *f, uint32_t *worst, size_t most) {
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const uint32_t c = f->order[i];
        size_t at = n;
        if (!f->of[c].support && !f->of[c].predicted) continue;
        while (at && is_worse(&f->of[c], &f->of[worst[at - 1]])) at--;
        if (at == most) continue;
        n += n < most;
        memmove(worst + at + 1, worst + at, (n - at - 1) * sizeof *worst);
        worst[at] = c;
    }
    return n;
}

static void print_classes(const report *r, const sluice_model *model, const class_figures *f) {
    uint32_t worst[WORST_LISTED + 1];
    const int all = f->n <= MOST_LISTED, indent = 2 * r->depth;
    const size_t n = all ? f->n : worst_classes(f, worst, WORST_LISTED);
    char text[CLASS_TEXT];
    printf("%*s%s\n", indent, "", all ? "each class" : "the classes of lowest F1");
    printf("%*s  %9s  %9s  %9s  %9s  %9s  class\n", indent, "", "support", "predicted", "precision", "recall", "f1");
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = all ? f->order[i] : worst[i];
        const sluice_class_measures *of = &f->of[c];
        printf("%*s  %9s  %9s  %9.4f  %9.4f  %9.4f  %s\n", indent, "", COUNT(of->support), COUNT(of->predicted),
               of->precision, of->recall, of->f1, class_text(model, c, text));
    }
    if (!all) printf("%*s  and %zu more; --json has all\n", indent, "", f->n - n);
}

static void print_confusions(const report *r, const sluice_model *model, const class_figures *f) {
    size_t places[CONFUSIONS + 1];
    const size_t n = most_confused(f, places, CONFUSIONS);
    const int indent = 2 * r->depth;
    char text[2][CLASS_TEXT];
    if (!n) return;
    printf("%*smost frequent mistakes\n", indent, "");
    printf("%*s  %9s  %9s  class taken for\n", indent, "", "examples", "of class");
    for (size_t i = 0; i < n; i++) {
        const sluice_confusion *c = &f->cells[places[i]];
        char share[32] = "";
        if (c->truth != SLUICE_NO_CLASS)
            snprintf(share, sizeof share, "%.4f", (double)c->examples / (double)f->of[c->truth].support);
        printf("%*s  %9s  %9s  %s -> %s\n", indent, "", COUNT(c->examples), share, truth_text(model, c->truth, text[0]),
               prediction_text(model, c->predicted, text[1]));
    }
}

void report_class_figures(report *r, const sluice_model *model, const class_figures *f) {
    if (!is_of_many(model) || r->as_rows) return;
    if (!r->as_json) {
        if (!f->n) return;
        print_classes(r, model, f);
        print_confusions(r, model, f);
        return;
    }
    json_figures(&r->j, model, f);
    if (f->n <= MOST_DENSE)
        json_dense(&r->j, f);
    else
        json_sparse(&r->j, model, f);
}
