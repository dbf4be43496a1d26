/* Prints the few lines that a person gets without -v. */
#include "measure/summary.h"

#include "args/model_args.h"
#include "output/class_text.h"
#include "output/memory_text.h"
#include "output/race_report.h"
#include "terminal/figures.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMMARY_COLUMNS = 3, COLUMN = 14, WORST = 3, CONFUSED = 3, DIGITS = 4, MORE_DIGITS = 7 };
static const double small = 0.01, near_one = 0.999;
static const double rare = 0.05; /* classes whose precision and recall say more than error and AUC */

/* ---- the learner ------------------------------------------------------------------------------------------------- */

/* The model's own learner, as candidates of a race are described. */
static sluice_candidate described(const sluice_model *model, const sluice_model_facts *facts) {
    const sluice_settings *s = sluice_model_settings(model);
    sluice_candidate c = {.size = sizeof c,
                          .learner = facts->learner,
                          .normalize = s->normalize,
                          .scale = s->scale,
                          .transform = s->transform};
    for (size_t i = 0; i < facts->learner->n_params; i++) c.params[i] = sluice_model_param(model, i);
    return c;
}

void summarize_learner(report *r, const sluice_model *model, const sluice_model_facts *facts) {
    memory_text text;
    FILE *out = memory_text_open(&text);
    const sluice_candidate own = described(model, facts);
    if (out && sluice_model_candidates(model)) {
        put_candidate_learner(out, &own);
        fputs(": ", out);
        put_leader(out, model);
    } else if (out) {
        put_candidate(out, &own);
    }
    if (out && is_of_many(model)) fprintf(out, ", %s", classes_name(sluice_model_settings(model)->classes));
    char *line = out ? memory_text_close(&text, NULL) : NULL;
    r->failed |= !line;
    if (line) report_words(r, "learner", line);
    free(line);
}

/* ---- measures ---------------------------------------------------------------------------------------------------- */

typedef struct table {
    report *r;
    const summary_column *columns;
    size_t n;
} table;

/* One line of the table; nothing where no column has a text. */
static void put_texts(const table *t, const char *key, char texts[][FIGURE_TEXT]) {
    size_t last = t->n;
    while (last && !*texts[last - 1]) last--;
    if (!last) return;
    if (t->n == 1) {
        report_text(t->r, key, texts[0]);
        return;
    }
    report_label(t->r, key);
    for (size_t i = 0; i < last; i++) printf("%*s", COLUMN, texts[i]);
    putchar('\n');
}

static void put_counts(const table *t, const char *key, const uint64_t *counts) {
    char texts[SUMMARY_COLUMNS][FIGURE_TEXT];
    for (size_t i = 0; i < t->n && i < SUMMARY_COLUMNS; i++) count_text(counts[i], texts[i]);
    put_texts(t, key, texts);
}

static void put_figures(const table *t, const char *key, const double *figures) {
    char texts[SUMMARY_COLUMNS][FIGURE_TEXT];
    for (size_t i = 0; i < t->n && i < SUMMARY_COLUMNS; i++) {
        *texts[i] = 0;
        if (figures[i] >= small)
            snprintf(texts[i], sizeof texts[i], "%.*f", DIGITS, figures[i]);
        else if (!isnan(figures[i]))
            figure_text(figures[i], DIGITS - 1, texts[i]);
    }
    put_texts(t, key, texts);
}

#define MEASURE(name) #name, offsetof(sluice_measures, name)

static const struct measure_line {
    const char *key;
    size_t place; /* in sluice_measures */
    int of_many;  /* of several classes too */
} measure_lines[] = {
    {MEASURE(error_rate), 1},        {MEASURE(balanced_accuracy), 1}, {MEASURE(macro_f1), 1}, {MEASURE(auc), 0},
    {MEASURE(average_precision), 0}, {MEASURE(precision), 0},         {MEASURE(recall), 0},
};

static int has_rare_positives(const sluice_measures *m) {
    return (double)(m->true_pos + m->false_neg) < rare * (double)m->examples;
}

static int is_shown(const table *t, const struct measure_line *line, int many) {
    if (many) return line->of_many;
    if (line->place == offsetof(sluice_measures, macro_f1)) return 0;
    return line->place != offsetof(sluice_measures, average_precision) ||
           has_rare_positives(t->columns[t->n - 1].measures);
}

