/* Settings that a search can vary, like the parameters of a learner. */
#ifndef SL_SETTING_GRID_H
#define SL_SETTING_GRID_H

#include "sluice.h"

/* Whether the setting takes the value of "name=value". */
sluice_status sl_setting_check(const char *text, sluice_error *err);
/* Gives the setting its value, which was checked. */
void sl_setting_apply(const char *text, sluice_settings *settings);

#endif
