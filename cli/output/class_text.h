/* The classes of a model, as messages and reports call them. */
#ifndef CLI_CLASS_TEXT_H
#define CLI_CLASS_TEXT_H

#include "output/report.h"
#include "sluice.h"

enum { CLASS_TEXT = 80 };

/* The label of a class as a terminal may show it, cut short where it is long. */
const char *class_text(const sluice_model *model, size_t i, char text[CLASS_TEXT]);
/* The positive one of two classes. */
size_t positive_class(const sluice_model *model);
/* Says which of two classes is positive; nothing where there are no two. */
void note_positive(const sluice_model *model);
/* The label of a class in an object of JSON; null for SLUICE_NO_CLASS. */
void json_class(json *j, const char *key, const sluice_model *model, uint32_t class_index);
/* The label that was learned, in full, as a line of results may have it: what a terminal would not show, tabs and line
 * ends among it, stands as \xNN. Free it; NULL: no memory. */
char *result_label(sluice_name label);
/* The classes of a model that has some, with the number of their examples. */
void report_classes(report *r, const sluice_model *model);

#endif
