/* A small JSON writer. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "http/text_buffer.h"

#include <stdint.h>
#include <stdio.h>

typedef struct json {
    FILE *out; /* where it is written to; NULL: */
    int needs_comma;
    text_buffer *text; /* to this */
} json;

/* Each writes one value; `key` is NULL inside a list and at the top. */
void json_open(json *j, const char *key, char bracket);
void json_close(json *j, char bracket);
void json_text(json *j, const char *key, const char *text);             /* a NULL text is null */
void json_bytes(json *j, const char *key, const char *bytes, size_t n); /* text that may be any bytes */
void json_raw(json *j, const char *key, const char *value, size_t n);   /* JSON as it is written */
void json_count(json *j, const char *key, uint64_t n);
void json_number(json *j, const char *key, double x); /* NaN and infinity are null */
void json_float(json *j, const char *key, float x);
void json_truth(json *j, const char *key, int truth);
void json_null(json *j, const char *key);

#endif
