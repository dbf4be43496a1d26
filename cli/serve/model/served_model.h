/* A model that answers while it learns. One thread learns: what requests ask for, in the order in which they were
 * queued, and the rows of its topics; it saves the model, and publishes a snapshot, which all others predict with. */
#ifndef CLI_SERVED_MODEL_H
#define CLI_SERVED_MODEL_H

#include "args/model_args.h"
#include "kafka/kafka.h"
#include "run/drift_watch.h"
#include "http/text_buffer.h"
#include "sluice.h"

#include <stdatomic.h>
#include <stdint.h>

/* How lines are read for a model. It never changes, and stays as long as the served model: one that is loaded anew gets
 * another one. */
typedef struct model_reading model_reading;

/* What answers: the model as it was after `version` examples, in its predict-only form. It never changes. */
typedef struct snapshot {
    const sluice_model *model;
    const model_reading *reading; /* of the lines that it predicts */
    uint64_t version;
    double made;     /* now_seconds() */
    int has_learned; /* at least one example */
    int many;        /* a model of several classes */
    size_t classes;  /* of such a model: how many it knows */
    char **label;    /* as results print them: of several classes by the order of first sight; else the one of -1
                        inside the model, then that of +1 */
    size_t *label_n, labels;
    int whole_labels;  /* all are whole numbers in the range of 64 bits */
    const char *first; /* of two that are classes: the text of the one of -1 inside the model; NULL: a plain model */
    uint64_t nonzeros, features_seen;
    struct snapshot_uses *uses;
} snapshot;

typedef struct served_model served_model;

/* What a learner thread is asked to do. */
typedef enum job_kind {
    JOB_LEARN,   /* rows of a batch */
    JOB_SAVE,    /* now */
    JOB_RELOAD,  /* loads the model's file, in place of what it has */
    JOB_ROLLBACK /* goes back to the checkpoint of `version`, or to the last one before what is saved */
} job_kind;

typedef struct job job;
struct job {
    job_kind kind;
    /* JOB_LEARN. What the caller supplies stays its own, and must stay until `done` is called. */
    const sluice_batch *batch;
    double *margins;       /* room for a margin of each row, or NULL; NaN for rows that are not learned */
    uint32_t *predicted;   /* several classes: room for the class that each row was predicted as, or NULL */
    uint64_t label_number; /* of a delayed label: kept in the model as the last one learned (metadata "serve.labels":
                              the id of the store of labels, a blank, this number); 0: none. It never falls: a model
                              that is loaded or rolled back to takes over that of the model before */
    uint64_t version;      /* JOB_ROLLBACK: the wanted one; 0: the last */

    /* Called by the learner thread when it is done, also where it failed; it may free the job. */
    void (*done)(job *j);
    void *context;

    /* Filled in before `done`. */
    sluice_status status;
    sluice_error error;     /* the rows before the one at fault were learned */
    uint64_t learned;       /* examples */
    uint64_t first_version; /* of the model before, */
    uint64_t new_version;   /* and after it */
    uint64_t saved_version; /* that of the file */
    job *next;              /* of the queue */
    uint64_t rows;          /* of the queue */
};

/* Queues a job, in order. Returns 0 where the queue has no room for its rows, or the model learns no more because the
 * server ends: nothing is done then. */
int served_enqueue(served_model *m, job *j);
/* Why the model cannot learn at all: it is predict-only, or served with --no-learning; NULL: it can. */
const char *served_cannot_learn(const served_model *m);
/* Whether the server ends, so that it learns no more. */
int served_ends(served_model *m);
/* Whether the queue has room for this number of rows now. */
int served_has_room(const served_model *m, uint64_t rows);

/* The snapshot of now; give it back with served_release(). */
const snapshot *served_take(served_model *m);
void served_release(const snapshot *s);
/* Two classes: the position in label[] of the one that a margin predicts. */
size_t snapshot_label(const snapshot *s, double margin);

