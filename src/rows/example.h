/* Examples from outside, which promise nothing: what they must be. */
#ifndef SL_EXAMPLE_H
#define SL_EXAMPLE_H

#include "rows/batch.h"

/* Whether the values are finite and the names not too long. */
sluice_status sl_check_values(const sluice_example *x, sluice_error *err);
/* The same, that no feature stands twice, and that label and weight are what they can be. */
sluice_status sl_check_example(const sluice_example *x, sl_duplicates *repeat, sluice_error *err);

#endif
