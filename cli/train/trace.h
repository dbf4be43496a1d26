/* train --trace: errors and sizes during a run, as CSV. A row is written every N examples (--trace-every), or whenever
 * the examples have grown by a twentieth: enough for a curve, and never many. */
#ifndef CLI_TRACE_H
#define CLI_TRACE_H

#include "args/args.h"
#include "run/drift_watch.h"

#include <stdio.h>

/* clang-format off */
#define TRACE_OPTIONS \
    {"trace", 0, "FILE", "write examples, errors, features seen, nonzeros and drift to this CSV file, as the run goes on", 0}, \
    {"trace-every", 0, "N", "a row of the trace every N examples (default: each time they have grown by a twentieth)", 0}
/* clang-format on */

typedef struct trace {
    const char *path; /* NULL: none is wanted */
    FILE *file;
    uint64_t every, next; /* next: the examples at which a row is due */
    uint64_t seen, row_examples, row_mistakes;
} trace;

/* Reads the options. Returns DONE or WRONG_USAGE. */
int trace_options(const args *a, trace *t);
int trace_start(trace *t);
/* How many of the next `rows` examples to learn before trace_learned() is called. */
size_t trace_until_row(const trace *t, size_t rows);
void trace_learned(trace *t, uint64_t rows, const sluice_model *model, sluice_meter *meter, const drift_watch *drift);
/* The last row. Returns DONE, or FAILED where something could not be written. */
int trace_end(trace *t, const sluice_model *model, sluice_meter *meter, const drift_watch *drift);

#endif
