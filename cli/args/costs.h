/* --cost: factors for the importance weights of the examples of a label. */
#ifndef CLI_COSTS_H
#define CLI_COSTS_H

#include "args/args.h"
#include "sluice.h"

/* Rows for a command's option table. */
/* clang-format off */
#define COST_OPTIONS \
    {"cost", 0, "W=V", "multiply the importance weights of the examples of label W by V (0: leave them out); a model keeps this; may be repeated", 1}
/* clang-format on */

typedef struct costs {
    sluice_cost *list;
    uint64_t *rows; /* examples of each */
    size_t n;
    char *text; /* of the labels */
    int given;  /* on the command line */
} costs;

/* Reads --cost; where there is none, what the model (may be NULL) was learned with. Free with costs_free() in any case.
 * Returns an exit status after saying what is wrong. */
int costs_from_args(const args *a, const sluice_model *model, costs *c);
void costs_free(costs *c);
/* Whether they are the same factors for the same labels. */
int costs_equal(const costs *a, const costs *b);
/* Options to read what is learned with: with the costs. */
sluice_reader_options costs_reading(const costs *c, const sluice_reader_options *reading);
/* Counts the examples that a reader, which is at its end, has had of each label. */
void costs_count(costs *c, const sluice_reader *reader);
/* Warns of labels on the command line that did not come. */
void costs_warn(const costs *c);
/* Keeps the costs of the command line in the model, for runs that go on from it. Returns an exit status. */
int costs_remember(const costs *c, sluice_model *model);
/* The costs that a model was learned with, as "W=V", one a line; NULL: none. */
const char *costs_of_model(const sluice_model *model);
/* The same in one line, "spam=5 ham=2"; free it. NULL: no memory. */
char *costs_line(const char *text);

#endif
