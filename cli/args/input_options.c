/* Inputs of the commands: options, reading them, what was skipped, warnings. */
#include "args/input_options.h"

#include "output/message.h"
#include "run/signals.h"
#include "terminal/figures.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_one_of(const char *word, const char *const *words) {
    while (*words && strcmp(*words, word) != 0) words++;
    return *words != NULL;
}

/* Options that mean nothing in the format that -f names: most likely the format is another one. */
static int check_format_fits(const args *a) {
    static const char *const of_tables[] = {"label", "weight", "separator", "no-header", NULL};
    static const char *const of_text[] = {"ngrams", "chars", "stop-words", "min-length", "tf", NULL};
    static const char *const tables[] = {"csv", "jsonl", NULL}, *const with_text[] = {"csv", "jsonl", "text", NULL};
    const char *format = args_value(a, "format");
    for (size_t i = 0; format && i < a->n_given; i++) {
        const char *name = a->given[i].option->name;
        const int for_tables = is_one_of(name, of_tables), for_text = is_one_of(name, of_text);
        if (for_tables && !is_one_of(format, tables))
            return wrong_usage(a->command->name, "--%s is for csv and jsonl; -f %s has none", name, format);
        if (for_text && !is_one_of(format, with_text))
            return wrong_usage(a->command->name, "--%s is for text, and for csv and jsonl with --text; -f %s has none",
                               name, format);
    }
    return DONE;
}

int input_options(const args *a, sluice_reader_options *options) {
    static const char *const reactions[] = {"stop", "skip", NULL};
    size_t reaction = 0;
    int rc = args_word(a, "on-error", reactions, &reaction);
    if (!rc) rc = check_format_fits(a);
    *options = (sluice_reader_options){.size = sizeof *options,
                                       .format = args_value(a, "format"),
                                       .threads = a->threads,
                                       .skip_errors = reaction == 1,
                                       .label = args_value(a, "label"),
                                       .weight = args_value(a, "weight"),
                                       .no_header = args_has(a, "no-header")};
    if (!rc) rc = column_options(a, options);
    return rc ? rc : quadratic_option(a, &options->quadratic);
}

/* ---- what a model keeps of its reader ---------------------------------------------------------------------------- */

static const char *kept_text(const sluice_model *model, const char *key) {
    const char *text = sluice_model_metadata(model, key, NULL);
    return text ? text : "";
}

static void copy_kept(char *to, size_t room, const sluice_model *model, const char *key) {
    snprintf(to, room, "%s", kept_text(model, key));
}

reader_settings model_reader_settings(const sluice_model *model) {
    reader_settings s = {.no_header = *kept_text(model, "reader.no_header") != 0};
    s.text = model_text_settings(model);
    copy_kept(s.format, sizeof s.format, model, "reader.format");
    copy_kept(s.label, sizeof s.label, model, "reader.label");
    copy_kept(s.weight, sizeof s.weight, model, "reader.weight");
    copy_kept(s.quadratic, sizeof s.quadratic, model, "reader.quadratic");
    model_column_settings(model, &s.columns);
    return s;
}

int input_for_model(sluice_reader_options *options, const sluice_model *model, reader_settings *kept) {
    *kept = model_reader_settings(model);
    options->quadratic = kept->quadratic;
    options->hint = kept->format;
    options->no_header |= kept->no_header;
    if (!options->label && *kept->label) options->label = kept->label;
    if (!options->weight && *kept->weight) options->weight = kept->weight;
    read_columns_as(options, &kept->columns);
    return read_text_as(options, &kept->text);
}

/* Keeps a text; one that is too long, or has line ends, is not kept. */
static int keep_text(sluice_model *model, const char *key, size_t room, const char *text) {
    if (!text || !*text || strlen(text) >= room || strchr(text, '\n')) return DONE;
    if (sluice_model_set_metadata(model, key, text, strlen(text)) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_error(model));
}

/* Whether the format cuts what it reads into features. No file ending identifies it, so models keep it. */
static int is_raw(const char *format) { return format && (strcmp(format, "text") == 0 || strcmp(format, "url") == 0); }

int contradicts_format(const sluice_model *model, const char *format) {
    const char *kept = kept_text(model, "reader.format");
    return is_raw(kept) && is_raw(format) && strcmp(kept, format) != 0;
}

int remember_format(sluice_model *model, const char *format) {
    if (!is_raw(format) || *kept_text(model, "reader.format")) return DONE;
    return keep_text(model, "reader.format", sizeof((reader_settings *)0)->format, format);
}

int remember_input(const args *a, sluice_model *model, const char *format) {
    reader_settings s = model_reader_settings(model);
    int rc = remember_format(model, format);
    if (!rc && !*s.label) rc = keep_text(model, "reader.label", sizeof s.label, args_value(a, "label"));
    if (!rc && !*s.weight) rc = keep_text(model, "reader.weight", sizeof s.weight, args_value(a, "weight"));
    if (!rc) rc = remember_separator(a, model);
    if (!rc && args_has(a, "no-header")) rc = keep_text(model, "reader.no_header", 2, "1");
    return rc;
}

