/* The labels of a model's classes in files for other programs, and the numbers that stand for them where a format knows
 * no other labels. */
#ifndef CLI_CLASS_NUMBERS_H
#define CLI_CLASS_NUMBERS_H

#include "sluice.h"

/* How many classes there are: two, or as many as the model of several has. */
size_t model_class_count(const sluice_model *model);
/* The label of a class; of two classes 0 is the negative, 1 the positive one, several are in the order of first sight.
 */
sluice_name model_class_label(const sluice_model *model, size_t i);
/* Whether all labels are whole numbers that fit an int, and need no other numbers. */
int model_labels_are_ints(const sluice_model *model);
/* Else the number of a class: its place from 1; 0: no class of the model. */
size_t model_class_number(const sluice_model *model, sluice_name label);

#endif
