/* The heaviest features of each of several classes. */
#ifndef CLI_CLASS_FEATURES_H
#define CLI_CLASS_FEATURES_H

#include "output/report.h"
#include "sluice.h"

/* Reports the `top` heaviest features of each class or, one against one, of each pair; of many classes those of one
 * (SLUICE_NO_CLASS: any), or of the first 50. Returns an exit status. */
int report_class_features(report *r, const sluice_model *model, uint32_t only, size_t top);

#endif
