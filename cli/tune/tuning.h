/* Cross-validating points: the work of `sluice tune`. */
#ifndef CLI_TUNE_H
#define CLI_TUNE_H

#include "experiment/folds.h"
#include "experiment/run_outcome.h"
#include "experiment/search.h"
#include "output/progress.h"
#include "output/report.h"

/* A figure to choose by. */
typedef struct tune_measure {
    const char *name;
    size_t offset; /* in sluice_measures */
    int more;      /* is better */
} tune_measure;

/* Their names, ended by NULL, and what they are, in the same order. */
extern const char *const tune_measure_names[];
extern const tune_measure tune_measures[];

typedef struct tuning {
    search_list list; /* the points, the best first once tune() is done */
    fold_list folds;
    const tune_measure *measure;
    sluice_meter_options how;
    uint64_t passes, random;
    unsigned threads;
    int quiet;
} tuning;

/* fold_runs.c: makes the models of all points, fold by fold for each. */
void run_folds(const tuning *t, outcome *runs);

/* Measures all points and sorts them: by the measure, then by nonzeros, then as they came; those that failed last.
 * Returns an exit status after saying what went wrong. */
int tune(tuning *t);

/* tune_report.c: the points as a table of the best `top` (0: all), or as JSON with the best again;
 * `command_line` makes the best model. */
void report_points(report *r, const tuning *t, size_t top, const char *command_line);
/* A note for every parameter whose best value lies at the end of its range. */
void note_ends(const tuning *t);

#endif
