/* ftrl with forgetting (algo/shared/forgetting.h): the rule of ftrl.c, compiled with one more member. */
#define SL_FORGETS
#include "algo/diagonal/ftrl.c"
