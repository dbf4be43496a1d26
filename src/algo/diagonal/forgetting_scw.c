/* scw-1 and scw-2 with forgetting (algo/shared/forgetting.h): the rule of scw.c, compiled with one more member. */
#define SL_FORGETS
#include "algo/diagonal/scw.c"
