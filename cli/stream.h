/* Inputs of the commands: their options, what is said about them, what was skipped. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "args.h"
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

/* Room for the margins of so many rows; what it held is gone. Returns DONE or FAILED. */
int reserve_margins(double **margins, size_t *room, size_t rows);

/* Tells a person in front of a terminal what the program is waiting for. */
void note_stdin(const args *a);

/* What stopped a reader, and how to go on in spite of a malformed line. Returns an exit status. */
int complain_reader(const sluice_reader *reader, const sluice_reader_options *options);

/* Adds what the reader skipped. */
void tally_skipped(skip_tally *t, const sluice_reader *reader);
void warn_skipped(const skip_tally *t, const char *what);

#endif
