/* Requests that wait: to learn rows, until their job is done; to give rows their labels, until all are learned. */
#ifndef CLI_LEARNING_H
#define CLI_LEARNING_H

#include "http/http_server.h"
#include "measure/answer.h"
#include "serve/label_store.h"
#include "serve/model/request_rows.h"
#include "serve/model/served_model.h"

typedef struct learning learning;

/* Writes the answer to rows that were learned to request->answer, and returns its Content-Type. Headers with the
 * versions are added afterwards. */
typedef const char *(*learning_answer)(learning *l, const snapshot *s);

struct learning {
    http_request *request;
    served_model *model;
    request_rows rows;
    learning_answer answer;
    answer_form form;              /* for who answers; its strings are the request's */
    sluice_name id;                /* of the request; likewise. text NULL: it has none */
    int with_margins, with_labels; /* outputs of tensors: -1: not wanted, 0: in the JSON, 1: as bytes behind it */
    double *margins;               /* of the rows, before they were learned; NaN: it was not */
    uint32_t *predicted;
    size_t room;
    job job;
    learning *next;
};

/* One that is ready to be filled in; NULL after refusing the request. */
learning *learning_new(http_request *r, served_model *m, learning_answer answer);
/* Gives it back without having learned anything. */
void learning_drop(learning *l);
/* Queues l->rows, or refuses the request. Everything else happens later: neither may be used any more. */
void learning_begin(learning *l);
/* What is said of a learned row. */
answered learning_answered(const learning *l, const snapshot *s, size_t row);
/* When no request is under way any more. */
void learning_free_all(void);

typedef struct labelling labelling;

/* What has become of a label. */
typedef struct labelled {
    sluice_name id;
    label_result result;
    sluice_status status; /* where it is wrong, or could not be learned, */
    char *message;        /* and why; else NULL */
    double margin;        /* before it was learned; NaN where it was not */
    uint32_t predicted;
} labelled;

/* Labels in the order of the request. */
typedef struct labels_done {
    const labelled *label;
    size_t n;
    uint64_t version, saved; /* of the model when the last one was learned; 0: none was */
} labels_done;

/* Writes the answer and returns its Content-Type; or NULL after refusing. */
typedef const char *(*labels_answer)(http_request *r, served_model *m, const labels_done *done, unsigned *status);

enum { LABELS_MOST = 10000 }; /* in a request */

/* For n labels; NULL after refusing the request. */
labelling *labelling_new(http_request *r, served_model *m, label_store *store, size_t n, labels_answer answer);
/* Takes the next one. The texts must stay as long as the request. */
void labelling_take(labelling *l, sluice_name id, sluice_name label);
/* All were taken: the request is answered when the last one is learned. */
void labelling_wait(labelling *l);
/* The status of an answer: where none was learned that of the first, else 200. */
unsigned status_of_labels(const labels_done *done);
/* One word or more for what has become of it; and, where it was not learned, why. */
const char *labelled_text(const labelled *l);
const char *labelled_why(const labelled *l);

#endif
