/* The work of tuning in jobs, which threads do side by side. Up to SL_OUTCOMES_AT_ONCE points of a learner and the same
 * settings are learned at once, as a sweep: that is several times as fast as one after the other. */
#ifndef SL_TUNE_JOBS_H
#define SL_TUNE_JOBS_H

#include "experiment/folds.h"
#include "experiment/run_outcome.h"

/* Points of one learner and the same settings. */
typedef struct sl_bunch {
    sl_point *const *points;
    size_t n;
    sl_outcome *runs; /* those of the first point, then those of the second, and so on */
} sl_bunch;

typedef struct sl_tuning {
    sluice_search *s;
    const sluice_folds *folds;
    sluice_tune_options o;
    sluice_meter_options how;
    size_t n_runs;     /* of each point */
    sl_bunch *bunches; /* of the present learner */
    bool anew;         /* it learns every fold anew: folds in order otherwise go on */
    sl_task task;
} sl_tuning;

enum { SL_BUNCH_WORTH = 4 }; /* fewer points are faster one by one */

/* Learns what a fold leaves (random folds), or what comes before it (in order), and measures the fold. */
void sl_tune_fold(sl_tuning *w, const sl_bunch *b, size_t run);
/* Learns part after part and measures the next one before that is learned. */
void sl_tune_forward(sl_tuning *w, const sl_bunch *b);
/* Learns all parts and measures what was predicted before learning. */
void sl_tune_progressive(sl_tuning *w, const sl_bunch *b);

/* A model or sweep of points that has the classes of the rows; NULL: it cannot be made. */
sluice_model *sl_tune_model(const sl_tuning *w, const sl_point *p, sluice_error *err);
sluice_sweep *sl_tune_sweep(const sl_tuning *w, const sl_bunch *b, sluice_error *err);
/* The failure of one run, or of the n_runs ones from `first` on of every point; being cancelled is none. */
void sl_tune_failed(sl_outcome *run, const sluice_error *why);
void sl_tune_all_failed(const sl_tuning *w, const sl_bunch *b, size_t first, const sluice_error *why);

#endif
