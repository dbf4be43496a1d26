/* The answers of predict that say more than label, margin and probability: ids, explanations, the input line, JSON. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "args/args.h"
#include "sluice.h"

#include <stdio.h>

/* Rows for a command's option table. */
/* clang-format off */
#define ANSWER_OPTIONS \
    {"json", 0, NULL, "print one JSON object a line", 0}, \
    {"id", 0, "COLUMN|tag|line", "add what identifies the example: a csv column, a JSON key, the tag of vw, or the number of its line", 0}, \
    {"explain", 0, "N", "add the N features that moved the margin most, with what each added to it", 0}, \
    {"keep", 0, NULL, "add the line of the input", 0}, \
    {"top-classes", 0, "K", "several classes: name the K that come first by margin (ovo: by problems won), each with its margin (and probability)", 0}
/* clang-format on */

enum { MOST_EXPLAIN_FIELDS = 100 }; /* up to here a line of text has as many fields as were asked for */

typedef struct answer_form {
    int json, keep;
    const char *id;   /* NULL: none */
    int numbered;     /* the id is the number of the line */
    uint64_t explain; /* terms to show; 0: none */
    int proba;
    uint64_t top_classes; /* classes to name; 0: the predicted one alone */

    FILE *out; /* where answers are written */
    const sluice_model *model;
    sluice_term *terms;
    size_t room;
    size_t input;    /* the input that rows are counted in, */
    uint64_t rows;   /* which formats without lines need, */
    uint64_t all;    /* in all inputs, */
    uint64_t no_ids; /* and those without an id */
} answer_form;

/* Reads ANSWER_OPTIONS. Returns DONE or WRONG_USAGE. */
int answer_options(const args *a, answer_form *form);
/* Whether any of them is given. */
int answer_is_plain(const answer_form *form);
/* Asks the reader for what the answers need. `full`: the model with all that it has learned; `form->model` is the one
 * that predicts. */
void answer_reading(const answer_form *form, const sluice_model *full, sluice_reader_options *reading);

/* What the model says of a row. */
typedef struct answered {
    double margin;      /* of several classes: of the predicted one */
    double probability; /* where asked for */
    size_t classes;     /* in a model of several: how many to name, `best` first to last; 0: two classes */
    const uint32_t *best;
    const double *margins, *probabilities; /* of all classes */
} answered;

/* Writes the answer to a row, a line, to form->out. `plain` has the plain fields, separated by tabs, n bytes; empty
 * ones where the row stands for a line that was left out. `input` is the input that the row comes from. Returns an exit
 * status. */
int answer_row(answer_form *form, const sluice_batch *batch, size_t row, const answered *is, const char *plain,
               size_t n, size_t input);
/* Warns where no line had an id, and frees the terms. */
void answer_end(answer_form *form);

#endif
