/* sluice check: what is in the inputs, what is wrong with them, and what to do, without learning. */
#include "args/command_line.h"
#include "check/input_facts.h"
#include "commands.h"
#include "output/memory_text.h"
#include "output/message.h"
#include "output/report.h"
#include "terminal/columns.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const option_info options[] = {
    {"format", 'f', "FORMAT",
     "format of the inputs: libsvm, vw, csv, jsonl, text, url or bin (default: by content, then by the ending)", 0},
    {"label", 0, "COLUMN", "csv, jsonl: the column or key of the label (default: label, or the first column)", 0},
    {"weight", 0, "COLUMN", "csv, jsonl: the column or key of the importance weight (default: none)", 0},
    {"no-header", 0, NULL, "csv: the first line is data; columns are called by their numbers", 0},
    SEPARATOR_OPTION,
    TEXT_OPTIONS,
    {"json", 0, NULL, "print the results as one JSON object", 0},
    {NULL, 0, NULL, NULL, 0},
};

static const file_option files[] = {
    {.option = "", .role = READS_DATA},
    TEXT_FILES,
    {.option = NULL},
};

enum { SHOWN_CLASSES = 10, BRIEF_CLASSES = 4, LEAST_RUN = 50, LEAST_TEXTS = 10, LABEL_ROOM = 60, DIGITS = 4 };
#define RARE 0.05
#define LONG_ROW 10.
#define SHORT_ROW 0.1
#define FAR_APART 1000.
#define MANY_REPEATS 0.1

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void take_bad_line(void *context, const sluice_bad_line *bad) { input_facts_bad_line(context, bad); }

static int take_batch(void *context, const sluice_batch *batch) { return input_facts_take(context, batch); }

static int read_inputs(const args *a, input_facts *f) {
    sluice_reader_options reading = {.size = sizeof reading,
                                     .format = args_value(a, "format"),
                                     .label = args_value(a, "label"),
                                     .weight = args_value(a, "weight"),
                                     .no_header = args_has(a, "no-header"),
                                     .threads = 1, /* malformed lines are told of in their order */
                                     .skip_errors = 1,
                                     .every_line = 1,
                                     .words = 1,
                                     .missing_labels = 1,
                                     .bad_line = take_bad_line,
                                     .bad_line_context = f};
    int rc = text_options(a, &reading);
    if (!rc) rc = quadratic_option(a, &reading.quadratic);
    if (!rc) rc = column_options(a, &reading);
    const inputs from = {a->inputs, a->n_inputs, NULL, NULL};
    input_stream s;
    if (rc) return rc;
    note_stdin(a);
    if ((rc = input_stream_open(&s, &from, NULL, &reading))) return rc;
    progress live = progress_start(1, 0);
    rc = each_batch(&s, &live, take_batch, f);
    f->format = sluice_reader_format(s.reader);
    input_stream_close(&s);
    return rc;
}

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : NAN; }

static size_t shown_classes(const input_facts *f) {
    const uint64_t n = sluice_names_count(f->labels);
    return n < MOST_CLASSES ? (size_t)n : MOST_CLASSES;
}

/* The classes by falling frequency, at most `room`. */
static size_t frequent_classes(const input_facts *f, size_t *order, size_t room) {
    size_t n = 0;
    for (size_t i = 0; i < shown_classes(f); i++) {
        size_t at = n < room ? n++ : room;
        for (; at > 0 && f->of_label[order[at - 1]] < f->of_label[i]; at--)
            if (at < room) order[at] = order[at - 1];
        if (at < room) order[at] = i;
    }
    return n;
}

static void json_classes(report *r, const input_facts *f) {
    json_open(&r->j, "classes", '[');
    for (size_t i = 0; i < shown_classes(f); i++) {
        const sluice_name label = sluice_names_name(f->labels, i);
        json_open(&r->j, NULL, '{');
        json_bytes(&r->j, "label", label.text, label.n);
        json_count(&r->j, "examples", f->of_label[i]);
        json_number(&r->j, "share", share(f->of_label[i], f->rows - f->unlabelled));
        json_close(&r->j, '}');
    }
    json_close(&r->j, ']');
}

