/* The learners by position and by name. */
#include <string.h>

#include "learner/learner.h"

const sluice_learner_info *sluice_learner_at(size_t i) {
    for (size_t k = 0; sl_learners[k]; k++)
        if (k == i) return &sl_learners[k]->info;
    return NULL;
}

const sl_learner *sl_learner_find(const char *name) {
    for (size_t k = 0; sl_learners[k]; k++)
        if (strcmp(sl_learners[k]->info.name, name) == 0) return sl_learners[k];
    return NULL;
}

const sluice_learner_info *sluice_learner_find(const char *name) {
    const sl_learner *learner = sl_learner_find(name);
    return learner ? &learner->info : NULL;
}

const char *sluice_learner_default(void) { return "auto"; }
