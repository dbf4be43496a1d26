/* Examples held in memory, to be learned from and measured on again and again. Failures are left in *err and nothing is
 * printed, so that many threads may do it at once. */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include "experiment/dataset.h"
#include "args/input.h"

/* Some rows of a dataset, in the order in which to go over them. */
typedef struct row_list {
    size_t *rows;
    size_t n;
} row_list;

/* Adds the rows of the inputs. Returns an exit status, after saying what went wrong and what was skipped (`what`: the
 * name for the inputs in that). */
int hold_inputs(dataset *d, const char *const *paths, size_t n, const sluice_reader_options *reading, int quiet,
                const char *what, skip_tally *skipped);

/* The rows from `first` to `end`; those of importance 0 are absent. Returns 0 where memory is short. Free list->rows.
 */
int list_rows(const dataset *d, size_t first, size_t end, row_list *list);
/* Takes every nth row out of a list. Returns 0 where memory is short. Free taken->rows. */
int take_every(row_list *list, size_t nth, row_list *taken);

/* These rows as a batch, which learns and predicts fastest; names go by their numbers. NULL where memory is short. */
sluice_batch *batch_of_rows(const dataset *d, const row_list *list, sluice_error *err);
/* The same rows of these features alone: n ascending ids, or numbers of names. */
sluice_batch *restrict_batch(const sluice_batch *from, const uint64_t *chosen, size_t n, sluice_error *err);
uint64_t count_positives(const sluice_batch *rows);

/* A whole run of a model: all passes over n batches, one after the other, without one of them (or NULL). Where it
 * leaves a batch unfinished, a copy that has learned it too takes the model's place; NULL where that fails. */
sluice_status learn_held(sluice_model **model, sluice_batch *const *parts, size_t n, const sluice_batch *but,
                         uint64_t passes, sluice_error *err);
/* Measures the model, of which these are the facts, without learning; the AUC is exact, the rest as `how` says. */
sluice_status measure_held(const sluice_model *model, const sluice_model_facts *facts, const sluice_batch *rows,
                           const sluice_meter_options *how, sluice_measures *measures, sluice_error *err);

/* Says so in *err. */
sluice_status no_memory(sluice_error *err);

#endif
