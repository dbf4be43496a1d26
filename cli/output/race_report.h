/* The race of a model of `auto`, as text and as JSON. */
#ifndef CLI_RACE_REPORT_H
#define CLI_RACE_REPORT_H

#include "output/report.h"

/* "ftrl alpha=4 normalize=l2 bias=0.3": the learner, parameters that are not the default, settings. */
void put_candidate(FILE *out, const sluice_candidate *c);
/* Nothing for a model that is no race. Text has those that learn or, with `all`, all candidates. */
void report_race(report *r, const sluice_model *model, int all);

#endif
