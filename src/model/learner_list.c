/* The learners by position and by name, and their other names. */
#include <string.h>

#include "learner/learner.h"

/* The names that others give to learners. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"stsd", "olsf"},                                                        /* paper 002 */
    {"stsd-1", "olsf-1"},  {"stsd-2", "olsf-2"},          {"rda-l1", "rda"}, /* SOL, a library of online learners */
    {"fobos-l1", "fobos"}, {"ada-fobos-l1", "ada-fobos"}, {"ada-rda-l1", "ada-rda"}, {"pa1", "pa-1"}, {"pa2", "pa-2"},
};

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

const sl_learner *sl_learner_called(const char *name) {
    const char *own = name;
    for (size_t i = 0; i < SL_COUNT(aliases); i++)
        if (strcmp(aliases[i].alias, name) == 0) own = aliases[i].name;
    return sl_learner_find(own);
}

const sluice_learner_info *sluice_learner_find(const char *name) {
    const sl_learner *learner = sl_learner_called(name);
    return learner ? &learner->info : NULL;
}

const char *sluice_learner_use(size_t i) {
    size_t n = 0;
    while (sl_learner_uses[n]) n++;
    return i < n ? sl_learner_uses[i] : NULL;
}

const char *sluice_learner_alias(size_t i, const char **name) {
    if (i >= SL_COUNT(aliases)) return NULL;
    if (name) *name = aliases[i].name;
    return aliases[i].alias;
}

const char *sluice_learner_default(void) { return "auto"; }
