/* The one gate for parameters, wherever they come from: "name=value" text. */
#ifndef SL_PARAM_H
#define SL_PARAM_H

#include "core/learner.h"

/* Sets every parameter of the learner: those given, and the defaults of the others. */
sluice_status sl_params_read(const sl_learner *learner, const char *const *given, size_t n, double *values,
                             sluice_error *err);
/* Writes "name=value" as the gate reads it back exactly. */
void sl_param_write(char text[128], const sluice_param_info *param, double value);

#endif
