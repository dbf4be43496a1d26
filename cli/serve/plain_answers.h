/* What the text routes have in common. */
#ifndef CLI_PLAIN_ANSWERS_H
#define CLI_PLAIN_ANSWERS_H

#include "http/http_server.h"
#include "serve/model/served_model.h"

#define TEXT_TYPE "text/plain; charset=utf-8"

/* The status that goes with a failure of the library in a request. */
unsigned status_of(const sluice_error *error);
/* Refuses a request for it, with its line and column. */
void refuse_error(http_request *r, const sluice_error *error);
/* Refuses to learn: the queue is full, the server ends, the model cannot. */
void refuse_to_queue(http_request *r, served_model *m);
/* Whether the margins of all classes of this number of rows can be held; else 0 and an error. */
int all_classes_fit(const snapshot *s, size_t rows, sluice_error *err);
/* Adds a header with a number. */
void add_count_header(http_request *r, const char *name, uint64_t n);
/* A member of JSON: digits in a string, as the protocol has versions. */
void put_version(text_buffer *to, const char *key, uint64_t version);
/* Whether lines can have this format; 0 after refusing. */
int format_has_lines(http_request *r, const char *format);
/* A whole number, not negative, also where it is written as 3.0 or 3e0; 0: it is none. */
int json_whole(const sluice_json *j, uint64_t *n);
/* A parameter of the query that is a whole number; 0 after refusing. Leaves *value alone where it is not given. */
int query_count(http_request *r, const char *name, uint64_t min, uint64_t max, uint64_t *value);
/* A parameter that is 1 or 0 (true, false); 0 after refusing. */
int query_truth(http_request *r, const char *name, int *value);

#endif
