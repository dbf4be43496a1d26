/* A search: learners with values of their parameters to try, the points that these make, and what came out. */
#ifndef SL_SEARCH_H
#define SL_SEARCH_H

#include "experiment/grid.h"

enum { SL_MAX_POINTS = 100000 };

typedef struct sl_point {
    sluice_point shown;
    size_t trial;
    const char **params;
    const char **varied; /* as the params behind the learner's: one for each grid of a setting, then of a reading */
    sluice_settings settings; /* of its models */
    double *runs, *by_part;
    double standard_error; /* of the mean, where there are runs; NaN: it has none */
    char *failure;
    sluice_measures test;
} sl_point;

/* What is tried with one learner. */
typedef struct sl_trial {
    const sluice_learner_info *learner;
    char **fixed;
    size_t n_fixed;
    sl_grid *grids; /* those of parameters, those of settings, those of readings */
    size_t n_grids, n_param_grids, n_reading_grids;
    size_t first, n; /* its points of the present round, in the order of the search's points */
} sl_trial;

struct sluice_search {
    sluice_settings settings;
    uint64_t random, seed;
    sl_trial *trials; /* one for each learner */
    size_t n_trials;
    sl_point **points; /* in the order in which they were made */
    size_t n_points;
    sluice_param_info **names; /* of readings, for their grids */
    size_t n_names;
    const sl_point **readings; /* a point of each combination of readings */
    size_t n_readings;
    sl_point **sorted;          /* the same, in the order in which they are handed out */
    int passed_over;            /* the first point is not the one of the best measure, which follows it */
    int has_points;             /* the first round of points was made */
    uint64_t dimension;         /* of the last sweep: what sparsity refers to; 0: the features seen */
    struct sl_sweep_work *work; /* a sweep under way, between begin and end */
    sluice_finding *findings;
    size_t n_findings;
};

/* A model of the point that has learned nothing. */
sluice_model *sl_point_model(const sl_point *p, sluice_error *err);
/* Models of n points of one learner and the same settings, to learn side by side. */
sluice_sweep *sl_points_sweep(sl_point *const *points, size_t n, unsigned threads, sluice_error *err);
/* The value that a point has for a grid of its trial. */
const char *sl_point_value(const sluice_search *s, const sl_point *p, size_t grid);

/* A round of a sweep after the first: adds a point for each of the values of the trials' only grid in `grids`, one grid
 * for each trial. */
sluice_status sl_search_add_round(sluice_search *s, const sl_grid *grids, sluice_error *err);
/* Takes the points from the n-th made on away again. */
void sl_search_drop_points(sluice_search *s, size_t n);
/* Puts the points into the order in which they are handed out. */
void sl_search_sort(sluice_search *s, int (*compare)(const void *a, const void *b));

#endif
