/* The race of a model of `auto`: who leads, how the candidates compare, what happened; as text and as JSON. */
#ifndef CLI_RACE_REPORT_H
#define CLI_RACE_REPORT_H

#include "output/report.h"

/* "ftrl alpha=4 l1=0.03, rows to length 1": the learner, parameters that are not at their defaults, what is done to the
 * values. */
void put_candidate(FILE *out, const sluice_candidate *c);
/* The learner and its parameters alone. */
void put_candidate_learner(FILE *out, const sluice_candidate *c);
/* The candidate that leads a race. */
void put_leader(FILE *out, const sluice_model *model);
/* Nothing for a model that is no race. Text has the candidates that are left, the best of those that were dropped and
 * the last leaders or, with `all`, all candidates and all that happened; JSON has all in any case. */
void report_race(report *r, const sluice_model *model, int all);

#endif
