/* The parts of a model that answers while it learns; for cli/serve/model alone.
 *
 * Whose is what: what is marked so belongs to the learner thread (before it runs: to who opens the model); all else is
 * atomic, guarded by a lock, or never changes. */
#ifndef CLI_SERVED_PARTS_H
#define CLI_SERVED_PARTS_H

#include "args/costs.h"
#include "serve/model/served_model.h"
#include "serve/shards.h"

#include <pthread.h>

typedef struct shard {
    _Alignas(CACHE_LINE) _Atomic uint64_t n;
} shard;
typedef struct class_shard {
    _Alignas(CACHE_LINE) _Atomic uint64_t n[SERVED_CLASSES_COUNTED + 1];
} class_shard;

struct model_reading {
    uint64_t number; /* no two in a process have the same */
    sluice_reader_options predict, learn, topics;
    reader_settings kept;
    costs costs;
    model_reading *older; /* those before it may still be in use: they are freed with the model */
};

/* What meters tell of the rows that are learned. */
typedef struct told_rows {
    const sluice_batch *batch;
    size_t row;          /* the next one that may be told of */
    double *margins;     /* as in a job */
    uint32_t *predicted; /* likewise */
    uint64_t examples, mistakes;
    size_t mistaken; /* the last row that was predicted wrong, of this margin and these classes */
    double margin;
    uint32_t truth, was;
} told_rows;

typedef enum topics_came { CAME_NOTHING, CAME_ROWS, CAME_NO_ROWS, CAME_END } topics_came;

/* Of which store of labels a model has learned those up to which number. */
typedef struct learned_labels {
    uint64_t store, number; /* 0: unknown, none */
} learned_labels;

/* What is kept of the last mistakes, the newest features and the leader of a race. */
typedef struct shown_lists {
    pthread_mutex_t lock;
    served_mistake mistake[SERVED_MISTAKES]; /* a ring */
    uint64_t mistakes;
    text_buffer newest; /* a list of JSON */
    text_buffer leader; /* text; empty: no race */

    /* of the learner thread */
    double period;          /* when the one began in which */
    unsigned looked, taken; /* rows that were explained before they were learned, and mistakes that were kept */
    sluice_term *terms;     /* of the row that is learned next */
    size_t room, n;         /* n: how many there are to show */
    int explained;          /* the terms are those of the row that is learned now */
    sluice_explanation why;
} shown_lists;

struct served_model {
    served_settings settings;
    char *name, *path; /* links resolved */
    char cannot_learn_text[160];
    _Atomic(const char *) cannot_learn;

    /* ---- of the learner thread */
    sluice_model *model;
    sluice_model_file *file; /* NULL: nothing is written */
    sluice_meter *meter;
    told_rows told;
    drift_watch drift;
    model_reading *readings; /* no two that are alike, the newest first */
    int knows_negative;
    int broken;                            /* the model has left the range of numbers */
    learned_labels labels;                 /* delayed ones that were learned */
    int has_store;                         /* labels.store is that of this server */
    uint64_t examples_done, mistakes_done; /* learned since the process began, */
    uint64_t alarms_done;                  /* and alarms by models before this one */
    sluice_drift_alarm last_alarm;
    uint64_t changes, snapshot_changes, saved_changes; /* what there is to publish, and to save */
    uint64_t saved_examples;                           /* examples_done when it was saved */
    double saved_at, save_again;                       /* save_again: not before this time */
    double snapshot_start, snapshot_cost;              /* the last one's */
    snapshot *retired;                                 /* replaced ones that may be in use */
    kafka_settings topics;                             /* brokers is NULL: there are none */
    kafka_stream *stream;
    sluice_reader *reader;
    topics_came came;                 /* what the reader has brought, and is not done */
    const sluice_batch *stream_batch; /* of it rows from stream_row on are to be learned */
    size_t stream_row;
    int letters_arrived;      /* the dead letters of what came */
    int opens_later;          /* no broker answered when the topics were opened anew */
    double topics_at;         /* when served_topics_mind() has something to do */
    uint64_t stream_messages; /* done, when they were counted last */
    double counted;           /* when that was */
    uint64_t skipped_before;  /* messages left out by streams before this one */

    /* ---- of all threads */
    _Atomic(model_reading *) reading; /* one of `readings` */
    _Atomic(snapshot *) current;
    shard entering[SHARDS];          /* threads that are about to take a snapshot */
    class_shard predictions[SHARDS]; /* by class */
    _Atomic uint64_t version, examples, mistakes, saved_version, saved_label;

