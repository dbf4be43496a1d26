/* What the parameters of a request with lines of text ask for. */
#ifndef CLI_LINE_REQUEST_H
#define CLI_LINE_REQUEST_H

#include "measure/answer.h"
#include "serve/model/request_rows.h"
#include "serve/serving.h"

#define JSON_LINES_TYPE "application/x-ndjson"

typedef struct line_request {
    served_model *model;
    row_request reading;
    answer_form form;
} line_request;

/* Reads the parameters that predicting and learning share: model, format, json, id. 0 after refusing. */
int line_request_read(const serving *s, http_request *r, line_request *q);
/* Whether the rows are to be told by their ids, which go into the answer: how they are read. */
void line_request_ids(line_request *q, const snapshot *s);
/* What answers are written with. */
void line_request_answers(answer_form *form, http_request *r, const snapshot *s);
const char *line_request_type(const answer_form *form);

#endif
