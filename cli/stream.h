/* Inputs of the commands: their options, opening them, what was skipped, measuring a model on them. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "args.h"
#include "progress.h"
#include "sluice.h"

/* Rows for a command's option table. */
/* clang-format off */
#define STREAM_OPTIONS \
    {"format", 'f', "FORMAT", "format of the inputs: libsvm or bin (default: by content, then by the ending)", 0}, \
    {"on-error", 0, "stop|skip", "what to do at a malformed line: stop (default), or skip and count it", 0}
/* clang-format on */

enum { MAX_SKIP_REASONS = 32 };

typedef struct skip_tally {
    uint64_t total;
    size_t n;
    struct {
        char name[64];
        uint64_t count;
    } reasons[MAX_SKIP_REASONS];
} skip_tally;

/* Fills in the reader's options from the command line. Returns DONE or WRONG_USAGE. */
int stream_options(const args *a, sluice_reader_options *options);

/* Refuses inputs that are missing, unreadable or directories, before any work is done. Returns DONE or FAILED. */
int check_inputs(const char *const *paths, size_t n);
/* Whether the inputs can be read only once: standard input, a pipe. */
int reads_once(const char *const *paths, size_t n);
/* Whether they include standard input. */
int reads_stdin(const char *const *paths, size_t n);

/* Adds what the reader skipped. */
void tally_skipped(skip_tally *t, const sluice_reader *reader);
void warn_skipped(const skip_tally *t, const char *what);

/* Measures the model on labelled inputs without learning. `live` may be NULL. Returns an exit status, after saying what
 * went wrong. */
int measure_inputs(const sluice_model *model, const char *const *paths, size_t n, const sluice_reader_options *options,
                   progress *live, sluice_measures *measures, skip_tally *skipped);
/* How to measure a model: with the costs of its learner, exactly or in bounded memory. */
sluice_meter_options meter_options_exact(const sluice_model *model);
sluice_meter_options meter_options_bounded(const sluice_model *model);

#endif
