/* What sluice check counts while it reads the inputs. */
#ifndef CLI_INPUT_FACTS_H
#define CLI_INPUT_FACTS_H

#include "args/input_options.h"
#include "sluice.h"

enum { MOST_CLASSES = 1000, MOST_REASONS = 32, PLACES_OF_A_REASON = 3, MOST_LENGTHS = 100000 };

/* A feature: its id, or a hash of its name. */
typedef struct fact_feature {
    uint64_t key;
    uint64_t rows; /* with a value other than 0; and those with an explicit 0 alone have zeros > 0 */
    uint64_t zeros;
    float largest; /* |value| */
} fact_feature;

/* Rows of the same features and values. */
typedef struct fact_row {
    uint64_t key; /* a hash of them */
    uint64_t rows;
    uint32_t label; /* of the first */
    int differs;    /* another one has another label */
} fact_row;

/* A table of records that begin with a key; it grows. */
typedef struct fact_table {
    void *records;
    size_t size, n, room; /* bytes of a record, records, places */
} fact_table;

typedef struct fact_error {
    char reason[64], example[160]; /* of the first: what is wrong */
    uint64_t count, line[PLACES_OF_A_REASON];
} fact_error;

typedef struct input_facts {
    uint64_t rows, unlabelled, empty, weighted, absent; /* absent: of importance 0 */
    sluice_names *labels;
    uint64_t of_label[MOST_CLASSES + 1]; /* the last: of all further ones */
    uint64_t label_changes;              /* rows whose label is not that of the row before */
    uint32_t last_label;
    fact_table features, distinct; /* of fact_feature, fact_row */
    uint64_t values, ones, whole, negative;
    float least, most;
    uint64_t lengths, shortest, longest; /* values in a row */
    uint64_t texts;                      /* rows of one feature that is a column with a text, of several words */
    double norm[MOST_LENGTHS];           /* of the first rows */
    size_t n_norms;
    fact_error errors[MOST_REASONS];
    size_t n_errors;
    unsigned char *reason_of; /* of the malformed lines that were told of, whose rows have not come yet */
    size_t n_told, n_come, told_room;
    uint64_t malformed;
    const char *format;
    int has_names;
} input_facts;

input_facts *input_facts_new(void);
void input_facts_free(input_facts *f);
/* Takes in the rows of a batch of a reader with every_line and skip_errors. Returns an exit status. */
int input_facts_take(input_facts *f, const sluice_batch *batch);
/* A malformed line, which the next row that was left out stands for. */
void input_facts_bad_line(input_facts *f, const sluice_bad_line *bad);

/* Sorts the rows' lengths; the length of the median row, NaN without any. */
double median_norm(input_facts *f);
/* How many times as large the values of some columns are as those of others, where the rows are a table; else 1. */
double column_spread_of(const input_facts *f);
/* Rows that repeat an earlier one, and those of them with another label. */
uint64_t repeated_rows(const input_facts *f, uint64_t *contradicting);

#endif
