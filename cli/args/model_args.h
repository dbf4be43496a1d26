/* Makes or loads the model that a command line asks for. */
#ifndef CLI_MODEL_ARGS_H
#define CLI_MODEL_ARGS_H

#include "args/args.h"
#include "sluice.h"
#include "args/input_options.h"

/* Rows for a command's option table. */
/* clang-format off */
#define LEARNER_OPTIONS \
    {"learner", 'a', "LEARNER", "the rule to learn with; `sluice learners` lists them", 0}, \
    {"param", 'P', "NAME=VALUE", "set a parameter of the learner; may be repeated", 1}
#define EXAMPLE_OPTIONS \
    {"bias", 0, "V", "add a constant feature of value V to every example (default: none)", 0}, \
    {"transform", 0, "HOW", "change every value v: log1p (sign(v) log(1 + |v|)), binary (sign(v)) or none (default)", 0}, \
    {"scale", 0, "HOW", "divide every value by the largest of its feature so far: running (weights grow with it, so that predictions stay), maxabs (weights stay); multiply it by its inverse document frequency so far: idf, for words; or none (default)", 0}, \
    {"normalize", 0, "l2", "scale every example to length 1", 0}
#define CLASS_OPTIONS \
    {"positive", 0, "W", "the label of the positive class, of two that are not -1, 0 and 1 (default: the greater one)", 0}, \
    {"classes", 0, "KIND", "learn any number of classes: ovr (each against the rest), ovo (one against one) or matrix (one matrix for all)", 0}
/* What model_from_args() reads: for a new model alone, and for one that may go on from another. */
#define NEW_MODEL_OPTIONS LEARNER_OPTIONS, SPARSITY_OPTION, SETTINGS_OPTIONS
#define MODEL_OPTIONS LEARNER_OPTIONS, SPARSITY_OPTION, RESUME_OPTION, SETTINGS_OPTIONS
#define SPARSITY_OPTION \
    {"sparsity", 0, "S", "auto: the share of the weights that must be 0, such as 0.99; of the models that have so few the best is taken", 0}
#define RESUME_OPTION \
    {"resume", 'i', "MODEL", "go on from this model, with its learner, parameters and settings", 0}
#define SETTINGS_OPTIONS \
    EXAMPLE_OPTIONS, \
    {"hash", 0, "BITS", "hash features to BITS bits (1 to 30): bounded memory, but features may collide", 0}, \
    CLASS_OPTIONS, \
    {"max-features", 0, "N", "keep at most N features; when full, those of weight zero are evicted, least recently seen first", 0}, \
    TEXT_OPTIONS
/* clang-format on */

/* The class that --class names; SLUICE_NO_CLASS where it is not given. Returns DONE or WRONG_USAGE. */
int class_from_args(const args *a, const sluice_model *model, uint32_t *found);
/* What --classes calls a kind of classes. */
const char *classes_name(unsigned kind);
/* What --transform and --scale call them. */
const char *transform_name(unsigned transform);
const char *scale_name(unsigned scale);

/* A learner, parameters and settings: all that is needed to make a model. */
typedef struct recipe {
    const sluice_learner_info *learner;
    const char **params; /* the -P */
    size_t n_params;
    sluice_settings settings;
} recipe;

/* Reads EXAMPLE_OPTIONS, CLASS_OPTIONS and TEXT_OPTIONS. Returns an exit status after saying what is wrong. */
int example_settings(const args *a, sluice_settings *settings);
/* Reads LEARNER_OPTIONS, EXAMPLE_OPTIONS and TEXT_OPTIONS; the learner is `otherwise` where none is given. Returns an
 * exit status after saying what is wrong. Free with recipe_free() in any case. */
int recipe_from_args(const args *a, const char *otherwise, recipe *r);
void recipe_free(recipe *r);
/* A model of it, with one more parameter unless `more` is NULL. */
sluice_model *recipe_model(const recipe *r, const char *more, sluice_error *err);

/* Creates the model, or loads that of -i and refuses options that contradict it. Returns an exit status after saying
 * what is wrong. */
int model_from_args(const args *a, sluice_model **model);

/* The end of a command's help: the parameters of the learner that -a names, or else (NULL) of `otherwise`. */
void print_learner_help(const char *name, const char *otherwise);

/* Says that there is no such learner and lists all. Returns WRONG_USAGE. */
int unknown_learner(const command *c, const char *name);

/* The parameters of all learners in a row; NULL past the last. */
const sluice_param_info *learner_param_at(size_t i);

/* Where a batch is unfinished, puts a copy that has learned it in the model's place; NULL where that fails. */
sluice_status finish_model(sluice_model **model, sluice_error *err);
/* Loads a model to predict with or to inspect: its unfinished batch, if there is one, has been learned;
 * *waiting (may be NULL) is the number of examples in that. */
int model_to_use(const args *a, const char *path, sluice_model **model, uint64_t *waiting);

#endif
