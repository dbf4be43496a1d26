/* train --threshold: the threshold that the model is saved with. */
#ifndef CLI_TRAIN_THRESHOLD_H
#define CLI_TRAIN_THRESHOLD_H

#include "measure/measure.h"
#include "train/calibrate.h"

typedef struct thresholding {
    threshold wish;
    const char *path;     /* the file that it is chosen on; NULL: it is fixed, or there is none */
    const hold_out *held; /* it is chosen on these examples of the inputs, which path calls by name; or NULL */
    const args *a;
    int is_set;           /* the model has got it */
    sluice_chosen chosen; /* where it was chosen: what it gives on the file */
} thresholding;

/* Reads it; the examples held out of the inputs and the files of --holdout, --calibrate and --test (NULL: not given)
 * are what it may be chosen on: the first that there is. Returns DONE or WRONG_USAGE. */
int threshold_options(const args *a, const calibrating *c, const hold_out *held, const char *holdout, const char *test,
                      thresholding *h);
/* Notes that the file is one of the inputs, or the test file. */
void threshold_note(const args *a, const thresholding *h, const char *test);
/* Sets the threshold of both models, as `result` predicts the file; they may be one. Returns an exit status, after
 * saying what went wrong. */
int set_threshold(thresholding *h, sluice_model *model, sluice_model *result, const sluice_reader_options *reading,
                  const sluice_meter_options *how);
void report_threshold(report *r, const thresholding *h, const sluice_model *model);

#endif
