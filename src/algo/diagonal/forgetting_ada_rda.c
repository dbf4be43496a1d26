/* ada-rda with forgetting (algo/shared/forgetting.h): the rule of ada_rda.c, compiled with one more member. */
#define SL_FORGETS
#include "algo/diagonal/ada_rda.c"
