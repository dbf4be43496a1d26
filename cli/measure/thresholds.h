/* Thresholds on the command line: what to choose one for (test --at, train --threshold), fixed ones (predict
 * --threshold, train --threshold), and what they lead to. */
#ifndef CLI_THRESHOLDS_H
#define CLI_THRESHOLDS_H

#include "args/args.h"
#include "output/report.h"
#include "sluice.h"

#define GOALS_TEXT "precision=P, recall=R, alarms=S (a share of the examples), cost or f1"

/* What a threshold is to be. */
typedef enum threshold_kind { THRESHOLD_NONE, THRESHOLD_GOAL, THRESHOLD_MARGIN, THRESHOLD_PROBABILITY } threshold_kind;

typedef struct threshold {
    threshold_kind kind;
    const char *text; /* as given */
    int goal;         /* SLUICE_GOAL_ */
    double value;     /* the goal's, NaN where it has none; or the margin, or the probability */
} threshold;

/* Read a goal; a fixed threshold, P or margin=M; any of them. Return DONE or WRONG_USAGE. */
int read_goal(const args *a, const char *option, const char *text, threshold *t);
int read_fixed_threshold(const args *a, const char *option, const char *text, threshold *t);
int read_threshold(const args *a, const char *option, const char *text, threshold *t);

/* Whether it is a probability and the model has none, after saying so; `path` is the model's name for that. */
int lacks_probability(const threshold *t, const sluice_model *model, const char *path);
/* Sets a fixed threshold. Returns an exit status, after saying what went wrong. */
int set_fixed_threshold(sluice_model *model, const threshold *t);

/* Chooses a threshold for every goal. Where the examples are not of both classes, none exists: all figures are NaN.
 * Returns an exit status, after saying what went wrong. */
int choose_thresholds(sluice_meter *meter, const threshold *goals, size_t n, sluice_chosen *chosen);

/* Margin and, where the model has probabilities, probability. */
void report_margin(report *r, const sluice_model *model, double margin);
/* An object: the goal, the threshold, what it leads to. */
void report_chosen(report *r, const char *key, const sluice_model *model, const threshold *goal,
                   const sluice_chosen *chosen);
/* JSON alone: the points of precision against recall. */
void report_curve(report *r, const sluice_model *model, const sluice_cut *cuts, size_t n, uint64_t positives);

#endif
