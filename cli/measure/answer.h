/* The answers to rows, as `predict` and the server write them: label, margin and probability, and besides them ids,
 * explanations, the input line, or all of it as JSON. */
#ifndef CLI_ANSWER_H
#define CLI_ANSWER_H

#include "args/args.h"
#include "http/text_buffer.h"
#include "sluice.h"

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

    text_buffer *out; /* where answers are written */
    const sluice_model *model;
    char *const *label; /* how its classes are printed, by the order of first sight; of a plain model -1 and 1 */
    const size_t *label_n;
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

#define ANSWER_NO_LABEL SIZE_MAX /* the model had learned nothing that could be an answer */

/* What the model says of a row. */
typedef struct answered {
    double margin;      /* of several classes: of the predicted one */
    double probability; /* likewise, where asked for */
    int none;           /* there is no answer to this row: fields are empty */
    size_t label;       /* two classes: the position of the one in label[], or ANSWER_NO_LABEL */
    size_t classes;     /* in a model of several: how many to name, `best` first to last; 0: two classes */
    const uint32_t *best;
    const double *margins, *probabilities; /* of all classes; NULL where `classes` is 1: not needed */
} answered;

/* Writes any bytes as lines of results have them: what a terminal would not show, and backslashes, as \xNN. */
void answer_exact(text_buffer *out, const char *bytes, size_t n);
/* Which of two classes a margin predicts: the position in label[]. `first` is the text of the class that was seen first
 * inside the model, NULL for a plain model. */
size_t answered_label(const sluice_model *model, const char *first, double margin);
/* Writes the fields that every answer has, separated by tabs, without a line end. */
void answer_fields(const answer_form *form, const answered *is);
/* Writes the answer to a row, a line, to form->out: with empty fields where the row stands for a line that was left
 * out. `input` is the input that the row comes from. */
sluice_status answer_row(answer_form *form, const sluice_batch *batch, size_t row, const answered *is, size_t input,
                         sluice_error *err);
/* Warns where no line had an id. */
void answer_warn(const answer_form *form);
void answer_free(answer_form *form);

#endif