    /* ---- the queue, guarded by its lock */
    pthread_mutex_t lock;
    pthread_cond_t more;
    job *first, **last;
    int closed; /* no more are taken */
    int save_asked;
    sluice_reader *waits; /* the reader in which the learner thread waits */
    _Atomic uint64_t queued_rows, refused_rows;
    _Atomic double due; /* when the learner thread wants to be woken; 0: not by time */

    pthread_mutex_t figures_lock;
    served_figures figures; /* guarded by it */
    shown_lists shown;

    pthread_t thread;
    int runs; /* the thread was started and not ended yet */
    int rc;   /* of saving at the end */
};

uint64_t examples_of(const sluice_model *model);
/* Fills in an error; returns its status. */
sluice_status served_fail(sluice_error *err, sluice_status status, const char *format, ...) PRINTF_LIKE(3, 4);

/* served_open.c. Learns with this model from now on, with all that goes with it; on failure, which was said, nothing
 * has changed and the model is the caller's. */
int served_adopt(served_model *m, sluice_model *model);

/* served_snapshot.c. Publishes the model as it is now, and the figures of it. */
sluice_status served_publish(served_model *m, sluice_error *err);
/* When that is next due; INFINITY: there is nothing new. */
double served_publish_at(const served_model *m);
/* Frees replaced snapshots that no thread uses any more. */
void served_free_retired(served_model *m);
void served_free_snapshots(served_model *m);

/* served_queue.c */
void served_queue_init(served_model *m);
void served_queue_free(served_model *m);
/* The next job, or NULL. */
job *served_next_job(served_model *m);
/* It is done: makes room, and says so. */
void served_finish_job(served_model *m, job *j);
/* Waits for a job, until this time at most. */
void served_wait(served_model *m, double until);
/* The same in the reader of the topics: sluice_reader_next(). */
sluice_status served_wait_for_topics(served_model *m, double until, const sluice_batch **batch);
void served_wake(served_model *m);
int served_is_closed(served_model *m);
/* Whether a checkpoint was asked for since the last call. */
int served_save_asked(served_model *m);

/* served_learner.c. The thread; and learning n rows: *done (may be NULL) is how many were. `at_once`: no checkpoint may
 * come between them. */
void *served_learner(void *model);
sluice_status served_learn(served_model *m, const sluice_batch *batch, size_t first, size_t n, double *margins,
                           uint32_t *predicted, size_t *done, sluice_error *err);
void served_told(void *told, const sluice_prediction *p);

/* served_save.c. Finishes what a killed process has left of a change of kept checkpoints. */
void served_mend_kept(served_model *m);
sluice_status served_save(served_model *m, sluice_error *err);
/* When a checkpoint is due by time, or to be tried again; INFINITY: not. */
double served_save_at(const served_model *m);
/* Saves where that is due. A failure is a warning. */
void served_save_if_due(served_model *m);
sluice_status served_reload(served_model *m, sluice_error *err);
sluice_status served_rollback(served_model *m, uint64_t version, sluice_error *err);

/* served_topics.c. Opens the topics at the model's positions. */
int served_topics_open(served_model *m);
void served_topics_close(served_model *m);
/* The same with a model that was put in the place of another. */
void served_topics_reopen(served_model *m);
/* Learns rows that have come, some of them; waits for them until this time at most. */
void served_topics_learn(served_model *m, double until);
/* What is to be done by time while no topic is read, and when. */
void served_topics_mind(served_model *m);
double served_topics_at(const served_model *m);
/* What is to be in the model before it is saved, and what follows. */
sluice_status served_topics_remember(served_model *m, sluice_error *err);
void served_topics_saved(served_model *m);
void served_topics_figures(served_model *m, served_figures *f);

/* served_shown.c. Whether the next row is to be learned alone, and explained before. */
int served_wants_mistake(served_model *m);
void served_explain_next(served_model *m, const sluice_batch *batch, size_t row);
/* Keeps it as a mistake, where it was one. */
void served_take_mistake(served_model *m);
void served_take_newest(served_model *m);
void served_take_leader(served_model *m);
void served_shown_init(served_model *m);
void served_shown_free(served_model *m);

/* served_figures.c */
void served_count(served_model *m);          /* the few that everybody reads */
void served_update_figures(served_model *m); /* all */

#endif
