/* Features and their weights, by id or name, for people and programs. */
#ifndef CLI_WEIGHTS_H
#define CLI_WEIGHTS_H

#include "output/report.h"

/* The constant feature is written `bias`; a feature that has this name is told apart by an escape. */
#define ESCAPED_BIAS "\\x62ias"
int is_called_bias(sluice_name name);
/* A feature as text, at least `width` wide; escaped so that its bytes can be told from it (put_exact). */
void print_name(FILE *out, const sluice_weight *w, int width);
/* The same in at most `room` columns: a longer name is cut. */
void print_name_in(FILE *out, const sluice_weight *w, int width, int room);
/* Its "id" or "name" in an object. */
void json_name(json *j, const sluice_weight *w);
/* A list of features: `key` is its name in JSON, `title` its heading for a person. */
void report_features(report *r, const char *key, const char *title, const sluice_weight *weights, size_t n);
/* The heaviest of them; changes the order of the array. */
void report_heaviest(report *r, sluice_weight *weights, size_t n, size_t top);

#endif
