/* The points of a search: a learner and values for its parameters. */
#ifndef CLI_POINTS_H
#define CLI_POINTS_H

#include "experiment/grid.h"
#include "args/model_args.h"

enum { MOST_POINTS = 100000 };

typedef struct point {
    recipe recipe; /* the -P, then a value of every grid */
    size_t order;  /* as it came */

    /* over the runs: folds, or repeats */
    char *failure; /* NULL, or what the first run that failed said; the rest is then empty */
    double *each;  /* the measure, by run */
    double mean, deviation;
    sluice_measures test;                     /* counts are sums, figures means */
    uint64_t examples, mistakes;              /* while learning: sums */
    double nonzeros, sparsity, features_seen; /* means */
    double error_deviation, sparsity_deviation;
    double seconds; /* sum */
} point;

/* What is tried with one learner. */
typedef struct search {
    const sluice_learner_info *learner;
    const char **fixed; /* the -P that it has */
    size_t n_fixed;
    grid *grids;
    size_t n_grids;
    size_t first, n; /* its points */
} search;

typedef struct search_list {
    search *searches;
    size_t n;
    point *points;
    size_t n_points;
} search_list;

/* searches.c, the steps. Each returns an exit status after saying what is wrong. */

/* A search for each of -a, or for the default learner. */
int name_learners(const args *a, search_list *l);
/* Some learner must have the parameter that "name=value" names. */
int check_known(const args *a, const search_list *l, const char *option, const char *text);
/* Keeps those of the -P that the learner has, and makes room for grids. */
int fix_params(search *s, const char *const *params, size_t n, size_t n_grids);
/* Adds the grid "name=values", if the learner has the parameter. */
int read_grid(const args *a, const char *text, int drawing, search *s);
/* Adds a grid of values that stood behind `option`, such as "--grid eta=" or "--lambda ". */
int read_values(const args *a, const char *option, const sluice_param_info *p, const char *values, int drawing,
                search *s);
/* The parameter that "name=value" sets; NULL if the learner has none of that name. */
const sluice_param_info *find_param(const sluice_learner_info *l, const char *setting);
int is_fixed(const search *s, const sluice_param_info *p);

/* All of them: reads -a, -P and --grid, and makes the points. With `random` > 0 so many points are drawn for each
 * learner, those that come again left out. Returns an exit status after saying what is wrong. Free with
 * search_list_free() in any case. */
int searches_from_args(const args *a, const sluice_settings *settings, uint64_t random, search_list *l);
int make_points(const char *name, const sluice_settings *settings, uint64_t random, uint64_t seed, search_list *l);
void search_list_free(search_list *l);

/* The i-th name in a list such as "ssol,fsol"; 0 past the last. */
int name_in_list(const char *list, size_t i, char name[64]);

/* Models of n points of one learner, to learn side by side. */
sluice_sweep *sweep_of_points(const point *points, size_t n, unsigned threads, sluice_error *err);

/* The end of a command's help: the parameters of every learner that -a lists. */
void print_learners_help(const args *a);

/* The value that a point has for a grid of its learner. */
const char *point_value(const search *s, const point *p, size_t grid);
const search *search_of(const search_list *l, const point *p);

#endif
