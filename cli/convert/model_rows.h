/* Rows as the weights of a model meet them: text cut, values changed, features without a weight left out; for programs
 * that know the model from `sluice export`. */
#ifndef CLI_MODEL_ROWS_H
#define CLI_MODEL_ROWS_H

#include "sluice.h"

typedef struct model_rows model_rows;

/* Loads the model. `by_number`: features and labels become the numbers that `export` gives them. Returns an exit status
 * after saying what is wrong; free in any case. */
int model_rows_open(model_rows **made, const char *path, int by_number);
void model_rows_free(model_rows *r);
const sluice_model *model_rows_model(const model_rows *r);
/* The row that a model of weights alone needs for x; it lives until the next call. Returns an exit status. */
int model_rows_make(model_rows *r, const sluice_example *x, sluice_example *row);

#endif