int remember_negative(sluice_model *model, double label) {
    const char *key = "reader.negative";
    int has_classes = sluice_model_settings(model)->classes || sluice_model_classes(model);
    if (has_classes ? !sluice_model_metadata(model, key, NULL) : label != 0) return DONE;
    const char *text = has_classes ? NULL : "0"; /* classes are kept as they were written */
    if (sluice_model_set_metadata(model, key, text, text ? strlen(text) : 0) == SLUICE_OK) return DONE;
    return complain_error(sluice_model_error(model));
}

int reserve_margins(double **margins, size_t *room, size_t rows) {
    if (rows <= *room) return DONE;
    free(*margins);
    *margins = malloc(rows * sizeof **margins);
    *room = *margins ? rows : 0;
    return *margins ? DONE : out_of_memory();
}

double empty_margin(const sluice_model *model) {
    const sluice_example none = {.weight = 1};
    double margin = 0;
    if (sluice_model_settings(model)->classes != SLUICE_CLASSES_TWO) return 0;
    return sluice_model_margin(model, &none, &margin, NULL) == SLUICE_OK ? margin : 0;
}

int any_margin(const double *margins, size_t rows, double empty) {
    for (size_t i = 0; i < rows; i++)
        if (margins[i] != empty) return 1;
    return 0;
}

void warn_unknown(const char *what, uint64_t rows) {
    warning("%s: none of the %s examples has a feature with a weight in this model: are format and columns those it "
            "was learned from?",
            what, COUNT(rows));
}

void note_stdin(const args *a) {
    if (a->n_inputs == 0 && isatty(STDIN_FILENO)) tell_progress("reading standard input");
}

/* Hands on copies of those rows of a batch that are held out. */
static int use_held_out(input_stream *s, const sluice_batch *batch, int (*use)(void *, const sluice_batch *),
                        void *context) {
    sluice_error err = {0};
    const size_t rows = sluice_batch_rows(batch);
    sluice_batch *held = sluice_batch_new(&err);
    int rc = held ? hold_out_copy(s->held, s->row, batch, 0, rows, held) : complain_error(&err);
    if (!rc) rc = use(context, held);
    sluice_batch_free(held);
    s->row += rows;
    return rc;
}

int each_batch(input_stream *s, progress *live, int (*use)(void *context, const sluice_batch *batch), void *context) {
    if (s->held && s->held->kept) return use(context, s->held->kept);
    const sluice_batch *batch;
    sluice_status status = SLUICE_OK;
    int rc = DONE;
    signals_interrupt(s->reader);
    while (!rc && (status = sluice_reader_next(s->reader, &batch)) == SLUICE_OK) {
        rc = s->held ? use_held_out(s, batch, use, context) : use(context, batch);
        input_stream_done(s, 0);
        if (live) progress_examples(live, s->reader, sluice_batch_rows(batch));
    }
    signals_interrupt(NULL);
    if (live) progress_clear(live);
    if (!rc && status == SLUICE_E_CANCELLED) return stop_status();
    return !rc && status != SLUICE_END ? input_stream_complain(s) : rc;
}

void tally_skipped(skip_tally *t, const sluice_reader *reader) {
    if (!reader) return;
    uint64_t count;
    const char *name;
    for (size_t i = 0; i < MAX_SKIP_REASONS && (name = sluice_reader_skipped(reader, i, &count)); i++) {
        if (i >= t->n) {
            snprintf(t->reasons[i].name, sizeof t->reasons[i].name, "%s", name);
            t->n = i + 1;
        }
        t->reasons[i].count += count;
        t->total += count;
    }
    t->unlabelled += sluice_reader_unlabelled(reader);
}

void warn_skipped(const skip_tally *t, const char *what) {
    if (!t->total) return;
    warning("%s: %s malformed line%s skipped:", what, COUNT(t->total), t->total == 1 ? "" : "s");
    for (size_t i = 0; i < t->n; i++)
        if (t->reasons[i].count) warning_detail("%s %s", COUNT(t->reasons[i].count), t->reasons[i].name);
}

static int hold_batch(void *data, const sluice_batch *batch) {
    sluice_error err = {0};
    return sluice_dataset_add(data, batch, &err) == SLUICE_OK ? DONE : complain_error(&err);
}

static int hold(sluice_dataset *data, const char *const *paths, size_t n, const sluice_reader_options *reading,
                const char *what, costs *c, skip_tally *skipped, const char **format) {
    const inputs from = {paths, n, NULL, NULL};
    input_stream s;
    int rc = input_stream_open(&s, &from, NULL, reading);
    if (rc) return rc;
    progress live = progress_start(1, 0);
    rc = each_batch(&s, &live, hold_batch, data);
    *format = sluice_reader_format(s.reader);
    tally_skipped(skipped, s.reader);
    if (what) warn_skipped(skipped, what);
    if (c) costs_count(c, s.reader);
    if (c && !rc && what) costs_warn(c);
    input_stream_close(&s);
    return rc;
}

int hold_inputs(sluice_dataset *data, const char *const *paths, size_t n, const sluice_reader_options *reading,
                const char *what, skip_tally *skipped, const char **format) {
    return hold(data, paths, n, reading, what, NULL, skipped, format);
}

int hold_with_costs(sluice_dataset *data, const args *a, const sluice_reader_options *reading, costs *c,
                    const char *what, skip_tally *skipped, const char **format) {
    sluice_reader_options with = costs_reading(c, reading);
    return hold(data, a->inputs, a->n_inputs, &with, what, c, skipped, format);
}