static void report_classes_of(report *r, const input_facts *f) {
    size_t order[SHOWN_CLASSES];
    if (r->as_json) {
        json_classes(r, f);
        return;
    }
    report_count(r, "classes", sluice_names_count(f->labels));
    const size_t n = frequent_classes(f, order, SHOWN_CLASSES);
    for (size_t i = 0; i < n; i++) {
        const sluice_name label = sluice_names_name(f->labels, order[i]);
        char text[128];
        snprintf(text, sizeof text, "%.*s: %s (%.2f %%)", (int)(label.n < 60 ? label.n : 60), label.text,
                 COUNT(f->of_label[order[i]]), 100 * share(f->of_label[order[i]], f->rows - f->unlabelled));
        report_text(r, "", text);
    }
}

static void report_errors(report *r, const input_facts *f) {
    if (!r->is_brief || f->malformed) report_count(r, "malformed", f->malformed);
    if (r->as_json) json_open(&r->j, "errors", '[');
    for (size_t i = 0; i < f->n_errors; i++) {
        const fact_error *e = &f->errors[i];
        if (r->as_json) {
            json_open(&r->j, NULL, '{');
            json_text(&r->j, "reason", e->reason);
            json_count(&r->j, "count", e->count);
            json_text(&r->j, "example", e->example);
            json_open(&r->j, "lines", '[');
            for (size_t k = 0; k < PLACES_OF_A_REASON && e->line[k]; k++) json_count(&r->j, NULL, e->line[k]);
            json_close(&r->j, ']');
            json_close(&r->j, '}');
            continue;
        }
        char text[400];
        int n = snprintf(text, sizeof text, "%s %s, line", COUNT(e->count), e->reason);
        for (size_t k = 0; k < PLACES_OF_A_REASON && e->line[k]; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s %" PRIu64, k ? "," : "", e->line[k]);
        snprintf(text + n, sizeof text - (size_t)n, ": %s", e->example);
        report_text(r, "", text);
    }
    if (r->as_json) json_close(&r->j, ']');
}

static uint64_t features_once(const input_facts *f) {
    uint64_t once = 0;
    for (size_t i = 0; i < f->features.room; i++) {
        const fact_feature *c = (const fact_feature *)f->features.records + i;
        once += c->key && c->rows == 1;
    }
    return once;
}

/* ---- what to do -------------------------------------------------------------------------------------------------- */

enum { MOST_ADVICE = 12, ADVICE_TEXT = 256 };

typedef struct advice {
    char text[MOST_ADVICE][ADVICE_TEXT];
    size_t n;
} advice;

static void advise(advice *to, const char *format, ...) PRINTF_LIKE(2, 3);

static void advise(advice *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (to->n < MOST_ADVICE) vsnprintf(to->text[to->n++], ADVICE_TEXT, format, list);
    va_end(list);
}

/* Nearly every label occurs once: these are numbers to predict, or ids. */
static int are_no_classes(const input_facts *f) {
    enum { MANY = 100 };
    const uint64_t classes = sluice_names_count(f->labels);
    return classes > MANY && 2 * classes > f->rows - f->unlabelled;
}

static void advise_on_labels(advice *to, const input_facts *f) {
    const uint64_t classes = sluice_names_count(f->labels), labelled = f->rows - f->unlabelled;
    double squares = 0;
    size_t rare = 0;
    for (size_t i = 0; i < shown_classes(f); i++) {
        squares += (double)f->of_label[i] * (double)f->of_label[i];
        if (f->of_label[i] < f->of_label[rare]) rare = i;
    }
    if (!labelled) advise(to, "no row has a label: is --label right, and the format?");
    if (classes == 1) advise(to, "all labels are the same: there is nothing to tell apart");
    if (are_no_classes(f))
        advise(to, "%s different labels in %s rows: is --label right? It seems to be a number to predict or an id",
               COUNT(classes), COUNT(labelled));
    else if (classes > 2)
        advise(to, "%s classes: train --classes ovr", COUNT(classes));
    if (classes == 2 && share(f->of_label[rare], labelled) < RARE) {
        const sluice_name label = sluice_names_name(f->labels, rare);
        advise(to,
               "'%.*s' is rare (%.2f %%): look at recall and average precision, not at the error; --holdout 0.2 "
               "--threshold f1, or --cost",
               (int)(label.n < 40 ? label.n : 40), label.text, 100 * share(f->of_label[rare], labelled));
    }
    if (classes > 1 && labelled > 2 * LEAST_RUN &&
        20 * (double)f->label_changes < (double)labelled - squares / (double)labelled)
        advise(to,
               "the labels come in %s long runs: unless that order has a meaning, shuffle first (convert --shuffle 1)",
               COUNT(f->label_changes + 1));
    if (f->unlabelled && labelled)
        advise(to, "%s rows have no label: train --pseudo 0.95 can learn from them", COUNT(f->unlabelled));
}

static void advise_on_values(advice *to, input_facts *f) {
    const double norm = median_norm(f), spread = column_spread_of(f);
    uint64_t contradicting;
    const uint64_t repeats = repeated_rows(f, &contradicting);
    if (spread > FAR_APART)
        advise(to,
               "some columns have values %.0f times as large as others: auto scales by itself; with -a NAME add "
               "--scale maxabs",
               spread);
    else if (norm > LONG_ROW || norm < SHORT_ROW)
        advise(to, "the median length of the rows is %.4g: auto scales by itself; with -a NAME add --normalize l2",
               norm);
    if (share(repeats, f->rows) > MANY_REPEATS)
        advise(to,
               "%.0f %% of the rows repeat earlier ones: a hold-out that is drawn has rows that were learned, and "
               "looks too "
               "good",
               100 * share(repeats, f->rows));
    if (share(contradicting, f->rows) > RARE)
        advise(to, "%.0f %% of the rows have the features of rows with another label: no model tells those apart",
               100 * share(contradicting, f->rows));
    if (f->empty && share(f->empty, f->rows) > RARE)
        advise(to, "%.0f %% of the rows have no features: are --format and the columns right?",
               100 * share(f->empty, f->rows));
}

/* A table of one column of texts: each row is then one feature, that no or few others have. Lines of label<TAB>text in
 * a file that ends in .tsv are read so. */
static int looks_like_text(const input_facts *f) {
    if (!f->rows || f->longest > 1 || strcmp(f->format, "csv") != 0) return 0;
    return 2 * f->texts > f->rows || (f->rows >= LEAST_TEXTS && 2 * features_once(f) > f->rows);
}

static void advise_on_format(advice *to, const input_facts *f) {
    if (looks_like_text(f))
        advise(to, "most rows are one feature, a whole text: lines of label<TAB>text need -f text, of label<TAB>URL "
                   "-f url; in a table --text COLUMN cuts a column into words");
    if (!f->rows && f->malformed)
        advise(to, "no line could be read as %s: is --format right? `sluice help check` names the formats", f->format);
    else if (f->malformed)
        advise(to, "malformed lines stop a run: mend them, or --on-error skip leaves them out");
}

/* It is as long as the options at hand are. NULL: there is nothing to learn, it would be learned in the wrong way, or
 * no memory: then the report has failed. */
static char *first_command(report *r, const args *a, const input_facts *f) {
    char settings[64];
    if (!f->rows || sluice_names_count(f->labels) < 2 || looks_like_text(f) || are_no_classes(f)) return NULL;
    snprintf(settings, sizeof settings, "%s%s", sluice_names_count(f->labels) > 2 ? " --classes ovr" : "",
             f->malformed ? " --on-error skip" : "");
    memory_text text;
    FILE *out = memory_text_open(&text);
    char *line = first_command_line(a, settings);
    if (out && line) fprintf(out, "to begin with: %s", line);
    char *whole = out ? memory_text_close(&text, NULL) : NULL;
    r->failed |= !whole || !line;
    free(line);
    return whole;
}

static void report_advice(report *r, const args *a, input_facts *f) {
    advice to = {.n = 0};
    if (f->rows) advise_on_labels(&to, f);
    advise_on_values(&to, f);
    advise_on_format(&to, f);
    char *first = first_command(r, a, f);
    if (r->as_json) json_open(&r->j, "advice", '[');
    for (size_t i = 0; i < to.n + (first != NULL); i++) {
        const char *text = i < to.n ? to.text[i] : first;
        if (r->as_json)
            json_text(&r->j, NULL, text);
        else
            report_text(r, i ? "" : "advice", text);
    }
    if (r->as_json) json_close(&r->j, ']');
    free(first);
}

/* "11 to 14, 13.87 in the mean" */
static void report_range(report *r, const char *key, double least, double most, double mean) {
    char text[4 * FIGURE_TEXT], figure[3][FIGURE_TEXT];
    int n = snprintf(text, sizeof text, "%s", figure_text(least, DIGITS, figure[0]));
    if (most > least) n += snprintf(text + n, sizeof text - (size_t)n, " to %s", figure_text(most, DIGITS, figure[1]));
    if (most > least && !isnan(mean))
        snprintf(text + n, sizeof text - (size_t)n, ", %s in the mean", figure_text(mean, DIGITS, figure[2]));
    report_text(r, key, text);
}

/* The classes on one line, the most frequent first. */
static void summarize_classes(report *r, const input_facts *f) {
    size_t order[BRIEF_CLASSES];
    const size_t n = frequent_classes(f, order, BRIEF_CLASSES);
    memory_text text;
    FILE *out = memory_text_open(&text);
    if (out) fprintf(out, "%s: ", COUNT(sluice_names_count(f->labels)));
    for (size_t i = 0; i < n && out; i++) {
        const sluice_name label = sluice_names_name(f->labels, order[i]);
        if (i) fputs(", ", out);
        put_cut(out, label.text, label.n, LABEL_ROOM);
        fprintf(out, " (%.3g %%)", 100 * share(f->of_label[order[i]], f->rows - f->unlabelled));
    }
    if (out && n < sluice_names_count(f->labels)) fputs(", ...", out);
    char *line = out ? memory_text_close(&text, NULL) : NULL;
    r->failed |= !line;
    if (line && n) report_words(r, "classes", line);
    free(line);
}

static void report_some(report *r, const char *key, uint64_t n) {
    if (n) report_count(r, key, n);
}

/* What is in the inputs, and what is unusual about them. */
static void summarize(report *r, const input_facts *f, uint64_t repeats, uint64_t contradicting) {
    report_text(r, "format", f->format);
    report_count(r, "rows", f->rows);
    summarize_classes(r, f);
    report_some(r, "unlabelled", f->unlabelled);
    report_some(r, "importance_0", f->absent);
    report_count(r, "features", f->features.n);
    if (f->rows)
        report_range(r, "values_in_a_row", (double)f->shortest, (double)f->longest, share(f->lengths, f->rows));
    if (f->values) report_range(r, "value_range", (double)f->least, (double)f->most, NAN);
    report_some(r, "empty_rows", f->empty);
    report_some(r, "repeated_rows", repeats);
    report_some(r, "conflicting_labels", contradicting);
}

static int print_facts(const args *a, input_facts *f) {
    uint64_t contradicting;
    const uint64_t repeats = repeated_rows(f, &contradicting);
    report r = report_start(args_has(a, "json"));
    if (r.is_brief) {
        summarize(&r, f, repeats, contradicting);
        report_errors(&r, f);
        report_advice(&r, a, f);
        return report_end(&r);
    }
    report_text(&r, "format", f->format);
    report_count(&r, "rows", f->rows);
    report_classes_of(&r, f);
    if (r.as_json || f->unlabelled) report_count(&r, "unlabelled", f->unlabelled);
    if (r.as_json || f->weighted) report_count(&r, "weighted", f->weighted);
    if (r.as_json || f->absent) report_count(&r, "importance_0", f->absent);
    report_count(&r, "features", f->features.n);
    report_count(&r, "features_once", features_once(f));
    report_count(&r, "values", f->values);
    report_figure(&r, "least_value", f->values ? (double)f->least : NAN);
    report_figure(&r, "largest_value", f->values ? (double)f->most : NAN);
    report_figure(&r, "ones", share(f->ones, f->values));
    report_figure(&r, "whole_numbers", share(f->whole, f->values));
    report_figure(&r, "negative_values", share(f->negative, f->values));
    report_figure(&r, "values_in_a_row", share(f->lengths, f->rows));
    if (f->rows) report_count(&r, "fewest_in_a_row", f->shortest);
    if (f->rows) report_count(&r, "most_in_a_row", f->longest);
    report_count(&r, "empty_rows", f->empty);
    report_figure(&r, "median_length", median_norm(f));
    report_count(&r, "repeated_rows", repeats);
    report_count(&r, "conflicting_labels", contradicting);
    report_errors(&r, f);
    report_advice(&r, a, f);
    return report_end(&r);
}

static int run(const args *a) {
    input_facts *f = input_facts_new();
    int rc = f ? read_inputs(a, f) : out_of_memory();
    if (!rc) rc = print_facts(a, f);
    input_facts_free(f);
    return rc;
}

const command check_command = {
    .name = "check",
    .summary = "say what is in the inputs and what is wrong with them, without learning",
    .synopsis = "[-f FORMAT] [--label COLUMN] [--json] [INPUT...]",
    .notes =
        "Rows, classes and their shares, features, value ranges, row lengths, repeats, malformed lines by kind with "
        "their first places, and advice. Memory: up to 85 bytes for every feature and every different row.\n"
        "A length is the root of the sum of squares of a row's values; rows repeat where features and values are "
        "the same, by a hash of 64 bits.",
    .options = options,
    .files = files,
    .max_inputs = SIZE_MAX,
    .run = run,
};
