/* Prints results as lines, as JSON or as rows of an HTML table. */
#include "output/report.h"

#include "page/html.h"
#include "output/message.h"
#include "output/shown_text.h"
#include "args/costs.h"
#include "args/model_args.h"
#include "args/params.h"
#include "output/wrap.h"
#include "terminal/figures.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_COLUMN = 22, SHORT_DIGITS = 4, LONG_DIGITS = 6 };

report report_start(int as_json) {
    report r = {{stdout, 0}, .as_json = as_json, .is_brief = !as_json && !is_verbose()};
    if (as_json) json_open(&r.j, NULL, '{');
    return r;
}

int report_end(report *r) {
    if (r->failed) return out_of_memory();
    if (r->as_json) {
        json_close(&r->j, '}');
        putchar('\n');
    }
    return flush_results(stdout, "standard output");
}

report report_rows(FILE *out) { return (report){{out, 0}, .as_rows = 1}; }

/* Returns how many columns it takes. */
static int put_key(const report *r, const char *key) {
    int width = printf("%*s", 2 * r->depth, "");
    for (; *key; key++, width++) putchar(*key == '_' ? ' ' : *key);
    return width;
}

void report_label(const report *r, const char *key) {
    const int width = put_key(r, key);
    printf("%*s", width < VALUE_COLUMN ? VALUE_COLUMN - width : 1, "");
}

static void put_row(const report *r, const char *key, const char *text) {
    FILE *out = r->j.out;
    fputs("<tr><th>", out);
    for (; *key; key++) fputc(*key == '_' ? ' ' : *key, out);
    fputs("</th><td>", out);
    html_text(out, text);
    fputs("</td></tr>\n", out);
}

/* For a person. */
static void put_line(const report *r, const char *key, const char *text) {
    if (r->as_rows) {
        put_row(r, key, text);
        return;
    }
    report_label(r, key);
    put_shown(stdout, text);
    putchar('\n');
}

void report_count(report *r, const char *key, uint64_t n) {
    if (r->as_json)
        json_count(&r->j, key, n);
    else
        put_line(r, key, COUNT(n));
}

void report_plain(report *r, const char *key, uint64_t n) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, n);
    if (r->as_json)
        json_count(&r->j, key, n);
    else
        put_line(r, key, text);
}

void report_figure(report *r, const char *key, double x) {
    char text[FIGURE_TEXT];
    if (r->as_json)
        json_number(&r->j, key, x);
    else if (!isnan(x))
        put_line(r, key, figure_text(x, r->is_brief ? SHORT_DIGITS : LONG_DIGITS, text));
}

void report_text(report *r, const char *key, const char *text) {
    if (r->as_json)
        json_text(&r->j, key, text);
    else if (text)
        put_line(r, key, text);
}

void report_words(report *r, const char *key, const char *text) {
    report_label(r, key);
    print_wrapped(stdout, text, VALUE_COLUMN, VALUE_COLUMN);
}

void report_truth(report *r, const char *key, int truth) {
    if (r->as_json)
        json_truth(&r->j, key, truth);
    else
        put_line(r, key, truth ? "yes" : "no");
}

void report_open(report *r, const char *key) {
    if (r->as_json) {
        json_open(&r->j, key, '{');
    } else if (r->as_rows) {
        put_row(r, key, "");
    } else {
        put_key(r, key);
        putchar('\n');
    }
    r->depth++;
}

void report_close(report *r) {
    if (r->as_json) json_close(&r->j, '}');
    r->depth--;
}

void report_params(report *r, const sluice_model *model, const sluice_model_facts *facts) {
    report_params_but(r, model, facts, "");
}

/* Extra parameters are left out at their defaults. */
static bool shows_param(const sluice_model *model, const sluice_learner_info *l, size_t i, const char *omitted) {
    const sluice_param_info *p = &l->params[i];
    return strcmp(p->name, omitted) != 0 && !(p->extra && sluice_model_param(model, i) == p->value);
}

static void params_text(report *r, const sluice_model *model, const sluice_learner_info *l, const char *omitted) {
    char line[4096] = "", text[PARAM_TEXT]; /* at most 16 of them */
    size_t n = 0;
    for (size_t i = 0; i < l->n_params && n < sizeof line; i++)
        if (shows_param(model, l, i, omitted))
            n += (size_t)snprintf(line + n, sizeof line - n, "%s%s=%s", n ? " " : "", l->params[i].name,
                                  param_value_text(&l->params[i], sluice_model_param(model, i), text));
    report_words(r, "params", line);
}

