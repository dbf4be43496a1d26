/* Measuring a model: the options that say how, and doing it. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "args/args.h"
#include "measure/class_figures.h"
#include "measure/thresholds.h"
#include "output/progress.h"
#include "sluice.h"
#include "args/input_options.h"
#include "measure/worst.h"

/* Rows for a command's option table. */
/* clang-format off */
#define MEASURE_OPTIONS \
    {"mu-pos", 0, "V", "weight of the sensitivity in the weighted accuracy (`sum` in JSON), above 0 and up to 1 (default 0.5); the specificity has the " \
     "rest", 0}, \
    {"cost-missed", 0, "V", "what a missed positive adds to `cost` (default: the learner's cost_pos, else 1)", 0}, \
    {"cost-alarm", 0, "V", "what a false alarm adds to `cost` (default: the learner's cost_neg, else 1)", 0}
/* clang-format on */

/* Reads them; what is not given is 0. Returns DONE or WRONG_USAGE. */
int measure_options(const args *a, sluice_meter_options *how);

enum { SHAPE_CUTS = 160, SHAPE_GOALS = 12 };

/* The goals whose thresholds pages show. */
extern const threshold shape_goals[SHAPE_GOALS];

/* Predictions at all thresholds, and by probability: the data of the charts and of the table below them. */
typedef struct shape {
    sluice_cut cuts[SHAPE_CUTS];
    sluice_chosen chosen[SHAPE_GOALS]; /* where there are cuts */
    sluice_calibration_bin bins[SLUICE_CALIBRATION_BINS];
    size_t n_cuts, n_bins;
} shape;

shape shape_of(sluice_meter *meter);

typedef struct measured {
    sluice_measures measures;
    class_figures classes; /* of several classes: free them */
    skip_tally skipped;
    int known;       /* some example has a feature that weighs in the model */
    int needs_shape; /* set before measuring: fill in `shape` */
    shape shape;
    const threshold *goals; /* set before measuring: choose thresholds for them */
    size_t n_goals;
    uint32_t goal_class;   /* of several classes: whose margin they are for, against all others */
    uint64_t positives;    /* examples of that class, or of the positive one */
    sluice_chosen *chosen; /* room for as many */
    worst_mistakes *worst; /* set before measuring: to be filled in; NULL: not wanted */
} measured;

/* Measures the model on labelled inputs without learning; the AUC is exact. `live` may be NULL. Returns an exit status,
 * after saying what went wrong. */
int measure_inputs(const sluice_model *model, const inputs *from, const sluice_reader_options *reading,
                   const sluice_meter_options *how, progress *live, measured *result);

/* Warns where there were no examples, or only one of the classes that the model knows. */
void warn_one_label(const sluice_model *classes, uint64_t examples, uint64_t positives, const char *what);
void warn_one_class_of(const sluice_model *model, const sluice_measures *m, const char *what);
/* All warnings about what was measured: one class, lines skipped, features that the model does not know. */
void warn_measured(const sluice_model *model, const measured *m, const char *what);

#endif
