/* train: a note where the labels come in a few long runs. */
#ifndef CLI_ORDER_NOTE_H
#define CLI_ORDER_NOTE_H

#include "measure/class_figures.h"
#include "sluice.h"

typedef struct label_order {
    uint64_t changes; /* rows whose label differs from that of the row before */
    int seen;         /* there was a row */
    int positive;     /* its sign; 1 for a word */
    size_t n;         /* bytes of its word; 0: none */
    char start[64];   /* of its word, which may be longer */
} label_order;

/* Takes n rows of a batch; those of importance 0 do not count. */
void label_order_learned(label_order *o, const sluice_batch *batch, size_t first, size_t n);
/* The same of one row: its word, or its number. */
void label_order_add(label_order *o, sluice_name word, double label);
/* Whether n classes of these numbers of rows came in a few long runs. */
int label_order_is_sorted(const label_order *o, const uint64_t *rows, size_t n);
/* Notes at the end that the error is not that of unseen examples. `m`, `classes`: what was measured of these rows. */
void label_order_note(const label_order *o, const sluice_measures *m, const class_figures *classes);

#endif
