/* The model that a command line asks for. */
#ifndef CLI_MODEL_ARGS_H
#define CLI_MODEL_ARGS_H

#include "args.h"
#include "sluice.h"
#include "stream.h"

/* Rows for a command's option table: what model_from_args() reads. */
/* clang-format off */
#define MODEL_OPTIONS \
    {"learner", 'a', "LEARNER", "the rule to learn with; `sluice learners` lists them", 0}, \
    {"param", 'P', "NAME=VALUE", "set a parameter of the learner; may be repeated", 1}, \
    {"resume", 'i', "MODEL", "go on from this model, with its learner, parameters and settings", 0}, \
    {"bias", 0, "V", "add a constant feature of value V to every example (default: none)", 0}, \
    {"normalize", 0, "l2", "scale every example to length 1", 0}, \
    {"hash", 0, "BITS", "hash features to so many bits (1 to 30): bounded memory, but they may collide", 0}, \
    {"max-features", 0, "N", "keep at most N features: those of weight zero make way, seen longest ago first", 0}, \
    TEXT_OPTIONS
/* clang-format on */

/* Creates the model, or loads that of -i and refuses options that contradict it. Returns an exit status after saying
 * what is wrong. */
int model_from_args(const args *a, sluice_model **model);

/* Says that there is no such learner, and which there are. Returns WRONG_USAGE. */
int unknown_learner(const command *c, const char *name);

/* The parameters of all learners in a row; NULL past the last. */
const sluice_param_info *learner_param_at(size_t i);

/* Loads a model to predict with or look at: one whose unfinished batch, if there is one, has been learned. */
int model_to_use(const args *a, const char *path, sluice_model **model);

#endif
