/* train --calibrate: probabilities fitted to a hold-out. */
#ifndef CLI_CALIBRATE_H
#define CLI_CALIBRATE_H

#include "args/args.h"
#include "output/progress.h"
#include "sluice.h"
#include "args/input_options.h"

/* Rows for a command's option table. */
/* clang-format off */
#define CALIBRATE_OPTIONS \
    {"calibrate", 0, "FILE", "afterwards fit probabilities to this file, which should not be an input", 0}, \
    {"calibration", 0, "KIND", "how --calibrate fits: isotonic (any function that rises, the default) or platt (a sigmoid)", 0}
/* clang-format on */

typedef struct calibrating {
    const char *path; /* NULL: nothing to do */
    int kind;         /* SLUICE_CALIBRATION_ */
} calibrating;

/* Reads them. Returns DONE or WRONG_USAGE. */
int calibrate_options(const args *a, calibrating *c);
/* Notes that the hold-out is also an input or the test file. */
void calibrate_note(const args *a, const calibrating *c, const char *test);
/* Whether the model was fitted to a hold-out. */
int is_fitted(const sluice_model *model);
/* Fits both models to the margins that `result` gives the file; they may be one. Returns an exit status, after saying
 * what went wrong. */
int calibrate(const calibrating *c, sluice_model *model, sluice_model *result, const sluice_reader_options *reading);

#endif
