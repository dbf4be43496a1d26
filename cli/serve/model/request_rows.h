/* The rows of a request: from lines of any format, or put together from tensors. */
#ifndef CLI_REQUEST_ROWS_H
#define CLI_REQUEST_ROWS_H

#include "serve/model/served_model.h"

typedef struct pooled_parser pooled_parser;

/* How lines are read. */
typedef struct row_request {
    const char *format; /* NULL: the model's own */
    int to_learn;       /* rows with a label; else to predict: every line is a row */
    const char *id;     /* as sluice_reader_options has it; NULL: none */
    int drop_id, keep_lines;
} row_request;

typedef struct request_rows {
    const sluice_batch *batch; /* all of them; NULL: reading them failed */
    sluice_batch *own;         /* the same, where they are not a parser's */
    pooled_parser *parser;
} request_rows;

/* Reads all lines, to predict them as the snapshot has it, or to learn them. SLUICE_E_DATA, with line and column, where
 * one is malformed. The bytes must stay until the rows are freed, which is to be done in any case, by any thread. */
sluice_status rows_read(request_rows *rows, const model_reading *reading, const row_request *what, const char *bytes,
                        size_t n, sluice_error *err);
void rows_free(request_rows *rows);
/* When no request is under way any more. */
void rows_free_parsers(void);

#endif
