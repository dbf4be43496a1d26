/* Which version of a rule's functions runs. */
#include "learner/learner.h"

sl_kernels sl_learner_kernels(const sl_learner *learner) { return learner->kernels; }