void report_params_but(report *r, const sluice_model *model, const sluice_model_facts *facts, const char *omitted) {
    const sluice_learner_info *l = facts->learner;
    if (!r->as_json) {
        params_text(r, model, l, omitted);
        return;
    }
    json_open(&r->j, "params", '{');
    for (size_t i = 0; i < l->n_params; i++)
        if (shows_param(model, l, i, omitted))
            param_value_json(&r->j, l->params[i].name, &l->params[i], sluice_model_param(model, i));
    json_close(&r->j, '}');
}

static const char *tf_word(const text_settings *s) {
    return s->tf == SLUICE_TF_BINARY ? "binary" : s->tf == SLUICE_TF_COUNT ? "count" : "log";
}

/* A model may come from anywhere, and so may the texts that it keeps. */
static void print_kept(const char *key, const char *text) {
    if (!*text) return;
    printf(" %s=", key);
    put_shown(stdout, text);
}

static size_t words_in(const char *list) {
    size_t n = *list != 0;
    for (; *list; list++) n += *list == ' ';
    return n;
}

static void text_settings_text(const text_settings *t) {
    if (t->ngrams || t->no_words) printf(" ngrams=%u", t->ngrams);
    print_kept("chars", t->chars);
    if (t->tf) printf(" tf=%s", tf_word(t));
    if (t->min_length) printf(" min-length=%u", t->min_length);
    if (t->stop_words && *t->stop_words) printf(" stop-words=%zu", words_in(t->stop_words));
}

/* n-grams and tf always, the others where they are given. */
static void report_text_settings(report *r, const text_settings *t) {
    report_count(r, "ngrams", t->ngrams || t->no_words ? t->ngrams : 1);
    if (*t->chars) report_text(r, "chars", t->chars);
    report_text(r, "tf", tf_word(t));
    if (t->min_length) report_count(r, "min_length", t->min_length);
    r->failed |= !t->stop_words;
    if (!t->stop_words || !*t->stop_words) return;
    if (r->as_json)
        report_text(r, "stop_words", t->stop_words);
    else
        report_count(r, "stop_words", words_in(t->stop_words));
}

/* The crossings, which are kept one a line. */
static void report_quadratic(report *r, const char *text) {
    if (r->as_json) json_open(&r->j, "quadratic", '[');
    for (const char *end; *text; text = end + (*end != 0)) {
        char one[SLUICE_MAX_QUADRATIC + 1] = "";
        end = text + strcspn(text, "\n");
        memcpy(one, text, (size_t)(end - text));
        if (r->as_json)
            json_text(&r->j, NULL, one);
        else if (r->as_rows)
            report_text(r, "quadratic", one);
        else
            print_kept("quadratic", one);
    }
    if (r->as_json) json_close(&r->j, ']');
}

/* On one line, and only what differs from the defaults. */
static void settings_text(report *r, const sluice_settings *s, const reader_settings *kept, const char *normalize) {
    char bias[32];
    sluice_format_float(bias, (float)s->bias); /* as models keep it */
    report_label(r, "settings");
    printf("bias=%s normalize=%s hash=%u", bias, normalize, s->hash_bits);
    if (s->transform) printf(" transform=%s", transform_name(s->transform));
    if (s->scale) printf(" scale=%s", scale_name(s->scale));
    if (s->classes) printf(" classes=%s", classes_name(s->classes));
    if (s->max_features) printf(" max-features=%" PRIu64, s->max_features);
    text_settings_text(&kept->text);
    print_kept("format", kept->format);
    print_kept("label", kept->label);
    print_kept("weight", kept->weight);
    if (kept->columns.separator) print_kept("separator", (const char[]){kept->columns.separator, 0});
    for (size_t i = 0; i < NAME_LISTS; i++) print_kept(name_lists[i], kept->columns.names[i]);
    if (kept->no_header) printf(" no-header");
    report_quadratic(r, kept->quadratic);
    putchar('\n');
}

static void report_costs(report *r, const sluice_model *model) {
    const char *kept = costs_of_model(model);
    char *line = kept ? costs_line(kept) : NULL;
    if (line) report_text(r, "costs", line);
    r->failed |= kept && !line;
    free(line);
}

