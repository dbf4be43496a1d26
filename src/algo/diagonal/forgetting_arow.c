/* arow with forgetting (algo/shared/forgetting.h): the rule of arow.c, compiled with one more member. */
#define SL_FORGETS
#include "algo/diagonal/arow.c"
