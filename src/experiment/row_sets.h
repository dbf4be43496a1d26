/* Models that learn from batches of held rows and are measured on others. Many threads may do this at once. */
#ifndef SL_ROW_SETS_H
#define SL_ROW_SETS_H

#include "experiment/task.h"

/* What was counted in the first pass: in later ones rows were learned before, and errors on them say nothing. */
typedef struct sl_first_pass {
    uint64_t examples, mistakes; /* 0 examples: there was no later one */
} sl_first_pass;

/* A whole run of a model: all passes over n batches, one after the other, without one of them (`but`, may be NULL).
 * Where it leaves a batch unfinished, a copy that has learned it too replaces the model; NULL where that fails.
 * `counted` (may be NULL) is filled in where there are several passes. */
sluice_status sl_learn_batches(sluice_model **model, sluice_batch *const *parts, size_t n, const sluice_batch *but,
                               uint64_t passes, sl_first_pass *counted, sl_task *task, sluice_error *err);

/* The end of a run: where a batch is unfinished, puts a copy that has learned it in the model's place; NULL where that
 * fails. */
sluice_status sl_finish_run(sluice_model **model, sluice_error *err);

/* The same rows with these features alone: n ascending ids, or numbers of names. */
sluice_batch *sl_restrict_batch(const sluice_batch *from, const uint64_t *chosen, size_t n, sluice_error *err);
/* Whether the id is among n ascending ones. */
int sl_has_id(const uint64_t *ids, size_t n, uint64_t id);

/* Measures a model, of which these are the facts; the AUC is exact, the rest as `how` says. */
sluice_status sl_measure(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                         const sluice_meter_options *how, sluice_measures *measures, sluice_error *err);

/* The same by margins that the model gave the rows; of the model only the parameters and the calibration are asked for.
 */
sluice_status sl_measure_margins(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                                 const double *margins, const sluice_meter_options *how, sluice_measures *measures,
                                 sluice_error *err);

#endif
