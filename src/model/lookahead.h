/* Looking ahead: rows of a batch are prefetched two rows before their turn and admitted one row before it, because
 * memory takes longer than the rule (docs/performance.md). */
#ifndef SL_LOOKAHEAD_H
#define SL_LOOKAHEAD_H

#include "model/row_layout.h"

/* How a row reaches the rule when its turn comes. */
typedef enum sl_row_form {
    SL_LAY_OUT,     /* by sl_row_lay_out(), which also reports what is wrong with it */
    SL_AS_IT_LIES,  /* its ids in the batch are its slots */
    SL_ROW_ADMITTED /* its slots are in the model's row buffer, valid as long as no feature moves */
} sl_row_form;

typedef struct sl_lookahead {
    const sluice_batch *b;
    const sl_targets *targets;
    size_t end;       /* one past the last row to learn */
    bool any;         /* whether rows may be admitted before their turn at all */
    bool near;        /* whether all ids of the row after the next are direct */
    sl_row_form next; /* of the next row */
    uint64_t moves;   /* sl_space.moves when the next row was admitted */
} sl_lookahead;

/* Whether the rows of a batch may reach the rule as they lie, as far as that is the same for all of them. */
bool sl_batch_usable(const sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end);

/* Starts with the rows first .. end - 1: admits row `first`, prefetches for row first + 1. */
sl_lookahead sl_lookahead_start(sluice_model *m, const sluice_batch *b, const sl_targets *t, size_t first, size_t end);
/* Advances: admits row `next`, prefetches for row next + 1. */
void sl_lookahead_advance(sluice_model *m, sl_lookahead *a, size_t next);

#endif
