/* Positions: how far a model has learned the partitions of streams such as Kafka's. They are part of the model, so that
 * one file has both what was learned and from where on to go on. */
#ifndef SL_POSITIONS_H
#define SL_POSITIONS_H

#include <stdbool.h>

#include "sluice.h"

/* By ascending cluster, topic and partition; begin with {0}. The texts of each are its own copies. */
typedef struct sl_positions {
    sluice_position *list;
    size_t n, room;
} sl_positions;

/* Sets one, or what there is of the same cluster, topic and partition. SLUICE_E_USAGE for impossible values,
 * SLUICE_E_LIMIT for too many, SLUICE_E_MEMORY; then nothing has changed. */
sluice_status sl_positions_set(sl_positions *p, const sluice_position *position, sluice_error *err);
/* Makes `to`, which is empty, a copy. False: no memory; `to` is then empty. */
bool sl_positions_copy(sl_positions *to, const sl_positions *from);
void sl_positions_free(sl_positions *p);
/* Below 0, 0 or above: whether a comes before b. */
int sl_positions_order(const sluice_position *a, const sluice_position *b);

#endif
