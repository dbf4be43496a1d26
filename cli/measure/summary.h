/* What a person gets after a run without -v: the few lines that matter most. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "args/input_options.h"
#include "measure/class_figures.h"
#include "measure/thresholds.h"
#include "output/report.h"
#include "sluice.h"

/* Where something was measured. */
typedef struct summary_column {
    const char *title;
    const sluice_measures *measures;
    const class_figures *classes; /* of several classes */
    const skip_tally *skipped;
    double fading_error; /* said where there is no other column; NaN: there is none */
} summary_column;

/* The learner with what differs from its defaults; of a race: the leader. */
void summarize_learner(report *r, const sluice_model *model, const sluice_model_facts *facts);
/* A line for each measure, with a column for each of the one to three places where it was measured. */
void summarize_measures(report *r, const sluice_model *model, const summary_column *columns, size_t n);
/* Weights, features and sparsity on one line. `dimension` 0 means the features seen. */
void summarize_size(report *r, const sluice_model_facts *facts, uint64_t dimension);
void summarize_speed(report *r, double seconds, uint64_t examples);

#endif
