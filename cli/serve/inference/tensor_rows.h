/* From tensors to rows: lines of any format, a sparse matrix as three tensors, a dense matrix. */
#ifndef CLI_TENSOR_ROWS_H
#define CLI_TENSOR_ROWS_H

#include "serve/inference/tensor_request.h"
#include "serve/model/request_rows.h"

/* Makes the rows that the inputs are. To learn they have labels, within their lines or as a tensor. `rows` is to be
 * freed in any case, before the request is answered. 0 after refusing. */
int tensor_rows(const tensor_request *q, const model_reading *reading, int to_learn, request_rows *rows);
/* The ids of the rows, where the input `id` has them: *ids is NULL where it has not. 0 after refusing. */
int tensor_row_ids(const tensor_request *q, size_t rows, sluice_name **ids);

/* The inputs, for the description of a model. */
extern const struct tensor_input { const char *name, *type, *shape; } tensor_inputs[];

#endif