static void put_all_counts(const table *t) {
    uint64_t examples[SUMMARY_COLUMNS], mistakes[SUMMARY_COLUMNS], skipped[SUMMARY_COLUMNS],
        unlabelled[SUMMARY_COLUMNS];
    uint64_t all_skipped = 0, all_unlabelled = 0;
    for (size_t i = 0; i < t->n && i < SUMMARY_COLUMNS; i++) {
        examples[i] = t->columns[i].measures->examples;
        mistakes[i] = t->columns[i].measures->mistakes;
        skipped[i] = t->columns[i].skipped->total;
        all_skipped += skipped[i];
        unlabelled[i] = t->columns[i].skipped->unlabelled;
        all_unlabelled += unlabelled[i];
    }
    put_counts(t, "examples", examples);
    if (all_unlabelled) put_counts(t, "unlabelled", unlabelled);
    if (all_skipped) put_counts(t, "skipped", skipped);
    put_counts(t, "mistakes", mistakes);
}

static void put_all_figures(const table *t, int many) {
    double figures[SUMMARY_COLUMNS] = {0};
    for (size_t k = 0; k < sizeof measure_lines / sizeof *measure_lines; k++) {
        const struct measure_line *line = &measure_lines[k];
        if (!is_shown(t, line, many)) continue;
        for (size_t i = 0; i < t->n && i < SUMMARY_COLUMNS; i++)
            memcpy(&figures[i], (const char *)t->columns[i].measures + line->place, sizeof *figures);
        put_figures(t, line->key, figures);
        if (k == 0 && t->n == 1) put_figures(t, "fading_error", &t->columns->fading_error);
    }
}

/* The classes of lowest F1 on one line, and those that were most often taken for another one on a second one. */
static void put_hard_classes(report *r, const sluice_model *model, const class_figures *f) {
    uint32_t worst[WORST + 1];
    size_t places[CONFUSED + 1];
    char line[WORST * (2 * CLASS_TEXT + 64)] = "", text[2][CLASS_TEXT];
    size_t length = 0, n = worst_classes(f, worst, WORST);
    for (size_t i = 0; i < n; i++)
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s (%.4g)", i ? ", " : "",
                                   class_text(model, worst[i], text[0]), f->of[worst[i]].f1);
    if (n) report_words(r, "lowest_f1", line);
    n = most_confused(f, places, CONFUSED);
    length = 0;
    for (size_t i = 0; i < n; i++) {
        const sluice_confusion *c = &f->cells[places[i]];
        length += (size_t)snprintf(line + length, sizeof line - length, "%s%s -> %s (%s)", i ? ", " : "",
                                   truth_text(model, c->truth, text[0]), prediction_text(model, c->predicted, text[1]),
                                   COUNT(c->examples));
    }
    if (n) report_words(r, "most_mistaken", line);
}

void summarize_measures(report *r, const sluice_model *model, const summary_column *columns, size_t n) {
    const table t = {r, columns, n};
    char titles[SUMMARY_COLUMNS][FIGURE_TEXT];
    for (size_t i = 0; i < n; i++) snprintf(titles[i], sizeof titles[i], "%s", columns[i].title);
    if (n > 1) put_texts(&t, "", titles);
    put_all_counts(&t);
    put_all_figures(&t, is_of_many(model));
    if (is_of_many(model)) put_hard_classes(r, model, columns[n - 1].classes);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

void summarize_size(report *r, const sluice_model_facts *facts, uint64_t dimension) {
    char text[4 * FIGURE_TEXT], share[FIGURE_TEXT];
    const double zeros = sparsity(facts, dimension);
    int n = snprintf(text, sizeof text, "%s of ", COUNT(facts->nonzeros));
    if (facts->vectors > 1) n += snprintf(text + n, sizeof text - (size_t)n, "%s x ", COUNT(facts->vectors));
    n += snprintf(text + n, sizeof text - (size_t)n, "%s features", COUNT(facts->features_seen));
    if (!isnan(zeros))
        snprintf(text + n, sizeof text - (size_t)n, ", sparsity %s",
                 figure_text(zeros, zeros > near_one ? MORE_DIGITS : DIGITS, share));
    report_text(r, "nonzeros", text);
    if (facts->evicted) report_count(r, "evicted", facts->evicted);
    if (facts->refused) report_count(r, "refused", facts->refused);
}

void summarize_speed(report *r, double seconds, uint64_t examples) {
    char text[3 * FIGURE_TEXT], figure[FIGURE_TEXT];
    int n = snprintf(text, sizeof text, "%s", figure_text(seconds, 3, figure));
    if (seconds > 0 && examples)
        snprintf(text + n, sizeof text - (size_t)n, ", %s examples a second",
                 COUNT((uint64_t)((double)examples / seconds + 0.5)));
    report_text(r, "seconds", text);
}
