/* The state of one `sluice train`. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include "train/calibrate.h"
#include "kafka/kafka.h"
#include "train/checkpoint.h"
#include "run/drift_watch.h"
#include "train/history.h"
#include "measure/measure.h"
#include "notes/order_note.h"
#include "train/pseudo.h"
#include "notes/scale_note.h"
#include "train/trace.h"
#include "train/train_threshold.h"

typedef struct training {
    const args *a;
    sluice_reader_options reading;
    reader_settings kept; /* what the model keeps of its reader: `reading` points to it */
    kafka_settings kafka;
    input_stream stream;
    costs costs;
    sluice_meter_options how;
    const char *test, *holdout, *page;
    uint64_t passes, dimension, top;
    checkpoint checkpoint;
    trace trace;
    drift_watch drift;
    history history;
    calibrating calibrating;
    thresholding thresholding;
    pseudo pseudo;
    value_sample *values; /* of the first rows, until a note about them is decided */
    label_order order;    /* of the first pass */

    sluice_model *model;
    sluice_model *result;     /* the model as it predicts: itself, or a copy that has learned its unfinished batch */
    sluice_model_facts facts; /* of the result, when all is learned */
    sluice_meter *meter;
    uint64_t examples_before, updates_before; /* of earlier runs, with -i */
    uint64_t examples_ended, updates_ended;   /* of this run, by models that --on-drift reset has ended: nothing is then
                                                 before */
    uint64_t waiting;                         /* examples of an unfinished batch */
    int interrupted;                          /* the signal that ended the run; 0: none */
    int blind;                                /* all examples were predicted before the first batch was learned */
    const char *format;                       /* of the last input; NULL: there was none */
    double seconds;
    skip_tally skipped;
    int knows_negative;       /* the model has a negative example, and keeps how its label was written */
    int knows_classes;        /* there are two, and a note has said so */
    sluice_measures measures; /* while learning */
    class_figures classes;    /* of several classes, while learning */
    measured tested;          /* on the test file */
    measured held;            /* on that of --holdout */
    worst_mistakes worst;     /* there, for the page */
} training;

/* train_report.c: prints the results. Returns an exit status. */
int print_results(const training *t);
/* train_page.c: writes the page, where one is wanted. Returns an exit status. */
int write_train_page(const training *t);

#endif
