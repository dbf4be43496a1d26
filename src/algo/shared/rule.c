/* Words that parameters of several learners take. */
#include "algo/shared/rule.h"

const char *const sl_schedules[] = {"constant", "inverse", "sqrt", NULL};
