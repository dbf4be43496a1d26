/* Limits of several classes, and labels that are numbers to predict rather than classes (docs/classes.md). */
#ifndef SL_CLASS_LIMITS_H
#define SL_CLASS_LIMITS_H

#include "model/model.h"

/* How many classes a model of several can have. */
size_t sl_class_limit(const sluice_model *m);
/* Says that it would have more: SLUICE_E_LIMIT. */
sluice_status sl_too_many_classes(sluice_model *m);
/* Whether a model of several classes may have one more. SLUICE_E_LIMIT: it has as many as it can have; SLUICE_E_DATA:
 * the labels are no classes. */
sluice_status sl_classes_check_more(sluice_model *m);
/* What the message about a third class adds where labels seem to be numbers to predict; "" otherwise. */
const char *sl_classes_hint(const sl_class_table *t, sluice_name label);

#endif
