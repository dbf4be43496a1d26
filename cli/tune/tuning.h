/* What the parts of `sluice tune` share. */
#ifndef CLI_TUNING_H
#define CLI_TUNING_H

#include "args/args.h"
#include "output/report.h"

/* A figure to choose by. */
typedef struct tune_measure {
    const char *option, *name; /* in --measure, and in the results */
} tune_measure;

typedef struct tuning {
    sluice_search *search; /* the best point first once it is done */
    sluice_folds *folds;
    const tune_measure *measure;
} tuning;

/* tune_report.c: the points as a table of the best `top` (0: all), or as JSON with the best again;
 * `command_line` makes the best model. */
void report_points(report *r, const tuning *t, size_t top, const char *command_line);
/* A note for every parameter whose best value lies at the end of its range. */
void note_ends(const tuning *t);

/* What a page tells of the run. */
typedef struct tune_facts {
    const args *a;
    const tuning *t;
    const char *command_line; /* that makes the best model */
    uint64_t folds, passes, examples, skipped;
    int choose; /* SLUICE_CHOOSE_ */
} tune_facts;

/* tune_page.c: writes a page with a chart and a table of the points. */
int write_tune_page(const char *path, const tune_facts *facts);

#endif
