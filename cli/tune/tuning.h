/* What the parts of `sluice tune` share. */
#ifndef CLI_TUNING_H
#define CLI_TUNING_H

#include "args/args.h"
#include "output/report.h"

/* How points are measured. */
typedef enum tune_mode { TUNE_RANDOM, TUNE_FORWARD, TUNE_PROGRESSIVE } tune_mode;

enum { PROGRESSIVE_PARTS = 20 }; /* of the rows, at most, for the error along the stream */

typedef struct tuning {
    const args *a;
    sluice_search *search; /* the best point first once it is done */
    sluice_settings settings;
    const sluice_measure_info *measure;
    tune_mode mode;
    uint64_t n_folds; /* random ones, or the parts that are measured */
    uint64_t top, random, passes;
    sluice_tune_options how;
    const char *output, *format; /* format: of the last input */
    costs costs;

    /* the rows, as they are read with one combination of readings: */
    sluice_dataset *data;
    sluice_folds *folds;
    size_t held; /* the number of that combination less 1; 0: the rows are not held */
    uint64_t rows, positives;
    skip_tally skipped;

    size_t done;     /* points that have a result */
    int interrupted; /* the signal that ended the search; 0: none did */
    progress live;
    uint64_t models_before;   /* of other readings, */
    const char *command_line; /* that makes the best model */
    double seconds;
} tuning;

/* tune_args.c: reads the command line; what can be seen to be wrong before any work. Returns an exit status. */
int tune_args(const args *a, tuning *t);
const char *tune_mode_name(const tuning *t);

/* tune_rows.c: reads the rows with the i-th combination of readings, and cuts them into folds, unless `folds` is 0.
 * Returns an exit status. */
int tune_read(tuning *t, size_t reading, int folds);
/* Measures all points, the rows read with every combination. Returns DONE where there are results, after a signal, too
 * (t->interrupted); otherwise an exit status, after saying why there are none. */
int tune_all(tuning *t);

/* tune_report.c: prints the results: the best `top` points (0: all) as a table, or all as JSON with the best again. */
int report_tuning(const tuning *t);
/* A note for every parameter whose best value lies at the end of its range. */
void note_ends(const tuning *t);
/* What distinguishes the point from the learner's others: its i-th parameter that is not fixed, or setting; NULL past
 * the last. */
const char *varied_at(const sluice_point *p, size_t i);

/* tune_page.c: writes a page with charts and a table of the points. */
int write_tune_page(const char *path, const tuning *t);

#endif
