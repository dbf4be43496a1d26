/* Predictions that wait for their labels, in a file of SQLite. A row is remembered under the id that its request gave
 * it, until its label comes or it expires. A label is numbered and recorded in the file before it is learned; the
 * number of the last one learned is kept in the model (metadata "serve.labels", with the id of the store), so that
 * after a crash labels which the saved model does not know are learned again, and no other one is. */
#ifndef CLI_LABEL_STORE_H
#define CLI_LABEL_STORE_H

#include "serve/model/served_model.h"

typedef struct label_store label_store;

typedef struct label_settings {
    const char *file;
    uint64_t most;                /* rows that wait, of all models; when full the oldest are forgotten */
    uint64_t seconds;             /* after which a row expires; 0: never */
    const char *unlabelled_means; /* the label of those that expire; NULL: they are not learned */
} label_settings;

/* Opens or makes the file, and locks it. Says what is wrong; returns an exit status. The settings must stay. */
int label_store_open(const label_settings *settings, label_store **store);
/* When no model's thread runs any more. NULL is fine. */
void label_store_close(label_store *s);

#define LABEL_ID_MOST 255         /* bytes of an id */
enum { LABEL_ROWS_MOST = 10000 }; /* remembered by one request */

/* Remembers rows of a batch, each under its id: all or none. Rows without one (n is 0) are left out; one of the same id
 * that waits is replaced, of two in the batch the last one counts. On SLUICE_OK they survive a kill of the process.
 * SLUICE_E_DATA for an id that is too long. */
sluice_status label_store_put(label_store *s, const char *model, const sluice_batch *batch, const sluice_name *ids,
                              size_t rows, uint64_t version, sluice_error *err);

typedef enum label_result {
    LABEL_TAKEN,   /* the job is queued; its `done` will be called */
    LABEL_UNKNOWN, /* no such id waits: it was never remembered, has expired, was forgotten or learned long ago */
    LABEL_ALREADY, /* its label was taken before */
    LABEL_BUSY,    /* the queue is full; or too many labels are not in the model's file yet: it must be saved first */
    LABEL_WRONG    /* err says why: no label, or the file failed */
} label_result;

/* The label of an id has come, as an input line would have it: numbers it, records it, and queues the row to be
 * learned. `done` is called as a job's, by the learner thread: the job (with `context`, status, error, versions, the
 * margin before learning in margins[0] and the class predicted[0]) is the store's, and gone afterwards. A row that
 * could not be learned with its label waits again. */
label_result label_store_take(label_store *s, served_model *m, sluice_name id, sluice_name label, void (*done)(job *j),
                              void *context, sluice_error *err);

/* When a model was opened, before its thread is started: queues the labels that were recorded and that the model has
 * not learned, and drops the others. Returns an exit status after saying what is wrong. */
int label_store_catch_up(label_store *s, served_model *m);
/* After a model was saved, whose last label learned was `number`: those up to it are dropped. */
void label_store_saved(label_store *s, const char *model, uint64_t number);
/* From the main thread, every second: drops what models have saved, queues what there was no room for, lets rows
 * expire. */
void label_store_tick(label_store *s, served_model *const *models, size_t n);

typedef struct label_counts {
    uint64_t waiting;                                           /* rows in the file now, and */
    uint64_t unsaved;                                           /* labels that no model's file has yet */
    uint64_t remembered, labelled, expired, forgotten, unknown; /* since the process began; expired ones that were
                                                                   learned are counted as expired alone */
    uint64_t failed;                                            /* calls that the file has failed */
} label_counts;
label_counts label_store_count(label_store *s);

#endif
