/* The state of one `sluice train`. */
#ifndef CLI_TRAINING_H
#define CLI_TRAINING_H

#include "run/feature_counts.h"
#include "train/calibrate.h"
#include "kafka/kafka.h"
#include "train/checkpoint.h"
#include "run/drift_watch.h"
#include "train/history.h"
#include "measure/measure.h"
#include "notes/majority_note.h"
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
    const char *test, *holdout, *page; /* holdout: a file */
    hold_out holding;                  /* the part of the inputs that is measured on instead */
    uint64_t row;                      /* rows of the pass before the batch at hand */
    uint64_t passes, dimension, top;
    uint64_t row_examples, row_seconds; /* of the progress table; 0: its rows double */
    checkpoint checkpoint;
    trace trace;
    drift_watch drift;
    history history;
    calibrating calibrating;
    thresholding thresholding;
    pseudo pseudo;
    feature_counts counts;
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
    measured held;            /* on the hold-out */
    worst_mistakes worst;     /* there, for the page */
} training;

/* learn_pass.c: a pass over the inputs. Returns an exit status. */
int learn_pass(training *t, progress *p);
/* How the inputs are read: with costs and rows without label. */
sluice_reader_options learn_reading(const training *t);
/* Before the model is saved: what has to be in it besides what was learned. */
int prepare_save(training *t);
/* Whether a signal or an alarm of --on-drift stop ends the run. */
int is_ended(const training *t);
uint64_t model_examples(const sluice_model *model);
/* The examples learned in this run. */
uint64_t learned_now(const training *t);
/* train_hold_out.c: reads --holdout, where it names no file. Returns DONE or WRONG_USAGE. */
int hold_out_usage(training *t);
/* Before learning. Returns an exit status. */
int hold_out_start(training *t);
/* Where the inputs cannot be read again: keeps those of n rows of a batch that are held out. Returns an exit status. */
int hold_out_keep(training *t, const sluice_batch *batch, size_t first, size_t n);
/* Keeps in the model how many rows there were. Returns an exit status. */
int hold_out_remember(training *t);
/* Whether there is a hold-out, and what to measure it on. */
int has_hold_out(const training *t);
inputs hold_out_inputs(const training *t);
/* train_report.c: prints the results. Returns an exit status. */
int print_results(const training *t);
/* train_page.c: writes the page, where one is wanted. Returns an exit status. */
int write_train_page(const training *t);

#endif