/* How lines are read that are to be learned now. */
const model_reading *served_reading(const served_model *m);
/* What is read from lines: the options of parsers (words, unlabelled...), for learning or for predicting. They point
 * into the model. `format` NULL: the model's own, else one that the request names. */
sluice_reader_options reading_options(const model_reading *reading, const char *format, int to_learn);

const char *served_name(const served_model *m);
/* The last delayed label that the model's file has learned, in any thread: what was read at the start and, after each
 * save, what was saved; 0: none. */
uint64_t served_saved_label(const served_model *m);

/* A mistake while learning. */
typedef struct served_mistake {
    uint64_t version; /* of the model that had learned it */
    double when;      /* seconds since 1970 */
    char *json;       /* {"label", "predicted", "margin", "explain": [...]}: written when it happened */
} served_mistake;

/* Figures of one moment. Rates are NaN where there are none. */
typedef struct served_figures {
    const sluice_learner_info *learner;
    uint64_t version, snapshot_version, saved_version, file_examples_before;
    uint64_t examples, mistakes; /* learned since the process began, and mistaken */
    uint64_t updates, features_seen, nonzeros, evicted, refused, memory;
    double error_rate, window_error, fading_error;
    uint64_t window;
    uint64_t drift_alarms;
    sluice_drift_alarm last_alarm;      /* where there is one */
    double snapshot_age, snapshot_cost; /* seconds */
    double saved_age, saving_cost;
    uint64_t saves, failed_saves, rollbacks, reloads;
    char save_error[256]; /* "": the last one succeeded */
    uint64_t queued_rows, queue_room, refused_rows;
    int has_kafka, kafka_up;
    kafka_counts kafka;
    uint64_t skipped;  /* malformed messages left out */
    char stopped[256]; /* why the model learns no more from its topics; "": it does */
} served_figures;
void served_read_figures(served_model *m, served_figures *figures);

enum { SERVED_NEWEST = 16, SERVED_MISTAKES = 20, SERVED_SHOWN_BYTES = 200 /* of a name or a label */ };
/* The features that came last, as a list of JSON; and the last mistakes, the newest first. Both are appended to
 * `to`. */
void served_put_newest(served_model *m, text_buffer *to);
/* The leader of a race, as a string of JSON; null where the model is none. */
void served_put_leader(served_model *m, text_buffer *to);
void served_put_mistakes(served_model *m, text_buffer *to);

/* Predictions of each class, counted by the threads that predict. Those of all classes behind the last one that is
 * counted are counted together, as of class SERVED_CLASSES_COUNTED. */
enum { SERVED_CLASSES_COUNTED = 64 };
void served_count_prediction(served_model *m, size_t label_index, uint64_t n);
uint64_t served_predictions(const served_model *m, size_t label_index);

typedef struct served_settings {
    const args *a;                        /* for a model that is made anew: learner, parameters, settings */
    sluice_reader_options reading;        /* of the command line */
    const kafka_settings *kafka;          /* the topics that the model learns; NULL: none */
    uint64_t save_examples, save_seconds; /* a checkpoint after this; 0: not */
    unsigned keep;                        /* checkpoints before the last one */
    uint64_t queue_rows;
    int learns; /* 0: --no-learning */
} served_settings;

/* Loads FILE, or makes a model where there is none; locks the file; publishes the first snapshot. Says what is wrong.
 * Returns an exit status. */
int served_open(const char *name, const char *file, const served_settings *settings, served_model **m);
/* Before it is started: its labels are numbered by the store of this id. Where the model has learned labels of another
 * store, it has learned none of this one's. */
void served_take_labels_of(served_model *m, uint64_t store);
/* Starts the thread that learns. */
int served_start(served_model *m);
/* From the main thread, ten times a second: what is due by time. */
void served_tick(served_model *m);
/* Asks for a checkpoint. */
void served_ask_save(served_model *m);
/* Refuses further jobs, does those that are queued, saves, ends the thread; where it was never started, the jobs fail
 * with SLUICE_E_CANCELLED. Returns an exit status. */
int served_stop(served_model *m);
void served_close(served_model *m);

#endif
