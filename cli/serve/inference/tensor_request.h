/* Requests of the Open Inference Protocol: JSON, with tensors whose data may stand behind it as bytes. */
#ifndef CLI_TENSOR_REQUEST_H
#define CLI_TENSOR_REQUEST_H

#include "http/http_server.h"
#include "sluice.h"

#include <stdint.h>

#define JSON_TYPE "application/json"

typedef enum tensor_type {
    TENSOR_BOOL,
    TENSOR_UINT8,
    TENSOR_UINT16,
    TENSOR_UINT32,
    TENSOR_UINT64,
    TENSOR_INT8,
    TENSOR_INT16,
    TENSOR_INT32,
    TENSOR_INT64,
    TENSOR_FP16,
    TENSOR_FP32,
    TENSOR_FP64,
    TENSOR_BYTES,
    TENSOR_TYPES
} tensor_type;

enum { TENSORS_MOST = 16, DIMENSIONS_MOST = 4 };

typedef struct tensor {
    sluice_name name;
    tensor_type type;
    size_t shape[DIMENSIONS_MOST], dimensions, elements;
    char *data; /* the text of a JSON array or, if binary, bytes, little-endian */
    size_t data_n;
    int is_binary;
} tensor;

typedef struct wanted_output {
    sluice_name name;
    int binary; /* its data are to stand behind the JSON */
} wanted_output;

typedef struct tensor_request {
    http_request *request;
    sluice_name id; /* text NULL: there is none */
    tensor input[TENSORS_MOST];
    size_t inputs;
    wanted_output output[TENSORS_MOST];
    size_t outputs;
    int names_outputs, binary_outputs; /* the request says which ones; those that say nothing are binary */
    /* parameters */
    const char *format; /* of lines; NULL: the model's own */
    uint64_t explain;   /* how many features of each row; 0: none, unless the outputs ask for them */
    int remember;
    char *names; /* of the columns of x: the text of a JSON array; NULL: none */
    size_t names_n;
    /* of a label alone */
    sluice_name label; /* text NULL: none */
} tensor_request;

/* Reads the body: what it says of shapes, sizes and names is right afterwards. 0 after refusing. */
int tensor_request_read(tensor_request *q, http_request *r);
const tensor *tensor_find(const tensor_request *q, const char *name);
int name_is(sluice_name name, const char *text);
const char *tensor_type_name(tensor_type type);

/* The elements of a tensor, in the memory of the thread; NULL after refusing, where one is none of that kind. Those of
 * type BOOL are numbers too. Texts are those of BYTES, and stand in the body. */
float *tensor_floats(const tensor_request *q, const tensor *t);
double *tensor_doubles(const tensor_request *q, const tensor *t);
uint64_t *tensor_counts(const tensor_request *q, const tensor *t); /* whole numbers, not negative */
int64_t *tensor_wholes(const tensor_request *q, const tensor *t);
sluice_name *tensor_texts(const tensor_request *q, const tensor *t);
/* The same of an array of JSON: n of them. */
sluice_name *json_texts(const tensor_request *q, const char *what, char *text, size_t text_n, size_t *n);

#endif
