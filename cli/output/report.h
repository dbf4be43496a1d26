/* Results, written once in the source and printed in three ways: as one JSON object, as aligned lines for a person, or
 * as rows of a table in a page. All have the same content under the same names, but what does not exist is null in JSON
 * and left out elsewhere. Without -v a person gets a summary instead (measure/summary.h). */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "output/json.h"
#include "sluice.h"
#include "args/input_options.h"

typedef struct report {
    json j;
    int as_json, as_rows;
    int is_brief; /* for a person, without -v: what matters most is enough */
    int depth;
    int failed; /* memory was short for a part of it */
} report;

report report_start(int as_json);
/* Rows of an HTML table, whose end the caller writes; it leaves parameters out. */
report report_rows(FILE *out);
/* Ends the report and flushes it. Returns DONE, or FAILED after saying why. */
int report_end(report *r);

void report_count(report *r, const char *key, uint64_t n);
/* A number that may be typed again: no commas between its digits. */
void report_plain(report *r, const char *key, uint64_t n);
void report_figure(report *r, const char *key, double x);       /* NaN: null, or left out */
void report_text(report *r, const char *key, const char *text); /* NULL: null, or left out */
/* A text of several words, which continues on further lines below its beginning; not for JSON. */
void report_words(report *r, const char *key, const char *text);
void report_truth(report *r, const char *key, int truth);
/* Text for a person: the name of a line, the key with blanks, up to the column of values. */
void report_label(const report *r, const char *key);
void report_open(report *r, const char *key);
void report_close(report *r);

void report_params(report *r, const sluice_model *model, const sluice_model_facts *facts);
/* All but the one of this name. */
void report_params_but(report *r, const sluice_model *model, const sluice_model_facts *facts, const char *omitted);
void report_settings(report *r, const sluice_model *model);
void report_measures(report *r, const sluice_measures *m);
void report_skipped(report *r, const skip_tally *skipped);
/* features_seen, nonzeros, dimension and sparsity; `dimension` 0 means the features seen. */
void report_size(report *r, const sluice_model_facts *facts, uint64_t dimension);
/* Warns where --dim (0: not given) is less than the features seen. */
void warn_dimension(uint64_t dimension, const sluice_model_facts *facts);
/* Warns where no weight is left, or new features were ignored because the limit was reached. */
void warn_model(const sluice_model_facts *facts);
/* seconds and examples_per_second */
void report_speed(report *r, double seconds, uint64_t examples);

/* The share of weights that are 0, of as many as the dimension (0: the features seen), in each vector of several
 * classes; NaN where there are none. */
double sparsity(const sluice_model_facts *facts, uint64_t dimension);

#endif
