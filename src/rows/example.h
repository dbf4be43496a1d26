/* Checks of examples that programs pass in. */
#ifndef SL_EXAMPLE_H
#define SL_EXAMPLE_H

#include "rows/batch.h"

/* Whether the values are finite and the names not too long. */
sluice_status sl_check_values(const sluice_example *x, sluice_error *err);
/* The same, and that no feature comes twice and label and weight are valid. */
sluice_status sl_check_example(const sluice_example *x, sl_duplicates *repeat, sluice_error *err);

#endif
