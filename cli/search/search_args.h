/* Searches that a command line asks for: -a, -P and --grid. All that return int return an exit status after saying what
 * is wrong. */
#ifndef CLI_SEARCH_ARGS_H
#define CLI_SEARCH_ARGS_H

#include "args/model_args.h"

typedef struct search_args {
    const args *a;
    const sluice_learner_info **learners; /* each once */
    size_t n_learners;
    const char **grids; /* the --grid */
    size_t n_grids;
    const char **fixed; /* the -P */
    size_t n_fixed;
} search_args;

/* Whether the learner chooses its parameters by itself: there is nothing to search. */
int tunes_itself(const sluice_learner_info *learner);

/* Reads the options; the learner is the default one where none is given. Free with search_args_free() in any case. */
int search_args_read(const args *a, search_args *s);
void search_args_free(search_args *s);

/* Some learner must have the parameter that "name=value" names. */
int check_known(const search_args *s, const char *option, const char *text);
/* Adds a learner with those of the -P that it has. */
int add_learner(const search_args *s, const sluice_learner_info *learner, sluice_search *search);
/* Adds the grid "name=values", if the learner has the parameter or it is a setting. */
int add_grid(const search_args *s, const sluice_learner_info *learner, const char *text, sluice_search *search);
/* Adds values that were given with `option`, such as "--grid eta=" or "--lambda ". */
int add_values(const search_args *s, const sluice_learner_info *learner, const char *option, const char *param,
               const char *values, sluice_search *search);
/* Whether -P sets this parameter of a learner. */
int is_fixed(const search_args *s, const sluice_learner_info *learner, const sluice_param_info *param);
/* Makes the points; `advice` follows the message that there are too many. */
int make_points(const args *a, sluice_search *search, const char *advice);

/* All of these steps, as `tune` takes them. With `random` > 0 that many points are drawn for each learner. Free *search
 * in any case. */
int search_from_args(const args *a, const sluice_settings *settings, uint64_t random, sluice_search **search);

/* The i-th name in a list such as "ssol,fsol"; 0 past the last. */
int name_in_list(const char *list, size_t i, char name[64]);

/* The end of a command's help: the parameters of every learner that -a lists. */
void print_learners_help(const args *a);

#endif
