/* ssol and cs-ssol with forgetting (algo/shared/forgetting.h): the rule of ssol.c, compiled with one more member. */
#define SL_FORGETS
#include "algo/diagonal/ssol.c"
