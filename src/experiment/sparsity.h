/* Error against sparsity: which parameter makes a learner sparse, and the sweeps over it. */
#ifndef SL_SPARSITY_H
#define SL_SPARSITY_H

#include "experiment/search.h"

enum { SL_SWEEP_VALUES = 16 };

/* A parameter that makes models sparse. */
typedef struct sl_sparsity_param {
    const char *name;
    int sign;           /* +1: larger values make sparser models, -1: smaller ones do */
    double least, most; /* the values to try by default: from the parameter's default times `least` to that times `most`
                         */
} sl_sparsity_param;

/* NULL: the learner has none. */
const sl_sparsity_param *sl_sparsity_param_of(const sluice_learner_info *learner);
/* The value of the swept parameter, which is the last one of a point. */
double sl_swept_number(const sluice_point *p);

/* A sweep under way. */
typedef struct sl_sweep_work sl_sweep_work;
void sl_sweep_work_free(sl_sweep_work *w);
/* Learns and measures the points of the present round, `repeats` times. */
sluice_status sl_sweep_round(sluice_search *s, const sluice_dataset *data, const sluice_sweep_options *o,
                             sluice_error *err);
/* Whether every learner has one grid, that of the parameter that makes it sparse. */
sluice_status sl_check_sweep(const sluice_search *s, sluice_error *err);

#endif
