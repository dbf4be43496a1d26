/* What the files of the store share. */
#ifndef CLI_LABEL_STATE_H
#define CLI_LABEL_STATE_H

#include "serve/label_store.h"

#if SLUICE_HAVE_SQLITE3

#include "serve/labels/kept_row.h"
#include "serve/labels/label_file.h"

#include <pthread.h>

/* A model of the file, whether it is served or not. */
typedef struct labelled_model {
    char *name;
    int64_t key;
    uint64_t last;                /* the number that was given last; */
    uint64_t queued;              /* labels up to it were queued; */
    uint64_t learned;             /* and are in the model's file */
    sluice_parser *parser;        /* of labels; made when the first one comes, */
    const model_reading *reading; /* for this reading, which has the costs of the labels */
    int has_warned; /* of a label without a request that could not be learned: once. The learner thread's */
    struct labelled_model *next;
} labelled_model;

struct label_store {
    const label_settings *settings;
    uint64_t most;
    pthread_mutex_t lock; /* of all below */
    label_file file;
    uint64_t id; /* of the file: its labels have numbers that mean nothing in another one */
    labelled_model *models;
    label_counts counts;
    row_arrays arrays;
    text_buffer bytes;
    int is_unsettled; /* something was written since the log was last brought to the disk */
    int has_failed;   /* the last transaction did: told once */
};

/* With the lock held. NULL where there is none such and `err` is NULL, or it could not be added. */
labelled_model *label_model(label_store *s, const char *name, sluice_error *err);
/* Begins a transaction; ends it. 0: it failed, and nothing has changed (`what`, with err, says it; err may be NULL). */
int label_begin(label_store *s, const char *what, sluice_error *err);
int label_end(label_store *s, int done_so_far, const char *what, sluice_error *err);

#endif
#endif
