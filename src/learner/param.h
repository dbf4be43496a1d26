/* The one gate for parameters, wherever they come from, is sluice_params_read(); this is the way back. */
#ifndef SL_PARAM_H
#define SL_PARAM_H

#include "learner/learner.h"

/* Writes "name=value" as the gate reads it back exactly. */
void sl_param_write(char text[128], const sluice_param_info *param, double value);

#endif
