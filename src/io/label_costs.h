/* Costs of labels: factors for the importance weights of rows, by their labels. */
#ifndef SL_LABEL_COSTS_H
#define SL_LABEL_COSTS_H

#include "sluice.h"

typedef struct sl_label_costs sl_label_costs;

/* NULL: a cost is impossible, or there is no memory. */
sl_label_costs *sl_label_costs_new(const sluice_cost *costs, size_t n, sluice_error *err);
void sl_label_costs_free(sl_label_costs *c);
/* Multiplies the weights of the rows, and counts those that have a cost. From any thread. */
void sl_label_costs_apply(sl_label_costs *c, sluice_batch *b);
/* The rows so far that had the label of the i-th cost. */
uint64_t sl_label_costs_rows(const sl_label_costs *c, size_t i);

#endif
