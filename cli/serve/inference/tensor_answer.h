/* Writes answers of the Open Inference Protocol: the outputs that were asked for, in JSON or as bytes behind it. */
#ifndef CLI_TENSOR_ANSWER_H
#define CLI_TENSOR_ANSWER_H

#include "serve/inference/tensor_request.h"
#include "serve/model/row_predictions.h"

typedef struct tensor_answer {
    http_request *request;
    text_buffer raw; /* data that stand behind the JSON */
    int any_raw, any;
} tensor_answer;

/* Whether an output is wanted: -1: no, 0: in the JSON, 1: as bytes. `by_default`: where the request names none. */
int output_wanted(const tensor_request *q, const char *name, int by_default);

/* Begins the JSON. `saved`: learning says which version is saved; else NULL. */
void tensor_answer_begin(tensor_answer *a, http_request *r, const char *model, uint64_t version, sluice_name id,
                         const uint64_t *saved);
/* An output of n elements, or n rows of `columns`; columns is 0: it has one dimension. `as` is what output_wanted()
 * says; nothing is done where it is -1. In JSON, what is not finite is null. */
void tensor_answer_doubles(tensor_answer *a, const char *name, int as, const double *x, size_t n, size_t columns);
void tensor_answer_wholes(tensor_answer *a, const char *name, int as, const int64_t *x, size_t n);
void tensor_answer_texts(tensor_answer *a, const char *name, int as, const sluice_name *x, size_t n);
/* The labels at these positions in s->label: INT64 where all are whole numbers, else BYTES. 0: no memory. */
int tensor_answer_labels(tensor_answer *a, const char *name, int as, const snapshot *s, const uint32_t *label,
                         size_t n);
/* Ends it, and returns the Content-Type. Or: it is not sent. */
const char *tensor_answer_end(tensor_answer *a);
void tensor_answer_drop(tensor_answer *a);

#endif