void report_settings(report *r, const sluice_model *model) {
    const sluice_settings *s = sluice_model_settings(model);
    const reader_settings read = model_reader_settings(model), *kept = &read;
    const char *normalize = s->normalize == SLUICE_NORMALIZE_L2 ? "l2" : "none";
    if (!r->as_json && !r->as_rows) {
        settings_text(r, s, kept, normalize);
        report_costs(r, model);
        return;
    }
    if (r->as_json) report_open(r, "settings");
    if (r->as_json)
        json_float(&r->j, "bias", (float)s->bias);
    else
        report_figure(r, "bias", s->bias);
    report_text(r, "normalize", normalize);
    report_plain(r, "hash", s->hash_bits);
    if (s->transform) report_text(r, "transform", transform_name(s->transform));
    if (s->scale) report_text(r, "scale", scale_name(s->scale));
    if (s->classes) report_text(r, "classes", classes_name(s->classes));
    report_plain(r, "max_features", s->max_features);
    report_text_settings(r, &kept->text);
    report_text(r, "format", *kept->format ? kept->format : NULL);
    report_text(r, "label", *kept->label ? kept->label : NULL);
    report_text(r, "weight", *kept->weight ? kept->weight : NULL);
    report_text(r, "separator", kept->columns.separator ? (const char[]){kept->columns.separator, 0} : NULL);
    for (size_t i = 0; i < NAME_LISTS; i++)
        report_text(r, name_lists[i], *kept->columns.names[i] ? kept->columns.names[i] : NULL);
    report_truth(r, "no_header", kept->no_header);
    if (*kept->quadratic) report_quadratic(r, kept->quadratic);
    report_costs(r, model);
    if (r->as_json) report_close(r);
}

void report_measures(report *r, const sluice_measures *m) {
    report_count(r, "examples", m->examples);
    report_count(r, "mistakes", m->mistakes);
    report_figure(r, "error_rate", m->error_rate);
    report_figure(r, "accuracy", m->accuracy);
    report_figure(r, "balanced_accuracy", m->balanced_accuracy);
    report_figure(r, "auc", m->auc);
    report_figure(r, "average_precision", m->average_precision);
    report_count(r, "positives", m->true_pos + m->false_neg);
    report_count(r, "negatives", m->true_neg + m->false_pos);
    report_count(r, "missed", m->false_neg);
    report_count(r, "false_alarms", m->false_pos);
    report_figure(r, "sensitivity", m->sensitivity);
    report_figure(r, "specificity", m->specificity);
    report_figure(r, "precision", m->precision);
    report_figure(r, "recall", m->recall);
    report_figure(r, "f1", m->f1);
    report_figure(r, r->as_json ? "sum" : "weighted_accuracy", m->sum);
    report_figure(r, "cost", m->cost);
    report_figure(r, "hinge_loss", m->hinge_loss);
    report_figure(r, "log_loss", m->log_loss);
    report_figure(r, "brier", m->brier);
    report_figure(r, "calibration_error", m->calibration_error);
}

void report_skipped(report *r, const skip_tally *skipped) {
    if (skipped->unlabelled) report_count(r, "unlabelled", skipped->unlabelled);
    report_count(r, "skipped", skipped->total);
    if (!r->as_json && skipped->total == 0) return;
    report_open(r, "skipped_reasons");
    for (size_t i = 0; i < skipped->n; i++)
        if (skipped->reasons[i].count) report_count(r, skipped->reasons[i].name, skipped->reasons[i].count);
    report_close(r);
}

double sparsity(const sluice_model_facts *facts, uint64_t dimension) {
    const double all = (double)(dimension ? dimension : facts->features_seen) * (double)facts->vectors;
    return all > 0 ? 1 - (double)facts->nonzeros / all : NAN;
}

void report_size(report *r, const sluice_model_facts *facts, uint64_t dimension) {
    if (!dimension) dimension = facts->features_seen;
    report_count(r, "features_seen", facts->features_seen);
    report_count(r, "nonzeros", facts->nonzeros);
    report_count(r, "dimension", dimension);
    report_figure(r, "sparsity", sparsity(facts, dimension));
    if (!facts->max_features) return;
    report_count(r, "evicted", facts->evicted);
    report_count(r, "refused", facts->refused);
}

void warn_dimension(uint64_t dimension, const sluice_model_facts *facts) {
    if (!dimension || dimension >= facts->features_seen) return;
    warning("--dim %" PRIu64 " is less than the %s features seen; sparsity refers to %" PRIu64
            " all the same and may fall below 0",
            dimension, COUNT(facts->features_seen), dimension);
}

void warn_model(const sluice_model_facts *facts) {
    if (facts->refused)
        warning("%s times a new feature was ignored: all %s features have a weight; a larger lambda or --max-features "
                "makes room",
                COUNT(facts->refused), COUNT(facts->max_features));
    if (facts->updates && !facts->nonzeros)
        warning("no weight is left: lambda is too large for so few examples, or the values need --normalize l2");
}

void report_speed(report *r, double seconds, uint64_t examples) {
    report_figure(r, "seconds", seconds);
    report_figure(r, "examples_per_second", seconds > 0 ? (double)examples / seconds : NAN);
}
