/* train: a note where the model is no better than to say the more frequent class always. */
#ifndef CLI_MAJORITY_NOTE_H
#define CLI_MAJORITY_NOTE_H

#include "args/args.h"
#include "measure/class_figures.h"
#include "sluice.h"

/* `m`, `classes`: what was measured while learning; `fading`: the recent error, NaN where it is not known. Says nothing
 * where costs were given: a model may make more mistakes then on purpose. */
void majority_note(const args *a, const sluice_model *model, const sluice_measures *m, const class_figures *classes,
                   double fading);

#endif
