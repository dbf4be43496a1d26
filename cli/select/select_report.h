/* Feature selection: for every budget the features chosen, and how good a model of them is. */
#ifndef CLI_SELECT_H
#define CLI_SELECT_H

#include "args/model_args.h"
#include "output/report.h"
#include "experiment/row_sets.h"

typedef struct chosen_feature {
    sluice_weight feature; /* with its weight in the budget's model; 0 where that gives it none */
    float score;           /* its |weight| in the model that chose it */
} chosen_feature;

typedef struct budget {
    uint64_t features; /* at most so many */
    size_t n;
    chosen_feature *chosen; /* the highest score first */
    uint64_t *ids;          /* the same, ascending */
    sluice_measures test;
    double seconds;
    sluice_error error;
} budget;

typedef struct selection {
    recipe recipe;
    dataset data; /* only the names, once the rows are in batches */
    sluice_batch *learned, *tested;
    uint64_t passes;
    unsigned threads;
    int quiet;
    budget *budgets; /* ascending */
    size_t n;
} selection;

/* The learner's parameter that is the budget. */
#define BUDGET_PARAM "features"
int has_budget_param(const sluice_learner_info *learner);
/* A model of a budget that has learned nothing. */
sluice_model *budget_model(const selection *s, const budget *b, sluice_error *err);

/* Chooses and measures for all budgets. Returns an exit status after saying what went wrong. */
int select_features(selection *s);
void selection_free(selection *s);

/* The budget of this feature: it and all larger ones chose it. */
uint64_t chosen_since(const selection *s, uint64_t id);

/* select_report.c: the budgets, and the best of the largest one's features (top 0: all). */
void report_selection(report *r, const selection *s, size_t top);
/* All chosen features of all budgets as tab-separated text. Returns an exit status after saying what went wrong. */
int write_selection(const selection *s, const char *path);

#endif
