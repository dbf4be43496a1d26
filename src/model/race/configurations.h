/* The configurations that `auto` races: a table. */
#ifndef SL_CONFIGURATIONS_H
#define SL_CONFIGURATIONS_H

#include <stddef.h>

#include "sluice.h"

enum { SL_CONFIGURATION_PARAMS = 4 };

typedef struct sl_configuration {
    const char *learner;
    const char *params[SL_CONFIGURATION_PARAMS]; /* "name=value"; NULL behind the last */
    unsigned normalize, scale, transform;        /* as in sluice_settings */
} sl_configuration;

/* Value of the constant feature, unless the caller names another one. */
#define SL_RACE_BIAS 0.3

/* The i-th configuration; NULL past the last. Those that win most often come first. With a sparsity to reach it is
 * another list: few learners, many strengths. */
const sl_configuration *sl_configuration_at(size_t i, int for_sparsity);

#endif
