/* Inputs of the commands: options, reading them, what was skipped, warnings. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "args/args.h"
#include "args/costs.h"
#include "args/input_stream.h"
#include "args/quadratic_option.h"
#include "args/text_options.h"
#include "output/progress.h"
#include "sluice.h"

/* Rows for a command's option table. */
/* clang-format off */
#define INPUT_OPTIONS \
    {"format", 'f', "FORMAT", "format of the inputs: libsvm, vw, csv, jsonl, text, url or bin (default: by content, then by the ending)", 0}, \
    {"label", 0, "COLUMN", "csv, jsonl: the column or key of the label, csv also by number (default: label, or the first column)", 0}, \
    {"weight", 0, "COLUMN", "csv, jsonl: the column or key of the importance weight (default: none)", 0}, \
    SEPARATOR_OPTION, \
    {"no-header", 0, NULL, "csv: the first line is data; columns are called by their numbers", 0}, \
    {"on-error", 0, "stop|skip", "what to do at a malformed line: stop (default), or skip and count it", 0}
/* clang-format on */

enum { MAX_SKIP_REASONS = 32 };

typedef struct skip_tally {
    uint64_t total;
    uint64_t unlabelled; /* examples without a label, which are not learned; not skipped */
    size_t n;
    struct {
        char name[64];
        uint64_t count;
    } reasons[MAX_SKIP_REASONS];
} skip_tally;

/* Fills in the reader's options from the command line. Returns DONE or WRONG_USAGE. */
int input_options(const args *a, sluice_reader_options *options);

/* How the features of a model were read. It is kept in the model's metadata, under the keys "reader.ngrams",
 * "reader.tf" and so on, so that the options need not be given again. */
typedef struct reader_settings {
    text_settings text;
    column_settings columns;
    int no_header;
    char format[16], label[128], weight[128]; /* "": none is kept */
    char quadratic[SLUICE_MAX_QUADRATIC + 1];
} reader_settings;

reader_settings model_reader_settings(const sluice_model *model);
/* Sets the reader's options to what the model keeps. `kept` must live as long as the options. Returns DONE or
 * FAILED. */
int input_for_model(sluice_reader_options *options, const sluice_model *model, reader_settings *kept);

/* Whether one of the model's own format and this one is text and the other url: both cut what they read, in ways that
 * do not go together. All other formats say nothing about that. `format` may be NULL. */
int contradicts_format(const sluice_model *model, const char *format);

/* Keeps the format in the model if it is text or url, and neither is kept yet. Returns an exit status. */
int remember_format(sluice_model *model, const char *format);
/* Keeps in the model how its features were read; `format`: the last input's, or NULL. Returns an exit status. */
int remember_input(const args *a, sluice_model *model, const char *format);
/* Keeps under the key "reader.negative" that the first negative label of a plain model was written 0, not -1. `label`
 * is that label, NaN where there is none. To be called when its row was learned, and again when there may be classes.
 */
int remember_negative(sluice_model *model, double label);

/* Makes room for the margins of `rows` rows; old contents are lost. Returns DONE or FAILED. */
int reserve_margins(double **margins, size_t *room, size_t rows);

/* The margin of a row without features, which a bias alone makes; of several classes 0. */
double empty_margin(const sluice_model *model);
/* Whether any of the margins is not that. */
int any_margin(const double *margins, size_t rows, double empty);
/* Warns that all of `rows` rows had that margin: the data may not be of the kind that the model was trained on. */
void warn_unknown(const char *what, uint64_t rows);

/* Says on a terminal that the program reads standard input. */
void note_stdin(const args *a);

/* Hands every batch to `use`, as long as it returns DONE. `live` may be NULL. Returns an exit status after saying what
 * went wrong: that of stop_status(), without a word, where a signal ended it. */
int each_batch(input_stream *s, progress *live, int (*use)(void *context, const sluice_batch *batch), void *context);

/* Adds what the reader skipped. */
void tally_skipped(skip_tally *t, const sluice_reader *reader);
void warn_skipped(const skip_tally *t, const char *what);

/* Adds the rows of the inputs to the dataset; *format becomes that of the last one. Returns an exit status, after
 * saying what went wrong and what was skipped (`what`: the name for the inputs in that). */
int hold_inputs(sluice_dataset *data, const char *const *paths, size_t n, const sluice_reader_options *reading,
                const char *what, skip_tally *skipped, const char **format);
/* The same of what is learned with costs, of which it warns where a label did not come. `what` NULL: the inputs were
 * read before, and all warnings are known. */
int hold_with_costs(sluice_dataset *data, const args *a, const sluice_reader_options *reading, costs *c,
                    const char *what, skip_tally *skipped, const char **format);

#endif
